/**
 * Bodies that are made to cost much: how long the service takes for each, how much memory, and how long `/health` and a
 * query of one text wait at most meanwhile. Then requests that are made from the schemas: their answers, and the same
 * for the slowest of them. `--driver <name>`, `--database <url>` (`new`: a server for this run), `--megabytes <n>`,
 * `--generated <n>`, `--seed <n>`, `--only <part of a row's name>`, `--at-once <n>` of each. `--profile <folder>`: a
 * processor profile of the service.
 */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createJiti } from 'jiti'
import { startPostgres } from './lib/postgres.mjs'
import {
  forgetPeak,
  megabytes,
  peakMemory,
  printMachine,
  printTable,
  readArguments,
  seconds,
  whole,
} from './lib/print.mjs'
import { startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'

const { smoke, ...given } = readArguments({
  driver: { type: 'string' },
  database: { type: 'string' },
  megabytes: { type: 'string' },
  generated: { type: 'string' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  'at-once': { type: 'string', default: '1' },
  profile: { type: 'string' },
})
const LARGE = Number(given.megabytes ?? (smoke ? 1 : 250)) * 1e6
const GENERATED = Number(given.generated ?? (smoke ? 100 : 2000))
const SLOWEST = 50
const GENERATED_ROW = `generated: the ${SLOWEST} slowest`
const ASK_EVERY_MS = 20
const MULTI = '/api/v2/import?uploadFormat=multi-language-json'
const SINGLE = '/api/v2/import?uploadFormat=single-language-json&languageKey=en'
const BELOW = `${MULTI}&importOptions=LANGUAGES_NESTED`

const repeat = (text, bytes) => text.repeat(Math.ceil(bytes / text.length))
/** `{"k0":"x","k1":"x"...`: so many members of about ten bytes. */
function members(bytes, value) {
  const all = []
  for (let i = 0, length = 0; length < bytes; i++) {
    all.push(`"k${i.toString(36)}":${value}`)
    length += all.at(-1).length + 1
  }
  return all.join(',')
}
const BODY = 15.9e6
const UPLOADS = {
  'upload: arrays in an array': [MULTI, () => `{"en":{"a":[${repeat('[],', LARGE)}0]}}`],
  'upload: arrays, each in the one before': [SINGLE, () => repeat('[', LARGE)],
  'upload: objects, each in the one before': [SINGLE, () => repeat('{"a":', LARGE)],
  'upload: empty objects': [MULTI, () => `{"en":{${members(LARGE, '{}')}}}`],
  'upload: numbers': [MULTI, () => `{"en":[${repeat('1,', LARGE)}1]}`],
  'upload: short texts': [SINGLE, () => `{${members(LARGE, '""')}}`],
  'upload: short texts, languages below': [BELOW, () => `{${members(LARGE, '{"en":"x"}')}}`],
  'upload: one text': [SINGLE, () => `{"a":"${repeat('x', LARGE)}"}`],
  'upload: one text of escapes': [SINGLE, () => `{"a":"${repeat('\\u0041', LARGE)}"}`],
  'upload: one text, many times': [SINGLE, () => `{${repeat('"a":"x",', LARGE)}"b":""}`],
  'upload: white space': [SINGLE, () => `${repeat(' ', LARGE)}{}`],
  'upload: texts of a catalog': [
    SINGLE,
    () => `{${members(smoke ? LARGE : 25e6, '"A text of a catalog, as long as most are"')}}`,
  ],
}
const BODIES = {
  'body: arrays in an array': ['PATCH', '/api/v2/translations', () => `[${repeat('[],', BODY)}0]`],
  'body: an array of numbers': ['PATCH', '/api/v2/translations', () => `[${repeat('1,', BODY)}1]`],
  'body: one name, many times': ['PATCH', '/api/v2/translations', () => `{${repeat('"a":1,', BODY)}"a":1}`],
  'body: 190,000 names, one twice': ['PATCH', '/api/v2/translations', () => `{${members(1.8e6, '1')},"k0":1}`],
  'body: bulk delete': [
    'DELETE',
    '/api/v1/translation-keys/bulk',
    () => `{"translationKeys":[${repeat('{"key":"a"},', 1.2e6)}{"key":"a"}]}`,
  ],
  'body: older update': ['PATCH', '/api/v1/translations', () => `{"content":[${repeat('{},', 0.29e6)}{}]}`],
  'body: one text': ['PATCH', '/api/v2/translations', () => `{"key":"${repeat('x', BODY)}"}`],
}

printMachine()
const database = given.database === 'new' ? await (await startPostgres()).emptyDatabase() : given.database
const place = database ? { databaseUrl: database } : { dataDir: tempFolder() }
const driver = given.driver && { driver: given.driver }
const nodeArguments = given.profile ? ['--cpu-prof', `--cpu-prof-dir=${given.profile}`] : []
const service = await startChild(
  './service-host.mjs',
  { ...place, ...driver, personalToken: 'bench-token' },
  { nodeArguments },
)
const { headers } = await createProject({ ...service, personalToken: 'bench-token' })
await importTexts({ ...service, headers }, '', { en: { title: 'Title' } })

const rows = []
for (const [name, [path, make]] of Object.entries(UPLOADS)) {
  if (!name.includes(given.only)) continue
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n'
  const body = Buffer.from(`${head}${make()}\r\n--b--\r\n`)
  await measure(name, 'POST', path, 'multipart/form-data; boundary=b', body)
}
for (const [name, [method, path, make]] of Object.entries(BODIES)) {
  if (!name.includes(given.only)) continue
  await measure(name, method, path, 'application/json', Buffer.from(make()))
}
if (GENERATED_ROW.includes(given.only)) await sendGenerated()
printTable(
  `Bodies of ${whole(LARGE / 1e6)} MB, ${database ? 'PostgreSQL' : (given.driver ?? 'SQLite')}`,
  ['body', 'answer', 'seconds', 'peak MB', 'longest /health ms', 'longest query ms'],
  rows,
)
await service.end()
process.exit()

/** One after the other, and then the slowest of them again, each with others beside it. */
async function sendGenerated() {
  const { madeFromSchemas } = await createJiti(import.meta.url).import('../test/helpers/hostile-requests.ts')
  const { paths } = await call(`${service.baseUrl}/openapi.json`)
  const sent = []
  const counts = {}
  for (const one of madeFromSchemas(paths, GENERATED, Number(given.seed))) {
    const body = one.body === undefined ? undefined : Buffer.from(one.body)
    const startedAt = performance.now()
    const status = await send(one.method, one.path, 'application/json', body)
    sent.push({ ...one, body, ms: performance.now() - startedAt })
    counts[status] = (counts[status] ?? 0) + 1
  }
  console.log(`${whole(GENERATED)} requests made from the schemas: ${JSON.stringify(counts)}`)
  const slowest = sent.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST)
  const each = []
  for (const { method, path, body } of slowest) {
    each.push(await measured(() => send(method, path, 'application/json', body)))
  }
  const most = (what) => Math.max(...each.map((one) => one[what]))
  const others = [most('health'), most('query')].map(whole)
  rows.push([GENERATED_ROW, '', seconds(most('ms')), megabytes(most('peak')), ...others])
  console.log(rows.at(-1).join(' | '))
}

async function measure(name, method, path, type, body) {
  let status
  const { ms, peak, health, query } = await measured(async () => {
    const sent = Array.from({ length: Number(given['at-once']) }, () => send(method, path, type, body))
    status = [...new Set(await Promise.all(sent))].join(', ')
  })
  rows.push([name, status, seconds(ms), megabytes(peak), whole(health), whole(query)])
  console.log(rows.at(-1).join(' | '))
}

async function measured(work) {
  forgetPeak(service.pid)
  const longest = { health: 0, query: 0 }
  let isOver = false
  const ask = async (what, address) => {
    while (!isOver) {
      const startedAt = performance.now()
      await call(address, { headers })
      longest[what] = Math.max(longest[what], performance.now() - startedAt)
      await sleep(ASK_EVERY_MS)
    }
  }
  const query = `${service.baseUrl}/api/v2/translations?key=title&language=en`
  const asking = [ask('health', `${service.baseUrl}/health`), ask('query', query)]
  const startedAt = performance.now()
  await work()
  const ms = performance.now() - startedAt
  isOver = true
  await Promise.all(asking)
  return { ms, peak: peakMemory(service.pid), ...longest }
}

function send(method, path, type, body) {
  return new Promise((resolve) => {
    const sent = request(`${service.baseUrl}${path}`, {
      method,
      agent: false,
      headers: {
        ...headers,
        authorization: 'bench-token',
        ...(body && { 'content-type': type, 'content-length': body.length }),
      },
    })
    sent.once('response', (response) => {
      response.resume().once('close', () => resolve(response.statusCode))
    })
    sent.on('error', (error) => resolve(error.code))
    // A refused body is not read to its end.
    sent.once('socket', (socket) => socket.on('error', () => {}))
    sent.end(body)
  })
}
