/** Names and texts that break generated code, ids, chunk names or loaders, in every bundler. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { importing } from '../helpers/apps.ts'
import { allBundlers } from '../helpers/bundlers.ts'
import { type Row, startRowService } from '../helpers/row-service.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const LANGUAGES = ['en', 'EN', 'kk_Latn', 'constructor']

const NAMESPACES = [
  'common',
  'views/settings',
  '../x',
  'a.json',
  'b.css',
  '100%',
  'a%2Fb',
  'a/b',
  'c#d',
  'e:f',
  'g!h',
  'i?j=1',
  'k&l',
  'back\\slash',
  "quo'te",
  'sp ace',
  'trailing.',
  'con',
  'Übersicht',
  'Über',
  '\u2028',
  '__proto__',
  'toString',
  'n'.repeat(300),
]

const TEXTS: readonly (readonly [string, string])[] = [
  ['', 'the empty key'],
  ['__proto__', 'a prototype'],
  ['constructor', 'a constructor'],
  ['10', 'a number'],
  ['9', 'a smaller number'],
  ['a.b', 'dotted'],
  ['a', 'beside a dotted one'],
  ['line', 'line\u2028paragraph\u2029next\u0085'],
  ['markup', '<!-- <script>alert("1")</script> </SCRIPT -->'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is the point
  ['template', '${x} `backtick` \\${y} \\'],
  ['quotes', `'single' "double" \\' \\"`],
  ['emoji', '👩‍👩‍👧 \u{1F600} e\u0301 é'],
  ['control', '\u0008\u0000\u001f\u007f\t\r\n'],
  ['sources', '//# sourceMappingURL=x.js.map'],
  ['define', 'process.env.NODE_ENV import.meta.env import.meta.hot __dirname require("x") import("y")'],
  ['bom', '\uFEFFtext'],
]

/** Each part is told from the others by a text of its own. */
const rows: readonly Row[] = LANGUAGES.flatMap((language) =>
  NAMESPACES.flatMap((namespace) =>
    [...TEXTS, ['where', `${language}|${namespace}`] as const].map(([key, text]) => ({
      language,
      namespace,
      key,
      text,
    })),
  ),
)
const expectedOf = (language: string, namespace: string) =>
  [...TEXTS, ['where', `${language}|${namespace}`] as const].map((entry) => [...entry]).sort(byKey)
const byKey = ([a = '']: readonly string[], [b = '']: readonly string[]) => (a < b ? -1 : 1)

const encoded = (language: string, namespace: string) =>
  `virtual:translations/${encodeURIComponent(language)}/${namespace.split('/').map(encodeURIComponent).join('/')}`

/** Where a raw spelling can stand for the name at all: `?` begins the query, `%2F` is an encoding. */
const raw = NAMESPACES.filter((namespace) => !/[?]|%2F/.test(namespace))

/** Runs in the page: entries, because JSON cannot tell an own `__proto__` from a prototype once it is assigned. */
const COLLECT_LAZY = `
import { has, languages, load, namespaces } from 'virtual:translations'
globalThis.collect = async () => {
  const parts = []
  for (const { key } of languages) {
    for (const namespace of namespaces) {
      const messages = await load(key, namespace)
      if (Object.getPrototypeOf(messages) !== Object.prototype) throw new Error('a prototype was set')
      parts.push([key, namespace, has(key, namespace), Object.entries(messages)])
    }
  }
  if ({}.where !== undefined) throw new Error('Object.prototype was changed')
  return { languages: languages.map(({ key }) => key), parts, unknown: [has('en', 'valueOf'), has('hasOwnProperty', 'common')] }
}
`

interface Lazy {
  readonly languages: readonly string[]
  readonly parts: readonly [string, string, boolean, [string, string][]][]
  readonly unknown: readonly boolean[]
}

const imports = (folder: string) => ({ '#translations': `${folder}/index.js`, '#translations/*': `${folder}/*.js` })

