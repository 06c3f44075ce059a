/** Row 16: 100,000 levels, wherever JSON comes in: a clean error, and what was there stays. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp, serviceHas, serviceTexts, startDevServer } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { buildFrom, command, startExportService } from '../helpers/hostile-build.ts'
import { startProject } from '../helpers/project.ts'
import { save } from '../helpers/temp.ts'

const row = faultRow(16)
const DEEP = 100_000
const objects = `${'{"a":'.repeat(DEEP)}"x"${'}'.repeat(DEEP)}`
const lists = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`
const CASES: [string, string][] = [
  ['objects', objects],
  ['lists', `{"a":${lists}}`],
  ['objects never closed', '{"a":'.repeat(DEEP)],
]

test('in a file: commands, build and a dev server', async () => {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  const agreed = { 'en/common': { title: 'Title' } }
  await project.fill(agreed)
  const root = await createApp(agreed, proxy)
  const server = await startDevServer(root, project.apiKey, proxy)
  for (const [name, content] of CASES) {
    const told = server.lines().length
    await save(join(root, 'locales/en/common.json'), content)
    await expect.poll(() => server.lines().slice(told).join('\n'), { timeout: 90_000 }).toContain('common.json')
    for (const args of ['check', 'push', 'pull']) {
      const { code, output } = await command(root, project.baseUrl, [args], { apiKey: project.apiKey })
      expect([name, args, code, output.includes('common.json'), /RangeError|call stack/.test(output)]).toEqual([
        name,
        args,
        1,
        true,
        false,
      ])
    }
    expect((await buildFrom(project.baseUrl, { source: 'files' }, root)).failure, name).toContain('common.json')
    const mended = { 'en/common': { title: `Mended: ${name}` } }
    await save(join(root, 'locales/en/common.json'), mended['en/common'])
    await serviceHas(project, mended)
    row.kept(await serviceTexts(project), mended)
    row.alsoTried(5)
  }
  expect(server.lines().filter((line) => /RangeError|call stack/.test(line))).toEqual([])
})

test.each(CASES)('%s in a configuration, in an import, in an answer', async (_, content) => {
  const project = await startProject({ service: true })
  const root = await createApp({ 'en/common': { title: 'Title' } }, project)
  await writeFile(join(root, 'deep.json'), content)
  const imported = await command(root, project.baseUrl, ['import', 'deep.json', '--language', 'en'], {
    apiKey: project.apiKey,
  })
  expect([imported.code, /RangeError|call stack/.test(imported.stderr)]).toEqual([imported.code === 2 ? 2 : 1, false])
  await writeFile(join(root, 'localization.config.json'), content)
  const configured = await command(root, project.baseUrl, ['status'], { apiKey: project.apiKey })
  expect([configured.code, /RangeError|call stack/.test(configured.stderr)]).toEqual([1, false])
  const service = await startExportService({
    before: (seen, response) => seen.path === '/files/1.json' && void response.end(content),
  })
  expect((await buildFrom(service.url)).failure).toMatch(/nest|deep|levels|JSON|array/)
  const answering = await startExportService({ before: (_seen, response) => void response.end(content) })
  expect((await buildFrom(answering.url)).failure).toMatch(/unexpected response|JSON|nest|deep/)
  row.alsoTried(3)
})
