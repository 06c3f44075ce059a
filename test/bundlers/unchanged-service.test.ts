/** A build asks hosting whether anything was published since the last one, and downloads only then. */
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rollup } from 'rollup'
import { expect, it, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import type { LocalServiceOptions } from '../../src/service.ts'
import { type CollectedManifest, loadingEverything } from '../helpers/apps.ts'
import { builtPlugin, repository } from '../helpers/bundlers.ts'
import { type LocalProject, startProject } from '../helpers/local-project.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const HOUR = 3_600_000

/** A service whose texts were last changed when its test says so; its answers have today's date. */
async function startDated(options: LocalServiceOptions = {}) {
  const start = Date.now()
  let time = start - 2 * HOUR
  const project = await startProject({ customers: ['acme'], ...options, now: () => time })
  const at = (msAgo: number) => {
    time = start - msAgo
  }
  await project.importTexts('en', '', { title: 'Title', bye: 'Bye' })
  at(1.9 * HOUR)
  await project.importTexts('de', '', { title: 'Titel', bye: '' })
  await project.importTexts('en', '', { title: 'Acme' }, 'acme')
  at(1.8 * HOUR)
  return { project, at }
}

interface Built {
  readonly texts: CollectedManifest['texts']
  readonly files: readonly (readonly [name: string, content: string])[]
  readonly said: string
  readonly requests: readonly string[]
}

/** `own`: each build in a process of its own, as `npm run build` is. Elsewhere all builds share the test's. */
async function createApp(project: LocalProject, options: PluginOptions, processes: 'own' | 'shared' = 'shared') {
  const root = await tempFolder()
  await writeTree(root, { 'main.js': loadingEverything })
  let builds = 0
  const build = async (more: PluginOptions = {}): Promise<Built> => {
    project.requests.length = 0
    const dir = join(root, `out${++builds}`)
    const given: PluginOptions = { configFile: false, root, customers: ['acme'], customer: 'acme', ...options, ...more }
    const service = { apiKey: project.apiKey, baseUrl: project.baseUrl, cdnUrl: project.cdnUrl, ...more.service }
    const build = processes === 'own' ? buildInProcess : buildHere
    const said = await build(root, dir, { ...given, service })
    const names = (await readdir(dir, { recursive: true })).filter((name) => /\.m?js$/.test(name)).sort()
    const files = await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name), 'utf8')] as const))
    const { texts } = await runEntry<CollectedManifest>(join(dir, 'main.mjs'))
    return { texts, files, said, requests: [...project.requests].sort() }
  }
  return { root, build }
}

/** Both resolve to what the build said. */
async function buildInProcess(root: string, dir: string, options: PluginOptions): Promise<string> {
  const script = join(import.meta.dirname, '../helpers/rollup-once.mjs')
  const argument = { pluginFile: join(repository, 'dist/rollup.js'), input: join(root, 'main.js'), dir, options }
  const { stderr } = await promisify(execFile)(process.execPath, [script, JSON.stringify(argument)], { cwd: root })
  return stderr
}

async function buildHere(root: string, dir: string, options: PluginOptions): Promise<string> {
  const write = vi.spyOn(process.stderr, 'write')
  try {
    const plugins = [(await builtPlugin('rollup', options)) as never]
    const bundle = await rollup({ input: join(root, 'main.js'), plugins })
    await bundle.write({ dir, format: 'es', entryFileNames: '[name].mjs' })
    await bundle.close()
    return write.mock.calls.map(([text]) => text).join('')
  } finally {
    write.mockRestore()
  }
}

