/**
 * The same app three times: it imports its texts as JSON modules (`plain`), fetches them from files that the build
 * copies (`copied`), or loads them with this plugin (`ours`). Each has the function `show(language, namespace)`.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { flatten, languageNames, namespaceNames, textCount, writeLocales } from './catalog.mjs'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** A real catalog, one file for each language. It is not part of this repository. */
const REAL_CATALOG = fileURLToPath(
  new URL('../../../shared/catalogs/mattermost-mobile/assets/base/i18n/', import.meta.url),
)

export const SHAPES = ['identifiers', 'dotted', 'nested', ...(existsSync(REAL_CATALOG) ? ['real'] : [])]

/** Farm's JSON modules have no default export when they are imported lazily. */
const PLAIN_SHOW = `globalThis.show = async (language, namespace) => {
  const texts = await loaders[language][namespace]()
  return texts.default ?? texts
}
`

const COPIED_MAIN = `globalThis.show = async (language, namespace) => {
  const response = await fetch(\`/locales/\${language}/\${namespace}.json\`)
  return response.json()
}
`

const OURS_MAIN = `import { load } from 'virtual:translations'
globalThis.show = (language, namespace) => load(language, namespace)
`

/** Writes the apps below a folder. `shape` is one of `SHAPES`; the real catalog has its own size. */
export function writeBuildApps(folder, shape, size) {
  const root = (variant) => join(folder, variant)
  const catalog = shape === 'real' ? realCatalog() : madeCatalog(shape, size)
  for (const textsIn of [root('plain'), root('ours'), join(root('copied'), 'public')]) {
    mkdirSync(textsIn, { recursive: true })
    catalog.write(textsIn)
  }
  writeFileSync(join(root('plain'), 'main.js'), plainMain(catalog))
  writeFileSync(join(root('copied'), 'main.js'), COPIED_MAIN)
  writeFileSync(join(root('ours'), 'main.js'), OURS_MAIN)
  const { languages, namespaces, title } = catalog
  return { roots: { plain: root('plain'), copied: root('copied'), ours: root('ours') }, languages, namespaces, title }
}

/** The plugin as `ours` has it, for `build-host.mjs`. */
export function ourPlugin(bundler, options = {}) {
  return { from: join(dist, `${bundler}.js`), options: { configFile: false, source: 'files', ...options } }
}

/**
 * What `show()` of a built app must return. With the plugin, keys are flat, and the default language fills what a
 * language lacks.
 */
export function expectedTexts(variant, root, language, namespace) {
  if (variant === 'copied') return read(join(root, 'public'), language, namespace)
  if (variant === 'plain') return read(root, language, namespace)
  const own = Object.entries(flatten(read(root, language, namespace))).filter(([, text]) => text !== '')
  return { ...flatten(read(root, 'en', namespace)), ...Object.fromEntries(own) }
}

function read(folder, language, namespace) {
  return JSON.parse(readFileSync(join(folder, 'locales', language, `${namespace}.json`), 'utf8'))
}

function madeCatalog(shape, size) {
  const count = textCount(size).toLocaleString('en')
  return {
    languages: languageNames(size.languages),
    namespaces: namespaceNames(size.namespaces),
    title: `${shape}: ${count} texts in ${size.languages * size.namespaces} files`,
    write: (folder) => writeLocales(folder, { ...size, spelling: shape }),
  }
}

function realCatalog() {
  const files = readdirSync(REAL_CATALOG).filter((name) => name.endsWith('.json'))
  const languages = files.map((name) => basename(name, '.json'))
  const texts = files.map((name) => Object.keys(flatten(JSON.parse(readFileSync(join(REAL_CATALOG, name), 'utf8')))))
  const count = texts.reduce((sum, keys) => sum + keys.length, 0)
  return {
    languages: ['en', ...languages.filter((language) => language !== 'en')],
    namespaces: ['common'],
    title: `real (mattermost-mobile): ${count.toLocaleString('en')} texts in ${files.length} files`,
    write(folder) {
      for (const [i, name] of files.entries())
        cpSync(join(REAL_CATALOG, name), join(folder, 'locales', languages[i], 'common.json'))
    },
  }
}

function plainMain({ languages, namespaces }) {
  const loaders = languages.flatMap((language) => [
    `  ${JSON.stringify(language)}: {`,
    ...namespaces.map(
      (name) => `    ${JSON.stringify(name)}: () => import(${JSON.stringify(`./locales/${language}/${name}.json`)}),`,
    ),
    '  },',
  ])
  return `const loaders = {\n${loaders.join('\n')}\n}\n${PLAIN_SHOW}`
}
