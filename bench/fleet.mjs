/**
 * The builds of a company: 1,000 builds within a minute against hosting, by two processes of the service on one
 * PostgreSQL database (without PostgreSQL: one process on SQLite). `--builds <n>`, `--seconds <n>`, `--workers <n>`.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { languageNames, namespacesOf, SIZES, textCount } from './lib/catalog.mjs'
import { startPostgres } from './lib/postgres.mjs'
import { printMachine, printTable, readArguments, seconds, tenth, whole } from './lib/print.mjs'
import { startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { percentile } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({
  builds: { type: 'string' },
  seconds: { type: 'string' },
  workers: { type: 'string' },
})
const builds = Number(given.builds ?? (smoke ? 10 : 1000))
const spreadMs = Number(given.seconds ?? (smoke ? 1 : 60)) * 1000
const size = smoke ? SIZES.tiny : { languages: 5, namespaces: 3, keys: 100 }
/** Builds of one worker. */
const AT_ONCE = 8
/** A download is kept for the next build if the publish is older. */
const SETTLED_MS = 11_000

printMachine()
console.log(`A build here is one call of esbuild's build() with the plugin, in a process that has built before: what a build of
CI costs beside it (start of Node, npm ci, the app's own modules) would only hide the service. A cold build has an empty
.localization folder, a warm one the folder of an earlier build. All processes share this machine.`)

const postgres = await startPostgres()
const databaseUrl = await postgres?.emptyDatabase()
const options = { personalToken: 'bench-token', languages: languageNames(size.languages) }
const services = []
for (let i = 0; i < (postgres ? 2 : 1); i++) {
  services.push(
    await startChild('service-host.mjs', { ...options, ...(postgres ? { databaseUrl } : { dataDir: tempFolder() }) }),
  )
}
const [first] = services
const { headers, apiKey } = await createProject({ ...first, personalToken: options.personalToken })
for (const { namespace, texts } of namespacesOf(size)) await importTexts({ ...first, headers }, namespace, texts)
const expected = 'published for the fleet'
await importTexts({ ...first, headers }, 'common', { en: { fleet: expected } })
await call(`${first.baseUrl}/api/v2/environments/_latest/publish`, { method: 'POST', headers })

const proxy = await startChild('round-robin.mjs', { targets: services.map(({ baseUrl }) => baseUrl) })
const service = { apiKey, baseUrl: proxy.baseUrl, cdnUrl: `${proxy.baseUrl}/_cdn` }
const workers = []
for (let i = 0; i < Number(given.workers ?? 2); i++) workers.push(await startChild('fleet-worker.mjs', { service }))
const waiting = new Map()
for (const { child } of workers) child.on('message', ({ id, ...result }) => waiting.get(id)(result))

const folder = tempFolder()
let started = 0
function build(root, cache, keep = false) {
  const id = started++
  const done = new Promise((resolve) => waiting.set(id, resolve))
  workers[id % workers.length].child.send({ id, root, cache, keep, expected })
  return done
}

/** Begins builds evenly over the time; those that find no free place begin later. */
async function run(cache) {
  await ask()
  const startedAt = performance.now()
  const results = []
  let next = 0
  const place = async () => {
    while (next < builds) {
      const i = next++
      await sleep(Math.max(0, startedAt + (i * spreadMs) / builds - performance.now()))
      results.push(await build(join(folder, `${cache ? 'warm' : 'cold'}-${i}`), cache))
    }
  }
  await Promise.all(Array.from({ length: workers.length * AT_ONCE }, place))
  return { results, ms: performance.now() - startedAt, ...(await ask()) }
}

async function ask() {
  const answer = once(proxy.child, 'message')
  proxy.child.send('count')
  return (await answer)[0]
}

await sleep(SETTLED_MS)
// The first build of a process loads its modules. The last one leaves the download that warm builds find.
const kept = join(folder, 'kept')
for (let i = 0; i <= workers.length; i++) {
  const { error } = await build(kept, undefined, true)
  if (error) throw new Error(error)
}
const runs = { cold: await run(undefined), warm: await run(kept) }
await Promise.all([...workers, proxy, ...services].map((child) => child.end()))

printTable(
  `${whole(builds)} builds within ${spreadMs / 1000} s; ${services.length} ${services.length === 1 ? 'process' : 'processes'} of the service on ${postgres ? 'PostgreSQL' : 'SQLite'}; ${whole(textCount(size))} texts`,
  [
    'builds',
    'failed',
    'all done after s',
    'requests',
    'of which 304',
    'of 500 and above',
    'MB',
    'request 99 % ms',
    'build 99 % ms',
  ],
  Object.entries(runs).map(([kind, { results, ms, requests, notModified, failed, bytes, p99 }]) => [
    kind,
    results.filter(({ error }) => error).length,
    seconds(ms),
    whole(requests),
    whole(notModified),
    failed,
    tenth(bytes / 1e6),
    tenth(p99),
    tenth(
      percentile(
        results.map((result) => result.ms),
        0.99,
      ),
    ),
  ]),
)
const errors = new Set(Object.values(runs).flatMap(({ results }) => results.flatMap(({ error }) => error ?? [])))
for (const error of errors) console.error(error)
process.exit(errors.size === 0 ? 0 : 1)
