/** Bad input gets one clear line with its place and a next step, and never a half-built output. */
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { importing } from '../helpers/apps.ts'
import { allBundlers, type Bundler } from '../helpers/bundlers.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { type SeenRequest, sendData, sendJson, startServer } from '../helpers/throwaway-server.ts'

const KEY = 'canary-key-of-bad-input'
const ENTRY = importing(['virtual:translations/en/default'])

type Answer = Parameters<typeof startServer>[0]

/** A service that answers v4 exports with one file; `file` answers that. */
async function exportService(file: Answer, address = (origin: string) => `${origin}/files/1.json`): Promise<string> {
  const server = await startServer((seen: SeenRequest, response, index) => {
    if (seen.path === '/api/v4/export') {
      return sendData(response, { files: [{ url: address(server.url), language: 'en', namespace: '' }] })
    }
    if (seen.path.startsWith('/files/')) return file(seen, response, index)
    return void response.writeHead(404).end()
  })
  return server.url
}

const serviceOf = (baseUrl: string, apiKey = KEY): PluginOptions => ({ service: { baseUrl, apiKey, retries: 0 } })

async function smallProject(): Promise<Project> {
  const project = await startProject({ service: { languages: [] } })
  await project.importTexts('en', '', { title: 'Title' })
  return project
}

/** Everything said on standard error from here on. */
function listen(): () => string {
  const lines: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk))
    return true
  })
  onTestFinished(() => spy.mockRestore())
  return () => lines.join('')
}

/** What is wrong is found before any bundler is asked. */
const fastest = allBundlers.find(({ name }) => name === 'esbuild') as Bundler

