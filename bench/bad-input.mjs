/**
 * Vite builds of catalogs that are hard to read: a slow disk, 50,000 tiny files, one file of 200 MB. Beside each: the
 * files read one after another, and the build that only copies them. Whole processes, in turns.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runBuild, runCommand } from './lib/build.mjs'
import { ourPlugin, writeBuildApps } from './lib/build-apps.mjs'
import { SIZES } from './lib/catalog.mjs'
import { megabytes, printMachine, printTable, ratio, readArguments, seconds } from './lib/print.mjs'
import { putAside, removeFolder, tempFolder } from './lib/processes.mjs'
import { median } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({ rounds: { type: 'string' }, only: { type: 'string' } })
const ROUNDS = Number(given.rounds ?? (smoke ? 1 : 3))
const slowDisk = new URL('./lib/slow-disk.mjs', import.meta.url).href
const readEach = fileURLToPath(new URL('./lib/read-each.mjs', import.meta.url))

/** What a build needs beyond Node's own limit: none of these do. */
const CASES = {
  'slow disk': {
    title: (files) => `${files} files, 50 ms for each operation`,
    size: smoke ? { languages: 3, namespaces: 3, keys: 5 } : { languages: 10, namespaces: 10, keys: 100 },
    nodeOptions: ['--import', slowDisk],
    env: { SLOW_DISK_MS: smoke ? '5' : '50' },
  },
  'tiny files': {
    title: (files) => `${files.toLocaleString('en')} files of two texts`,
    size: smoke ? { languages: 5, namespaces: 10, keys: 2 } : { languages: 250, namespaces: 200, keys: 2 },
  },
  'one file': {
    title: () => `one file of ${smoke ? 1 : 200} MB`,
    size: SIZES.tiny,
    write: writeLargeFile,
  },
}

printMachine()
const rows = []
for (const [name, kind] of Object.entries(CASES)) {
  if (given.only !== undefined && given.only !== name) continue
  rows.push(await measure(kind))
  console.log(rows.at(-1).join(' | '))
}
printTable(
  `Vite builds; median of ${ROUNDS}`,
  ['', 'read s', 'copied s', 'ours s', 'ours / read', 'ours / copied', 'copied MB', 'ours MB'],
  rows,
)

async function measure({ title, size, write, nodeOptions = [], env = {} }) {
  const folder = tempFolder()
  const { roots, languages, namespaces } = writeBuildApps(folder, 'dotted', size)
  write?.(roots)
  Object.assign(process.env, env)
  const files = languages.length * namespaces.length
  const build = (variant, more) => {
    const root = roots[variant]
    putAside(join(root, 'out'), join(root, '.localization'))
    return runBuild({ bundler: 'vite', root, outDir: 'out', ...more }, nodeOptions)
  }
  const runs = { read: [], copied: [], ours: [] }
  for (let round = smoke ? 1 : 0; round <= ROUNDS; round++) {
    const results = {
      read: await runCommand(readEach, [join(roots.ours, 'locales')], roots.ours, nodeOptions),
      copied: await build('copied', { copiedFolder: 'public' }),
      ours: await build('ours', { plugins: [ourPlugin('vite', { root: roots.ours, report: false })] }),
    }
    // The first of each warms the disk's cache.
    if (round > 0) for (const [variant, run] of Object.entries(results)) runs[variant].push(run)
  }
  for (const name of Object.keys(env)) delete process.env[name]
  removeFolder(folder)
  const of = (variant, field) => median(runs[variant].map((run) => run[field]))
  return [
    title(files),
    ...['read', 'copied', 'ours'].map((variant) => seconds(of(variant, 'wall'))),
    ratio(of('ours', 'wall'), of('read', 'wall')),
    ratio(of('ours', 'wall'), of('copied', 'wall')),
    megabytes(of('copied', 'peak')),
    megabytes(of('ours', 'peak')),
  ]
}

/** In the place of one file of the catalog. */
function writeLargeFile({ ours, copied }) {
  const texts = JSON.parse(readFileSync(join(ours, 'locales/en/common.json'), 'utf8'))
  const [text] = Object.values(texts)
  const bytes = (smoke ? 1 : 200) * 2 ** 20
  for (let i = 0, length = 0; length < bytes; i++) {
    const key = `large.file.key${i}`
    texts[key] = `${text} ${i}`
    length += key.length + texts[key].length + 10
  }
  const content = JSON.stringify(texts, null, 2)
  for (const root of [ours, join(copied, 'public')]) {
    const path = join(root, 'locales/en/common.json')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}
