/** Persistent caches of webpack and Rspack: whatever has changed, a build gives what one without a cache gives. */
import { access, readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { buildInProcess } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { startProject } from '../helpers/project.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

/** A page with texts of its own, fetched texts, and code that is loaded later. */
const FILES = {
  'package.json': { type: 'module' },
  't.js': `
import { load } from 'virtual:translations'
let texts
export const use = async () => { texts = await load('en', 'common') }
export const t = (key) => texts[key]
`,
  'main.js': `
import { languages, load, namespaces } from 'virtual:translations'
import shop from 'virtual:translations/en/shop'
import { t, use } from './t.js'
globalThis.collect = async () => {
  await use()
  const title = t('title')
  const { buy } = await import('./later.js')
  const fetched = {}
  for (const { key } of languages)
    for (const namespace of namespaces) fetched[key + ' ' + namespace] = await load(key, namespace)
  return { shop, fetched, title, buy: buy() }
}
`,
  'later.js': "import { t } from './t.js'\nexport const buy = () => t('cart.buy')\n",
  'locales/en/common.json': { title: 'Title', 'cart.buy': 'Buy {n}', 'cart.sell': 'Sell' },
  'locales/de/common.json': { title: 'Titel', only: 'Nur hier' },
  'locales/en/shop.json': { open: 'Open' },
  'locales/en/more.json': { more: 'More' },
  'texts/en/common.json': { title: 'Another title', 'cart.buy': 'Get' },
  'texts/en/shop.json': { open: 'Opened' },
  'other/en/common.json': { title: 'From elsewhere' },
  'other/en/shop.json': { open: 'Open' },
}

/** What a page has where a script runs, addressed by its file; other scripts are loaded as a page loads them. */
const IN_PAGE = `
const { href } = new URL('./main.js', import.meta.url)
const appendChild = (script) => void import(script.src).then(() => script.onload({}), (cause) => script.onerror(cause))
globalThis.self = globalThis
globalThis.location = { href }
globalThis.document = {
  baseURI: href,
  currentScript: { src: href, tagName: 'SCRIPT' },
  getElementsByTagName: () => [],
  createElement: () => ({ setAttribute() {} }),
  head: { appendChild },
}
await import('./main.js')
`

type Files = Readonly<Record<string, string | object>>

interface Change {
  /** Nothing has changed since the last build: no build without a cache is needed to compare with. */
  readonly isSame?: boolean
  readonly options?: PluginOptions
  readonly files?: Files
  readonly output?: object
}

const CACHES = {
  webpack: (directory: string) => ({ cache: { type: 'filesystem', cacheDirectory: directory } }),
  rspack: (directory: string) => ({ cache: { type: 'persistent', storage: { type: 'filesystem', directory } } }),
  'rspack, new cache': (directory: string) => ({
    cache: { type: 'persistent', storage: { type: 'filesystem', directory } },
    experiments: { newCache: true },
  }),
}

async function createProject(bundler: keyof typeof CACHES) {
  const root = await tempFolder()
  const directory = join(root, 'cache')
  let written = 0
  let output = {}
  const write = async (files: Files) => {
    await writeTree(root, files)
    // Bundlers trust no file that changed a moment ago.
    const time = Date.parse('2020-01-01') / 1000 + 60 * ++written
    for (const name of Object.keys(files)) await utimes(join(root, name), time, time)
  }
  await write(FILES)
  const [name = ''] = bundler.split(',')
  const see = async (folder: string) => {
    const below = await readdir(join(root, folder), { recursive: true })
    const files = below.filter((file) => file.includes('localization')).sort()
    await writeTree(root, { [`${folder}/page.mjs`]: IN_PAGE })
    return { files, texts: await runEntry(join(root, folder, 'page.mjs')) }
  }
  return {
    write,
    /** One build in a process of its own, held against one without a cache. */
    async build({ isSame = false, options, files = {}, output: changed = {} }: Change) {
      await write(files)
      output = { ...output, ...changed }
      const configuration = {
        context: root,
        mode: 'production',
        entry: './main.js',
        ...CACHES[bundler](directory),
        output: { path: join(root, 'dist'), filename: '[name].js', clean: true, ...output },
        performance: false,
        // Terser takes longer than everything else here.
        optimization: { minimize: false },
      }
      const cold = { ...configuration, cache: false, output: { ...configuration.output, path: join(root, 'cold') } }
      const configurations = isSame ? [configuration] : [configuration, cold]
      await buildInProcess(name === 'webpack' ? name : '@rspack/core', { root, configurations, options })
      await access(directory)
      const cached = await see('dist')
      if (!isSame) expect(cached).toEqual(await see('cold'))
      return cached
    },
  }
}

/** Each differs from the one before in what the page shows. */
const OPTIONS: readonly PluginOptions[] = [
  {},
  { shape: 'nested' },
  { shape: 'nested', keySeparator: '/' },
  { languages: ['en'] },
  { pseudo: 'en-XA' },
  { namespaces: ['common', 'shop'] },
  { fallback: false },
  { defaultLanguage: 'de' },
  { compile: 'icu' },
  { prune: { onUnknown: 'ignore' } },
  { prune: { onUnknown: 'ignore', perChunk: true } },
  { files: 'texts/{language}/{namespace}.json' },
  { root: 'other', files: '{language}/{namespace}.json' },
]

covers({
  tool: 'filesystem caches',
  setting: 'builds in separate processes; each option, text and folder changed',
  bundlers: ['webpack', '@rspack/core'],
})

describe.each(Object.keys(CACHES) as (keyof typeof CACHES)[])('%s', (bundler) => {
  it('every option; some built twice', async () => {
    const { build } = await createProject(bundler)
    let last: unknown
    for (const [at, options] of OPTIONS.entries()) {
      const change = { options: { configFile: false as const, ...options } }
      const changed = await build(change)
      expect(changed, JSON.stringify(options)).not.toEqual(last)
      if (at % 5 === 0) expect(await build({ ...change, isSame: true }), JSON.stringify(options)).toEqual(changed)
      last = changed
    }
  })

  it('the configuration file, a text, and where the bundler puts its output', async () => {
    const { build } = await createProject(bundler)
    const config = (options: object) => ({ 'localization.config.json': options })
    const first = await build({ files: config({ shape: 'flat' }) })
    expect(await build({ isSame: true })).toEqual(first)
    expect(await build({ files: config({ shape: 'nested' }) })).not.toEqual(first)
    await build({ files: { 'locales/en/common.json': { title: 'New title', 'cart.buy': 'Get {n}' } } })
    await build({ isSame: true })
    const moved = await build({ output: { chunkFilename: 'js/[name].js' } })
    expect(moved.files.every((file) => file.startsWith('js/localization'))).toBe(true)
  })

  it('the service', async () => {
    const { build } = await createProject(bundler)
    const service = await startProject({ service: { languages: [] } })
    const options = { configFile: false, service: { apiKey: service.apiKey, baseUrl: service.baseUrl } } as const
    await service.importTexts('en', 'common', { title: 'From the service' })
    const first = await build({ options })
    expect(await build({ options, isSame: true })).toEqual(first)
    await service.importTexts('en', 'common', { title: 'Changed there' })
    await build({ options })
    await build({ options, isSame: true })
    await service.importTexts('pl', 'common', { title: 'Po polsku' })
    expect((await build({ options })).texts).toMatchObject({ fetched: { 'pl common': { title: 'Po polsku' } } })
  })
})
