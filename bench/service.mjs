/** The local service against a bare node:http server that does nothing, each in a process of its own, in one run. */
import { closeSync, fsyncSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { languageNames, namespaceNames, namespacesOf, SIZES, textCount } from './lib/catalog.mjs'
import { capture, measureRate } from './lib/load.mjs'
import { megabytes, peakMemory, printMachine, printTable, ratio, readArguments, seconds, whole } from './lib/print.mjs'
import { listDrivers, removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { median } from './lib/stats.mjs'

const { smoke, node24 } = readArguments({ node24: { type: 'boolean', default: false } })
const ROUNDS = smoke ? 1 : 3
const DURATION_MS = smoke ? 100 : 2_000
const REQUESTS_ON = smoke ? SIZES.tiny : SIZES.M
const TRANSFERS = smoke
  ? [['tiny', SIZES.tiny]]
  : [
      ['M', SIZES.M],
      ['L', SIZES.L],
    ]

printMachine()
console.log(`appends of 1 KB forced onto this disk, one after the other: ${whole(measureDisk())} a second`)
const drivers = listDrivers({ node24: node24 && !smoke })
for (const { node, version, driver } of drivers) {
  await compareRequests({ node, driver, title: `Requests a second, ${driver} on Node ${version}` })
}
for (const { node, version, driver } of drivers) {
  const rows = []
  for (const [name, size] of TRANSFERS) rows.push(...(await compareTransfers({ node, driver, name, size })))
  printTable(
    `Import and export, ${driver} on Node ${version}`,
    ['what', 'texts', 'MB', 'service s', 'bare s', 'ratio', 'texts/s', 'service peak MB'],
    rows,
  )
}
process.exit()

async function compareRequests({ node, driver, title }) {
  const dataDir = tempFolder()
  const service = await startChild('./service-host.mjs', { driver, dataDir }, { node })
  const bare = await startChild('./bare-server.mjs', {}, { node })
  const project = await createProject(service)
  const { headers } = project
  const keys = []
  for (const { namespace, texts } of namespacesOf(REQUESTS_ON)) {
    await importTexts({ ...service, headers }, namespace, texts)
    for (const key of Object.keys(texts.en)) keys.push([namespace, key])
  }
  await call(`${service.baseUrl}/api/v2/environments/_latest/publish`, { method: 'POST', headers })
  const languages = languageNames(REQUESTS_ON.languages)
  const [, secondNamespace] = namespaceNames(2)
  let texts = 0

  const patch = (i) => {
    const [namespace, key] = keys[(i * 7919) % keys.length]
    const language = languages[i % languages.length]
    return {
      method: 'PATCH',
      path: '/api/v2/translations',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ key, namespace, language, text: `A text that is new, number ${++texts}` }),
    }
  }
  const pages = Math.max(1, Math.floor(textCount(REQUESTS_ON) / 500))
  const query = (i) => ({ method: 'GET', path: `/api/v2/translations?size=500&page=${i % pages}`, headers })
  const file = `/_cdn/${project.projectToken}/_latest/en/${encodeURIComponent(secondNamespace)}`
  const hosted = () => ({ method: 'GET', path: file, headers: { 'accept-encoding': 'gzip' } })
  const { etag } = (await capture(service.baseUrl, hosted())).headers
  const unchanged = () => ({ method: 'GET', path: file, headers: { 'accept-encoding': 'gzip', 'if-none-match': etag } })

  const cases = [
    ...[1, 8, 64].map((concurrency) => ['v2 PATCH', concurrency, patch, 200]),
    ...[1, 8].map((concurrency) => ['query, 500 rows', concurrency, query, 200]),
    ...[8, 64].map((concurrency) => ['hosting, 200', concurrency, hosted, 200]),
    ...[8, 64].map((concurrency) => ['hosting, 304', concurrency, unchanged, 304]),
  ]
  const rows = []
  for (const [name, concurrency, next, status] of cases) {
    await tell(bare, await capture(service.baseUrl, next(0)))
    const rates = { service: [], bare: [] }
    for (let round = 0; round < ROUNDS; round++) {
      for (const [which, { baseUrl }] of Object.entries({ service, bare })) {
        rates[which].push(await measureRate({ baseUrl, concurrency, durationMs: DURATION_MS, next, status }))
      }
    }
    const [own, nothing] = [median(rates.service), median(rates.bare)]
    rows.push([name, concurrency, whole(own), whole(nothing), ratio(nothing, own)])
  }
  printTable(title, ['request', 'at once', 'service', 'bare', 'bare / service'], rows)
  await Promise.all([service.end(), bare.end()])
  removeFolder(dataDir)
}

