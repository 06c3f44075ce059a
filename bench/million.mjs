/**
 * A million texts in the local service: how long a publish and exports take, how much memory its process needs for
 * them, and how long other requests wait meanwhile; in the last row, texts are set meanwhile too. `--driver <name>`, `--database <url>`, `--keep-running`,
 * `--only-publish`: the import and the last row.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { languageNames, namespacesOf, SIZES, textCount } from './lib/catalog.mjs'
import {
  cpuSeconds,
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
import { percentile } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({
  driver: { type: 'string' },
  database: { type: 'string' },
  'keep-running': { type: 'boolean', default: false },
  'only-publish': { type: 'boolean', default: false },
})
const size = smoke ? SIZES.tiny : SIZES.L
const [, language] = languageNames(2)
const ASK_EVERY_MS = 50
const options = given.database
  ? { databaseUrl: given.database }
  : { dataDir: tempFolder(), ...(given.driver !== undefined && { driver: given.driver }) }
const personalToken = 'a personal token of the benchmark'
const start = () => startChild('./service-host.mjs', { ...options, personalToken })

printMachine()
let service = await start()
const project = await createProject(service)
const { headers } = project
const rows = []

await measure('import', async () => {
  for (const { namespace, texts } of namespacesOf(size)) await importTexts({ ...service, headers }, namespace, texts)
})
// What the import needed must not count below.
if (!given['keep-running']) {
  await service.end()
  service = await start()
}
const publish = () => call(`${service.baseUrl}/api/v2/environments/_latest/publish`, { method: 'POST', headers })
if (!given['only-publish']) await measureAll()
await setText('Another text that is new')
await measure('publish, texts set meanwhile', publish, true)
printTable(
  `${whole(textCount(size))} texts, ${given.database ? 'PostgreSQL' : (given.driver ?? 'SQLite')}`,
  [
    'what',
    'seconds',
    'CPU seconds',
    'peak MB',
    'longest /health ms',
    'longest query ms',
    '99 % of PATCH ms',
    'longest PATCH ms',
  ],
  rows,
)
await service.end()
process.exit()

async function measureAll() {
  await measure('publish', publish)
  await setText('A text that is new')
  await measure('publish, one text changed', publish)
  await measure('export v3, one file', () => exported('v3/export?downloadFormat=multi-language-json'))
  await measure('export v4, by language', () => exported('v4/export?downloadFormat=single-language-json'))
  const split = 'v4/export?downloadFormat=single-language-json&downloadOptions='
  await measure('export v4, by language and namespace', () => exported(`${split}SPLIT_BY_NAMESPACES`))
  await measure('export v4, nested', () => exported(`${split}WRITE_NESTED`))
  await measure('_index, gzip', () => index('gzip'))
  await measure('_index, plain', () => index('identity'))
}

function firstKey() {
  const [{ namespace, texts }] = namespacesOf(size)
  return { namespace, key: Object.keys(texts.en)[0] }
}

function oneText() {
  const { namespace, key } = firstKey()
  return `${service.baseUrl}/api/v2/translations?${new URLSearchParams({ namespace, key, language })}`
}

function setText(text) {
  const body = { ...firstKey(), language, text }
  return call(`${service.baseUrl}/api/v2/translations`, { method: 'PATCH', headers, body })
}

/** Exports, and fetches every file, one after the other. */
async function exported(path) {
  const { data } = await call(`${service.baseUrl}/api/${path}`, { headers })
  for (const { url } of data.files ?? [data]) await download(url, 'gzip')
}

function index(encoding) {
  return download(`${service.cdnUrl}/${project.projectToken}/_latest/_index`, encoding)
}

/** Reads and drops the body. */
async function download(address, encoding) {
  const answer = await fetch(address, { headers: { 'accept-encoding': encoding } })
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
  for await (const _ of answer.body);
}

/** Runs `work`, and asks for something small all the while. `setsTexts`: sets a text again and again too. */
async function measure(name, work, setsTexts = false) {
  const { pid } = service
  forgetPeak(pid)
  const cpu = cpuSeconds(pid)
  const took = { health: [], query: [], patch: [] }
  let isOver = false
  const ask = async (what, send) => {
    while (!isOver) {
      const startedAt = performance.now()
      await send()
      took[what].push(performance.now() - startedAt)
      await sleep(ASK_EVERY_MS)
    }
  }
  const asking = [
    ask('health', () => call(`${service.baseUrl}/health`)),
    ask('query', () => call(oneText(), { headers })),
    ...(setsTexts ? [ask('patch', () => setText(`A text that is set meanwhile, ${took.patch.length}`))] : []),
  ]
  const startedAt = performance.now()
  await work()
  const ms = performance.now() - startedAt
  isOver = true
  await Promise.all(asking)
  console.log(`${name}: ${seconds(ms)} s`)
  rows.push([
    name,
    seconds(ms),
    (cpuSeconds(pid) - cpu).toFixed(2),
    megabytes(peakMemory(pid)),
    whole(Math.max(...took.health)),
    whole(Math.max(...took.query)),
    ...(setsTexts ? [percentile(took.patch, 0.99), Math.max(...took.patch)].map(whole) : ['', '']),
  ])
}
