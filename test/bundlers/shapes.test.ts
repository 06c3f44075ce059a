/**
 * Texts inside an object of each file, names with dots, and empty names: the page has them as the file has.
 * `test/unit/plugin/shapes.test.ts` has more of them.
 */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { type CollectedManifest, importing, loadingEverything } from '../helpers/apps.ts'
import { allBundlers, bundlers } from '../helpers/bundlers.ts'
import { PRINTERS, type TextTree } from '../helpers/file-formats.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const EN = {
  'Save. Now?': 'Save. Now?',
  'Loading...': 'Loading...',
  '': 'the empty name',
  errors: { '': 'An error', 'auth/invalid.email': 'No such address', 'a.b': { 'c.': ['first', { 'd.e': 'second' }] } },
  count: 3,
}
const PL = { errors: { 'auth/invalid.email': 'Nie ma takiego adresu' }, 'Save. Now?': 'Zapisać?' }
const PL_SHOWN = {
  ...EN,
  'Save. Now?': 'Zapisać?',
  errors: { ...EN.errors, 'auth/invalid.email': 'Nie ma takiego adresu' },
}
const OPTIONS: PluginOptions = {
  configFile: false,
  defaultLanguage: 'en',
  files: { pattern: 'config/locales/{language}.yml', root: 'app.{language}' },
  languageMap: { pl_PL: 'pl' },
  shape: 'nested',
  keySeparator: false,
}
const yaml = (language: string, texts: TextTree) =>
  PRINTERS['.yml']({ $schema: 'not a text', app: { owner: 'not a text', [language]: texts } })

describe.each(bundlers)('$name', (bundler) => {
  test('a root, dots and empty names', async () => {
    const root = await tempFolder()
    await writeTree(root, {
      'config/locales/en.yml': yaml('en', EN),
      'config/locales/pl_PL.yml': yaml('pl_PL', PL),
      'static.js': importing(['virtual:translations/en/default', 'virtual:translations/pl/default']),
      'lazy.js': loadingEverything,
    })
    const entries = { static: 'static.js', lazy: 'lazy.js' }
    const { entryFile, files } = await bundler.build({ root, entries, options: OPTIONS })
    expect(await runEntry(entryFile('static'))).toEqual([EN, PL_SHOWN])
    const { texts } = await runEntry<CollectedManifest>(entryFile('lazy'))
    expect(texts).toEqual({ en: { default: EN }, pl: { default: PL_SHOWN } })
    for (const content of files.values()) expect(content.toString()).not.toContain('not a text')
  })

  // The place of a text is the generated module's, in every bundler.
  if (!bundler.hasPrebuiltChunks || repeats(bundler !== bundlers[0], false)) return
  test('a used text keeps its place', async () => {
    const root = await tempFolder()
    const main = `
import { load } from 'virtual:translations'
const t = (key) => key
globalThis.collect = async () => [t('menu.'), t('a.b.c'), await load('en', 'common')]
`
    const tree = { menu: { '': 'Menu', open: 'Open' }, 'a.b': { c: 'C' }, unused: { '': 'x' } }
    await writeTree(root, { 'locales/en/common.json': tree, 'main.js': main })
    const options = { configFile: false, shape: 'nested', prune: { functions: ['t'], onUnknown: 'ignore' } } as const
    for (const keySeparator of ['.', false] as const) {
      const given = { root, entries: { main: 'main.js' }, options: { ...options, keySeparator } }
      const { entryFile } = await bundler.build({ ...given, outDir: `dist-${keySeparator}` })
      const [, , texts] = await runEntry<unknown[]>(entryFile('main'))
      const shown = keySeparator === '.' ? { a: { b: { c: 'C' } } } : { 'a.b': { c: 'C' } }
      expect(texts).toEqual({ ...shown, menu: expect.objectContaining({ '': 'Menu' }) })
    }
  })
})

// The line is the plugin's own, whatever the bundler. Bun's tests have no other bundler.
const rollup = allBundlers.find(({ name }) => name === 'rollup')
if (rollup)
  test('keys that cannot nest in several imported modules are one line', async () => {
    // Modules share a line that are loaded within a moment: here all are.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => {
      vi.useRealTimers()
      write.mockRestore()
    })
    const said = () => write.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('cannot nest'))
    const root = await tempFolder()
    const tree = { a: 'a text', 'a.b': 'and a branch' }
    const requests = ['one', 'two', 'three'].map((namespace) => `virtual:translations/en/${namespace}`)
    const files = requests.map((request) => [request.replace('virtual:translations', 'locales').concat('.json'), tree])
    await writeTree(root, { 'main.js': importing(requests), ...Object.fromEntries(files) })
    const options = { configFile: false, shape: 'nested' } as const
    await rollup.build({ root, entries: { main: 'main.js' }, options })
    vi.runAllTimers()
    vi.useRealTimers()
    await expect.poll(said).toEqual([expect.stringContaining('3 modules have such keys, also ')])
  })
