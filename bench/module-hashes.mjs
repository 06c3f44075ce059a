/**
 * The hashes of every message file that builds put out, for the real catalogs beside the repository and a made one, with
 * each option that changes texts. Run it with two builds of the plugin (`--dist <folder>`), and compare the output:
 * equal texts must keep their hash. Both builds must have the same path, which is part of the hash of webpack's and
 * Rspack's libraries. `--only <bundler>,<bundler>`, default all six that have message files; `--catalog <name>`.
 */

import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runBuild } from './lib/build.mjs'
import { readArguments } from './lib/print.mjs'
import { removeFolder, tempFolder } from './lib/processes.mjs'

const { smoke, ...given } = readArguments({
  dist: { type: 'string' },
  only: { type: 'string' },
  catalog: { type: 'string' },
})
const dist = resolve(given.dist ?? fileURLToPath(new URL('../dist/', import.meta.url)))
const BUNDLERS =
  given.only?.split(',') ?? (smoke ? ['vite'] : ['vite', 'rollup', 'rolldown', 'webpack', 'rspack', 'esbuild'])
const CATALOGS = fileURLToPath(new URL('../../shared/catalogs/', import.meta.url))

const REAL = [
  {
    name: 'headlamp',
    files: 'frontend/src/i18n/locales/{language}/{namespace}.json',
    languages: ['de', 'ja', 'pt-br'],
  },
  { name: 'excalidraw', files: 'packages/excalidraw/locales/{language}.json', languages: ['de-DE', 'ar-SA', 'ja-JP'] },
  { name: 'mattermost-mobile', files: 'assets/base/i18n/{language}.json', languages: ['de', 'ja', 'pl'] },
  { name: 'frigate', files: 'web/public/locales/{language}/{namespace}.json', languages: ['de', 'ar', 'ja'] },
]

/** What real catalogs lack. */
const MADE = {
  'locales/en/common.json': {
    b: 'B',
    10: 'ten',
    9: 'nine',
    text: 'a </script> b \u2028 <!-- "q" \\ \u0008 \ud83d\ude00',
    empty: '',
    list: ['one', 'two', { name: 'x', more: ['y', ''] }],
    deep: { a: { b: 'c', 'd.e': 'f' } },
    number: 1.5,
    yes: true,
    nothing: null,
    'Loading...': 'Loading...',
    'sentence. Two.': 'x',
    constructor: 'c',
    toString: 't',
  },
  'locales/de/common.json': { b: '', list: ['eins'], deep: { a: { b: 'C' } }, extra: { x: 'y' } },
  'locales/fr/common.json': '{"__proto__": "proto", "b": "B fr", "deep": {"a": "flat"}, "number": 1.0}',
  'locales/it/common.json': '\ufeff{\r\n  "b": "\\u00e9\\ud83d\\ude00",\r\n  "deep": {"a": {"b": "x"}}\r\n}\r\n',
  'locales/en/shop.yaml': 'a: x\nb:\n  c: "y"\n  d: |\n    two\n    lines\nlist:\n  - 1\n  - two\n',
  'locales/de/shop.yaml': 'a: X\nb:\n  c: y\n',
  'locales/en/five.json5': "// comment\n{a: 'x', b: {c: 'y',},}\n",
  'locales/en/comments.jsonc': '{\n  // one\n  "a": "x",\n}\n',
}

const main = (calls) => `import { load } from 'virtual:translations'
globalThis.load = load
globalThis.shown = [${calls}]
globalThis.later = () => import('./later.js')
`

