/**
 * Row 15: duplicate keys: named with their place, in a dev server, a build and the commands; nothing is pushed from the
 * file.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp, serviceHas, serviceTexts, startDevServer } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { buildFrom, command } from '../helpers/hostile-build.ts'
import { startProject } from '../helpers/project.ts'
import { save } from '../helpers/temp.ts'

const row = faultRow(15)
const CASES: [string, string][] = [
  ['the same twice', '{\n  "title": "One",\n  "title": "Two"\n}'],
  ['the same text twice', '{\n  "title": "Title",\n  "title": "Title"\n}'],
  ['spelled with an escape', '{\n  "title": "One",\n  "t\\u0069tle": "Two"\n}'],
  ['in a branch', '{\n  "a": { "b": "One",\n  "b": "Two" }\n}'],
  ['a path and a joined key', '{\n  "a": { "b": "One" },\n  "a.b": "Two"\n}'],
  ['a branch twice', '{\n  "a": { "b": "One" },\n  "a": { "c": "Two" }\n}'],
]

test.each(CASES)('%s: the commands and a build', async (_, content) => {
  const project = await startProject({ service: true })
  const agreed = { 'en/common': { title: 'Title' }, 'en/other': { title: 'Other' } }
  await project.fill(agreed)
  const root = await createApp(agreed, project)
  await command(root, project.baseUrl, ['push'], { apiKey: project.apiKey })
  await save(join(root, 'locales/en/common.json'), content)
  await save(join(root, 'locales/en/other.json'), { title: 'Other, edited' })
  const writes = project.requests.length
  for (const name of ['check', 'push']) {
    const { code, stdout, stderr } = await command(root, project.baseUrl, [name], { apiKey: project.apiKey })
    expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(/common\.json:3:\d+/)])
  }
  // The other file is no worse for it.
  row.kept(await serviceTexts(project), { ...agreed, 'en/other': { title: 'Other, edited' } })
  expect(project.requests.slice(writes).filter((line) => line.startsWith('DELETE'))).toEqual([])
  const { failure } = await buildFrom(project.baseUrl, { source: 'files', configFile: false }, root)
  expect(failure).toMatch(/common\.json:3:\d+/)
})

test('a dev server: told with the place, nothing pushed, cleared by the mend', async () => {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  const agreed = { 'en/common': { title: 'Title' } }
  await project.fill(agreed)
  const root = await createApp(agreed, proxy)
  const server = await startDevServer(root, project.apiKey, proxy)
  for (const [, content] of CASES) {
    const told = server.lines().length
    await save(join(root, 'locales/en/common.json'), content)
    await expect.poll(() => server.lines().slice(told).join('\n'), { timeout: 90_000 }).toMatch(/common\.json:3:\d+/)
    await save(join(root, 'locales/en/common.json'), { title: 'Title' })
    // Without this the same mistake would follow itself, and is told once.
    await expect.poll(() => server.lines().at(-1), { timeout: 90_000 }).toContain('common.json: fixed')
    row.alsoTried(1)
  }
  await save(join(root, 'locales/en/common.json'), { title: 'Mended' })
  await serviceHas(project, { 'en/common': { title: 'Mended' } })
  row.kept(await serviceTexts(project), { 'en/common': { title: 'Mended' } })
  expect(proxy.patches.map(({ text }) => text)).toEqual(['Mended'])
})
