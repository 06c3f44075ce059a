/**
 * What grows with the size of a project: an import of new keys, one that replaces texts, and a publish of many files, on a
 * fresh database; and how long others wait beside each. `--keys <n>`, `--files <n>`, `--only <part of a row's name>`,
 * `--driver <name>`. `--all`: with a publish of a million texts, 200 clients, and uploads of 250 MB four at once, and one
 * table of it all at the end (ten minutes).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from './lib/postgres.mjs'
import { printMachine, printTable, readArguments, seconds, tenth, whole } from './lib/print.mjs'
import { startChild, tempFolder } from './lib/processes.mjs'
import { runBenchmark } from './lib/run.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { percentile } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({
  keys: { type: 'string' },
  files: { type: 'string' },
  only: { type: 'string' },
  driver: { type: 'string' },
  all: { type: 'boolean', default: false },
})
const KEYS = Number(given.keys ?? (smoke ? 1000 : 100_000))
const FILES = Number(given.files ?? (smoke ? 100 : 10_000))
const ASK_EVERY_MS = 10

printMachine()
const postgres = await startPostgres()
const rows = []
const sqlite = () => ({ dataDir: tempFolder(), ...(given.driver && { driver: given.driver }) })
const stores = [['SQLite', sqlite], ...(postgres ? [['PostgreSQL', databaseOf]] : [])]
for (const [store, place] of stores) {
  await row(`${store}: import of new keys`, place, importKeys)
  await row(`${store}: import over texts`, place, replaceTexts)
  await row(`${store}: publish of files`, place, publishFiles)
}
printTable(
  'Costs',
  ['what', 'how many', 'seconds', 'us each', 'longest /health ms', 'longest query ms', '99 % of PATCH ms'],
  rows,
)
if (given.all) await printAll()
process.exit()

/** Each row of costs with what others measured. */
async function printAll() {
  const short = smoke ? ['--smoke'] : []
  const [million] = await runBenchmark('million', [...short, '--only-publish'])
  const load = await runBenchmark('load-service', smoke ? ['--smoke'] : ['--compare', '--seconds', '40'])
  const onDatabase = postgres ? ['--database', 'new'] : []
  const [bodies] = await runBenchmark('hostile-bodies', [...short, ...onDatabase, '--at-once', '4', '--only', 'upload'])
  const most = (some, column) => whole(Math.max(...some.map((row) => Number(String(row[column]).replaceAll(',', '')))))
  const named = (part) => rows.filter(([name]) => name.startsWith(part))
  const published = named('PostgreSQL: publish').map((row) => row[2])
  const all = [
    [
      'PostgreSQL: import of new keys, us a key',
      named('PostgreSQL: import of new')
        .map((row) => row[3])
        .join(', '),
      60,
    ],
    [`PostgreSQL: publish of ${whole(FILES)} files, s`, published.join(', '), 2],
    ['SQLite: a query waits beside an import of new keys, ms', most(named('SQLite: import of new'), 5), 200],
    ['SQLite: a query waits beside an import over texts, ms', most(named('SQLite: import over'), 5), 200],
    ['SQLite: 99 % of PATCH beside a publish of a million texts, ms', million.rows.at(-1)[6], 300],
  ]
  const compared = load.find(({ title }) => title === 'Beside each other')
  for (const [name, rate, ofFirst, , cpu, patch] of compared?.rows ?? []) {
    all.push([`200 clients, ${name}: 99 % of PATCH, ms`, patch, 1000])
    all.push([
      `200 clients, ${name}: requests a second, of SQLite`,
      `${rate}, ${ofFirst}`,
      'two processes: more than 1',
    ])
    all.push([`200 clients, ${name}: CPU ms a request (service, database, clients)`, cpu, ''])
  }
  all.push(
    ['250 MB four at once: /health waits, ms', most(bodies.rows, 4), 200],
    ['250 MB four at once: a query waits, ms', most(bodies.rows, 5), 200],
    ['250 MB four at once: peak, MB', most(bodies.rows, 3), 600],
  )
  printTable('All costs', ['what', 'measured', 'goal'], all)
}

