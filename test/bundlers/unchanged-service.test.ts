/** A build asks the service whether anything changed since the last one, and downloads only then. */
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rollup } from 'rollup'
import { describe, expect, it, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import type { LocalServiceOptions } from '../../src/service.ts'
import { type CollectedManifest, loadingEverything } from '../helpers/apps.ts'
import { builtPlugin, repository } from '../helpers/bundlers.ts'
import { type LocalProject, startProject } from '../helpers/local-project.ts'
import { repeats } from '../helpers/repeats.ts'
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

interface Edit {
  readonly what: string
  readonly edit: (project: LocalProject) => Promise<void>
  readonly texts: object
}

const BEFORE = { en: { default: { title: 'Acme', bye: 'Bye' } }, de: { default: { title: 'Titel', bye: 'Bye' } } }

const EDITS: readonly Edit[] = [
  {
    what: 'a text',
    edit: (project) => set(project, 'de', 'bye', 'Tschüss'),
    texts: { de: { default: { title: 'Titel', bye: 'Tschüss' } } },
  },
  {
    what: "a customer's text",
    edit: (project) => set(project, 'en', 'title', 'Acme Inc.', { customerId: 'acme' }),
    texts: { en: { default: { title: 'Acme Inc.', bye: 'Bye' } } },
  },
  {
    what: 'a deleted key',
    edit: (project) => send(project, 'DELETE', 'v1/translation-keys?key=bye'),
    texts: { en: { default: { title: 'Acme' } }, de: { default: { title: 'Titel' } } },
  },
  {
    what: 'an added text',
    edit: (project) => project.importTexts('en', '', { more: 'More' }),
    texts: { en: { default: { title: 'Acme', bye: 'Bye', more: 'More' } } },
  },
  {
    what: 'a renamed key',
    async edit(project) {
      await send(project, 'DELETE', 'v1/translation-keys?key=bye')
      await send(project, 'POST', 'v1/translation-keys', { key: 'later' })
      await set(project, 'en', 'later', 'Bye')
      await set(project, 'de', 'later', '')
    },
    texts: { en: { default: { title: 'Acme', later: 'Bye' } }, de: { default: { title: 'Titel', later: 'Bye' } } },
  },
  {
    what: 'a namespace',
    edit: (project) => project.importTexts('en', 'shop', { buy: 'Buy' }),
    texts: { en: { default: { title: 'Acme', bye: 'Bye' }, shop: { buy: 'Buy' } } },
  },
  {
    what: 'a language',
    edit: (project) => project.importTexts('pl', '', { title: 'Tytuł' }),
    texts: { pl: { default: { title: 'Tytuł', bye: 'Bye' } } },
  },
]

describe.each([
  {
    source: 'export',
    publish: async () => {},
    proof: ['GET /api/v2/project', 'GET /api/v2/translations', 'GET /api/v2/translations'],
    isDownload: (line: string) => line.startsWith('GET /files/'),
  },
  {
    source: 'query',
    publish: async () => {},
    proof: ['GET /api/v2/project', 'GET /api/v2/translations', 'GET /api/v2/translations'],
    // The newest and the oldest texts, and all of them.
    isDownload: undefined,
  },
  {
    source: 'hosting',
    publish: (project: LocalProject) => send(project, 'POST', 'v2/environments/_latest/publish'),
    proof: ['GET /_cdn/TOKEN/_latest/_languages', 'GET /api/v2/environments/_latest'],
    isDownload: (line: string) => /_latest\/(en|de)/.test(line),
  },
] as const)('$source', ({ source, publish, proof, isDownload }) => {
  const options: PluginOptions = { source, environment: '_latest' }
  const start = async (processes?: 'own') => {
    const dated = await startDated()
    await publish(dated.project)
    return { ...dated, ...(await createApp(dated.project, options, processes)) }
  }
  const withToken = (lines: readonly string[], { projectToken }: LocalProject) =>
    lines.map((line) => line.replace(projectToken, 'TOKEN'))
  const downloads = (requests: readonly string[]) =>
    isDownload ? requests.some(isDownload) : requests.filter((line) => line === 'GET /api/v2/translations').length > 2

  it('asks for the proof alone when nothing changed, and puts out the same', async () => {
    const { project, build } = await start(repeats(source === 'export', true) ? 'own' : undefined)
    const first = await build()
    expect(first.texts).toEqual(BEFORE)
    expect(downloads(first.requests)).toBe(true)
    for (let again = 0; again < repeats(source === 'export' ? 2 : 1, 2); again++) {
      const { requests, said, files, texts } = await build()
      expect(withToken(requests, project)).toEqual(proof)
      expect(texts).toEqual(BEFORE)
      expect(files).toEqual(first.files)
      expect(said).toMatch(/nothing changed since \d{4}-/)
      expect(said).not.toMatch(/warning|snapshot/)
    }
  })

  const few = source === 'export' ? EDITS : EDITS.filter(({ what }) => what === 'a deleted key')
  it.each(repeats(few, EDITS))('sees $what', async ({ edit, texts }) => {
    const { project, at, build } = await start()
    await build()
    // A service whose clock has seconds only would not tell less.
    at(HOUR)
    await edit(project)
    await publish(project)
    const changed = await build()
    expect(downloads(changed.requests)).toBe(true)
    expect(changed.texts).toMatchObject(texts)
    for (const [language, namespaces] of Object.entries(texts)) {
      for (const [namespace, messages] of Object.entries(namespaces as object))
        expect(changed.texts[language]?.[namespace]).toEqual(messages)
    }
    const { requests, files } = await build()
    expect(withToken(requests, project)).toEqual(proof)
    expect(files).toEqual(changed.files)
  })

  it('sees that one of many old texts is gone', async () => {
    const { project, at, build } = await start()
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, 'text']))
    await project.importTexts('en', 'many', many)
    at(1.7 * HOUR)
    await set(project, 'en', 'title', 'Newest')
    await publish(project)
    expect((await build()).texts.en?.many).toEqual(many)
    at(HOUR)
    await send(project, 'DELETE', 'v1/translation-keys?key=k9&namespace=many')
    await publish(project)
    const { k9: _, ...left } = many
    expect((await build()).texts.en?.many).toEqual(left)
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
    expect(withToken((await build()).requests, project)).toEqual(proof)
  })

  it('downloads where the configuration wants something else', async () => {
    const { build } = await start()
    await build()
    expect(downloads((await build({ namespaces: ['default'] })).requests)).toBe(true)
  })

  if (repeats(source === 'export', true)) {
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
  }

  it('uses the files beside it, changed or not', async () => {
    const { root, build } = await start()
    await writeTree(root, { 'locales/de/default.json': { bye: 'Datei', title: 'nicht gefragt' } })
    expect((await build()).texts.de?.default).toEqual({ title: 'Titel', bye: 'Datei' })
    await writeTree(root, { 'locales/de/default.json': { bye: 'Andere Datei' } })
    const { texts, requests } = await build()
    expect(texts.de?.default).toEqual({ title: 'Titel', bye: 'Andere Datei' })
    expect(downloads(requests)).toBe(false)
  })
})