const send = async (project: LocalProject, method: string, path: string, body?: object): Promise<void> => {
  const answer = await fetch(`${project.baseUrl}/api/${path}`, {
    method,
    headers: { 'x-service-token': project.apiKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(answer.ok).toBe(true)
}

const set = (project: LocalProject, language: string, key: string, text: string, more: object = {}) =>
  send(project, 'PATCH', 'v2/translations', { language, key, text, ...more })

const BEFORE = { en: { default: { title: 'Acme', bye: 'Bye' } }, de: { default: { title: 'Titel', bye: 'Bye' } } }

const publish = (project: LocalProject) => send(project, 'POST', 'v2/environments/_latest/publish')
const PROOF = ['GET /_cdn/TOKEN/_latest/_languages', 'GET /api/v2/environments/_latest']
const downloads = (requests: readonly string[]) => requests.some((line) => /_latest\/(en|de)/.test(line))

async function start(processes?: 'own') {
  const dated = await startDated()
  await publish(dated.project)
  return { ...dated, ...(await createApp(dated.project, { source: 'hosting', environment: '_latest' }, processes)) }
}

const withToken = (lines: readonly string[], { projectToken }: LocalProject) =>
  lines.map((line) => line.replace(projectToken, 'TOKEN'))

it('asks for the proof alone when nothing changed, and puts out the same', async () => {
  const { project, build } = await start('own')
  const first = await build()
  expect(first.texts).toEqual(BEFORE)
  expect(downloads(first.requests)).toBe(true)
  for (let again = 0; again < 2; again++) {
    const { requests, said, files, texts } = await build()
    expect(withToken(requests, project)).toEqual(PROOF)
    expect(texts).toEqual(BEFORE)
    expect(files).toEqual(first.files)
    expect(said).toMatch(/nothing changed since \d{4}-/)
    expect(said).not.toMatch(/warning|snapshot/)
  }
})

it('sees a publish', async () => {
  const { project, at, build } = await start()
  await build()
  // A service whose clock has seconds only would not tell less.
  at(HOUR)
  await set(project, 'de', 'bye', 'Tschüss')
  await send(project, 'DELETE', 'v1/translation-keys?key=title')
  await publish(project)
  const changed = await build()
  expect(downloads(changed.requests)).toBe(true)
  expect(changed.texts).toEqual({ en: { default: { bye: 'Bye' } }, de: { default: { bye: 'Tschüss' } } })
  const { requests, files } = await build()
  expect(withToken(requests, project)).toEqual(PROOF)
  expect(files).toEqual(changed.files)
})

it('downloads again while a later change could have the time of the last one', async () => {
  const { project, at, build } = await start()
  at(0)
  await set(project, 'de', 'title', 'Erster')
  await publish(project)
  expect((await build()).texts.de?.default).toMatchObject({ title: 'Erster' })
  // The very same millisecond.
  await set(project, 'de', 'title', 'Zweiter')
  await set(project, 'en', 'bye', 'Second')
  await publish(project)
  const { texts, requests } = await build()
  expect(texts.de?.default).toEqual({ title: 'Zweiter', bye: 'Second' })
  expect(downloads(requests)).toBe(true)
})

it("downloads another project's texts, and its own again without a download", async () => {
  const { project, build } = await start()
  await build()
  const other = await startDated()
  await set(other.project, 'de', 'title', 'Anderer')
  await publish(other.project)
  const { apiKey, baseUrl, cdnUrl } = other.project
  expect((await build({ service: { apiKey, baseUrl, cdnUrl } })).texts.de?.default).toMatchObject({
    title: 'Anderer',
  })
  expect(withToken((await build()).requests, project)).toEqual(PROOF)
})

it('downloads where the configuration wants something else', async () => {
  const { build } = await start()
  await build()
  expect(downloads((await build({ namespaces: ['default'] })).requests)).toBe(true)
})

it('downloads where the snapshot is damaged', async () => {
  const { root, build } = await start('own')
  const first = await build()
  const folder = join(root, '.localization')
  const [name = ''] = (await readdir(folder)).filter((file) => file.startsWith('snapshot-'))
  const content = await readFile(join(folder, name), 'utf8')
  await writeFile(join(folder, name), content.replace('Titel', 'Tilet'))
  const { requests, files } = await build()
  expect(downloads(requests)).toBe(true)
  expect(files).toEqual(first.files)
})

it('uses the files beside it, changed or not', async () => {
  const { root, build } = await start()
  await writeTree(root, { 'locales/de/default.json': { bye: 'Datei', title: 'nicht gefragt' } })
  expect((await build()).texts.de?.default).toEqual({ title: 'Titel', bye: 'Datei' })
  await writeTree(root, { 'locales/de/default.json': { bye: 'Andere Datei' } })
  const { texts, requests } = await build()
  expect(texts.de?.default).toEqual({ title: 'Titel', bye: 'Andere Datei' })
  expect(downloads(requests)).toBe(false)
})

it('downloads an environment again that caches may still hold as it was', async () => {
  const { project, at } = await startDated()
  const { build } = await createApp(project, { source: 'hosting', environment: '_production' })
  const isDownload = (line: string) => /_production\/(en|de)/.test(line)
  // Its files may be an hour old; this was published half an hour ago.
  at(HOUR / 2)
  await project.publish()
  await build()
  expect((await build()).requests.some(isDownload)).toBe(true)
  at(1.5 * HOUR)
  await project.publish()
  await build()
  expect((await build()).requests.some(isDownload)).toBe(false)
})
