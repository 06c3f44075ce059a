/**
 * Runs benchmarks and compares what they print with their last run on this machine: names every figure that got worse
 * by more than 10 %. The last figures are in the user's cache folder. `--only <name>,<name>`; `--keep` does not replace
 * the last figures.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, homedir, totalmem } from 'node:os'
import { join } from 'node:path'
import { printMachine, printTable, readArguments } from './lib/print.mjs'
import { tempFolder } from './lib/processes.mjs'
import { runBenchmark } from './lib/run.mjs'

const { smoke, ...given } = readArguments({ only: { type: 'string' }, keep: { type: 'boolean', default: false } })

/** What runs, in some minutes. */
const RUNS = {
  builds: ['--size', 'M', '--only', 'vite,rolldown,esbuild', '--shapes', 'dotted,identifiers,nested'],
  'build-variants': [],
  'dev-start': ['--size', 'M'],
  service: [],
}
const MOST = 1.1
const names = given.only?.split(',') ?? (smoke ? ['compile'] : Object.keys(RUNS))
printMachine()
const folder = smoke ? tempFolder() : cacheFolder()
// With `--smoke` there is no last run.
for (let runs = smoke ? 2 : 1; runs > 0; runs--) await compare(join(folder, 'figures.json'))

async function compare(file) {
  const last = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const found = {}
  for (const name of names) Object.assign(found, await run(name))
  report(last, found)
  if (given.keep) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${JSON.stringify({ ...last, ...found }, null, 2)}\n`)
}

/** The figures of one benchmark, by their place in its tables. */
async function run(name) {
  const tables = await runBenchmark(name, smoke ? ['--smoke'] : (RUNS[name] ?? []))
  return Object.fromEntries(tables.flatMap((table) => figuresOf(name, table)))
}

function figuresOf(name, { title, header, rows }) {
  return rows.flatMap((row, at) =>
    header.flatMap((column, i) => {
      const value = figureOf(row[i])
      if (value === undefined || column === '') return []
      // Rows may begin alike, and columns too.
      return [
        [`${name}: ${title}: ${row[0]} (${at + 1}): ${column} (${i + 1})`, { value, isRate: isRate(title, column) }],
      ]
    }),
  )
}

/** More of it is better. */
function isRate(title, column) {
  return column.endsWith('/s') || (title.includes('a second') && !column.includes(' / '))
}

/** The number that a cell begins with. */
function figureOf(cell) {
  const number = /^-?[\d,]+(?:\.\d+)?(?= \(|$)/.exec(String(cell))?.[0]
  return number === undefined ? undefined : Number(number.replaceAll(',', ''))
}

function report(last, found) {
  const compared = Object.entries(found).filter(([figure]) => last[figure] !== undefined)
  const worse = compared
    .map(([figure, { value, isRate }]) => {
      const before = last[figure].value
      return { figure, before, value, factor: isRate ? before / value : value / before }
    })
    .filter(({ factor }) => factor > MOST)
    .sort((a, b) => b.factor - a.factor)
  printTable(
    `${compared.length} of ${Object.keys(found).length} figures compared, ${worse.length} worse by more than 10 %`,
    ['figure', 'before', 'now', 'factor'],
    worse.map(({ figure, before, value, factor }) => [figure, before, value, factor.toFixed(2)]),
  )
}

/** Figures of another machine tell nothing here. */
function cacheFolder() {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GB`
  return join(caches, 'unplugin-localization', 'bench', machine.replace(/[^\w.,() -]/g, '_'))
}
