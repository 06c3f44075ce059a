/** What the configuration promises about modules, in every bundler. `test/unit/plugin/options.test.ts` has more of it. */
import { describe, expect, it } from 'vitest'
import { importing } from '../helpers/apps.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { DE, EN, fillProject, MODULES, optionsOf } from '../helpers/options-project.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const MANIFEST = `
import * as manifest from 'virtual:translations'
globalThis.collect = async () => {
  const { languages, defaultLanguage, namespaces, load, loadLanguage, has, onUpdate } = manifest
  const refusal = (promise) => promise.then(() => 'resolved', (error) => [error.name, error.message])
  const unsubscribe = onUpdate(() => {})
  unsubscribe()
  return {
    languages,
    defaultLanguage,
    namespaces,
    has: [has('de-CH', 'shop/cart'), has('de_CH', 'main'), has('en', 'internal'), has('en', 'default')],
    loaded: [await load('de-CH', 'main'), await load('de-CH'), await loadLanguage('pl')],
    same: (await load('en')) === (await load('en', 'main')),
    refused: [await refusal(load('fr')), await refusal(load('en', 'internal')), await refusal(loadLanguage('fr'))],
    exports: Object.keys(manifest).sort(),
  }
}
`

describe.each(bundlers)('$name', (bundler) => {
  it('resolves fallbacks, customers, names and filters', async () => {
    const root = await tempFolder()
    await writeTree(root, { 'static.js': importing(Object.keys(MODULES)), 'manifest.js': MANIFEST })
    const output = await bundler.build({
      root,
      entries: { static: 'static.js', manifest: 'manifest.js' },
      options: optionsOf(await fillProject()),
    })
    const modules = await runEntry<unknown[]>(output.entryFile('static'))
    expect(Object.fromEntries(Object.keys(MODULES).map((request, i) => [request, modules[i]]))).toEqual(MODULES)
    expect(await runEntry(output.entryFile('manifest'))).toEqual({
      languages: [
        { key: 'en', name: 'English', isDefault: true },
        { key: 'de', name: 'German', isDefault: false },
        { key: 'de-CH', name: 'Swiss High German', isDefault: false },
        { key: 'pl', name: 'Polish', isDefault: false },
      ],
      defaultLanguage: 'en',
      namespaces: ['main', 'shop/cart'],
      has: [true, false, false, false],
      loaded: [DE, DE, { main: { ...EN, title: 'Tytuł' }, 'shop/cart': { buy: 'Buy' } }],
      same: true,
      refused: [
        ['RangeError', 'unknown language "fr"; known: en, de, de-CH, pl'],
        ['RangeError', 'unknown namespace "internal"; known: main, shop/cart'],
        ['RangeError', 'unknown language "fr"; known: en, de, de-CH, pl'],
      ],
      exports: ['defaultLanguage', 'has', 'languages', 'load', 'loadLanguage', 'namespaces', 'onUpdate'],
    })
    const emitted = Buffer.concat([...output.files.values()])
    expect(emitted.includes('Not for the app')).toBe(false)
  })
})