describe.each(allBundlers.filter(({ name }) => ['esbuild', 'vite', 'webpack'].includes(name)))('$name', (bundler) => {
  /** Builds, expects a failure, and gives the one line of it that is ours. */
  async function failure(root: string, options: PluginOptions): Promise<string> {
    const message = await attempt(bundler, root, options).then(
      () => expect.fail('the build went through'),
      (error: Error) => error.message,
    )
    expect(message).not.toContain(KEY)
    expect(existsSync(join(root, 'dist')) ? await readdir(join(root, 'dist')) : []).toEqual([])
    return message
  }

  it('a folder that is no language is not in the app, unless an option names it', async () => {
    const root = await tempFolder()
    await writeTree(root, {
      'main.js':
        "import { languages } from 'virtual:translations'\nglobalThis.collect = async () => languages.map(({ key }) => key)\n",
      ...Object.fromEntries(
        ['en', '_drafts', '__tests__', 'en.bak', 'pt_BR'].map((name) => [
          `locales/${name}/common.json`,
          { title: name },
        ]),
      ),
    })
    const heard = listen()
    const build = async (options: PluginOptions) => {
      const output = await bundler.build({
        root,
        entries: { main: 'main.js' },
        options: { configFile: false, ...options },
      })
      const texts = [...output.files].filter(([, content]) => content.toString().includes('__tests__'))
      return [await runEntry<string[]>(output.entryFile('main')), texts.map(([name]) => name)]
    }
    expect(await build({})).toEqual([['en', 'pt_BR'], []])
    for (const name of ['_drafts', '__tests__', 'en.bak'])
      expect(heard()).toContain(`"${name}" is not a known language, and the app does not offer it`)
    expect(heard()).toContain(`"pt_BR" is not a language tag`)
    expect((await build({ languages: ['*', '_drafts'] }))[0]).toEqual(['_drafts', 'en', 'pt_BR'])
    await expect(build({ languages: ['_*', 'en.*'] })).rejects.toThrow('no language to build: "__tests__"')
  })

  async function failureWith(options: PluginOptions, files: Record<string, string | object> = {}): Promise<string> {
    const root = await tempFolder()
    await writeTree(root, files)
    return failure(root, options)
  }

  it('a wrong key', async () => {
    const { baseUrl } = await smallProject()
    expect(await failureWith(serviceOf(baseUrl))).toMatch(
      /GET http:\S+\/api\/v4\/export\S*: .*40[13].*Check `service\.apiKey` or LOCALIZATION_API_KEY/,
    )
  })

  it('a broken file', async () => {
    expect(
      await failureWith({ source: 'files' }, { 'locales/en/default.json': '{\n  "a": "1",\n  "b": \n}\n' }),
    ).toMatch(/locales\/en\/default\.json:4:1: /)
  })

  if (repeats(bundler !== fastest, false)) return

  it('a wrong address', async () => {
    const server = await startServer((_, response) => void response.writeHead(404).end('not here'))
    expect(await failureWith(serviceOf(server.url))).toMatch(/404.*`service\.baseUrl` or LOCALIZATION_BASE_URL/)
  })

  it('a service that is down', async () => {
    const project = await smallProject()
    await project.close()
    expect(await failureWith(serviceOf(project.baseUrl, project.apiKey))).toMatch(
      /cannot load translations: GET http:\S+: .*ECONNREFUSED.*Check the network.*`service\.baseUrl`/,
    )
  })

  it('a login page instead of JSON', async () => {
    const page = `<!doctype html><title>Sign in</title>${'<p>words</p>'.repeat(200)}`
    const server = await startServer(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page),
    )
    const message = await failureWith(serviceOf(server.url))
    expect(message).toMatch(/Check that `service\.baseUrl` is the URL of the service, not of a login page/)
    expect(message).not.toMatch(/(?:<p>words<\/p>){20}/)
  })

  it('an exported file that is cut short', async () => {
    const baseUrl = await exportService((_, response) => void response.end('{"title":"Ti'))
    expect(await failureWith(serviceOf(baseUrl))).toMatch(/GET \S+\/files\/1\.json: .*JSON.*Export again/)
  })

  it('an exported file that is no catalog', async () => {
    const baseUrl = await exportService((_, response) => sendJson(response, { title: { price: 12 } }))
    expect(await failureWith(serviceOf(baseUrl))).toMatch(
      /the exported file for en\/default is not a translation file: contains no texts/,
    )
    expect(await failureWith({ ...serviceOf(baseUrl), values: 'error' })).toMatch(
      /the exported file for en\/default is not a translation file: contains a value of type number at "title\.price"/,
    )
  })

  it('an exported file with two texts for one key', async () => {
    const baseUrl = await exportService((_, response) => sendJson(response, { 'a.b': '1', a: { b: '2' } }))
    expect(await failureWith(serviceOf(baseUrl))).toMatch(
      /the exported file for en\/default has two texts with the key "a\.b".*keySeparator/,
    )
  })

  it.each(['http://files.example.com/1.json', 'file:///etc/passwd', '//files.example.com/1.json'])(
    'an export at %s',
    async (address) => {
      const baseUrl = await exportService(
        () => {},
        () => address,
      )
      expect(await failureWith(serviceOf(baseUrl))).toMatch(/URL|https/)
    },
  )

  it('a typo in the configuration', async () => {
    expect(await failureWith({ souce: 'files' } as never)).toContain('souce: unknown option. Did you mean "source"?')
    expect(await failureWith({ service: { apikey: KEY } } as never)).toContain('Did you mean "service.apiKey"?')
    expect(await failureWith({ source: 'exports' as never })).toContain('Did you mean "export"?')
  })

  it('keys that collide', async () => {
    const message = await failureWith(
      { source: 'files' },
      { 'locales/en/default.json': '{\n  "a.b": "1",\n  "a": {\n    "b": "2"\n  }\n}\n' },
    )
    expect(message).toMatch(/locales\/en\/default\.json:4:5: .*"a\.b".*2:3/)
  })

  it('no files, and no configuration', async () => {
    expect(await failureWith({ source: 'files' })).toMatch(
      /no translations found: no file matches locales\/\{language\}\/\{namespace\}\.json in .*, without a configuration file\..* Check the option/,
    )
  })

  it('no files where the configuration says', async () => {
    const configuration = { 'localization.config.json': '{ "source": "files", "files": "texts/{language}.json" }' }
    expect(await failureWith({ configFile: 'localization.config.json' }, configuration)).toMatch(
      /no file matches texts\/\{language\}\.json in .*, with localization\.config\.json\./,
    )
  })

  it('a language the service does not have', async () => {
    const { baseUrl, apiKey, importTexts } = await smallProject()
    await importTexts('en', 'shop', { buy: 'Buy' })
    const said = listen()
    const root = await tempFolder()
    await writeTree(root, { 'main.js': importing(['virtual:translations/en/shop']) })
    const languageMap = { pt_BR: 'pt-BR' }
    const options = {
      ...serviceOf(baseUrl, apiKey),
      languages: ['en', 'ne', 'pt-BR'],
      defaultLanguage: 'en',
      languageMap,
    }
    const output = await bundler.build({
      root,
      entries: { main: 'main.js' },
      options: { configFile: false, ...options },
    })
    // The namespaces are still there: an unknown language is not taken for a service without export v4.
    expect(await runEntry(output.entryFile('main'))).toEqual([{ buy: 'Buy' }])
    expect(said()).toContain('warning: option "languages": "ne" does not exist. Did you mean "en"?')
    expect(said()).toContain('option "languageMap": neither the service nor any file has the language "pt_BR"')
  })

  it('a customer the service does not have', async () => {
    const { baseUrl, apiKey } = await smallProject()
    expect(await failureWith({ ...serviceOf(baseUrl, apiKey), customers: ['acme'] })).toMatch(/[Cc]ustomer .{0,2}acme/)
  })
})

