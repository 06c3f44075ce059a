/**
 * What `compile: 'icu'` costs and saves: the bytes of messages as texts and as syntax trees, the bytes of react-intl
 * with FormatJS's
 * parser and without it, and how long it takes until each message of a language has been shown once.
 */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { printMachine, printTable, readArguments, tenth, whole } from './lib/print.mjs'
import { removeFolder, tempFolder } from './lib/processes.mjs'
import { createRandom, median } from './lib/stats.mjs'

const { smoke } = readArguments()
const KEYS = smoke ? 20 : 500
const ROUNDS = smoke ? 1 : 7
/** How many of a hundred texts have syntax. */
const SHARES = [0, 10, 30, 100]

const repository = join(import.meta.dirname, '..')
const WORDS =
  'account order cart total delivery address change remove save search filter member invoice payment open close retry weather forecast station message inbox draft'.split(
    ' ',
  )
/** As applications have them: most are a placeholder, some are plural forms, few have tags. */
const SYNTAX = [
  (a, b) => `${a} {name} ${b}`,
  (a, b) => `{name}: ${a} ${b} of {total}`,
  (a, b) => `${a} ${b} {value}`,
  (a, b) => `{count, plural, one {# ${a} ${b}} other {# ${a}s ${b}}}`,
  (a, b) => `${a} <b>{name}</b> ${b}`,
]

function messagesOf(share) {
  const random = createRandom(1)
  const word = () => WORDS[Math.floor(random() * WORDS.length)]
  const words = (count) => Array.from({ length: count }, word).join(' ')
  return Object.fromEntries(
    Array.from({ length: KEYS }, (_, i) => {
      const length = 1 + Math.floor(random() * 6)
      const syntax = i % 100 < share || (smoke && i < share) ? SYNTAX[i % SYNTAX.length] : undefined
      return [`${word()}.${word()}.key${i}`, syntax ? syntax(words(length), words(2)) : words(length + 2)]
    }),
  )
}

let folder

function write(name, content) {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
}

/** Shows every message once, in a store that is new. */
const ENTRY = `
import { createIntl } from 'react-intl'
import messages from 'virtual:translations/en/common'
export const json = JSON.stringify(messages)
const compiled = Object.fromEntries(Object.entries(messages).map(([id, text]) => [id, typeof text === 'string' && COMPILED ? [{ type: 0, value: text }] : text]))
const values = { name: 'Ada', total: 3, value: 4, count: 5, b: (chunks) => chunks.join('') }
export function showAll() {
  const { formatMessage } = createIntl({ locale: 'en', messages: compiled, onError(error) { throw error } })
  let length = 0
  for (const id of Object.keys(compiled)) length += String(formatMessage({ id }, values)).length
  return length
}
`
const NO_PARSER = {
  name: 'no-parser',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^@formatjs\/icu-messageformat-parser$/ }, ({ path, ...place }) =>
      resolve(`${path}/no-parser.js`, { ...place, pluginData: undefined }),
    )
  },
}

async function bundle(entry, { compile = false, parser = true, name }) {
  const localization = (await import(pathToFileURL(join(repository, 'dist/esbuild.js')).href)).default
  const { outputFiles } = await build({
    absWorkingDir: folder,
    stdin: { contents: entry, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    outfile: `${name}.mjs`,
    define: { 'process.env.NODE_ENV': '"production"', COMPILED: String(compile !== false) },
    plugins: [...(parser ? [] : [NO_PARSER]), localization({ configFile: false, compile })],
    logLevel: 'error',
  })
  const path = join(folder, `${name}.mjs`)
  writeFileSync(path, outputFiles[0].contents)
  return { path, bytes: outputFiles[0].contents }
}

const kilobytes = (content) =>
  `${tenth(content.length / 1024)} / ${tenth(gzipSync(content, { level: 9 }).length / 1024)}`

async function measureShowing(paths) {
  const times = paths.map(() => [])
  const lengths = new Set()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, path] of paths.entries()) {
      const { showAll } = await import(`${pathToFileURL(path).href}?${round}`)
      const startedAt = performance.now()
      lengths.add(showAll())
      times[i].push(performance.now() - startedAt)
    }
  }
  if (lengths.size !== 1) throw new Error('compiled messages show something else')
  return times.map(median)
}

printMachine()
// The plugin says what it loads.
process.stderr.write = () => true
folder = tempFolder()
try {
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(repository, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name))

  const rows = []
  for (const share of SHARES) {
    write('locales/en/common.json', messagesOf(share))
    const texts = await bundle(ENTRY, { name: `texts${share}` })
    const trees = await bundle(ENTRY, { name: `trees${share}`, compile: 'icu', parser: false })
    const [textJson, treeJson] = await Promise.all(
      [texts, trees].map(async ({ path }) => Buffer.from((await import(pathToFileURL(path).href)).json)),
    )
    const [textMs, treeMs] = await measureShowing([texts.path, trees.path])
    rows.push([`${share} %`, kilobytes(textJson), kilobytes(treeJson), tenth(textMs), tenth(treeMs)])
  }
  printTable(
    `${whole(KEYS)} texts; KB raw / gzip, ms until each was shown once (median of ${ROUNDS})`,
    ['texts with syntax', 'as texts, KB', 'compiled, KB', 'as texts, ms', 'compiled, ms'],
    rows,
  )

  const app =
    "import { createIntl, IntlProvider, FormattedMessage } from 'react-intl'\nconsole.log(createIntl, IntlProvider, FormattedMessage)"
  const complete = (await bundle(app, { name: 'with' })).bytes
  const without = (await bundle(app, { name: 'without', parser: false })).bytes
  printTable(
    'react-intl with React, minified; KB raw / gzip',
    ['', 'KB'],
    [
      ['with the parser', kilobytes(complete)],
      ['without it', kilobytes(without)],
    ],
  )
} finally {
  removeFolder(folder)
}
