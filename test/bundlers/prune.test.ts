/** `prune`: the keys a page uses, in one language, and nothing else; unknown calls keep what they may need. */
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { type BuildOutput, bundlers, repository } from '../helpers/bundlers.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const LANGUAGES = ['en', 'de', 'pl']
const NAMESPACES = ['common', 'shop', 'errors', 'legal']

/** More languages times namespaces than the manifest holds by itself. */
const MANY = [
  'en',
  'de',
  ...Array.from({ length: 31 }, (_, i) => `q${i > 25 ? 'b' : 'a'}${String.fromCharCode(97 + (i % 26))}`),
]

/** A call may mean any namespace where nothing tells: these two have keys of their own. */
const prefixOf = (namespace: string) => (namespace === 'errors' || namespace === 'legal' ? `${namespace}-` : '')

const textsOf = (language: string, namespace: string): Record<string, string> => {
  const texts = {
    title: `${language} ${namespace} title`,
    unused: `${language} ${namespace} unused`,
    'status.open': `${language} ${namespace} open`,
    'status.closed': `${language} ${namespace} closed`,
    item_one: `${language} ${namespace} item`,
    item_other: `${language} ${namespace} items`,
    refers: `$t(referred) ${language}`,
    referred: `${language} ${namespace} referred`,
    kept: `${language} ${namespace} kept`,
  }
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [prefixOf(namespace) + key, text]))
}

function locales(languages: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    languages.flatMap((language) =>
      NAMESPACES.map((namespace) => [`locales/${language}/${namespace}.json`, textsOf(language, namespace)] as const),
    ),
  )
}

const PAGE = `
import { t } from './t.js'
import { status } from './status.js'
export const shown = () => [t('title'), t('refers'), t('item', { count: 2 }), t('shop:title'), status('open')]
`
const STATUS = `
import { t } from './t.js'

export function status(name) {
  return t(\`status.\${name}\`)
}
`
/** What a small library does: everything it loads, by key. */
const T = `
import { load } from 'virtual:translations'
const loaded = {}
export async function use(language) {
  for (const namespace of ['common', 'shop', 'errors', 'legal']) loaded[namespace] = await load(language, namespace)
  return loaded
}
export function t(key) {
  const [namespace, name] = key.includes(':') ? key.split(':') : ['common', key]
  return loaded[namespace][name]
}
`
const MAIN = `
import { use } from './t.js'
import { shown } from './page.js'
globalThis.collect = async () => {
  const all = {}
  for (const language of ['en', 'de']) all[language] = { texts: JSON.parse(JSON.stringify(await use(language))), shown: shown() }
  return all
}
`

interface Seen {
  readonly [language: string]: {
    readonly texts: Record<string, Record<string, string>>
    readonly shown: (string | null)[]
  }
}

