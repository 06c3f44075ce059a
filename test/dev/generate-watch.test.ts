/** `localization generate --watch`: the files follow edits of files and of the service, and one process syncs. */
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { generateResult } from '../../src/cli/commands/generate.ts'
import { linkPackage } from '../helpers/bundlers.ts'
import { runCli, startCli } from '../helpers/cli.ts'
import { createApp, serviceHas, startDevProcess } from '../helpers/dev-process.ts'
import { OUT, readModules } from '../helpers/generated.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { startProject } from '../helpers/project.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

const WAIT = { timeout: 90_000, interval: 20 }

async function startWatch(folder: string, env: Readonly<Record<string, string>> = {}) {
  const running = startCli(['generate', '--watch', '--json'], { cwd: folder, env })
  await running.firstLine
  const results = () =>
    running
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => generateResult.parse(JSON.parse(line)))
  return { ...running, results }
}

const moduleText = (folder: string, path: string) => readFile(join(folder, OUT, path), 'utf8')

test('writes what an edit changes, in objects that a page keeps, until it is stopped', async () => {
  const folder = await tempFolder()
  const files = { 'locales/en/common.json': { title: 'One', old: 'Old' }, 'locales/pl/common.json': { title: 'Raz' } }
  await writeTree(folder, files)
  const watch = await startWatch(folder)
  expect(watch.results()).toMatchObject([{ files: 13, edited: [], removed: [] }])
  await expect.poll(() => watch.stderr(), WAIT).toContain('watching the texts')

  // A tool evaluates a changed module again, and its runtime not.
  const load = async (path: string, version: number) =>
    (await import(/* @vite-ignore */ `${pathToFileURL(join(folder, OUT, path)).href}?${version}`)) as never
  const manifest: typeof import('virtual:translations') = await load('index.js', 0)
  const updates: unknown[] = []
  manifest.onUpdate((update) => updates.push(update))
  const { default: shown }: { readonly default: Record<string, string> } = await load('en/common.js', 0)
  expect(shown).toEqual({ title: 'One', old: 'Old' })

  await save(join(folder, 'locales/en/common.json'), { title: 'Two' })
  await expect
    .poll(() => watch.results().at(1)?.written, WAIT)
    .toEqual(
      // In Polish, `old` was a fallback; the types lack it.
      ['en/common.js', 'pl/common.js', 'index.d.ts'],
    )
  await load('en/common.js', 1)
  expect(shown).toEqual({ title: 'Two' })
  expect(updates).toEqual([{ type: 'messages', language: 'en', namespace: 'common', messages: shown }])

  // A broken file keeps the last texts; the mend is written.
  await writeTree(folder, { 'saved.tmp': '{ "title": ' })
  await rename(join(folder, 'saved.tmp'), join(folder, 'locales/en/common.json'))
  await expect.poll(() => watch.stderr(), WAIT).toContain('locales/en/common.json')
  expect(await moduleText(folder, 'en/common.js')).toContain('Two')
  await save(join(folder, 'locales/en/common.json'), { title: 'Three' })
  await expect.poll(() => moduleText(folder, 'en/common.js'), WAIT).toContain('Three')

  await save(join(folder, 'locales/de/shop.json'), { buy: 'Kaufen' })
  await expect.poll(() => moduleText(folder, 'index.js'), WAIT).toContain("'./de/shop.js'")
  await load('index.js', 1)
  expect(manifest.languages.map(({ key }) => key)).toEqual(['de', 'en', 'pl'])

  watch.signal('SIGTERM')
  expect((await watch.run).code).toBe(0)
  const errors = watch.stderr().match(/^error: .*$/gm)
  expect(errors).toEqual([expect.stringMatching(/^error: locales\/en\/common\.json:1:12: /)])
  // It starts with the texts on the disk, and says so when nothing changed.
  const second = await startWatch(folder)
  expect(second.results()).toMatchObject([{ written: [], removed: [] }])
  second.signal('SIGINT')
  expect((await second.run).code).toBe(0)
  // What a build gets has no traces of a dev server.
  const build = await runCli(['generate'], { cwd: folder })
  expect(build.stderr).not.toContain('manual edits')
  expect([...(await readModules(folder)).values()].join()).not.toMatch(/hold(?:Manifest|Messages)|module\.hot/)
})

test('beside a dev server: one syncs, both show every edit; the other takes over, sends edits and shows what the service changes', async () => {
  const agreed = { 'en/common': { title: 'Title', bye: 'Bye' } }
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await project.fill(agreed)
  const folder = await createApp(agreed, proxy, { pull: { intervalMs: 300 } })
  await linkPackage(folder)
  const server = await startDevProcess(folder, project.apiKey, proxy)
  const watch = await startWatch(folder, { LOCALIZATION_API_KEY: project.apiKey })
  await expect.poll(() => watch.stderr(), WAIT).toContain(`read-only: process ${server.pid} is syncing`)
  await save(join(folder, 'locales/en/common.json'), { title: 'Once', bye: 'Bye' })
  await serviceHas(project, { 'en/common': { title: 'Once', bye: 'Bye' } })
  await expect.poll(() => moduleText(folder, 'en/common.js'), WAIT).toContain('Once')
  expect(proxy.patches.map(({ text }) => text)).toEqual(['Once'])
  await server.kill()
  await expect.poll(() => watch.stderr(), WAIT).toContain('took over syncing from the other process')
  await save(join(folder, 'locales/en/common.json'), { title: 'Twice', bye: 'Bye' })
  await serviceHas(project, { 'en/common': { title: 'Twice', bye: 'Bye' } })
  await expect.poll(() => moduleText(folder, 'en/common.js'), WAIT).toContain('Twice')
  await project.setText('en', 'common', 'bye', 'Farewell')
  await expect.poll(() => moduleText(folder, 'en/common.js'), WAIT).toContain('Farewell')
  watch.signal('SIGINT')
  expect((await watch.run).code).toBe(0)
})
