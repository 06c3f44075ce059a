/**
 * The local service under 200 clients with mixed requests, beside a bare node:http server under the same ones: requests
 * a second and latencies by kind, and the processor time of each kind alone. Every acknowledged text is read back at
 * the end, no answer is a failure of the service's own. `--clients <n>`, `--seconds <n>`, `--driver <name>`,
 * `--database <url>` (`new`: a server for this run), `--processes <n>` of the service. `--compare`: one process on
 * SQLite, then one and two on PostgreSQL. `--profile <folder>`: processor profiles of the service.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { languageNames, messagesOf, namespaceNames, namespacesOf, SIZES, textCount } from './lib/catalog.mjs'
import { capture, measureLoad } from './lib/load.mjs'
import { startPostgres } from './lib/postgres.mjs'
import {
  cpuSeconds,
  megabytes,
  peakMemory,
  printMachine,
  printTable,
  ratio,
  readArguments,
  tenth,
  whole,
} from './lib/print.mjs'
import { startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { createRandom, percentile } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({
  clients: { type: 'string' },
  seconds: { type: 'string' },
  driver: { type: 'string' },
  database: { type: 'string' },
  processes: { type: 'string', default: '1' },
  compare: { type: 'boolean' },
  profile: { type: 'string' },
})
const clients = Number(given.clients ?? (smoke ? 8 : 200))
const durationMs = Number(given.seconds ?? (smoke ? 2 : 60)) * 1000
const aloneMs = smoke ? 200 : 3000
const publishEveryMs = smoke ? 500 : 15_000
const size = smoke ? SIZES.tiny : SIZES.M
/** Each client has so many keys of its own to write. */
const OWN_KEYS = 50

printMachine()
const isOnPostgres = given.compare || given.database
const postgres = given.compare || given.database === 'new' ? await startPostgres() : undefined
const onSqlite = { name: 'SQLite', processes: 1, place: () => ({ dataDir: tempFolder(), driver: given.driver }) }
const onPostgres = (processes) => ({
  name: `PostgreSQL, processes: ${processes}`,
  processes,
  place: async () => ({ databaseUrl: postgres ? await postgres.emptyDatabase() : given.database }),
})
const setups = given.compare
  ? [onSqlite, ...(postgres ? [onPostgres(1), onPostgres(2)] : [])]
  : [isOnPostgres ? onPostgres(Number(given.processes)) : onSqlite]
const results = []
for (const setup of setups) results.push(await measureSetup(setup))
if (results.length > 1) {
  printTable(
    'Beside each other',
    [
      '',
      'requests a second',
      'of the first',
      'of its bare server',
      'CPU ms a request: service, database, clients',
      '99 % of PATCH ms',
      'of the first',
    ],
    results.map(({ name, rate, bareRate, cpuEach, patch }) => [
      name,
      whole(rate),
      ratio(rate, results[0].rate),
      ratio(rate, bareRate),
      cpuEach.join(', '),
      whole(patch),
      ratio(patch, results[0].patch),
    ]),
  )
}
process.exit(results.some(({ isBad }) => isBad) ? 1 : 0)

