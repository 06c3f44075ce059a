/**
 * The same two apps with each way to bring texts into a Vite build. An app of `all` can show every text:
 * `show(language, namespace)` resolves
 * to the messages as the library is given them; one of `page` shows 20 keys of `common`: `show(language)` resolves to
 * those.
 *
 * An approach: `{ name, packages, prepare(root, size), plugins(root, kind, bundler), all, page(keys), read(messages,
 * language) }`, where `read`
 * gives the texts that the library's own runtime makes of its messages, with each placeholder shown as it was written.
 * `command`: what
 * runs before the build. `isForUsedKeys`: it makes a difference only where few are. `generated`: what a build leaves in
 * the app's folder. `runtime`: modules of generated code that are no texts.
 */
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { languageNames, namespaceNames, writeLocales } from '../catalog.mjs'
import { PLACEHOLDERS, writeMessageFiles, writePoFiles } from './formats.mjs'

/** The language of the pages, by its place in the catalog. */
export const SHOWN_LANGUAGE = 2

const requireHere = createRequire(import.meta.url)
const dist = fileURLToPath(new URL('../../../dist/', import.meta.url))
/** For packages that only an `import` finds. */
const installed = (path) => new URL(`../../node_modules/${path}`, import.meta.url)

/** A page's 20 calls, each with its key spelled out, as the tools want it that look for keys. */
const calls = (keys) => `[\n${keys.map((key) => `  t(${JSON.stringify(key)}),`).join('\n')}\n]`

/** One file for each language and namespace, imported when it is asked for. */
const lazyFiles = ({ extension, member }) => ({
  all: `const files = import.meta.glob('./locales/**/*${extension}')
globalThis.show = async (language, namespace) => (await files[\`./locales/\${language}/\${namespace}${extension}\`]()).${member}
`,
  page: (keys) => `const files = import.meta.glob('./locales/*/common${extension}')
globalThis.show = async (language) => {
  const texts = (await files[\`./locales/\${language}/common${extension}\`]()).${member}
  const t = (key) => texts[key]
  return ${calls(keys)}
}
`,
})

const asTheyAre = (messages) => messages

/** No approach: what the page itself is. */
export const withoutTexts = {
  prepare: () => {},
  plugins: () => [],
  page: (keys) => `globalThis.show = async (language) => {
  const t = (key) => key + language
  return ${calls(keys)}
}
`,
}

const plain = {
  name: 'plain JSON imports',
  packages: [],
  prepare: writeLocales,
  plugins: () => [],
  ...lazyFiles({ extension: '.json', member: 'default' }),
  read: asTheyAre,
}

const OURS_RUNTIME = `import { load } from 'virtual:translations'
let texts = {}
export const use = async (language) => {
  texts = await load(language, 'common')
}
export const t = (key) => texts[key]
`

export const ours = {
  name: 'ours',
  packages: [],
  prepare(root, size) {
    writeLocales(root, size)
    writeFileSync(join(root, 't.js'), OURS_RUNTIME)
  },
  plugins(root, kind, bundler) {
    const options = { root, configFile: false, source: 'files', defaultLanguage: 'en', defaultNamespace: 'common' }
    const prune = kind === 'page' && { ignoreIn: ['t.js'] }
    return [{ from: join(dist, `${bundler}.js`), options: { ...options, prune, report: false } }]
  },
  all: `import { load } from 'virtual:translations'
globalThis.show = (language, namespace) => load(language, namespace)
`,
  page: (keys) => `import { t, use } from './t.js'
globalThis.show = async (language) => {
  await use(language)
  return ${calls(keys)}
}
`,
  read: asTheyAre,
}

const vueI18nPlugins = (settings) => (root) => [
  // Without Vue's own plugin it takes every build for one of development.
  { from: requireHere.resolve('@vitejs/plugin-vue') },
  {
    from: requireHere.resolve('@intlify/unplugin-vue-i18n/vite'),
    options: { include: [join(root, 'locales/**')], ...settings?.(root) },
  },
]

const vueI18n = {
  name: 'unplugin-vue-i18n',
  packages: ['@intlify/unplugin-vue-i18n'],
  prepare: writeLocales,
  plugins: vueI18nPlugins(),
  ...lazyFiles({ extension: '.json', member: 'default' }),
  async read(messages, language) {
    const { createI18n } = await import('vue-i18n')
    const i18n = createI18n({ legacy: false, locale: language, messages: { [language]: messages } })
    return mapValues(messages, (key) => i18n.global.t(key, PLACEHOLDERS))
  },
}

