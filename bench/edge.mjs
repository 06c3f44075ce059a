/**
 * What a worker carries: the bytes of its code and of each language's texts, for builds by a server environment of Vite
 * and by esbuild, and what the options leave out.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { languageNames, namespacesOf, writeLocales } from './lib/catalog.mjs'
import { printTable, readArguments, tenth } from './lib/print.mjs'
import { removeFolder, tempFolder } from './lib/processes.mjs'

const { smoke } = readArguments()
const SIZE = smoke ? { languages: 3, namespaces: 2, keys: 20 } : { languages: 10, namespaces: 5, keys: 200 }
const LANGUAGES = languageNames(SIZE.languages)
const USED = 20

const repository = join(import.meta.dirname, '..')
const imported = (file) => import(pathToFileURL(join(repository, file)).href)

/** A worker that answers with texts of one namespace, in the language that the request asks for. */
const LOADS = (keys) => `
import { load } from 'virtual:translations'
export default {
  async fetch(request) {
    const common = await load(new URL(request.url).searchParams.get('language'), 'common')
    return Response.json([${keys.map((key) => `common[${JSON.stringify(key)}]`).join(', ')}])
  },
}
`
const IMPORTS = `
import common from 'virtual:translations/${LANGUAGES[0]}/common'
export default { fetch: () => Response.json(common) }
`

const [first] = namespacesOf(SIZE)
const loads = LOADS(Object.keys(first.texts.en).slice(0, USED))
const CASES = [
  ['load(), every text', loads, {}],
  ['languages: two of them', loads, { languages: LANGUAGES.slice(0, 2) }],
  ["namespaces: ['common']", loads, { namespaces: ['common'] }],
  [`prune, ${USED} used keys`, loads, { prune: true }],
  ['one static import', IMPORTS, {}],
]

const folder = tempFolder()
function write(name, content) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
}

async function buildWithVite(options, outDir) {
  const { createBuilder } = await import('vite')
  const { default: localization } = await imported('dist/vite.js')
  const builder = await createBuilder({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    plugins: [localization(options)],
    environments: {
      edge: {
        consumer: 'server',
        resolve: { noExternal: true, conditions: ['workerd', 'worker', 'module'] },
        build: {
          outDir,
          minify: true,
          rollupOptions: { input: join(folder, 'worker.js'), output: { entryFileNames: '[name].js' } },
        },
      },
    },
  })
  await builder.build(builder.environments.edge)
}

async function buildWithEsbuild(options, outDir) {
  const { build } = await import('esbuild')
  const { default: localization } = await imported('dist/esbuild.js')
  await build({
    absWorkingDir: folder,
    entryPoints: ['worker.js'],
    outdir: outDir,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    logLevel: 'silent',
    plugins: [localization(options)],
  })
}

/** Compressed bytes of the entry, and of the other files: texts alone. */
function measure(outDir) {
  const root = join(folder, outDir)
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  const entry = join(root, 'worker.js')
  const sum = (list) => list.reduce((bytes, path) => bytes + gzipSync(readFileSync(path), { level: 9 }).length, 0)
  return { files: paths.length, entry: sum([entry]), texts: sum(paths.filter((path) => path !== entry)) }
}

try {
  write('package.json', { type: 'module' })
  writeLocales(folder, SIZE)
  for (const [bundler, build] of [
    ['Vite', buildWithVite],
    ['esbuild', buildWithEsbuild],
  ]) {
    const rows = []
    for (const [i, [title, worker, options]] of CASES.entries()) {
      write('worker.js', worker)
      const outDir = `dist-${bundler}-${i}`
      await build({ configFile: false, defaultLanguage: LANGUAGES[0], report: false, ...options }, outDir)
      const { files, entry, texts } = measure(outDir)
      const languages = options.languages?.length ?? LANGUAGES.length
      const ofLanguage = texts === 0 ? '-' : tenth(texts / languages / 1000)
      rows.push([title, files, tenth(entry / 1000), ofLanguage, tenth((entry + texts) / 1000)])
    }
    printTable(
      `${bundler}: ${SIZE.languages} languages, ${SIZE.namespaces} namespaces of ${SIZE.keys} texts; sizes with gzip`,
      ['worker', 'files', 'entry, KB', 'each language, KB', 'whole output, KB'],
      rows,
    )
  }
} finally {
  removeFolder(folder)
}