async function measureSetup({ name, processes, place }) {
  const options = { ...(await place()), personalToken: 'bench-token' }
  const nodeArguments = given.profile ? ['--cpu-prof', `--cpu-prof-dir=${given.profile}`] : []
  const services = []
  for (let i = 0; i < processes; i++) services.push(await startChild('service-host.mjs', options, { nodeArguments }))
  const [service] = services
  const bare = await startChild('bare-server.mjs', {})
  const { headers, projectToken } = await createProject(service, `bench ${Date.now()}`)
  const scope = { baseUrl: service.baseUrl, headers }
  for (const { namespace, texts } of namespacesOf(size)) await importTexts(scope, namespace, texts)
  const ownTexts = Object.fromEntries(Array.from({ length: OWN_KEYS }, (_, i) => [`key${i}`, 'start']))
  for (let n = 0; n < clients; n++) await importTexts(scope, `client${n}`, { en: ownTexts })
  const publishPath = '/api/v2/environments/_latest/publish'
  await call(`${service.baseUrl}${publishPath}`, { method: 'POST', headers })

  const languages = languageNames(size.languages)
  const namespaces = namespaceNames(size.namespaces)
  const pages = Math.ceil((textCount(size) + clients * OWN_KEYS) / 500)
  const [firstKey] = Object.keys(messagesOf(size, 0, 0))
  const fileOf = (n) => {
    const namespace = encodeURIComponent(namespaces[n % namespaces.length])
    return `/_cdn/${projectToken}/_latest/${languages[n % languages.length]}/${namespace}`
  }
  const etags = new Map()
  for (let n = 0; n < languages.length * namespaces.length; n++) {
    if (etags.has(fileOf(n))) continue
    const request = { method: 'GET', path: fileOf(n), headers: { 'accept-encoding': 'gzip' } }
    etags.set(fileOf(n), (await capture(service.baseUrl, request)).headers.etag)
  }

  /** Parts in a hundred, and the request of a client: `n` counts its requests of the kind. */
  const KINDS = {
    'PATCH a text': { parts: 30, status: 200, request: setText },
    'query, 500 rows': {
      parts: 20,
      status: 200,
      request: (client, n) => query({ size: 500, page: (client + n) % pages }),
    },
    'query, one namespace and language': {
      parts: 10,
      status: 200,
      request: (client, n) =>
        query({
          size: 100,
          namespace: namespaces[n % namespaces.length],
          language: languages[client % languages.length],
        }),
    },
    'query, one text': {
      parts: 5,
      status: 200,
      request: (client) =>
        query({ key: firstKey, namespace: namespaces[0], language: languages[client % languages.length] }),
    },
    'hosting, 200': {
      parts: 15,
      status: 200,
      request: (client, n) => ({ method: 'GET', path: fileOf(client + n), headers: { 'accept-encoding': 'gzip' } }),
    },
    'hosting, 304': {
      parts: 15,
      status: 304,
      request(client, n) {
        const path = fileOf(client + n)
        return { method: 'GET', path, headers: { 'accept-encoding': 'gzip', 'if-none-match': etags.get(path) } }
      },
    },
    "environment's status": {
      parts: 4,
      status: 200,
      request: () => ({ method: 'GET', path: '/api/v2/environments/_latest', headers }),
    },
    'make a key': { parts: 0.5, status: 200, request: makeKey },
    'delete a key': { parts: 0.5, status: 200, request: deleteKey },
  }

  function json(method, path, body) {
    return { method, path, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
  }
  function setText(client, n) {
    const text = `client ${client} write ${n}`
    return json('PATCH', '/api/v2/translations', {
      key: `key${n % OWN_KEYS}`,
      namespace: `client${client}`,
      language: 'en',
      text,
    })
  }
  function query(parameters) {
    return { method: 'GET', path: `/api/v2/translations?${new URLSearchParams(parameters)}`, headers }
  }
  function makeKey(client, n) {
    const key = `new${n}`
    return json('POST', '/api/v1/translation-keys', {
      key,
      namespace: `client${client}`,
      translations: { en: 'a new one' },
    })
  }
  function deleteKey(client, n) {
    return { method: 'DELETE', path: `/api/v1/translation-keys?key=new${n}&namespace=client${client}`, headers }
  }

  // What the bare server answers is what the service answered once.
  for (const [kind, { request }] of Object.entries(KINDS)) {
    const answer = await capture(service.baseUrl, request(0, 0))
    await new Promise((resolve) => {
      bare.child.once('message', resolve)
      bare.child.send({ kind, ...answer })
    })
  }
  // That text is one that a client wrote.
  const written = Array.from({ length: clients }, (_, client) => new Map(client === 0 ? [['key0', setText(0, 0)]] : []))
  const withKind = (kind, request) => ({ ...request, headers: { ...request.headers, 'x-kind': kind } })

  const alone = []
  for (const [kind, { status, request }] of Object.entries(KINDS).slice(0, 7)) {
    const row = []
    for (const servers of [services, [bare]]) {
      let count = 0
      const cpu = cpuOf(servers)
      const databaseCpu = postgres?.cpuSeconds() ?? 0
      const next = () => withKind(kind, request(0, count++))
      const concurrency = Math.min(64, clients)
      const { rate } = await measureLoad({
        baseUrls: servers.map(({ baseUrl }) => baseUrl),
        concurrency,
        durationMs: aloneMs,
        next,
        status,
      })
      const each = [
        cpuOf(servers) - cpu,
        ...(servers === services ? [(postgres?.cpuSeconds() ?? 0) - databaseCpu] : []),
      ]
      row.push(whole(rate), ...each.map((seconds) => ((seconds * 1000) / count).toFixed(2)))
      if (kind === 'PATCH a text' && servers === services) {
        // In which order they were written is not known.
        for (let n = 0; n < OWN_KEYS; n++) written[0].delete(`key${n}`)
      }
    }
    alone.push([kind, ...row])
  }

  async function runMix(servers, forMs, isService) {
    const pools = servers.map(({ baseUrl }) => new Pool(baseUrl, { connections: clients + 1 }))
    const samples = new Map()
    const statuses = new Map()
    const send = async (client, kind, request) => {
      const startedAt = performance.now()
      const { statusCode, body } = await pools[client % pools.length].request(withKind(kind, request))
      // Read as a client reads it, and no more: what parsing costs is not the server's.
      for await (const _ of body);
      if (!samples.has(kind)) samples.set(kind, [])
      samples.get(kind).push(performance.now() - startedAt)
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
      return statusCode
    }
    for (const pool of pools) await openConnections(pool)
    const until = performance.now() + forMs
    const work = async (client) => {
      const random = createRandom(client + 1)
      const counts = new Map()
      const sum = Object.values(KINDS).reduce((total, { parts }) => total + parts, 0)
      while (performance.now() < until) {
        let dice = random() * sum
        let kind = Object.keys(KINDS).find((name) => {
          dice -= KINDS[name].parts
          return dice < 0
        })
        // A key is made before it is deleted.
        const made = counts.get('make a key') ?? 0
        if (kind === 'delete a key' && made === (counts.get(kind) ?? 0)) kind = 'make a key'
        const n = counts.get(kind) ?? 0
        counts.set(kind, n + 1)
        const request = KINDS[kind].request(client, n)
        const status = await send(client, kind, request)
        if (isService && kind === 'PATCH a text' && status === 200) written[client].set(`key${n % OWN_KEYS}`, request)
      }
    }
    const publish = async () => {
      while (performance.now() + publishEveryMs < until) {
        await sleep(publishEveryMs)
        await send(0, 'publish', { method: 'POST', path: publishPath, headers })
      }
    }
    const startedAt = performance.now()
    await Promise.all([...Array.from({ length: clients }, (_, client) => work(client)), isService && publish()])
    const took = performance.now() - startedAt
    await Promise.all(pools.map((pool) => pool.close()))
    const count = [...samples.values()].reduce((total, { length }) => total + length, 0)
    return { samples, statuses, count, rate: (count * 1000) / took }
  }

  /** Node takes one new connection in a turn of its loop: where all come to a busy server at once, some wait seconds. */
  async function openConnections(pool) {
    const open = async () => (await pool.request({ path: '/health', method: 'GET' })).body.dump()
    await Promise.all(Array.from({ length: clients }, open))
  }

  const memory = []
  const watch = setInterval(() => memory.push(Math.max(...services.map(({ pid }) => resident(pid)))), 1000)
  const before = [cpuOf(services), postgres?.cpuSeconds() ?? 0, process.cpuUsage()]
  const mix = await runMix(services, durationMs, true)
  const { user, system } = process.cpuUsage(before[2])
  const cpu = [cpuOf(services) - before[0], (postgres?.cpuSeconds() ?? 0) - before[1], (user + system) / 1e6]
  const cpuEach = cpu.map((seconds) => ((seconds * 1000) / mix.count).toFixed(2))
  clearInterval(watch)
  const bareMix = await runMix([bare], durationMs / 6, false)

  let [lost, checked] = [0, 0]
  for (const [client, requests] of written.entries()) {
    if (requests.size === 0) continue
    const path = `${service.baseUrl}${query({ size: 500, namespace: `client${client}`, language: 'en' }).path}`
    const { data } = await call(path, { headers })
    const found = new Map(data.map(({ key, text }) => [key, text]))
    for (const [key, { body }] of requests) {
      checked++
      if (found.get(key) !== JSON.parse(body).text) lost++
    }
  }

  printTable(
    `${name}: each kind alone, at most 64 at once`,
    ['request', 'service a second', 'CPU ms', 'database CPU ms', 'bare a second', 'CPU ms'],
    alone,
  )
  printTable(
    `${name}: ${clients} clients for ${durationMs / 1000} s, mixed`,
    ['request', 'how many', 'median ms', '99 % ms', 'slowest ms', 'bare: 99 % ms'],
    [...mix.samples].map(([kind, all]) => [
      kind,
      whole(all.length),
      ...[0.5, 0.99, 1].map((fraction) => tenth(percentile(all, fraction))),
      tenth(percentile(bareMix.samples.get(kind) ?? [], 0.99)),
    ]),
  )
  const half = memory.slice(Math.floor(memory.length / 2))
  const growth = half.length > 1 ? (half.at(-1) - half[0]) / (half.length - 1) : Number.NaN
  const failures = [...mix.statuses].filter(([status]) => status >= 500).reduce((sum, [, count]) => sum + count, 0)
  printTable(
    `${name}: what became of it`,
    [
      'requests a second',
      'bare',
      'CPU ms a request: service',
      'database',
      'clients',
      'answers',
      '500 and above',
      'texts checked',
      'lost',
      'peak MB',
      'MB a minute, second half',
    ],
    [
      [
        whole(mix.rate),
        whole(bareMix.rate),
        ...cpuEach,
        [...mix.statuses].map(([status, count]) => `${status}: ${whole(count)}`).join(', '),
        failures,
        whole(checked),
        lost,
        megabytes(Math.max(...services.map(({ pid }) => peakMemory(pid) ?? Number.NaN))),
        tenth((growth * 60) / 2 ** 20),
      ],
    ],
  )
  await Promise.all([...services, bare].map((server) => server.end()))
  const patch = percentile(mix.samples.get('PATCH a text'), 0.99)
  return { name, rate: mix.rate, bareRate: bareMix.rate, cpuEach, patch, isBad: failures + lost > 0 }
}

function cpuOf(servers) {
  return servers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0)
}

function resident(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  } catch {
    return Number.NaN
  }
}
