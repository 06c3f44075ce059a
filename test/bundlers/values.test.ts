/** Arrays, numbers, booleans and null: what the page gets equals the file, in every bundler and from every source. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { type CollectedManifest, importing, loadingEverything } from '../helpers/apps.ts'
import { type Bundler, bundlers } from '../helpers/bundlers.ts'
import { type LocalProject, startProject } from '../helpers/local-project.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const EN = {
  title: 'Title',
  steps: ['One', 'Two', '</script> & "three"'],
  list: [
    { title: 'A', points: ['a', 'b'], size: 1.5, next: null, meta: {} },
    { title: 'B', points: [], isNew: true },
  ],
  matrix: [['x', 'y'], ['z']],
  mixed: ['text', 2, false, null, { deep: { er: 'd' } }],
  none: [],
  limits: { max: 1e21, min: -3, isOpen: false, nothing: null, label: 'Limit' },
  __proto__x: [0],
}
/** An element that is missing, a shorter array, and no array at all. */
const PL = {
  title: 'Tytuł',
  steps: ['Jeden', ''],
  list: [{ title: '', size: 2 }],
  mixed: 'inny rodzaj',
  limits: { max: 7 },
}
const PL_SHOWN = {
  ...EN,
  title: 'Tytuł',
  steps: ['Jeden', 'Two'],
  list: [{ title: 'A', points: ['a', 'b'], size: 2, next: null, meta: {} }],
  mixed: 'inny rodzaj',
  limits: { ...EN.limits, max: 7 },
}
const OPTIONS: PluginOptions = { configFile: false, defaultLanguage: 'en' }

const flat = ({ limits, ...others }: typeof PL_SHOWN | typeof EN) => ({
  ...others,
  ...Object.fromEntries(Object.entries(limits).map(([name, value]) => [`limits.${name}`, value])),
})

async function build(bundler: Bundler, files: object, options: PluginOptions, languages = ['en', 'pl']) {
  const root = await tempFolder()
  const requests = languages.map((language) => `virtual:translations/${language}/common`)
  await writeTree(root, { ...files, 'static.js': importing(requests), 'lazy.js': loadingEverything })
  const entries = { static: 'static.js', lazy: 'lazy.js' }
  const { entryFile } = await bundler.build({ root, entries, options: { ...OPTIONS, ...options }, minify: true })
  const imported = await runEntry<unknown[]>(entryFile('static'))
  const { texts } = await runEntry<CollectedManifest>(entryFile('lazy'))
  expect(languages.map((language) => texts[language]?.common)).toEqual(imported)
  return imported
}

const FILES = { 'locales/en/common.json': EN, 'locales/pl/common.json': PL }

describe.each(bundlers)('$name', (bundler) => {
  test('nested, the page has what the file has', async () => {
    expect(await build(bundler, FILES, { shape: 'nested' })).toEqual([EN, PL_SHOWN])
  })

  test('flat, the outermost array is the value of its key', async () => {
    expect(await build(bundler, FILES, { shape: 'flat' })).toEqual([flat(EN), flat(PL_SHOWN)])
  })

  test.skipIf(!bundler.hasPrebuiltChunks)('an element that the code uses keeps its array', async () => {
    const root = await tempFolder()
    const main = `
import { load } from 'virtual:translations'
const t = (key) => key
globalThis.collect = async () => [t('title'), t('steps.1'), t('list'), await load('en', 'common')]
`
    await writeTree(root, { ...FILES, 'main.js': main })
    const options = { ...OPTIONS, shape: 'nested', prune: { functions: ['t'], onUnknown: 'ignore' } } as const
    const { entryFile } = await bundler.build({ root, entries: { main: 'main.js' }, options })
    const { title, steps, list } = EN
    expect(await runEntry(entryFile('main'))).toEqual(['title', 'steps.1', 'list', { title, steps, list }])
  })
})

describe('from the service', () => {
  const [vite] = bundlers as [Bundler]
  let project: LocalProject
  beforeAll(async () => {
    project = await startProject()
    await project.importTexts('en', 'common', { title: 'T', 'steps.0': 'a', 'steps.1': 'b', 'list.0.t': 'x' })
    await project.importTexts('pl', 'common', { title: '', 'steps.0': '', 'steps.1': 'β', 'list.0.t': 'ξ' })
    await project.publish()
  })

  const service = () => {
    const { apiKey, baseUrl, cdnUrl } = project
    return { apiKey, baseUrl, cdnUrl }
  }
  const SOURCES = ['export', 'hosting', 'query'] as const

  test.each(SOURCES)('%s: arrays that a file has, with the values of the file', async (source) => {
    const files = { 'locales/en/common.json': { steps: ['', ''], list: [{ t: '' }, {}], size: 3, on: [true, 'yes'] } }
    const shown = await build(vite, files, { source, service: service(), shape: 'flat' })
    expect(shown).toEqual([
      { title: 'T', steps: ['a', 'b'], list: [{ t: 'x' }, {}], size: 3, on: [true, 'yes'] },
      { title: 'T', steps: ['a', 'β'], list: [{ t: 'ξ' }, {}], size: 3, on: [true, 'yes'] },
    ])
  })

  test.each(SOURCES)('%s: without files, nested keys that are indices are an array', async (source) => {
    const options = { source, service: service() }
    const list = (t: string) => [{ t }]
    expect(await build(vite, {}, { ...options, shape: 'nested' })).toEqual([
      { title: 'T', steps: ['a', 'b'], list: list('x') },
      { title: 'T', steps: ['a', 'β'], list: list('ξ') },
    ])
    expect(await build(vite, {}, { ...options, shape: 'flat' })).toMatchObject([{ 'steps.0': 'a' }, { 'steps.1': 'β' }])
  })
})

describe('options', () => {
  const [vite] = bundlers as [Bundler]

  test("values: 'error' stops the build at the first place", async () => {
    await expect(build(vite, FILES, { values: 'error' })).rejects.toThrow(/en\/common\.json:\d+:\d+.*is an array/)
  })

  test("emptyTexts: 'keep' shows an empty text", async () => {
    const files = {
      'locales/en/common.json': { a: 'A', b: 'B', c: ['C'] },
      'locales/pl/common.json': { a: '', c: [''] },
    }
    const [, gap] = await build(vite, files, {})
    expect(gap).toEqual({ a: 'A', b: 'B', c: ['C'] })
    const [, kept] = await build(vite, files, { emptyTexts: 'keep' })
    expect(kept).toEqual({ a: '', b: 'B', c: [''] })
    const plain = { 'locales/en/common.json': { a: 'A' }, 'locales/pl/common.json': { a: '' } }
    expect(await build(vite, plain, { emptyTexts: 'keep' })).toEqual([{ a: 'A' }, { a: '' }])
  })
})