describe.each(bundlers.filter(({ hasPrebuiltChunks }) => hasPrebuiltChunks))('$name', (bundler) => {
  const options = (prune: PluginOptions['prune']): PluginOptions => ({
    configFile: false,
    defaultNamespace: 'common',
    defaultLanguage: 'en',
    prune,
    report: 'json',
  })
  const build = async (
    languages: readonly string[],
    prune: PluginOptions['prune'],
    files: Record<string, string> = {},
    { usage, ...more }: { readonly minify?: boolean; readonly usage?: PluginOptions['usage'] } = {},
  ) => {
    const root = join(await tempFolder(), 'app')
    const sources = { 'main.js': MAIN, 'page.js': PAGE, 'status.js': STATUS, 't.js': T, ...files }
    await writeTree(root, { ...sources, ...locales(languages) })
    const input = {
      root,
      entries: { main: 'main.js' },
      options: { ...options(prune), usage },
      sourcemap: true,
      ...more,
    }
    const output = await bundler.build(input)
    const report = JSON.parse(await readFile(join(root, '.localization/report.json'), 'utf8'))
    return { root, output, input, report, seen: await runEntry<Seen>(output.entryFile('main')) }
  }
  const keysOf = (seen: Seen) =>
    Object.fromEntries(
      Object.entries(seen.en?.texts ?? {}).map(([namespace, texts]) => [namespace, Object.keys(texts).sort()]),
    )
  const USED = {
    common: ['item_one', 'item_other', 'refers', 'referred', 'status.closed', 'status.open', 'title'].sort(),
  }
  const ignoring = { ignoreIn: ['t.js'] }
  const late = (output: BuildOutput) =>
    [...output.files].filter(([name]) => name.includes('localization/') && !name.endsWith('.map'))

  it('the glue of a linked copy of this package counts as that of an installed one', async () => {
    const glue = join(repository, 'dist/i18next.js')
    const page = `${PAGE}\nimport { createBackend } from ${JSON.stringify(glue)}\nglobalThis.backend = createBackend`
    const { seen } = await build(LANGUAGES, ignoring, { 'page.js': page })
    expect(keysOf(seen).common).toEqual(USED.common)
  })

  it('a package that imports a translation library keeps the keys that it names, not what the app passes', async () => {
    // Rollup alone resolves no packages, so there the name is only in a comment.
    const library = bundler.name === 'rollup' ? "'../i18next/index.js' // 'i18next'" : "'i18next'"
    const component = `import { t } from ${library}\nexport const close = (label) => [t('kept'), t(label)]`
    const { seen } = await build(LANGUAGES, ignoring, {
      'page.js': `${PAGE}\nimport { close } from './node_modules/ui/index.js'\nglobalThis.close = close`,
      'node_modules/ui/package.json': '{"name":"ui","type":"module","main":"index.js"}',
      'node_modules/ui/index.js': component,
      'node_modules/other/index.js': component,
      'node_modules/i18next/package.json': '{"name":"i18next","type":"module","main":"index.js"}',
      'node_modules/i18next/index.js': "export const t = (key) => t('unused') + key",
    })
    expect(keysOf(seen).common).toEqual([...USED.common, 'kept'].sort())
  })

  describe('few languages', () => {
    let few: Awaited<ReturnType<typeof build>>
    beforeAll(async () => {
      few = await build(LANGUAGES, { ...ignoring, keep: ['legal:legal-status.*'] }, {}, { minify: true })
    })

    it('have the used keys, what they refer to, and what `keep` names', async () => {
      const { seen, output, report } = few
      expect(keysOf(seen)).toMatchObject({ errors: [], legal: ['legal-status.closed', 'legal-status.open'] })
      expect(keysOf(seen).common).toEqual(USED.common)
      expect(keysOf(seen).shop).not.toContain('unused')
      expect(seen.de?.shown).toEqual(['de common title', '$t(referred) de', null, 'de shop title', 'de common open'])
      expect(late(output).some(([name]) => name.includes('errors'))).toBe(false)
      for (const [name, content] of output.files) {
        if (!name.endsWith('.map')) expect(content.includes('legal kept'), name).toBe(false)
      }
      expect(report.bytes).toBeLessThan(report.bytesUnpruned)
      expect(report.files).toBe(late(output).length)
      // A mapped position still is one: the map goes with the code it was made for.
      for (const [name, content] of output.files) {
        const map = /sourceMappingURL=(\S+)$/m.exec(name.endsWith('.mjs') ? content.toString() : '')?.[1]
        if (map)
          expect(
            [...output.files.keys()].some((file) => file.endsWith(map)),
            `${name}: ${map}`,
          ).toBe(true)
      }
    })

    it('have other addresses for other keys of other code', async () => {
      await writeTree(few.root, { 'page.js': PAGE.replace("t('title')", "t('unused')") })
      const second = await bundler.build({ ...few.input, outDir: 'dist2' })
      const seen = await runEntry<Seen>(second.entryFile('main'))
      expect(keysOf(seen).common).toContain('unused')
      expect(keysOf(seen).common).not.toContain('title')
      // Whatever file holds the addresses has another content, and another name where names hold hashes.
      for (const [name, content] of second.files) {
        if (/-[A-Za-z0-9_-]{8,}\.mjs$/.test(name) && few.output.files.has(name))
          expect(few.output.files.get(name)?.equals(content), name).toBe(true)
      }
    })
  })

  it('many languages: a call whose key is not known keeps its namespace whole, and is reported with its cost', async () => {
    const { seen, report, output } = await build(MANY, ignoring, {
      'page.js': `${PAGE}\nimport { load } from 'virtual:translations'\nglobalThis.more = async (key) => (await load('en', 'legal'))[key]\n`,
    })
    expect(keysOf(seen).common).toEqual(USED.common)
    expect(keysOf(seen).legal).toEqual(Object.keys(textsOf('en', 'legal')).sort())
    expect(keysOf(seen).errors).toEqual([])
    expect(report.files).toBe(late(output).length)
    const call = report.unknownCalls.find(({ file }: { file: string }) => file === 'page.js')
    expect(call).toMatchObject({ namespaces: ['legal'], isIgnored: false })
    expect(call.bytes).toBeGreaterThan(100)
  })

  it("onUnknown: 'literals' keeps texts of the code, of packages and of data that may be the key", async () => {
    const hasJson = bundler.name !== 'rollup'
    const { seen, report } = await build(
      LANGUAGES,
      { ...ignoring, onUnknown: 'literals' },
      {
        'page.js': `${PAGE}\nimport { ITEMS } from './table.js'\nexport const labels = () => ITEMS.map((item) => t(item.label))\nglobalThis.labels = labels\n`,
        'table.js': `import { more } from './node_modules/labels/index.js'
${hasJson ? "import data from './labels.json'" : "const data = 'shop:refers'"}
export const ITEMS = [{ label: 'kept' }, ...more, data].concat({ label: 'legal-status.' + globalThis.state })`,
        'node_modules/labels/index.js': "export const more = [{ label: 'errors-kept' }]",
        'labels.json': '[{ "label": "shop:refers" }]',
      },
    )
    expect(keysOf(seen)).toEqual({
      common: [...USED.common, 'kept'].sort(),
      // Nothing tells which namespaces the calls look in. Texts name a namespace, and refer to other keys.
      shop: [...USED.common, 'kept'].sort(),
      errors: ['errors-kept'],
      legal: ['legal-status.closed', 'legal-status.open'],
    })
    const call = report.unknownCalls.find(({ file }: { file: string }) => file === 'page.js')
    expect(call).toMatchObject({ isIgnored: false, keeps: 'literals' })
    const reasons: Record<string, unknown>[] = report.kept
    const reasonOf = (key: string) => reasons.find((each) => each.key === key)
    expect(reasonOf('title')).toMatchObject({ reason: 'key', by: 'title', at: expect.stringContaining('page.js:') })
    expect(reasonOf('kept')).toMatchObject({
      reason: 'literal',
      by: 'kept',
      at: expect.stringMatching(/^table\.js:\d+:/),
    })
    expect(reasonOf('errors-kept')).toMatchObject({ reason: 'literal', at: expect.stringContaining('labels/index.js') })
    expect(reasonOf('legal-status.open')).toMatchObject({ reason: 'pattern', by: 'legal-status.*' })
    expect(reasonOf('referred')).toMatchObject({ reason: 'reference', by: 'referred' })
    expect(reasonOf('unused')).toBeUndefined()
  })

  it('files of any type name keys, for the page as a whole', async () => {
    const usage = { literalsIn: ['templates/**', '../none/**'] }
    const files = {
      'templates/page.html': "<p>{{ 'kept' | translate }}</p>",
      'templates/server.py': 'render("shop:unused", "legal-status." + state)',
    }
    const { seen, report } = await build(LANGUAGES, { ...ignoring, perChunk: true }, files, { usage })
    expect(keysOf(seen)).toMatchObject({
      common: [...USED.common, 'kept'].sort(),
      errors: [],
      legal: ['legal-status.closed', 'legal-status.open'],
    })
    expect(keysOf(seen).shop).toEqual(expect.arrayContaining(['kept', 'unused']))
    const reasons: Record<string, unknown>[] = report.kept
    expect(reasons.find(({ key }) => key === 'unused')).toMatchObject({
      reason: 'literal',
      by: 'shop:unused',
      at: 'templates/server.py:1:9',
    })
  })

  it('`ignoreIn` outside the root', async () => {
    const files = {
      '../own/runtime.js': 'globalThis.ask = (t, key) => t(key)',
      'page.js': `${PAGE}import '../own/runtime.js'\n`,
    }
    const { seen, report } = await build(LANGUAGES, { ignoreIn: ['t.js', '../own/**'] }, files)
    expect(keysOf(seen).common).toEqual(USED.common)
    expect(report.unknownCalls).toContainEqual(expect.objectContaining({ file: '../own/runtime.js', isIgnored: true }))
  })

  it('`ignoreIn` does not match the folders above the root', async () => {
    const { root, report } = await build(LANGUAGES, { ignoreIn: ['app/**', 'tmp/**'] })
    expect(basename(root)).toBe('app')
    expect(report.unknownCalls).toMatchObject([{ file: 't.js', isIgnored: false }])
  })

  // Shapes are the generated module's, in every bundler.
  const shapes = ['flat', 'nested'] as const
  const isFirst = bundler === bundlers[0]
  it.each(repeats(isFirst ? shapes : (['flat'] as const), shapes))(
    'static imports hold the used keys, %s',
    async (shape) => {
      const root = await tempFolder()
      const at = (name: string) => (shape === 'flat' ? `shop['status.${name}']` : `shop.status.${name}`)
      const main = `
import shop from 'virtual:translations/en/shop'
import legal from 'virtual:translations/de/legal'
import errors from 'virtual:translations/en/errors'
import never from 'virtual:translations/pl/errors'
export const { title } = errors
globalThis.collect = () => ({ shown: [shop.title, ${at('open')}, legal['legal-title'], errors['errors-title']], legal: Object.keys(legal) })
`
      await writeTree(root, { 'main.js': main, ...locales(LANGUAGES) })
      const input = { root, entries: { main: 'main.js' }, options: { ...options(true), shape }, sourcemap: true }
      const output = await bundler.build(input)
      const { shown, legal } = await runEntry<{ shown: string[]; legal: string[] }>(output.entryFile('main'))
      expect(shown).toEqual(['en shop title', 'en shop open', 'de legal title', 'en errors title'])
      // What the program takes as a whole stays one.
      expect(legal).toContain(shape === 'flat' ? 'legal-status.open' : 'legal-status')
      const code = [...output.files].filter(([name]) => !name.endsWith('.map')).join()
      expect(code).toContain('de legal unused')
      expect(code).not.toContain('pl errors')
      for (const text of ['en shop unused', 'en errors unused', 'en shop closed'])
        expect(code.includes(text), text).toBe(false)
    },
  )

  if (repeats(!isFirst, false)) return
  it('nested: a text on the way of a used key stays, and the key where it was', async () => {
    const root = await tempFolder()
    const main = `
import { load } from 'virtual:translations'
import shop from 'virtual:translations/en/shop'
globalThis.collect = async () => {
  const common = await load('en', 'common')
  return [common['a.b'], common.c.d, shop['a.b']]
}
`
    const texts = { a: 'a', 'a.b': 'ab', 'c.d': 'cd', e: 'e' }
    await writeTree(root, { 'main.js': main, 'locales/en/common.json': texts, 'locales/en/shop.json': texts })
    const input = { root, entries: { main: 'main.js' }, options: { ...options(true), shape: 'nested' as const } }
    const output = await bundler.build(input)
    expect(await runEntry(output.entryFile('main'))).toEqual(['ab', 'cd', 'ab'])
  })
})