/** Its own way to leave out keys: found by reading sources, in Vite and webpack. */
const vueI18nShaken = {
  ...vueI18n,
  name: 'unplugin-vue-i18n, treeShaking',
  isForUsedKeys: true,
  plugins: vueI18nPlugins((root) => ({ treeShaking: { scanPatterns: [join(root, '*.js')] } })),
}

const lingui = {
  packages: ['@lingui/vite-plugin', '@lingui/cli'],
  prepare(root, size) {
    writePoFiles(root, size)
    const catalogs = namespaceNames(size.namespaces).map((namespace) => ({
      path: `<rootDir>/locales/{locale}/${namespace}`,
      include: ['<rootDir>/main.js'],
    }))
    const settings = { sourceLocale: 'en', locales: languageNames(size.languages), catalogs }
    writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', lingui: settings }))
  },
  async read(messages, language) {
    const { setupI18n } = await import('@lingui/core')
    const i18n = setupI18n({ locale: language, messages: { [language]: messages } })
    return mapValues(messages, (key) => i18n._(key, PLACEHOLDERS))
  },
}

const linguiPlugin = {
  ...lingui,
  name: 'Lingui, its Vite plugin',
  plugins: (root) => [{ from: requireHere.resolve('@lingui/vite-plugin'), name: 'lingui', options: { cwd: root } }],
  ...lazyFiles({ extension: '.po', member: 'messages' }),
}

const linguiCompile = {
  ...lingui,
  name: 'Lingui, compiled by its command first',
  command: [fileURLToPath(installed('@lingui/cli/dist/lingui-compile.js')), ['--namespace', 'es']],
  plugins: () => [],
  ...lazyFiles({ extension: '.mjs', member: 'messages' }),
}

const i18nextLoader = {
  name: 'vite-plugin-i18next-loader',
  packages: ['vite-plugin-i18next-loader'],
  prepare: writeLocales,
  plugins: (root) => [
    {
      from: fileURLToPath(installed('vite-plugin-i18next-loader/dist/index.js')),
      options: { paths: [join(root, 'locales')], namespaceResolution: 'relativePath' },
    },
  ],
  all: `import resources from 'virtual:i18next-loader'
globalThis.show = async (language, namespace) => namespace.split('/').reduce((part, name) => part[name], resources[language])
`,
  page: (keys) => `import resources from 'virtual:i18next-loader'
globalThis.show = async (language) => {
  const t = (key) => resources[language].common[key]
  return ${calls(keys)}
}
`,
  read: asTheyAre,
}

const PARAGLIDE_ARGUMENTS = JSON.stringify(PLACEHOLDERS)
const named = (namespace, key) => `${namespace.replace('/', '_')}_${key}`

export const paraglide = {
  name: 'Paraglide',
  packages: ['@inlang/paraglide-js', '@inlang/plugin-message-format'],
  isSlow: true,
  /** The generated code that is no text: counted apart. */
  runtime: '[\\\\/]paraglide[\\\\/](runtime|registry|server)',
  generated: ['paraglide', 'project.inlang/cache'],
  prepare(root, size) {
    writeMessageFiles(root, size, named)
  },
  plugins: (root) => [
    {
      from: fileURLToPath(installed('@inlang/paraglide-js/dist/index.js')),
      name: 'paraglideVitePlugin',
      options: {
        project: join(root, 'project.inlang'),
        outdir: join(root, 'paraglide'),
        strategy: ['globalVariable', 'baseLocale'],
      },
    },
  ],
  all: `globalThis.show = async (language, namespace) => {
  const { m } = await import('./paraglide/messages.js')
  const prefix = namespace.replace('/', '_') + '_'
  const own = Object.keys(m).filter((name) => name.startsWith(prefix))
  return Object.fromEntries(own.map((name) => [name.slice(prefix.length), m[name](${PARAGLIDE_ARGUMENTS}, { locale: language })]))
}
`,
  page: (keys) => `import { m } from './paraglide/messages.js'
import { overwriteGetLocale } from './paraglide/runtime.js'
globalThis.show = async (language) => {
  overwriteGetLocale(() => language)
  const values = ${PARAGLIDE_ARGUMENTS}
  return [
${keys.map((key) => `    m.${named('common', key)}(values),`).join('\n')}
  ]
}
`,
  read: asTheyAre,
}

export const APPROACHES = [plain, ours, vueI18n, vueI18nShaken, linguiPlugin, linguiCompile, i18nextLoader, paraglide]

function mapValues(messages, make) {
  return Object.fromEntries(Object.keys(messages).map((key) => [key, make(key)]))
}
