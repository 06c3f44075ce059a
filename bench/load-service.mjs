/**
 * The local service under 64 clients that read and write at once for minutes: every acknowledged text is read back at
 * the end, no answer is a
 * failure of the service's own. `--clients <n>`, `--seconds <n>`, `--driver <name>`.
 */
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import { megabytes, peakMemory, printMachine, printTable, readArguments, tenth, whole } from './lib/print.mjs'
import { startChild, tempFolder } from './lib/processes.mjs'
import { createProject, importTexts } from './lib/service-calls.mjs'
import { createRandom, percentile } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({
  clients: { type: 'string' },
  seconds: { type: 'string' },
  driver: { type: 'string' },
})
const clients = Number(given.clients ?? (smoke ? 8 : 64))
const durationMs = Number(given.seconds ?? (smoke ? 2 : 180)) * 1000
printMachine()

const service = await startChild('service-host.mjs', {
  dataDir: tempFolder(),
  languages: ['en', 'pl'],
  ...(given.driver !== undefined && { driver: given.driver }),
})
const { headers } = await createProject(service)
const scope = { baseUrl: service.baseUrl, headers }
const KEYS = smoke ? 50 : 500
// Each client has keys of its own to write, and reads everybody's.
for (let n = 0; n < clients; n++) {
  const texts = Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [`key${i}`, 'start']))
  await importTexts(scope, `client${n}`, { en: texts })
}

const pool = new Pool(service.baseUrl, { connections: clients })
const json = { ...headers, 'content-type': 'application/json' }
const written = Array.from({ length: clients }, () => new Map())
const samples = new Map()
const statuses = new Map()
const memory = []

async function send(kind, request) {
  const startedAt = performance.now()
  const { statusCode, body } = await pool.request(request)
  await body.text()
  if (!samples.has(kind)) samples.set(kind, [])
  samples.get(kind).push(performance.now() - startedAt)
  statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
  return statusCode
}

const until = performance.now() + durationMs
async function work(client) {
  const random = createRandom(client + 1)
  const namespace = `client${client}`
  for (let i = 0; performance.now() < until; i++) {
    const dice = random()
    if (dice < 0.5) {
      const key = `key${Math.floor(random() * KEYS)}`
      const text = `client ${client} write ${i}`
      const request = { method: 'PATCH', path: '/api/v2/translations', headers: json }
      const status = await send('set a text', {
        ...request,
        body: JSON.stringify({ key, namespace, language: 'en', text }),
      })
      if (status === 200) written[client].set(key, text)
    } else if (dice < 0.85) {
      const page = Math.floor((random() * clients * KEYS) / 500)
      await send('query 500', { method: 'GET', path: `/api/v2/translations?size=500&page=${page}`, headers })
    } else if (dice < 0.93) {
      const key = `new${i}`
      const status = await send('make a key', {
        method: 'POST',
        path: '/api/v1/translation-keys',
        headers: json,
        body: JSON.stringify({ key, namespace, translations: { pl: 'nowy' } }),
      })
      if (status === 200)
        await send('delete a key', {
          method: 'DELETE',
          path: `/api/v1/translation-keys?key=${key}&namespace=${namespace}`,
          headers,
        })
    } else if (dice < 0.99) {
      await send('environment', { method: 'GET', path: '/api/v2/environments/_latest', headers })
    } else await send('publish', { method: 'POST', path: '/api/v2/environments/_latest/publish', headers })
  }
}
const watch = setInterval(() => memory.push(resident(service.pid)), 1000)
await Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
clearInterval(watch)

let lost = 0
let checked = 0
for (const [client, texts] of written.entries()) {
  const found = new Map()
  for (let page = 0; ; page++) {
    const { body } = await pool.request({
      method: 'GET',
      path: `/api/v2/translations?size=500&page=${page}&namespace=client${client}&language=en`,
      headers,
    })
    const { data } = await body.json()
    for (const { key, text } of data) found.set(key, text)
    if (data.length < 500) break
  }
  for (const [key, text] of texts) {
    checked++
    if (found.get(key) !== text) lost++
  }
}
await pool.close()

printTable(
  `${clients} clients for ${durationMs / 1000} s`,
  ['request', 'how many', 'median ms', '95 % ms', '99 % ms', 'slowest ms'],
  [...samples].map(([kind, all]) => [
    kind,
    whole(all.length),
    ...[0.5, 0.95, 0.99, 1].map((fraction) => tenth(percentile(all, fraction))),
  ]),
)
const failures = [...statuses].filter(([status]) => status >= 500).reduce((sum, [, count]) => sum + count, 0)
const half = memory.slice(Math.floor(memory.length / 2)).filter((bytes) => bytes > 0)
const slope = half.length > 1 ? ((half.at(-1) - half[0]) / 2 ** 20 / (half.length - 1)) * 60 : 0
printTable(
  'What became of it',
  ['answers', 'of 500 and above', 'texts checked', 'lost', 'most memory MB', 'memory MB a minute, second half'],
  [
    [
      [...statuses].map(([status, count]) => `${status}: ${whole(count)}`).join(', '),
      failures,
      whole(checked),
      lost,
      megabytes(peakMemory(service.pid)),
      tenth(slope),
    ],
  ],
)
await service.end()
process.exitCode = failures + lost === 0 ? 0 : 1

function resident(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  } catch {
    return 0
  }
}
