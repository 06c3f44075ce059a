/**
 * Builds at the same time that share one project folder, and with it one `.localization`: snapshots, hosting cache,
 * stamps. All must show the
 * same texts, and what is left on the disk must be whole. `--builds <n>`.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messagesOf, SIZES } from './lib/catalog.mjs'
import { printMachine, printTable, readArguments, seconds, whole } from './lib/print.mjs'
import { runNode, startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { percentile } from './lib/stats.mjs'

const { smoke, builds = smoke ? '4' : '50' } = readArguments({ builds: { type: 'string' } })
printMachine()

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const size = smoke ? SIZES.tiny : { languages: 1, namespaces: 10, keys: 250 }
const service = await startChild('service-host.mjs', { languages: ['en'] })
const { headers, apiKey } = await createProject(service)
const scope = { baseUrl: service.baseUrl, headers }
let texts = 0
for (let n = 0; n < size.namespaces; n++) {
  const messages = messagesOf(size, 0, n)
  texts += Object.keys(messages).length
  await importTexts(scope, `part${n}`, { en: messages })
}
for (const environment of ['_latest', '_production']) {
  await call(`${service.baseUrl}/api/v2/environments/${environment}/publish`, { method: 'POST', headers })
}

const script = `
  import { rollup } from ${JSON.stringify(import.meta.resolve('rollup'))}
  import localization from ${JSON.stringify(join(dist, 'rollup.js'))}
  import { createHash } from 'node:crypto'
  const options = JSON.parse(process.argv[1])
  const bundle = await rollup({ input: 'virtual:translations/en', plugins: [localization(options)] })
  const { output } = await bundle.generate({ format: 'es' })
  console.log(createHash('sha256').update(output.map(({ code }) => code).join()).digest('hex'))`

async function build(options) {
  const { ms, out, code, errors } = await runNode(['--input-type=module', '-e', script, JSON.stringify(options)])
  return { ms, digest: out.trim(), code, errors }
}

const sources = []
for (const source of ['export', 'hosting', 'query']) {
  const root = tempFolder()
  const own = { apiKey, baseUrl: service.baseUrl, cdnUrl: service.cdnUrl }
  const options = { root, configFile: false, source, defaultLanguage: 'en', service: own, onServiceError: 'snapshot' }
  sources.push({
    source,
    options,
    runs: await Promise.all(Array.from({ length: Number(builds) }, () => build(options))),
  })
}
await service.end()

let failed = 0
const rows = []
for (const { source, options, runs } of sources) {
  const broken = runs.filter(({ code }) => code !== 0)
  if (broken[0]) console.error(broken[0].errors)
  const digests = new Set(runs.map(({ digest }) => digest))
  const left = temporaries(join(options.root, '.localization'))
  // The service is gone: what they left on the disk must show the same.
  const { code, digest, errors } = await build({ ...options, service: { ...options.service, retries: 0 } })
  const isWhole = code === 0 && digests.has(digest)
  if (!isWhole) console.error(errors)
  failed += broken.length + left + (digests.size === 1 ? 0 : 1) + (isWhole ? 0 : 1)
  const times = runs.map(({ ms }) => ms)
  rows.push([
    source,
    runs.length,
    broken.length,
    digests.size,
    left,
    isWhole ? 'yes' : 'NO',
    seconds(percentile(times, 0.5)),
    seconds(Math.max(...times)),
  ])
}
printTable(
  `${whole(texts)} texts, all builds at once`,
  ['source', 'builds', 'failed', 'outputs', 'temporaries left', 'snapshot whole', 'median s', 'slowest s'],
  rows,
)
process.exitCode = failed === 0 ? 0 : 1

/** Temporaries that nobody owns any more. */
function temporaries(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.tmp')).length
}
