/** `localization init` in an app with an i18n library: with the lines that it prints, every text is as it was before. */
import { join } from 'node:path'
import i18next from 'i18next'
import { createIntl } from 'react-intl'
import { describe, expect, test } from 'vitest'
import { createI18n } from 'vue-i18n'
import { checkResult } from '../../src/cli/commands/check.ts'
import { runCli } from '../helpers/cli.ts'
import { installIn } from '../helpers/consumer.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

interface Tree {
  readonly [key: string]: string | Tree
}
type Texts = Readonly<Record<string, Tree>>

const NESTED: Texts = {
  shop: { cart: { title: 'Your cart', items: { none: 'No items' } }, pay: 'Pay now' },
  common: { save: 'Save', menu: { file: 'File' } },
}

const flattened = (tree: Tree, prefix = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flattened(value, `${prefix}${key}.`),
  )
const FLAT: Texts = Object.fromEntries(
  Object.entries(NESTED).map(([name, tree]) => [name, Object.fromEntries(flattened(tree))]),
)
const inLanguage = (tree: Tree, language: string): Tree =>
  Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      typeof value === 'string' ? `${value} (${language})` : inLanguage(value, language),
    ]),
  )

const LANGUAGES = ['de', 'en']

/** The files of a layout, and the namespaces as the app knows them: `''` is none. */
interface Layout {
  readonly files: Tree
  readonly namespaces: Texts
}

const inFolders = (texts: Texts): Layout => ({
  namespaces: texts,
  files: Object.fromEntries(
    LANGUAGES.flatMap((language) =>
      Object.entries(texts).map(([name, tree]) => [`locales/${language}/${name}.json`, inLanguage(tree, language)]),
    ),
  ),
})

const inOneFile = ({ shop = {}, common = {} }: Texts): Layout => {
  const tree = { ...shop, ...common }
  return {
    namespaces: { '': tree },
    files: Object.fromEntries(LANGUAGES.map((language) => [`src/lang/${language}.json`, inLanguage(tree, language)])),
  }
}

const LAYOUTS = {
  'one nested file for a language': inOneFile(NESTED),
  'one flat file for a language': inOneFile(FLAT),
  'a folder for a language, nested': inFolders(NESTED),
  'a folder for a language, flat': inFolders(FLAT),
  'a folder for a language with one file': inFolders({ messages: NESTED.shop as Tree }),
}

interface App {
  readonly packages: readonly string[]
  /** The code that shows all keys, with `t`. */
  call(key: string): string
  /** How the code names a key of a namespace. */
  name(namespace: string, key: string): string
  /** The texts as the app shows them with everything in its bundle. */
  before(language: string, namespaces: Texts, names: readonly string[]): Promise<string[]>
  /** The app around the lines: imports, and what is passed to `show`. */
  readonly head: string
  readonly shown: string
}

const joined = (namespaces: Texts): Tree => Object.assign({}, ...Object.values(namespaces))
const branches = (namespaces: Texts): Tree => (namespaces[''] ? namespaces[''] : namespaces)

const formatMessages = async (language: string, tree: Tree, names: readonly string[]) => {
  const intl = createIntl({ locale: language, messages: Object.fromEntries(flattened(tree)), onError: () => {} })
  return names.map((id) => intl.formatMessage({ id }))
}
const composed = async (language: string, tree: Tree, names: readonly string[]) => {
  const i18n = createI18n({ legacy: false, locale: language, flatJson: true, messages: { [language]: tree as never } })
  return names.map((name) => i18n.global.t(name))
}
const VUE = {
  packages: ['vue', 'vue-i18n'],
  call: (key: string) => `t('${key}')`,
  head: "import { createI18n } from 'vue-i18n'\nconst i18n = createI18n({ legacy: false, locale: 'en', fallbackLocale: false })",
  shown: 'i18n.global.t',
}
const INTL = {
  packages: ['react', 'react-intl'],
  call: (key: string) => `intl.formatMessage({ id: '${key}' })`,
  head: "import { createIntl } from 'react-intl'",
  shown: 'createIntl(texts.getSnapshot())',
}
const own = (_namespace: string, key: string) => key
const dotted = (namespace: string, key: string) => (namespace === '' ? key : `${namespace}.${key}`)

const APPS: Readonly<Record<string, App>> = {
  i18next: {
    packages: ['i18next'],
    call: (key) => `t('${key}')`,
    name: (namespace, key) => (namespace === '' ? key : `${namespace}:${key}`),
    async before(language, namespaces, names) {
      const resources = Object.fromEntries(
        Object.entries(namespaces).map(([name, tree]) => [name || 'translation', tree]),
      )
      const instance = i18next.createInstance()
      await instance.init({ lng: language, fallbackLng: false, resources: { [language]: resources as never } })
      return names.map((name) => instance.t(name))
    },
    head: "import i18next from 'i18next'",
    shown: 'i18next.t',
  },
  'vue-i18n, with the names of files in front': {
    ...VUE,
    name: dotted,
    before: (language, namespaces, names) => composed(language, branches(namespaces), names),
  },
  'vue-i18n, all files joined': {
    ...VUE,
    name: own,
    before: (language, namespaces, names) => composed(language, joined(namespaces), names),
  },
  'react-intl, with the names of files in front': {
    ...INTL,
    name: dotted,
    before: (language, namespaces, names) => formatMessages(language, branches(namespaces), names),
  },
  'react-intl, all files joined': {
    ...INTL,
    name: own,
    before: (language, namespaces, names) => formatMessages(language, joined(namespaces), names),
  },
}

