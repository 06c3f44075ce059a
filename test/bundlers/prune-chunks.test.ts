/**
 * `prune.perChunk`: what only lazily imported code uses comes with it, before it runs, in every language that was
 * loaded.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { readReport, reportFile } from '../../src/report/report.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const LANGUAGES = ['en', 'de', 'pl']
/** Each language has a file with the hashes of its parts. */
const MANY = [...LANGUAGES, ...Array.from({ length: 16 }, (_, i) => `qa${String.fromCharCode(97 + i)}`)]

const COMMON = [
  'title',
  'home.heading',
  'home.text',
  'shared',
  'refers',
  'referred',
  'item_one',
  'item_other',
  'deep',
  'unused',
]
const SHOP = ['cart', 'pay', 'unused', 'deep']

function locales(languages: readonly string[]): Record<string, object> {
  const texts = (language: string, namespace: string, keys: readonly string[]) =>
    Object.fromEntries(
      keys.map((key) => [key, key === 'refers' ? `$t(referred) ${language}` : `${language} ${namespace} ${key}`]),
    )
  return Object.fromEntries(
    languages.flatMap((language) => [
      [`locales/${language}/common.json`, texts(language, 'common', COMMON)],
      [`locales/${language}/shop.json`, texts(language, 'shop', SHOP)],
    ]),
  )
}

const SOURCES = {
  't.js': `
import { load } from 'virtual:translations'
export const loaded = {}
let current
export async function use(language) {
  for (const namespace of ['common', 'shop']) (loaded[language] ??= {})[namespace] = await load(language, namespace)
  current = language
}
export function t(key) {
  const [namespace, name] = key.includes(':') ? key.split(':') : ['common', key]
  return loaded[current][namespace][name]
}
`,
  'main.js': `
import { load } from 'virtual:translations'
import { loaded, t, use } from './t.js'
// Names of the app's own.
const URL = 'https://app.example', Promise = { of: URL }
globalThis.own = [URL, Promise]
const keys = () => Object.fromEntries(Object.entries(loaded).map(([language, of]) => [language, Object.values(of).map((texts) => Object.keys(texts).sort())]))
globalThis.collect = async () => {
  await use('en')
  const steps = { start: keys() }
  const title = t('title')
  const home = await import('./home.js')
  steps.home = keys()
  const inFlight = load('pl', 'common')
  const shop = await import('./shop.js')
  const polish = await inFlight
  await use('de')
  steps.shop = keys()
  const shownInGerman = [...home.show(), ...shop.show()]
  const deep = await shop.more()
  await import('./home.js')
  return {
    steps, title, heading: home.heading, shownInGerman, deep: deep.show(), isSame: (await load('en', 'common')) === loaded.en.common,
    polish: Object.keys(polish).sort(), more: keys(),
  }
}
`,
  'home.js': `
import { t } from './t.js'
import { shared } from './shared.js'
export const heading = t('home.heading')
export const show = () => [t('home.text'), shared()]
`,
  'shop.js': `
import { t } from './t.js'
import { shared } from './shared.js'
export const show = () => [t('shop:cart'), t('refers'), t('referred'), t('item_one'), shared()]
export const more = () => import('./deep.js')
`,
  'deep.js': `
import { t } from './t.js'
export const show = () => [t('deep'), t('shop:deep')]
`,
  'shared.js': `
import { t } from './t.js'
export const shared = () => t('shared')
`,
}

interface Seen {
  readonly steps: Record<string, Record<string, string[][]>>
  readonly title: string
  readonly heading: string
  readonly shownInGerman: string[]
  readonly deep: string[]
  readonly isSame: boolean
  readonly polish: string[]
  readonly more: Record<string, string[][]>
}

const FIRST = ['title']
const HOME = ['home.heading', 'home.text', 'shared']
const LAZY = ['item_one', 'referred', 'refers']
const sorted = (...lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].sort()