describe('onServiceError', () => {
  it('fail: names the way out', async () => {
    const root = await tempFolder()
    await expect(attempt(fastest, root, serviceOf('http://127.0.0.1:9'))).rejects.toThrow(
      /Set onServiceError: 'snapshot' to build from the last successful download/,
    )
  })

  it('snapshot: builds from the last good download and says its age', async () => {
    const root = await tempFolder()
    const project = await smallProject()
    const options: PluginOptions = { ...serviceOf(project.baseUrl, project.apiKey), onServiceError: 'snapshot' }
    await attempt(fastest, root, options)
    await project.close()
    await ageSnapshot(root, new Date(Date.now() - 3 * 24 * 3_600_000 - 1000))
    const said = listen()
    expect(await attempt(fastest, root, options)).toEqual([{ title: 'Title' }])
    expect(said()).toMatch(
      /warning: using the snapshot from \S+ \(3 days old\), because the service failed: GET http:\S+ .*ECONNREFUSED/,
    )
    expect(said()).toMatch(/1 text in .*\(snapshot, 3 days old\)/)
  })

  it('snapshot: fails where there is none, and names both reasons', async () => {
    const root = await tempFolder()
    const options: PluginOptions = { ...serviceOf('http://127.0.0.1:9'), onServiceError: 'snapshot' }
    await expect(attempt(fastest, root, options)).rejects.toThrow(/ECONNREFUSED.*no snapshot at .*The next build/)
  })

  it.each([
    ['cut short', (content: string) => content.slice(0, -20)],
    ['with another text', (content: string) => content.replace('Title', 'Evil!')],
    ['empty', () => ''],
    ['of another format', (content: string) => content.replace(/"format":\d+/, '"format":99')],
  ])('snapshot: refuses one that is %s', async (_, damage) => {
    const root = await tempFolder()
    const project = await smallProject()
    const options: PluginOptions = { ...serviceOf(project.baseUrl, project.apiKey), onServiceError: 'snapshot' }
    await attempt(fastest, root, options)
    await project.close()
    const path = await snapshotOf(root)
    await writeFile(path, damage(await readFile(path, 'utf8')))
    await expect(attempt(fastest, root, options)).rejects.toThrow(/cannot use the snapshot \S+: .*Delete it/)
  })

  it('files: builds from local files and says so', async () => {
    const root = await tempFolder()
    await writeTree(root, { 'locales/en/default.json': { title: 'From a file' } })
    const said = listen()
    const options: PluginOptions = { ...serviceOf('http://127.0.0.1:9'), onServiceError: 'files' }
    expect(await attempt(fastest, root, options)).toEqual([{ title: 'From a file' }])
    expect(said()).toMatch(/warning: using local files only, because the service failed: .*ECONNREFUSED/)
  })

  it('files: fails where there are none', async () => {
    const options: PluginOptions = { ...serviceOf('http://127.0.0.1:9'), onServiceError: 'files' }
    await expect(attempt(fastest, await tempFolder(), options)).rejects.toThrow(
      /the service failed, and no file matches/,
    )
  })
})

async function attempt(bundler: Bundler, root: string, options: PluginOptions): Promise<unknown> {
  await writeTree(root, { 'main.js': ENTRY })
  const output = await bundler.build({ root, entries: { main: 'main.js' }, options: { configFile: false, ...options } })
  return runEntry(output.entryFile('main'))
}

async function snapshotOf(root: string): Promise<string> {
  const name = (await readdir(join(root, '.localization'))).find((file) => file.startsWith('snapshot-'))
  return join(root, '.localization', name ?? expect.fail('no snapshot'))
}

/** The header holds the time and no digest covers it: it is told to a person, nothing depends on it. */
async function ageSnapshot(root: string, savedAt: Date): Promise<void> {
  const path = await snapshotOf(root)
  const content = await readFile(path, 'utf8')
  await writeFile(path, content.replace(/"savedAt":"[^"]+"/, `"savedAt":"${savedAt.toISOString()}"`))
}
