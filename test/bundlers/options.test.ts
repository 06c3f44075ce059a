/** What the configuration promises about modules, in every bundler, from one small project. */
import { describe, expect, it } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { importing } from '../helpers/apps.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { type LocalProject, startProject } from '../helpers/local-project.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const ODD_CUSTOMER = 'b&w=1/2'

async function fillProject(): Promise<LocalProject> {
  const project = await startProject({ customers: ['acme', ODD_CUSTOMER] })
  await project.importTexts('en', '', { title: 'Title', gap: 'Gap filled', 'page.head': 'Head', only: 'Only English' })
  await project.importTexts('de', '', { title: 'Titel', gap: '', 'page.head': 'Kopf' })
  await project.importTexts('de_CH', '', { title: '', gap: '' })
  await project.importTexts('pl', '', { title: 'Tytuł', gap: '', 'page.head': '', nowhere: '' })
  await project.importTexts('en', 'shop/cart', { buy: 'Buy' })
  await project.importTexts('de', 'shop/cart', { buy: 'Kaufen' })
  await project.importTexts('en', 'internal', { secret: 'Not for the app' })
  await project.importTexts('en', '', { title: 'Acme title', only: 'Acme only' }, 'acme')
  await project.importTexts('de', '', { title: 'Acme-Titel' }, 'acme')
  await project.importTexts('en', 'shop/cart', { buy: 'Order' }, ODD_CUSTOMER)
  await project.publish()
  return project
}

const optionsOf = ({ apiKey, baseUrl, cdnUrl }: LocalProject, more: PluginOptions = {}): PluginOptions => ({
  configFile: false,
  service: { apiKey, baseUrl, cdnUrl },
  languageMap: { de_CH: 'de-CH' },
  defaultNamespace: 'main',
  namespaces: ['main', 'shop/*'],
  fallback: { 'de-CH': ['de'] },
  customers: ['acme', ODD_CUSTOMER],
  ...more,
})

const EN = { gap: 'Gap filled', only: 'Only English', 'page.head': 'Head', title: 'Title' }
const DE = { gap: 'Gap filled', only: 'Only English', 'page.head': 'Kopf', title: 'Titel' }

/** Request to what it must give. */
const MODULES: Readonly<Record<string, unknown>> = {
  'virtual:translations/en/main': EN,
  'virtual:translations/de/main': DE,
  // Over `de`, then the default language.
  'virtual:translations/de-CH/main': DE,
  'virtual:translations/de-CH/shop/cart': { buy: 'Kaufen' },
  'virtual:translations/pl/main': { ...EN, title: 'Tytuł' },
  'virtual:translations/pl/shop/cart': { buy: 'Buy' },
  'virtual:translations/de': { main: DE, 'shop/cart': { buy: 'Kaufen' } },
  'virtual:translations/en/main?customer=acme': { ...EN, title: 'Acme title', only: 'Acme only' },
  'virtual:translations/de/main?customer=acme': { ...DE, title: 'Acme-Titel', only: 'Acme only' },
  'virtual:translations/de-CH/main?customer=acme': { ...DE, title: 'Acme-Titel', only: 'Acme only' },
  'virtual:translations/pl?customer=acme': {
    main: { ...EN, title: 'Tytuł', only: 'Acme only' },
    'shop/cart': { buy: 'Buy' },
  },
  [`virtual:translations/en/shop/cart?customer=${encodeURIComponent(ODD_CUSTOMER)}`]: { buy: 'Order' },
  [`virtual:translations/en/main?customer=${encodeURIComponent(ODD_CUSTOMER)}`]: EN,
}

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

  it('nests, and loses no key that cannot be nested', async () => {
    const root = await tempFolder()
    const project = await startProject()
    await project.importTexts('en', '', {
      'a.b.c': '1',
      'a.d': '2',
      'x.y': '3',
      x: '4',
      '.': '5',
      'p.__proto__.q': '6',
    })
    await writeTree(root, { 'main.js': importing(['virtual:translations/en/default']) })
    const output = await bundler.build({
      root,
      entries: { main: 'main.js' },
      options: { configFile: false, service: { apiKey: project.apiKey, baseUrl: project.baseUrl }, shape: 'nested' },
    })
    const [messages] = await runEntry<object[]>(output.entryFile('main'))
    expect(JSON.stringify(messages)).toBe(
      '{".":"5","a":{"b":{"c":"1"},"d":"2"},"p":{"__proto__":{"q":"6"}},"x":"4","x.y":"3"}',
    )
  })
})

