/** Code for browsers that know less than the newest: its syntax, and the functions that it may call. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { assertModuleEdition } from '../helpers/syntax.ts'

const dist = join(repository, 'dist')

test('all code for pages is ES2017, but for import(); the runtime of ES5 outputs is ES5', async () => {
  const names = (await readdir(dist)).filter((name) =>
    /^(?:runtime|i18next|vue-i18n|react-intl|page-.*)\.js$/.test(name),
  )
  expect(names.length).toBeGreaterThanOrEqual(4)
  for (const name of names) assertModuleEdition(await readFile(join(dist, name), 'utf8'), 2017, name)
  assertModuleEdition(await readFile(join(dist, 'runtime.es5.js'), 'utf8'), 5, 'runtime.es5.js')
})

/** What came after ES2020, and browsers' functions of the same years. */
const NEWER = `
for (const type of [Array, String, Uint8Array.__proto__])
  for (const name of ['at', 'replaceAll', 'findLast', 'findLastIndex', 'toSorted', 'toReversed', 'toSpliced', 'with'])
    delete type.prototype[name]
for (const [holder, names] of [
  [Object, ['hasOwn', 'groupBy']],
  [Promise, ['any', 'withResolvers', 'try']],
  [Array, ['fromAsync']],
  [Map, ['groupBy']],
  [globalThis, ['WeakRef', 'FinalizationRegistry', 'AggregateError', 'Iterator']],
]) for (const name of names) delete holder[name]
for (const name of Object.getOwnPropertyNames(Set.prototype))
  if (!/^(?:add|has|delete|clear|size|forEach|keys|values|entries|constructor)$/.test(name)) delete Set.prototype[name]
`

const APP = `
import { createManifest, updateMessages, loadEach, createLoad, createIndexedLoad, createPerChunkLoad, createSpeller, describeLanguages } from './RUNTIME'
import { createBackend } from './i18next.js'
import { createLanguageLoader } from './vue-i18n.js'
import { createIntlStore } from './react-intl.js'
import i18next from 'i18next'

const languages = [{ key: 'pl', name: 'pl', isDefault: true }]
const names = { languages, defaultLanguage: 'pl', namespaces: ['common'], defaultNamespace: 'common' }
const texts = () => ({ item_one: 'one', item_other: 'other', nested: { title: 'Title' } })
const loaders = { pl: { common: () => Promise.resolve({ default: held }) } }
const held = texts()
const hashes = '00000000'
const base = { base: './', extension: '.js', hashes }
const fetch = (address) => Promise.resolve({ default: /pl\\/common/.test(address) ? texts() : hashes })
async function run() {
  const manifest = createManifest({ ...names, loaders })
  manifest.loadLanguage('pl')
  const i18n = i18next.createInstance()
  await i18n.use(createBackend(manifest)).init({ lng: 'pl', fallbackLng: false, ns: ['common'], defaultNS: 'common' })
  const shown = {}
  const global = { locale: 'en', setLocaleMessage: (language, tree) => { shown[language] = tree } }
  await createLanguageLoader({ global }, manifest).setLanguage('pl')
  const store = createIntlStore(manifest)
  await store.setLanguage('pl')
  createManifest({ ...names, loaders }, manifest)
  updateMessages(held, { ...texts(), nested: { title: 'New' } }, { language: 'pl', namespace: 'common' })
  await new Promise((resolve) => queueMicrotask(resolve))
  const loads = [createLoad, createIndexedLoad].map((create) =>
    create(['pl'], ['common'], 'common', () => ({ ...base, fetch }), createSpeller([['x', 'y']])))
  const perChunk = createPerChunkLoad(['pl'], ['common'], 'common', () => ({ ...base, hashes: hashes + hashes, fetch, queue: ['a'], chunks: [['a', 0]] }))
  const all = await Promise.all([...loads, perChunk.load].map((load) => load('pl')))
  const refused = await manifest.load('xx').catch((error) => error.name)
  return JSON.stringify([
    i18n.t('item', { count: 3 }), shown.pl.common.nested.title, store.getSnapshot().messages['common.nested.title'],
    i18n.t('nested.title'), all.map(({ nested }) => nested.title), refused,
    (await loadEach(['common'], () => Promise.resolve(1))).common, describeLanguages(['pl'], [], 'pl')[0].key,
  ])
}
globalThis.result = run()
`

test.each(['runtime.js', 'runtime.es5.js'])(
  '%s and the glue need no function that is newer than ES2020',
  async (runtime) => {
    const { outputFiles } = await build({
      stdin: { contents: APP.replace('RUNTIME', runtime), resolveDir: dist },
      bundle: true,
      write: false,
      format: 'iife',
      logLevel: 'silent',
    })
    const context = createContext({ queueMicrotask, setTimeout, clearTimeout, console })
    runInContext(NEWER, context)
    runInContext(outputFiles[0]?.text ?? '', context)
    const [plural, vue, intl, i18next, loaded, refused, each, key] = JSON.parse(await context.result)
    expect({ plural, vue, intl, i18next, loaded, refused, each, key }).toEqual({
      plural: 'other',
      vue: 'New',
      intl: 'New',
      i18next: 'New',
      loaded: ['Title', 'Title', 'Title'],
      refused: 'RangeError',
      each: 1,
      key: 'pl',
    })
  },
)
