/** The local service against a bare node:http server that does nothing, each in a process of its own, in one run. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { namespaceNames, namespacesOf, SIZES, textCount } from './lib/catalog.mjs'
import { capture, measureLoad, requestsOf } from './lib/load.mjs'
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
import { listDrivers, removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { median } from './lib/stats.mjs'
import { download, exportV3, exportV4, timed } from './lib/transfers.mjs'

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
  for (const { namespace, texts } of namespacesOf(REQUESTS_ON)) {
    await importTexts({ ...service, headers }, namespace, texts)
  }
  await call(`${service.baseUrl}/api/v2/environments/_latest/publish`, { method: 'POST', headers })
  const { patch, query } = requestsOf(REQUESTS_ON, headers)
  const [, secondNamespace] = namespaceNames(2)
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
        const { rate } = await measureLoad({ baseUrls: [baseUrl], concurrency, durationMs: DURATION_MS, next, status })
        rates[which].push(rate)
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

function tell({ child }, answer) {
  return new Promise((resolve) => {
    child.once('message', resolve)
    child.send(answer)
  })
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
