/** Ctrl-C in the middle of thousands of texts, then the same command again: complete, nothing doubled, no file torn. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pullResult } from '../../src/cli/commands/pull.ts'
import { pushResult } from '../../src/cli/commands/push.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'

const NAMESPACES = 50
const TEXTS = repeats(100, 400)

const textsOf = (namespace: number) =>
  Object.fromEntries(Array.from({ length: TEXTS }, (_, i) => [`key.${i}`, `Text ${i} of ${namespace}`]))
const everything = Object.fromEntries(
  Array.from({ length: NAMESPACES }, (_, n) => [`locales/en/part${n}.json`, textsOf(n)] as const),
)

async function serviceTexts(project: Project): Promise<number> {
  const query = new URLSearchParams({ language: 'en', size: '1' })
  const answer = await fetch(`${project.baseUrl}/api/v2/translations?${query}`, {
    headers: { 'x-service-token': project.apiKey },
  })
  return ((await answer.json()) as { pageDetails: { totalElements: number } }).pageDetails.totalElements
}

const imports = (project: Project) => project.requests.filter((line) => line === 'POST /api/v2/import').length

test('push', { timeout: 180_000 }, async () => {
  const project = await startProject({ files: everything, service: true })
  const pushing = project.start('push', '--json')
  await expect.poll(() => imports(project), { timeout: 60_000, interval: 5 }).toBeGreaterThan(4)
  pushing.child.kill('SIGINT')
  const stopped = await pushing.run
  expect(stopped.code).toBe(130)
  const { texts, left, failure } = stopped.json(pushResult)
  expect(failure).toBeNull()
  expect(left).toBeGreaterThan(0)
  expect(texts + left).toBe(NAMESPACES * TEXTS)
  expect(stopped.stderr).not.toContain('error')

  const before = await serviceTexts(project)
  // What was under way when it was stopped came to its end.
  expect(before).toBe(texts)
  const again = (await project.run('push', '--json')).json(pushResult)
  expect(again).toMatchObject({ texts: NAMESPACES * TEXTS - before, left: 0, conflicts: [], refused: [] })
  expect(await serviceTexts(project)).toBe(NAMESPACES * TEXTS)
  expect((await project.run('push', '--json')).json(pushResult)).toMatchObject({ texts: 0 })
  const sample = await project.readText('en', 'part19', 'key.99')
  expect(sample).toBe('Text 99 of 19')
})

test.each(['reading', 'writing'])('pull, stopped while it is %s', { timeout: 180_000 }, async (moment) => {
  const project = await startProject({ service: true })
  for (let n = 0; n < NAMESPACES; n++) await project.importTexts('en', `part${n}`, textsOf(n))
  const folder = join(project.root, 'locales/en')
  const files = () =>
    readdir(folder).then(
      (names) => names.filter((name) => !name.startsWith('.')),
      () => [],
    )
  const pulling = project.start('pull', '--json')
  if (moment === 'reading') {
    await expect
      .poll(() => project.requests.filter((line) => line === 'GET /api/v2/translations').length, {
        timeout: 60_000,
        interval: 2,
      })
      .toBeGreaterThan(2)
  } else await expect.poll(files, { timeout: 60_000, interval: 1 }).not.toEqual([])
  pulling.child.kill('SIGINT')
  const stopped = await pulling.run
  expect(stopped.code).toBe(130)
  if (moment === 'reading') {
    expect(JSON.parse(stopped.stdout)).toMatchObject({ error: { code: 'STOPPED' } })
    expect(await files()).toEqual([])
  } else {
    const { texts, left } = stopped.json(pullResult)
    expect(left).toBeGreaterThan(0)
    expect(texts + left).toBe(NAMESPACES * TEXTS)
    expect(texts).toBe((await files()).length * TEXTS)
  }
  // Each file that is there is whole.
  for (const name of await files()) {
    const texts = JSON.parse(await readFile(join(folder, name), 'utf8')) as object
    expect(Object.keys(texts)).toHaveLength(TEXTS)
  }

  const again = (await project.run('pull', '--json')).json(pullResult)
  expect(again).toMatchObject({ left: 0, conflicts: [] })
  expect(await readdir(folder)).toHaveLength(NAMESPACES)
  for (let n = 0; n < NAMESPACES; n++)
    expect(JSON.parse(await readFile(join(folder, `part${n}.json`), 'utf8'))).toEqual(textsOf(n))
  expect((await project.run('pull', '--json')).json(pullResult)).toMatchObject({ texts: 0 })
})
