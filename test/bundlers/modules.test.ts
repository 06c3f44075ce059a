/** Names and texts that break generated code, ids, chunk names or loaders, in every bundler. */
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { importing } from '../helpers/apps.ts'
import { allBundlers, type BuildOutput, isTested } from '../helpers/bundlers.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { type Row, startRowService } from '../helpers/throwaway-server.ts'

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

/** Each part is told from the others by a text of its own; one of them has the odd texts too. */
const rows: readonly Row[] = LANGUAGES.flatMap((language) =>
  NAMESPACES.flatMap((namespace) =>
    entriesOf(language, namespace).map(([key, text]) => ({ language, namespace, key, text })),
  ),
)

function entriesOf(language: string, namespace: string): (readonly [string, string])[] {
  return [...(namespace === 'common' ? TEXTS : []), ['where', `${language}|${namespace}`]]
}

const expectedOf = (language: string, namespace: string) =>
  entriesOf(language, namespace)
    .map((entry) => [...entry])
    .sort(byKey)
const byKey = ([a = '']: readonly string[], [b = '']: readonly string[]) => (a < b ? -1 : 1)

const encoded = (language: string, namespace: string) =>
  `virtual:translations/${encodeURIComponent(language)}/${namespace.split('/').map(encodeURIComponent).join('/')}`

/** Where a raw spelling can stand for the name at all: `?` begins the query, `%2F` is an encoding. */
const raw = NAMESPACES.filter((namespace) => !/[?]|%2F/.test(namespace))

const REQUESTS = [
  ...LANGUAGES.flatMap((language) => NAMESPACES.map((namespace) => encoded(language, namespace))),
  ...raw.map((namespace) => `virtual:translations/en/${namespace}`),
]

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

const SPELLINGS = raw.flatMap((namespace, i) => [
  `import a${i} from ${JSON.stringify(`virtual:translations/en/${namespace}`)}`,
  `import b${i} from ${JSON.stringify(encoded('en', namespace))}`,
])
const ODD = {
  'static.js': importing(REQUESTS),
  'lazy.js': COLLECT_LAZY,
  'same.js': `${SPELLINGS.join('\n')}\nglobalThis.collect = () => [${raw.map((_, i) => `a${i} === b${i}`).join(', ')}]\n`,
}

const imports = (folder: string) => ({ '#translations': `${folder}/index.js`, '#translations/*': `${folder}/*.js` })
const FILES = {
  'locales/en/common.json': { title: 'Title' },
  'locales/de/common.json': { title: 'Nicht gebraucht' },
}
const APP = {
  ...FILES,
  'package.json': { type: 'module', imports: imports('./.localization/modules') },
  'generated.js': `
    import { load } from 'virtual:translations'
    import { load as sameLoad } from '#translations'
    import common from 'virtual:translations/en/common'
    import sameCommon from '#translations/en/common'
    globalThis.collect = () => [load === sameLoad, common === sameCommon, sameCommon.title]
  `,
  'unused.js': `
    import unused from 'virtual:translations/de/common'
    import { load } from 'virtual:translations'
    globalThis.collect = () => 'ran'
  `,
}
/** Of the inspector, and of the editor in the page. */
const MARKS = ['/__localization', '__localizationParts', 'localization-edit', 'localization-token']

describe.each(allBundlers)('$name', (bundler) => {
  const files: PluginOptions = { configFile: false, source: 'files' }

  describe('odd names and texts', () => {
    let order = rows
    let output: BuildOutput
    let build: (outDir: string) => Promise<BuildOutput>
    beforeAll(async () => {
      const root = await tempFolder()
      const { url } = await startRowService(() => order)
      const service = { baseUrl: url, apiKey: 'key-of-the-tests', retries: 0 }
      await writeTree(root, ODD)
      const entries = { static: 'static.js', lazy: 'lazy.js', same: 'same.js' }
      const options: PluginOptions = { configFile: false, source: 'query', service }
      build = (outDir) => bundler.build({ root, entries, options, sourcemap: true, outDir })
      output = await build('one')
    })

    it('carries every name and every text', async () => {
      const found = await runEntry<Record<string, string>[]>(output.entryFile('static'))
      const names = [
        ...LANGUAGES.flatMap((language) => NAMESPACES.map((namespace) => [language, namespace] as const)),
        ...raw.map((namespace) => ['en', namespace] as const),
      ]
      names.forEach(([language, namespace], i) => {
        expect(Object.entries(found[i] ?? {}).sort(byKey), REQUESTS[i]).toEqual(expectedOf(language, namespace))
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
      expect(await runEntry(output.entryFile('same'))).toEqual(raw.map(() => true))
    })

    if (!isTested(bundler.name)) return
    it('emits the same bytes for the same texts', async () => {
      // The service may answer in any order; languages keep the one they first appear in.
      order = LANGUAGES.flatMap((language) => rows.filter((row) => row.language === language).reverse())
      const second = await build('two')
      expect([...second.files.keys()].sort()).toEqual([...output.files.keys()].sort())
      for (const [file, content] of output.files) expect(second.files.get(file)?.equals(content), file).toBe(true)
    })
  })

  describe('an app with the inspector and the editor', () => {
    let output: BuildOutput
    beforeAll(async () => {
      const root = await tempFolder()
      await writeTree(root, APP)
      const entries = { generated: 'generated.js', unused: 'unused.js' }
      const options: PluginOptions = { ...files, inspector: 'network', edit: true }
      output = await bundler.build({ root, entries, options, sourcemap: true })
    })

    it('takes imports of generated files for its own modules', async () => {
      expect(await runEntry(output.entryFile('generated'))).toEqual([true, true, 'Title'])
    })

    it('leaves nothing of an import that is not used', async () => {
      expect(await runEntry(output.entryFile('unused'))).toBe('ran')
      expect(await readFile(output.entryFile('unused'), 'utf8')).not.toContain('Nicht gebraucht')
    })

    it('writes not one byte of either', () => {
      expect(output.files.size).toBeGreaterThan(0)
      for (const [name, content] of output.files) {
        for (const mark of MARKS) expect(content.includes(mark), `${mark} in ${name}`).toBe(false)
      }
    })
  })

  // `test/unit/plugin/generate.test.ts` has every kind of unknown name.
  it('fails on an unknown namespace, with the file that imports it', async () => {
    const root = await tempFolder()
    const page = importing(['virtual:translations/en/comon'])
    await writeTree(root, { ...FILES, 'src/page.js': page, 'main.js': "import './src/page.js'\n" })
    const message = await bundler.build({ root, entries: { main: 'main.js' }, options: files }).then(
      () => expect.fail('the build went through'),
      // Farm prints the message as a Rust string.
      (error: Error) => error.message.replaceAll('\\"', '"'),
    )
    expect(message).toContain('unknown namespace "comon"')
    expect(message).toContain('"common"')
    expect(message).toContain('src/page.js')
  })

  // Rollup, Farm and Bun know no `imports` of package.json.
  if (!isTested(bundler.name) || ['rollup', 'farm', 'bun'].includes(bundler.name)) return
  it('leaves #translations to a project that means something else', async () => {
    const root = await tempFolder()
    await writeTree(root, {
      ...FILES,
      'package.json': { type: 'module', imports: imports('./src/translations') },
      'src/translations/index.js': "export default 'of the project'\n",
      'main.js': importing(['#translations', 'virtual:translations/en/common']),
    })
    const output = await bundler.build({ root, entries: { main: 'main.js' }, options: files })
    expect(await runEntry(output.entryFile('main'))).toEqual(['of the project', { title: 'Title' }])
  })
})