function writeApp(root, { name, files }) {
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  if (name === 'made') for (const [path, content] of Object.entries(MADE)) write(join(root, path), content)
  else cpSync(join(CATALOGS, name), root, { recursive: true })
  const keys = name === 'made' ? ['b', 'list.0', 'deep.a.b'] : someKeys(join(root, dirname(`${files.split('{')[0]}x`)))
  const calls = keys.map((key) => `say(${JSON.stringify(key)})`)
  writeFileSync(join(root, 'main.js'), main(calls.slice(1)))
  writeFileSync(join(root, 'later.js'), `export default [${calls.slice(0, 1)}]\n`)
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`)
}

function someKeys(folder) {
  const found = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.json') && /\ben\b/.test(name))
  return found.flatMap((name) =>
    Object.keys(flat(JSON.parse(readFileSync(join(folder, name), 'utf8')))).filter((_, i) => i % 7 === 0),
  )
}

function flat(value, prefix = '', into = {}) {
  for (const [name, child] of Object.entries(value))
    if (typeof child === 'string') into[prefix + name] = child
    else if (child && typeof child === 'object') flat(child, `${prefix + name}.`, into)
  return into
}

/** Every third text of each file, for a customer. */
function writeCustomer(root, files) {
  const folder = join(root, dirname(`${files.split('{')[0]}x`))
  const customers = `customers/{customer}/${files}`
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.json') || name === 'percentages.json') continue
    const texts = JSON.parse(readFileSync(join(folder, name), 'utf8').replace(/^\ufeff/, ''))
    const own = Object.entries(texts).filter((_, i) => i % 3 === 0)
    write(join(root, 'customers/acme', dirname(`${files.split('{')[0]}x`), name), acme(Object.fromEntries(own)))
  }
  return [files, customers]
}

function acme(value) {
  if (typeof value === 'string') return value === '' ? '' : `Acme: ${value}`
  if (Array.isArray(value)) return value.map(acme)
  if (!value || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, acme(child)]))
}

const PRUNE = { functions: ['say'], onUnknown: 'ignore' }

const VARIANTS = {
  flat: () => ({}),
  nested: () => ({ shape: 'nested' }),
  'no fallback': () => ({ fallback: false }),
  fallbacks: ({ languages: [a, b, c] }) => ({ fallback: { [a]: [b], [c]: [a, b] } }),
  customer: (app) => ({ files: writeCustomer(app.root, app.files), customer: 'acme', customers: ['acme'] }),
  'customer, nested': (app) => ({ ...VARIANTS.customer(app), shape: 'nested' }),
  prune: () => ({ prune: PRUNE }),
  'prune, nested': () => ({ prune: PRUNE, shape: 'nested' }),
  'prune per chunk': () => ({ prune: { ...PRUNE, perChunk: true } }),
  library: () => ({ library: true }),
  'library, prune': () => ({ library: true, prune: PRUNE }),
  'emptyTexts keep': () => ({ emptyTexts: 'keep' }),
  'no separator': () => ({ keySeparator: false }),
  pseudo: () => ({ pseudo: 'en-XA' }),
  'compile icu': () => ({ compile: 'icu' }),
}

for (const catalog of [
  { name: 'made', files: 'locales/{language}/{namespace}.json', languages: ['de', 'fr', 'it'] },
  ...REAL,
]) {
  if (given.catalog !== undefined && catalog.name !== given.catalog) continue
  if (catalog.name !== 'made' && !existsSync(join(CATALOGS, catalog.name))) {
    console.log(`${catalog.name}: skipped, the catalog is not beside the repository`)
    continue
  }
  for (const [variant, optionsOf] of Object.entries(VARIANTS)) {
    for (const bundler of BUNDLERS) {
      const folder = tempFolder()
      const root = join(folder, 'app')
      writeApp(root, catalog)
      const { languages, ...rest } = { ...catalog, root }
      const files =
        catalog.name === 'made'
          ? ['json', 'yaml', 'json5', 'jsonc'].map((ending) => `locales/{language}/{namespace}.${ending}`)
          : catalog.files
      const more = optionsOf({ languages, ...rest })
      if (catalog.name === 'made' && more.files) more.files = [...files, more.files[1]]
      const options = {
        root,
        configFile: false,
        source: 'files',
        files,
        defaultNamespace: 'translation',
        defaultLanguage: 'en',
        ...(catalog.name === 'excalidraw' && { languages: ['*', '!percentages'] }),
        ...more,
      }
      const plugin = { from: join(dist, `${bundler}.js`), options }
      try {
        await runBuild({ bundler, root, outDir: 'out', plugins: [plugin] })
        console.log(`${catalog.name}, ${variant}, ${bundler}: ${digestOf(join(root, 'out'))}`)
      } catch (error) {
        console.log(`${catalog.name}, ${variant}, ${bundler}: ${/\w*Error: .*/.exec(error.message)?.[0]}`)
      }
      removeFolder(folder)
    }
  }
}
process.exit()

/** Names and content of all files of the output: the names have the hashes. */
function digestOf(folder) {
  const hash = createHash('sha256')
  let count = 0
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const path of names) {
    hash.update(path.slice(folder.length)).update(readFileSync(path))
    if (/[\\/]localization[\\/]/.test(path)) count++
  }
  return `${count} message files, ${hash.digest('hex').slice(0, 24)}`
}
