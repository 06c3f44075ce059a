/**
 * Row 23: a key deleted, a file emptied: dev deletes nothing on the service; the command previews, and stops above
 * half.
 */
import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp, serviceHas, serviceTexts, startDevServer } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { command } from '../helpers/hostile-build.ts'
import { startProject } from '../helpers/project.ts'
import { save } from '../helpers/temp.ts'

const row = faultRow(23)
const agreed = { 'en/common': { a: 'A', b: 'B', c: 'C', d: 'D' }, 'en/other': { o: 'O' } }

const DELETIONS: [string, (path: string) => Promise<unknown>][] = [
  ['a key deleted', (path) => save(path, { a: 'A', b: 'B', c: 'C' })],
  ['a text emptied', (path) => save(path, { a: '', b: 'B', c: 'C', d: 'D' })],
  ['every text emptied', (path) => save(path, { a: '', b: '', c: '', d: '' })],
  ['{}', (path) => save(path, {})],
  ['truncated to nothing', (path) => truncate(path, 0)],
  ['white space', (path) => writeFile(path, '  \n')],
  ['null', (path) => writeFile(path, 'null')],
  ['removed', (path) => rm(path)],
]

test('a dev server, all of them one after another', async () => {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await project.fill(agreed)
  const root = await createApp(agreed, proxy)
  await startDevServer(root, project.apiKey, proxy)
  const path = join(root, 'locales/en/common.json')
  let marker = 0
  const others = () => ({ ...agreed, 'en/other': { o: `marker ${marker}` } })
  for (const [, remove] of DELETIONS) {
    await save(path, agreed['en/common'])
    await remove(path)
    // What it made of that was done before this arrives.
    marker++
    await save(join(root, 'locales/en/other.json'), { o: `marker ${marker}` })
    await serviceHas(project, others())
    row.kept(await serviceTexts(project), others())
    row.alsoTried(1)
  }
  expect(project.requests.filter((line) => line.startsWith('DELETE'))).toEqual([])
  expect(proxy.patches.filter(({ text }) => !text.startsWith('marker'))).toEqual([])
})

test.each(DELETIONS)('the command: %s', async (_, remove) => {
  const project = await startProject({ service: true })
  await project.fill(agreed)
  const root = await createApp(agreed, project)
  const run = (...args: string[]) => command(root, project.baseUrl, args, { apiKey: project.apiKey })
  expect((await run('push')).code).toBe(0)
  await remove(join(root, 'locales/en/common.json'))
  // Without being told to: nothing.
  await run('push')
  row.kept(await serviceTexts(project), agreed)
  // Nobody to ask, and the preview.
  expect((await run('push', '--prune')).code).toBe(2)
  await run('push', '--prune', '--dry-run')
  row.kept(await serviceTexts(project), agreed)
  const { code, stderr, stdout } = await run('push', '--prune', '--yes')
  const left = await serviceTexts(project)
  if (code === 0 && Object.keys(left['en/common'] ?? {}).length < 4) {
    // Only the one key that is not in the file any more.
    row.kept(left, { ...agreed, 'en/common': { a: 'A', b: 'B', c: 'C' } })
  } else {
    row.kept(left, agreed)
    if (code !== 0) expect(stdout + stderr).toMatch(/more than half|common\.json/)
  }
})