/** What the configuration decides before any bundler is asked: one is enough. */
describe('vite', () => {
  const [vite] = bundlers
  const build = async (options: PluginOptions, requests: readonly string[]) => {
    const root = await tempFolder()
    await writeTree(root, { 'main.js': importing(requests) })
    const output = await vite?.build({ root, entries: { main: 'main.js' }, options })
    return runEntry<object[]>(output?.entryFile('main') ?? '')
  }

  it.each(['export', 'hosting', 'query'] as const)('gives the same from source %s', async (source) => {
    const modules = await build(optionsOf(await fillProject(), { source }), Object.keys(MODULES))
    expect(Object.fromEntries(Object.keys(MODULES).map((request, i) => [request, modules[i]]))).toEqual(MODULES)
  })

  it('lays the one customer over everything', async () => {
    const options = optionsOf(await fillProject(), { customer: 'acme' })
    expect(await build(options, ['virtual:translations/de/main'])).toEqual([
      { ...DE, title: 'Acme-Titel', only: 'Acme only' },
    ])
  })

  it('leaves gaps out where fallback is off', async () => {
    const options = optionsOf(await fillProject(), { fallback: false })
    expect(await build(options, ['virtual:translations/pl/main', 'virtual:translations/de-CH/main'])).toEqual([
      { title: 'Tytuł' },
      {},
    ])
  })

  it('closes each chain with the configured default language, and keeps to the languages asked for', async () => {
    const options = optionsOf(await fillProject(), { defaultLanguage: 'de', languages: ['pl', 'de'], fallback: {} })
    const project = await build(options, ['virtual:translations/pl/main'])
    expect(project).toEqual([{ title: 'Tytuł', 'page.head': 'Kopf' }])
    await expect(build(options, ['virtual:translations/en/main'])).rejects.toThrow('unknown language "en"')
  })

  it('fills the gaps of the service from files, which do not win over it', async () => {
    const root = await tempFolder()
    const project = await fillProject()
    await writeTree(root, {
      'main.js': importing(['virtual:translations/de/main', 'virtual:translations/pl/shop/cart']),
      'locales/de/main.json': { title: 'from a file', gap: 'Lücke' },
      'locales/pl/shop/cart.json': { buy: 'Kup', more: 'Więcej' },
    })
    const output = await vite?.build({ root, entries: { main: 'main.js' }, options: optionsOf(project) })
    expect(await runEntry(output?.entryFile('main') ?? '')).toEqual([
      { ...DE, gap: 'Lücke' },
      { buy: 'Kup', more: 'Więcej' },
    ])
  })

  it('takes what export v3 can carry, and says which sources carry the rest', async () => {
    const project = await startProject({ features: { exportV4: false, projectInfo: false } })
    await project.importTexts('en', '', { title: 'Title' })
    await project.importTexts('de', '', { title: '' })
    const options = (namespaces?: string[]): PluginOptions => ({
      configFile: false,
      service: { apiKey: project.apiKey, baseUrl: project.baseUrl },
      ...(namespaces && { namespaces }),
    })
    expect(await build(options(), ['virtual:translations/de/default'])).toEqual([{ title: 'Title' }])
    await expect(build(options(['shop']), ['virtual:translations/de/shop'])).rejects.toThrow(
      /namespaces "shop", .*export, v3, has no namespaces.*'hosting', 'query' or 'files'/,
    )
  })
})