async function compareTransfers({ node, driver, name, size }) {
  const dataDir = tempFolder()
  const service = await startChild('./service-host.mjs', { driver, dataDir }, { node })
  const bare = await startChild('./bare-server.mjs', {}, { node })
  const { headers } = await createProject(service)
  const count = textCount(size)
  const row = (what, bytes, own, nothing) => [
    `${what} (${name})`,
    whole(count),
    whole(bytes / 1e6),
    seconds(own),
    seconds(nothing),
    ratio(own, nothing),
    whole((count * 1000) / own),
    megabytes(peakMemory(service.pid)),
  ]
  const rows = []

  const files = []
  for (const { namespace, texts } of namespacesOf(size)) files.push([namespace, JSON.stringify(texts)])
  const bytes = files.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
  const upload = (baseUrl) =>
    timed(async () => {
      for (const [namespace, text] of files) await importTexts({ baseUrl, headers }, namespace, text)
    })
  await tell(bare, { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') })
  const nothing = await upload(bare.baseUrl)
  forgetPeak(service.pid)
  rows.push(row(`import, ${files.length} files, new texts`, bytes, await upload(service.baseUrl), nothing))
  forgetPeak(service.pid)
  rows.push(row('import again, nothing new', bytes, await upload(service.baseUrl), nothing))

  forgetPeak(service.pid)
  const one = await exportV3(service.baseUrl, headers)
  const peak = row('export v3, one file', one.bytes.length, one.ms, await downloadBare(bare, [one.bytes]))
  rows.push(peak)
  forgetPeak(service.pid)
  const many = await exportV4(service.baseUrl, headers)
  rows.push(row(`export v4, ${many.bodies.length} files`, many.bytes, many.ms, await downloadBare(bare, many.bodies)))
  await Promise.all([service.end(), bare.end()])
  removeFolder(dataDir)
  return rows
}

async function exportV3(baseUrl, headers) {
  let bytes
  const ms = await timed(async () => {
    const { data } = await call(`${baseUrl}/api/v3/export?downloadFormat=multi-language-json`, { headers })
    bytes = await download(data.url)
  })
  return { bytes, ms }
}

async function exportV4(baseUrl, headers) {
  const bodies = []
  const ms = await timed(async () => {
    const query = 'downloadFormat=single-language-json&downloadOptions=SPLIT_BY_NAMESPACES'
    const { data } = await call(`${baseUrl}/api/v4/export?${query}`, { headers })
    for (const { url } of data.files) bodies.push(await download(url))
  })
  return { bodies, bytes: bodies.reduce((sum, { length }) => sum + length, 0), ms }
}

/**
 * As many requests as the export took, for bodies of the same size: the files one by one, behind one request that names
 * them.
 */
async function downloadBare(bare, bodies) {
  const even = Buffer.alloc(Math.ceil(bodies.reduce((sum, { length }) => sum + length, 0) / bodies.length), 'x')
  await tell(bare, { status: 200, headers: { 'content-type': 'application/json' }, body: even })
  return timed(async () => {
    for (let i = 0; i < bodies.length; i++) await download(bare.baseUrl)
  })
}

async function download(address) {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

async function timed(work) {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function tell({ child }, answer) {
  return new Promise((resolve) => {
    child.once('message', resolve)
    child.send(answer)
  })
}

/** Lets the next peak be of what comes now. Only Linux can; elsewhere no peak is printed. */
function forgetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {}
}

function measureDisk() {
  const folder = tempFolder()
  const file = openSync(join(folder, 'appended'), 'a')
  const block = Buffer.alloc(1024)
  const until = performance.now() + (smoke ? 100 : 1_000)
  const startedAt = performance.now()
  let count = 0
  for (; performance.now() < until; count++) {
    writeSync(file, block)
    fsyncSync(file)
  }
  const rate = (count * 1000) / (performance.now() - startedAt)
  closeSync(file)
  removeFolder(folder)
  return rate
}