describe('what proves nothing', () => {
  const downloadsTwice = async (service: LocalServiceOptions, options: PluginOptions) => {
    const { project } = await startDated(service)
    const { build } = await createApp(project, options)
    const first = await build()
    const second = await build()
    expect(second.texts).toEqual(first.texts)
    expect(second.said).not.toMatch(/warning/)
    return second.requests
  }

  it('a service without totals', async () => {
    const requests = await downloadsTwice({ features: { pageDetails: false } }, { source: 'export' })
    expect(requests.some((line) => line.startsWith('GET /files/'))).toBe(true)
  })

  it('a question that is refused', async () => {
    const faults = [{ method: 'GET', path: '/api/v2/translations', status: 403 }] as const
    const requests = await downloadsTwice({ faults }, { source: 'export' })
    expect(requests.some((line) => line.startsWith('GET /files/'))).toBe(true)
    // Asked once for each layer, not again.
    expect(requests.filter((line) => line === 'GET /api/v2/translations').length).toBe(2)
  })

  it('reviewed texts', async () => {
    const { project, at } = await startDated()
    await set(project, 'en', 'title', 'Title', { reviewStatus: 'REVIEWED' })
    const { build } = await createApp(project, { source: 'query', reviewed: true })
    expect((await build()).texts.en?.default).toEqual({ title: 'Title' })
    at(HOUR)
    await set(project, 'en', 'title', 'Title')
    await set(project, 'en', 'bye', 'Bye', { reviewStatus: 'REVIEWED' })
    expect((await build()).texts.en?.default).toEqual({ bye: 'Bye' })
  })

  it('an environment that caches may still hold as it was', async () => {
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
})
