/**
 * A child process in a folder with headlamp: writes `t()` of every key that the app's code uses, in every language. The
 * keys are those that the app's own `i18next-parser` finds. The setup is the app's `src/i18n/config.ts`, compiled by
 * the app's Vite.
 */
import { rmSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * `output`: the folder with the built texts; none: the texts come as the app itself loads them. `files`: only the keys
 * of these modules.
 */
const { output, isFirstPage, files, resultFile } = JSON.parse(process.argv[2])
const root = process.cwd()
/** A module of the app, or of its packages. */
const inApp = (file) => import(pathToFileURL(join(root, file)).href)
const COUNTS = [0, 1, 2, 3, 5, 11, 21, 100, 1.5]

const { default: shared } = await inApp('src/i18n/i18nextSharedConfig.mjs')
const keys = await usedKeys()
const forms = await formsOfKeys()
const { default: i18next, supportedLanguages } = await loadSetup()
const results = {}
for (const language of Object.keys(supportedLanguages)) {
  await i18next.changeLanguage(language)
  for (const [namespace, key] of keys) Object.assign(results, resultsOf(language, namespace, key))
}
await writeFile(resultFile, JSON.stringify(results))

/** Namespace, where the code names one, and key, as the code writes it. */
async function usedKeys() {
  const { parser: Parser } = await inApp('node_modules/i18next-parser/dist/index.js')
  const lexers = { ts: ['JsxLexer'], tsx: ['JsxLexer'] }
  const parser = new Parser({ lexers, namespaceSeparator: '|', contextSeparator: shared.contextSeparator })
  const wanted = files && new Set(files)
  const found = new Map()
  for (const name of await readdir(join(root, 'src'), { recursive: true })) {
    const file = `src/${name}`
    if (!/\.tsx?$/.test(file) || /\.test\.tsx?$/.test(file) || (wanted && !wanted.has(file))) continue
    // The parser leaves this character reference as it is; JSX does not.
    const code = (await readFile(join(root, file), 'utf8')).replaceAll('&nbsp;', '\u00a0')
    for (const { namespace, key } of parser.parse(code, file))
      if (key) found.set(JSON.stringify([namespace, key]), [namespace, key])
  }
  return [...found.values()]
}

/** By key: whether a language has plural forms of it, and the contexts that any language has. */
async function formsOfKeys() {
  const found = new Map()
  const locales = join(root, 'src/i18n/locales')
  for (const name of await readdir(locales, { recursive: true })) {
    if (!name.endsWith('.json')) continue
    for (const id of Object.keys(JSON.parse(await readFile(join(locales, name), 'utf8')))) {
      const [base, plural] = id.split(/_(?:zero|one|two|few|many|other)$/)
      const [key, context] = base.split(shared.contextSeparator)
      const own = found.get(key) ?? { isPlural: false, contexts: new Set() }
      if (plural !== undefined) own.isPlural = true
      if (context !== undefined) own.contexts.add(context)
      found.set(key, own)
    }
  }
  return found
}

function resultsOf(language, namespace, key) {
  const names = [...key.matchAll(/\{\{\s*([\w.]+)[^}]*\}\}/g)].map(([, name]) => name)
  const values = Object.fromEntries(names.map((name) => [name, `<${name}>`]))
  const { isPlural, contexts } = forms.get(key.split('|').at(-1)) ?? { isPlural: false, contexts: [] }
  const own = {}
  for (const context of [undefined, 'unknown', ...contexts])
    for (const count of [undefined, ...(isPlural ? COUNTS : [])]) {
      const options = { ns: namespace, ...values, ...(context && { context }), ...(count !== undefined && { count }) }
      own[JSON.stringify([language, namespace, key, { context, count }])] = i18next.t(key, options)
    }
  return own
}

async function loadSetup() {
  const { build } = await inApp('node_modules/vite/dist/node/index.js')
  const folder = `.setup-${process.pid}`
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.TEXTS': JSON.stringify(JSON.stringify({ output, isFirstPage })) },
    resolve: { alias: { 'virtual:translations': join(import.meta.dirname, 'built-texts.mjs') } },
    build: { target: 'esnext', ssr: 'src/i18n/config.ts', outDir: folder, copyPublicDir: false },
  })
  process.once('exit', () => rmSync(join(root, folder), { recursive: true }))
  return inApp(`${folder}/config.js`)
}
