/**
 * The local service on PostgreSQL beside SQLite, in one run: requests, import and export with one process on SQLite and
 * with one, two and three processes on PostgreSQL. Without PostgreSQL: SQLite only.
 */
import { namespacesOf, SIZES, textCount } from './lib/catalog.mjs'
import { measureLoad, requestsOf } from './lib/load.mjs'
import { startPostgres } from './lib/postgres.mjs'
import {
  forgetPeak,
  megabytes,
  peakMemory,
  printMachine,
  printTable,
  ratio,
  readArguments,
  seconds,
  whole,
} from './lib/print.mjs'
import { removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { createProject, importTexts } from './lib/service-calls.mjs'
import { median } from './lib/stats.mjs'
import { exportV4, timed } from './lib/transfers.mjs'

const { smoke } = readArguments()
const ROUNDS = smoke ? 1 : 3
const DURATION_MS = smoke ? 100 : 5_000
/** Imports and exports at once, whatever the number of processes. */
const AT_ONCE = 3
const SIZES_HERE = smoke ? { tiny: SIZES.tiny } : { M: SIZES.M, L: SIZES.L }
const REQUESTS_ON = smoke ? 'tiny' : 'M'

printMachine()
const postgres = await startPostgres()
const setups = [
  { title: 'SQLite', processes: 1, isSqlite: true },
  ...(postgres ? [1, 2, 3].map((processes) => ({ title: `PostgreSQL, ${processes}`, processes })) : []),
]
if (postgres)
  console.log('PostgreSQL forces each transaction onto the disk (fsync on); all processes share this machine.')

/** By title of a setup: figures by row. */
const requests = new Map()
const transfers = new Map(Object.keys(SIZES_HERE).map((name) => [name, new Map()]))
for (const setup of setups) {
  for (const [name, size] of Object.entries(SIZES_HERE)) await measure(setup, name, size)
}

printTables(`Requests, ${whole(textCount(SIZES_HERE[REQUESTS_ON]))} texts`, requests)
for (const [name, size] of Object.entries(SIZES_HERE)) {
  printTables(`${name}, ${whole(textCount(size))} texts; ${AT_ONCE} imports or exports at once`, transfers.get(name))
}
process.exit()

async function measure({ title, processes, isSqlite }, name, size) {
  const dataDir = isSqlite ? tempFolder() : undefined
  const place = isSqlite ? { dataDir } : { databaseUrl: await postgres.emptyDatabase() }
  const services = []
  for (let i = 0; i < processes; i++) {
    services.push(await startChild('service-host.mjs', { ...place, personalToken: 'bench-token' }))
  }
  const peak = () => megabytes(Math.max(...services.map(({ pid }) => peakMemory(pid) ?? Number.NaN)))
  const { headers } = await createProject({ ...services[0], personalToken: 'bench-token' })
  const rows = new Map()
  const transfer = async (what, work) => {
    for (const { pid } of services) forgetPeak(pid)
    const ms = await timed(work)
    rows.set(`${what}, s`, { shown: seconds(ms), speed: 1 / ms })
    rows.set(`${what}, peak MB of a process`, { shown: peak() })
  }

  const files = [...namespacesOf(size)].map(({ namespace, texts }) => [namespace, JSON.stringify(texts)])
  await transfer('import', () =>
    inTurn(services, async ({ baseUrl }) => {
      const file = files.pop()
      if (file) await importTexts({ baseUrl, headers }, ...file)
      return file !== undefined
    }),
  )
  let exports = AT_ONCE
  await transfer('export v4', () =>
    inTurn(services, async ({ baseUrl }) => {
      if (exports-- > 0) await exportV4(baseUrl, headers)
      return exports > 0
    }),
  )
  transfers.get(name).set(title, rows)
  if (name === REQUESTS_ON) requests.set(title, await measureRequests(services, requestsOf(size, headers)))
  await Promise.all(services.map((service) => service.end()))
  if (dataDir) removeFolder(dataDir)
}

/** So many at once, each with the next process, until one has nothing left to do. */
async function inTurn(services, work) {
  let next = 0
  const worker = async () => {
    while (await work(services[next++ % services.length]));
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function measureRequests(services, { patch, query }) {
  const rows = new Map()
  const cases = [
    ['v2 PATCH, 8 at once', 8, patch],
    ['v2 PATCH, 64 at once', 64, patch],
    ['query of 500 rows, 8 at once', 8, query],
  ]
  for (const [what, concurrency, next] of cases) {
    const rounds = []
    const baseUrls = services.map(({ baseUrl }) => baseUrl)
    for (let i = 0; i < ROUNDS; i++) {
      rounds.push(await measureLoad({ baseUrls, concurrency, durationMs: DURATION_MS, next }))
    }
    const rate = median(rounds.map((round) => round.rate))
    rows.set(`${what}, a second`, { shown: whole(rate), speed: rate })
    rows.set(`${what}, 99 % ms`, { shown: whole(median(rounds.map((round) => round.p99))) })
  }
  return rows
}

/** One column for each setup, and how much faster each more process makes it. */
function printTables(title, bySetup) {
  const columns = setups.map((setup) => bySetup.get(setup.title))
  const gains = postgres ? [2, 3] : []
  const rows = [...columns[0].keys()].map((what) => {
    const cells = columns.map((column) => column.get(what))
    const gained = gains.map((processes) => ratio(cells[processes].speed, cells[processes - 1].speed))
    return [what, ...cells.map(({ shown }) => shown), ...gained]
  })
  const names = gains.map((processes) => `${processes} / ${processes - 1}`)
  printTable(title, ['', ...setups.map((setup) => setup.title), ...names], rows)
}