describe.each(allBundlers)('$name', (bundler) => {
  const options = (baseUrl: string): PluginOptions => ({
    configFile: false,
    source: 'query',
    service: { baseUrl, apiKey: 'key-of-the-tests', retries: 0 },
  })

  it('carries every name and every text', async () => {
    const root = await tempFolder()
    const { url } = await startRowService(() => rows)
    const requests = [
      ...LANGUAGES.flatMap((language) => NAMESPACES.map((namespace) => encoded(language, namespace))),
      ...raw.map((namespace) => `virtual:translations/en/${namespace}`),
    ]
    await writeTree(root, { 'static.js': importing(requests), 'lazy.js': COLLECT_LAZY })
    const output = await bundler.build({
      root,
      entries: { static: 'static.js', lazy: 'lazy.js' },
      options: options(url),
      sourcemap: true,
    })

    const found = await runEntry<Record<string, string>[]>(output.entryFile('static'))
    const names = [
      ...LANGUAGES.flatMap((language) => NAMESPACES.map((namespace) => [language, namespace] as const)),
      ...raw.map((namespace) => ['en', namespace] as const),
    ]
    names.forEach(([language, namespace], i) => {
      expect(Object.entries(found[i] ?? {}).sort(byKey), requests[i]).toEqual(expectedOf(language, namespace))
    })
    const lazy = await runEntry<Lazy>(output.entryFile('lazy'))
    expect(lazy.languages).toEqual(LANGUAGES)
    expect(lazy.unknown).toEqual([false, false])
    expect(lazy.parts.map(([language, namespace]) => [language, namespace])).toEqual(
      LANGUAGES.flatMap((language) => [...NAMESPACES].sort().map((namespace) => [language, namespace])),
    )
    for (const [language, namespace, has, entries] of lazy.parts) {
      expect(has).toBe(true)
      expect(entries.sort(byKey)).toEqual(expectedOf(language, namespace))
    }
    for (const [file, content] of output.files) {
      if (file.endsWith('.map')) continue
      expect(content.includes('\u2028'), `${file} holds U+2028`).toBe(false)
      expect(/<\/script/i.test(content.toString()), `${file} holds </script`).toBe(false)
    }
  })

  it('gives one module for both spellings', async () => {
    const root = await tempFolder()
    const { url } = await startRowService(() => rows)
    const entry = raw.flatMap((namespace, i) => [
      `import a${i} from ${JSON.stringify(`virtual:translations/en/${namespace}`)}`,
      `import b${i} from ${JSON.stringify(encoded('en', namespace))}`,
    ])
    const same = raw.map((_, i) => `a${i} === b${i}`)
    await writeTree(root, { 'main.js': `${entry.join('\n')}\nglobalThis.collect = () => [${same.join(', ')}]\n` })
    const output = await bundler.build({ root, entries: { main: 'main.js' }, options: options(url) })
    expect(await runEntry(output.entryFile('main'))).toEqual(raw.map(() => true))
  })

  it('takes imports of generated files for its own modules', async () => {
    const root = await tempFolder()
    await writeTree(root, {
      'package.json': { type: 'module', imports: imports('./.localization/modules') },
      'locales/en/common.json': { title: 'Title' },
      'main.js': `
        import { load } from 'virtual:translations'
        import { load as sameLoad } from '#translations'
        import common from 'virtual:translations/en/common'
        import sameCommon from '#translations/en/common'
        globalThis.collect = () => [load === sameLoad, common === sameCommon, sameCommon.title]
      `,
    })
    const build = { root, entries: { main: 'main.js' }, options: { configFile: false, source: 'files' } } as const
    const output = await bundler.build(build)
    expect(await runEntry(output.entryFile('main'))).toEqual([true, true, 'Title'])
  })

  it.each([
    ['virtual:translations/kk_Latin/common', 'unknown language "kk_Latin"', '"kk_Latn"'],
    ['virtual:translations/en/comon', 'unknown namespace "comon"', '"common"'],
    ['virtual:translations/en/views/setings', 'unknown namespace "views/setings"', '"views/settings"'],
    ['virtual:translations/fr', 'unknown language "fr"', '"en"'],
    ['virtual:translations/en/common?customer=acme', 'unknown customer "acme"', 'customers'],
  ])('fails on %s', async (request, what, hint) => {
    const root = await tempFolder()
    const { url } = await startRowService(() => rows)
    await writeTree(root, { 'src/page.js': importing([request]), 'main.js': "import './src/page.js'\n" })
    const message = await bundler.build({ root, entries: { main: 'main.js' }, options: options(url) }).then(
      () => expect.fail('the build went through'),
      // Farm prints the message as a Rust string.
      (error: Error) => error.message.replaceAll('\\"', '"'),
    )
    expect(message).toContain(what)
    expect(message).toContain(hint)
    expect(message).toContain('src/page.js')
  })

  it('emits the same bytes for the same texts', async () => {
    const root = await tempFolder()
    let order: readonly Row[] = rows
    const { url } = await startRowService(() => order)
    await writeTree(root, { 'main.js': COLLECT_LAZY })
    const build = (outDir: string) =>
      bundler.build({ root, entries: { main: 'main.js' }, options: options(url), outDir })
    const first = await build('one')
    // The service may answer in any order; languages keep the one they first appear in.
    order = LANGUAGES.flatMap((language) => rows.filter((row) => row.language === language).reverse())
    const second = await build('two')
    expect([...second.files.keys()].sort()).toEqual([...first.files.keys()].sort())
    for (const [file, content] of first.files) expect(second.files.get(file)?.equals(content), file).toBe(true)
  })

  it('leaves nothing of an import that is not used', async () => {
    const root = await tempFolder()
    const { url } = await startRowService(() => rows)
    await writeTree(root, {
      'main.js': `import unused from 'virtual:translations/en/common'
import { load } from 'virtual:translations'
globalThis.collect = () => 'ran'
`,
    })
    const output = await bundler.build({ root, entries: { main: 'main.js' }, options: options(url) })
    expect(await runEntry(output.entryFile('main'))).toBe('ran')
    const main = await readFile(output.entryFile('main'), 'utf8')
    expect(main).not.toContain('a prototype')
  })
})

// Rollup and Farm know no `imports` of package.json.
it.each(allBundlers.filter(({ name }) => !['rollup', 'farm', 'bun'].includes(name)))(
  '$name leaves #translations to a project that means something else',
  async (bundler) => {
    const root = await tempFolder()
    await writeTree(root, {
      'package.json': { type: 'module', imports: imports('./src/translations') },
      'locales/en/common.json': { title: 'Title' },
      'src/translations/index.js': "export default 'of the project'\n",
      'main.js': importing(['#translations', 'virtual:translations/en/common']),
    })
    const build = { root, entries: { main: 'main.js' }, options: { configFile: false, source: 'files' } } as const
    const output = await bundler.build(build)
    expect(await runEntry(output.entryFile('main'))).toEqual(['of the project', { title: 'Title' }])
  },
)