async function databaseOf() {
  return { databaseUrl: await postgres.emptyDatabase() }
}

async function row(name, place, work) {
  if (given.only && !name.includes(given.only)) return
  const service = await startChild('./service-host.mjs', { ...(await place()), personalToken: 'bench-token' })
  const { headers } = await createProject({ ...service, personalToken: 'bench-token' })
  const scope = { baseUrl: service.baseUrl, headers }
  await importTexts(scope, 'other', { en: { title: 'Title' } })
  await work(name, scope)
  await service.end()
}

async function importKeys(name, scope) {
  const texts = (part) =>
    Object.fromEntries(
      Array.from({ length: KEYS }, (_, i) => [`section${i % 100}.part${part}.key${i}`, `Text ${i} of a page`]),
    )
  for (let part = 1; part <= 3; part++) {
    const file = JSON.stringify({ en: texts(part) })
    await measure(`${name}, after ${whole((part - 1) * KEYS)}`, KEYS, scope, () => importTexts(scope, '', file))
  }
}

async function replaceTexts(name, scope) {
  for (const round of ['the first', 'changed', 'the same again']) {
    const texts = Object.fromEntries(
      Array.from({ length: KEYS }, (_, i) => [
        `section${i % 100}.key${i}`,
        `Text ${i} of a page, ${round === 'the first' ? 'old' : 'new'}`,
      ]),
    )
    const file = JSON.stringify({ en: texts })
    if (round === 'the first') await importTexts(scope, '', file)
    else await measure(`${name}, ${round}`, KEYS, scope, () => importTexts(scope, '', file))
    if (round === 'the same again') {
      const language = JSON.stringify({ fr: texts })
      await measure(`${name}, a new language`, KEYS, scope, () => importTexts(scope, '', language))
    }
  }
}

/** Languages by namespaces. */
async function publishFiles(name, scope) {
  const side = Math.round(Math.sqrt(FILES))
  for (let n = 0; n < side; n++) {
    const file = Object.fromEntries(
      Array.from({ length: side }, (_, l) => [`l${l}`, { a: `a ${n} ${l}`, b: `b ${n} ${l}` }]),
    )
    await importTexts(scope, `namespace${n}`, file)
  }
  const address = `${scope.baseUrl}/api/v2/environments/_latest/publish`
  const publish = () => call(address, { method: 'POST', headers: scope.headers })
  await measure(`${name}, the first`, side * side, scope, publish)
  await measure(`${name}, again`, side * side, scope, publish)
}

async function measure(name, count, { baseUrl, headers }, work) {
  const longest = { health: 0, query: 0 }
  const patches = []
  let isOver = false
  const ask = async (took, address, options) => {
    while (!isOver) {
      const startedAt = performance.now()
      // Under load a write may be refused: what matters here is how long that took.
      await call(address, { headers, ...options }).catch(() => {})
      took(performance.now() - startedAt)
      await sleep(ASK_EVERY_MS)
    }
  }
  const keep = (what) => (ms) => {
    longest[what] = Math.max(longest[what], ms)
  }
  const body = { key: 'title', namespace: 'other', language: 'en', text: 'Text' }
  const asking = [
    ask(keep('health'), `${baseUrl}/health`),
    ask(keep('query'), `${baseUrl}/api/v2/translations?key=title&namespace=other&language=en`),
    ask((ms) => patches.push(ms), `${baseUrl}/api/v2/translations`, { method: 'PATCH', body }),
  ]
  const startedAt = performance.now()
  await work()
  const ms = performance.now() - startedAt
  isOver = true
  await Promise.all(asking)
  const waits = [longest.health, longest.query, percentile(patches, 0.99)].map(whole)
  rows.push([name, whole(count), seconds(ms), tenth((ms * 1000) / count), ...waits])
  console.log(rows.at(-1).join(' | '))
}