describe.each(bundlers.filter(({ hasPerChunkMessages }) => hasPerChunkMessages))('$name', (bundler) => {
  const options: PluginOptions = {
    configFile: false,
    defaultNamespace: 'common',
    defaultLanguage: 'en',
    prune: { perChunk: true, ignoreIn: ['t.js', 'main.js'] },
    report: 'json',
  }
  const build = async (files: Record<string, string | object>, given = options) => {
    const root = await tempFolder()
    await writeTree(root, files)
    const output = await bundler.build({ root, entries: { main: 'main.js' }, options: given, sourcemap: true })
    return { root, output }
  }

  // Indexes, shapes and compiled texts are the runtime's and the generated modules', in every bundler.
  const isWhole = repeats(bundler === bundlers[0], true)
  const sizes = [['few', LANGUAGES] as const, ...(isWhole ? [['many', MANY] as const] : [])]
  it.each(sizes)('%s languages: each chunk brings its own', async (_name, languages) => {
    const { root, output } = await build({ ...SOURCES, ...locales(languages) })
    const seen = await runEntry<Seen>(output.entryFile('main'))
    expect(seen.title).toBe('en common title')
    // Read while the module was evaluated.
    expect(seen.heading).toBe('en common home.heading')
    expect(seen.shownInGerman).toEqual([
      'de common home.text',
      'de common shared',
      'de shop cart',
      '$t(referred) de',
      'de common referred',
      'de common item_one',
      'de common shared',
    ])
    expect(seen.deep).toEqual(['de common deep', 'de shop deep'])
    expect(seen.isSame).toBe(true)
    for (const key of [...HOME, ...LAZY]) expect(seen.polish).toContain(key)
    const { start, home, shop } = seen.steps
    expect(start?.en).toEqual([FIRST, []])
    expect(home?.en).toEqual([sorted(FIRST, HOME), []])
    expect(shop?.en).toEqual([sorted(FIRST, HOME, LAZY), ['cart']])
    expect(shop?.de).toEqual(shop?.en)
    expect(seen.more.de).toEqual([sorted(FIRST, HOME, LAZY, ['deep']), ['cart', 'deep']])
    const { chunks = [], kept = [] } = (await readReport(reportFile(root))) ?? {}
    const figures = chunks.map(({ name, kind, keys, shared, others }) => [name, kind, keys, shared, others])
    expect(figures.sort()).toEqual([
      ['deep.js', 'lazy', 2, 0, 0],
      ['home.js', 'lazy', 3, 1, 0],
      ['main.js', 'entry', 1, 0, 0],
      ['shop.js', 'lazy', 5, 1, 0],
    ])
    const files = [...output.files].filter(([name]) => /[/]en[/]common\.[0-9a-f]{8}\.mjs$/.test(name))
    expect(chunks.find(({ kind }) => kind === 'entry')?.byLanguage.en).toBe(files[0]?.[1].length)
    for (const { bytes, language, byLanguage } of chunks) expect(byLanguage[language]).toBe(bytes)
    // As the source has it, whatever compiled it.
    const placesOf = (key: string) =>
      kept
        .filter((each) => each.key === key)
        .flatMap(({ at, in: own = [] }) => own.map((one) => `${chunks[one.chunk]?.name} ${one.at ?? at}`))
        .sort()
    expect(placesOf('home.heading')).toEqual(['home.js home.js:4:24'])
    expect(placesOf('shared')).toEqual(['home.js shared.js:3:29', 'shop.js shared.js:3:29'])
  })

  it('texts that cannot be fetched fail the import, and the next one tries again', async () => {
    const main = `
import { use, t } from './t.js'
globalThis.collect = async () => {
  await use('en')
  const failed = await import('./home.js').then(() => 'imported', () => 'failed')
  const still = t('title')
  await globalThis.mend()
  const { show } = await import('./home.js')
  return { failed, still, shown: show() }
}
`
    const { root, output } = await build({ ...SOURCES, 'main.js': main, ...locales(LANGUAGES) })
    const part = [...output.files.keys()].find((name) => /en\/common\.chunk\.[0-9a-f]{8}\.mjs$/.test(name)) as string
    const file = join(output.entryFile('main'), '..', part)
    // Away when the page first asks for it.
    await writeTree(root, { 'hook.mjs': HOOK(file) })
    const entry = output.entryFile('main')
    await writeFile(entry, `import ${JSON.stringify(join(root, 'hook.mjs'))}\n${await readFile(entry, 'utf8')}`)
    expect(await runEntry(entry)).toEqual({
      failed: 'failed',
      still: 'en common title',
      shown: ['en common home.text', 'en common shared'],
    })
  })

  it("onUnknown: 'literals': the labels of a page come with the page", async () => {
    const main = `
import { loaded, use } from './t.js'
import { menu } from './menu.js'
const keys = () => Object.values(loaded.en).map((texts) => Object.keys(texts).sort())
globalThis.collect = async () => {
  await use('en')
  const steps = [keys(), menu([{ label: 'title' }])]
  const { ITEMS } = await import('./home.js')
  steps.push(menu(ITEMS), keys())
  const { more } = await import('./shop.js')
  return [...steps, menu(more('text')), keys()]
}
`
    const { output } = await build(
      {
        't.js': SOURCES['t.js'],
        'main.js': main,
        'menu.js': "import { t } from './t.js'\nexport const menu = (items) => items.map((item) => t(item.label))",
        'home.js': "export const ITEMS = [{ label: 'home.heading' }, { label: 'shop:cart' }]",
        'shop.js': 'export const more = (name) => [{ label: "home." + name }, { label: "deep" }]',
        ...locales(LANGUAGES),
      },
      { ...options, prune: { perChunk: true, onUnknown: 'literals', ignoreIn: ['t.js', 'main.js'] } },
    )
    const [start, first, home, atHome, shop, atShop] = await runEntry<[string[][], ...unknown[]]>(
      output.entryFile('main'),
    )
    expect(start).toEqual([['title'], []])
    expect([first, home]).toEqual([['en common title'], ['en common home.heading', 'en shop cart']])
    expect(atHome).toEqual([['home.heading', 'title'], ['cart']])
    expect(shop).toEqual(['en common home.text', 'en common deep'])
    expect(atShop).toEqual([
      ['deep', 'home.heading', 'home.text', 'title'],
      ['cart', 'deep'],
    ])
  })

  if (!isWhole) return
  it.each(['nested', 'icu'] as const)('%s texts', async (kind) => {
    const given = kind === 'nested' ? { ...options, shape: 'nested' as const } : { ...options, compile: 'icu' as const }
    const main = `
import { load } from 'virtual:translations'
globalThis.collect = async () => {
  const common = await load('en', 'common')
  const first = [common.a.b ?? common['a.b']]
  const { show } = await import('./page.js')
  return [first, show(common)]
}
`
    const at = (key: string) => (kind === 'nested' ? `texts.${key}` : `texts['${key}']`)
    const page = `
import { load } from 'virtual:translations'
export const show = (common) => [common]
export const own = async () => { const texts = await load('en', 'common'); return [${at('a.c')}, ${at('d.e')}, texts['f.g']] }
`
    const flat = kind === 'icu' ? main.replace('common.a.b ?? ', '') : main.replace(" ?? common['a.b']", '')
    const { output } = await build(
      {
        'main.js': flat,
        'page.js': page,
        'locales/en/common.json': { 'a.b': 'ab', 'a.c': 'a {c}', 'd.e': 'de', f: 'f', 'f.g': 'fg', never: 'never' },
      },
      { ...given, prune: { perChunk: true, ignoreIn: ['main.js'] } },
    )
    const [first, [common]] = await runEntry<[string[], [Record<string, unknown>]]>(output.entryFile('main'))
    const compiled = [{ type: 0, value: 'a ' }, expect.objectContaining({ type: 1, value: 'c' })]
    expect(first).toEqual(['ab'])
    if (kind === 'nested') expect(common).toEqual({ a: { b: 'ab', c: 'a {c}' }, d: { e: 'de' }, f: 'f', 'f.g': 'fg' })
    else expect(common).toEqual({ 'a.b': 'ab', 'a.c': compiled, 'd.e': 'de', 'f.g': 'fg' })
  })
})

const HOOK = (file: string) => `
import { renameSync } from 'node:fs'
const [file, away] = ${JSON.stringify([file, `${file}.away`])}
renameSync(file, away)
globalThis.mend = () => renameSync(away, file)
`