const cases = Object.keys(APPS).flatMap((app) => Object.keys(LAYOUTS).map((layout) => [app, layout] as const))

describe('the texts of the app', () => {
  test.each(cases)('%s: %s', async (appName, layoutName) => {
    const app = APPS[appName] as App
    const { files, namespaces } = LAYOUTS[layoutName as keyof typeof LAYOUTS]
    const names = Object.entries(namespaces).flatMap(([namespace, tree]) =>
      flattened(tree).map(([key]) => app.name(namespace, key)),
    )
    const root = await installIn(['vite', ...app.packages])
    const parameter = app.packages.includes('react-intl') ? 'intl' : 't'
    await writeTree(root, {
      ...files,
      'package.json': {
        type: 'module',
        dependencies: Object.fromEntries(app.packages.map((name) => [name, '*'])),
        devDependencies: { vite: '*' },
      },
      'src/app.js': `export const show = (${parameter}) => [${names.map(app.call).join(', ')}]\n`,
    })
    const run = await runCli(['init', '--yes', '--no-build'], { cwd: root })
    expect(run.code, run.output).toBe(0)
    const [, block = ''] = /takes its texts with these lines \(.*\):\n\n((?: {2}.*\n)+)/.exec(run.stdout) ?? []
    expect(block).not.toMatch(/^\s*await/m)

    const before = new Map<string, readonly string[]>()
    for (const language of LANGUAGES) {
      const inIt = Object.fromEntries(
        Object.entries(namespaces).map(([name, tree]) => [name, inLanguage(tree, language)]),
      )
      const texts = await app.before(language, inIt, names)
      expect(texts.filter((text) => !text.endsWith(`(${language})`))).toEqual([])
      before.set(language, texts)
      const lines = block.replace(/^ {2}/gm, '').replace("'en'", `'${language}'`)
      const main = `${app.head}
import { show } from './app.js'
let resolve
const shown = new Promise((done) => { resolve = done })
globalThis.collect = () => shown
${lines.replace(/^ *\/\/ (?:Render|Mount).*$/m, `resolve(show(${app.shown}))`)}`
      await writeTree(root, { [`src/${language}.js`]: main })
    }
    const { build } = await import('vite')
    await build({
      root,
      configFile: join(root, 'vite.config.js'),
      logLevel: 'silent',
      build: {
        modulePreload: false,
        rollupOptions: {
          input: Object.fromEntries(LANGUAGES.map((language) => [language, join(root, `src/${language}.js`)])),
          output: { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
        },
      },
    })
    for (const [language, texts] of before) expect(await runEntry(join(root, `dist/${language}.mjs`))).toEqual(texts)
    const check = await runCli(['check', '--missing-in-code', '--json'], { cwd: root })
    expect(check.json(checkResult).findings).toEqual([])
  })
})

describe('the configuration', () => {
  const configOf = async (files: Tree, code: string, library = 'i18next') => {
    const root = await tempFolder()
    await writeTree(root, { ...files, 'package.json': { dependencies: { [library]: '*' } }, 'src/app.js': code })
    const { stdout, stderr } = await runCli(['init', '--yes', '--dry-run', '--format', 'json', '--json'], { cwd: root })
    expect(stderr).not.toContain('error')
    return JSON.parse(JSON.parse(stdout).config)
  }

  test.each([
    ['the namespace of i18next', 't("a")', { defaultNamespace: 'translation' }],
    ['the namespace of the app', 'init({ defaultNS: "app" })', { defaultNamespace: 'app' }],
    ['objects below keys', 't("menu", { returnObjects: true })', { defaultNamespace: 'translation', shape: 'nested' }],
  ])('%s', async (_name, code, options) => {
    expect(await configOf({ 'locales/en.json': { a: 'A', menu: { b: 'B' } } }, code)).toEqual({
      files: 'locales/{language}.json',
      defaultLanguage: 'en',
      ...options,
    })
  })

  test('the default language is the one with the most keys, whatever its plural forms are', async () => {
    const files = {
      'locales/en-GB.json': { colour: 'Colour' },
      'locales/en.json': { a_one: 'a', a_other: 'a', b: 'b' },
      'locales/pl.json': { a_one: 'a', a_few: 'a', a_many: 'a', b: 'b' },
    }
    expect(await configOf(files, '')).toMatchObject({ defaultLanguage: 'en' })
    const more = { ...files, 'locales/de.json': { a: 'a', b: 'b', c: 'c' } }
    expect(await configOf(more, '')).toMatchObject({ defaultLanguage: 'de' })
  })
})
