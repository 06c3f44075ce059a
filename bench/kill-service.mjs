/**
 * Kills the local service with kill -9 during mixed writes, again and again, on each SQLite build and on PostgreSQL:
 * what it had acknowledged must be there when it is up again, and no import may be there by half. Meanwhile it imports a
 * large file into another project again and again, each over the one before, and publishes it. Ends with 1 if anything
 * is lost. `--kills <n>`, `--large <keys>`, `--seed <n>`, `--only <part of a store's name>`.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from './lib/postgres.mjs'
import { printMachine, printTable, readArguments, whole } from './lib/print.mjs'
import { listDrivers, removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { createRandom, median, percentile } from './lib/stats.mjs'

const { smoke, kills, large, seed, only } = readArguments({
  kills: { type: 'string' },
  large: { type: 'string' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
})
const KILLS = Number(kills ?? (smoke ? 2 : 30))
const IMPORT_TEXTS = 60
const LARGE_KEYS = Number(large ?? (smoke ? 3000 : 100_000))
/** About as long as two large imports, one over the other, and a publish take. */
const LARGE_MS = LARGE_KEYS / 20

printMachine()
let failures = 0
const rows = []
const postgres = await startPostgres()
const stores = listDrivers({ node24: !smoke }).map(({ node, version, driver }) => ({
  name: `${driver} on Node ${version}`,
  node,
  place: (folder) => ({ driver, dataDir: join(folder, 'data') }),
}))
if (postgres) {
  const databaseUrl = await postgres.emptyDatabase()
  stores.push({ name: 'PostgreSQL', node: process.execPath, place: () => ({ databaseUrl }) })
}
for (const store of stores) if (store.name.includes(only)) rows.push(await killAgainAndAgain(store))
printTable(
  `${KILLS} kill -9 during mixed writes`,
  [
    'store',
    'acknowledged',
    'PATCH',
    'imports',
    'keys',
    'publishes',
    `imports of ${whole(LARGE_KEYS)}`,
    'their publishes',
    'lost',
    'torn',
    'up again ms',
    '95th',
    'most',
  ],
  rows,
)
console.log(
  `\nup again: from starting a process to its first answer out of the data; a bare node:http server takes ${whole(await startBare())} ms`,
)
process.exit(failures > 0 ? 1 : 0)

async function startBare() {
  const times = []
  for (let i = 0; i < 5; i++) {
    const startedAt = performance.now()
    const bare = await startChild('./bare-server.mjs', {})
    await call(bare.baseUrl)
    times.push(performance.now() - startedAt)
    await bare.end()
  }
  return median(times)
}

async function killAgainAndAgain({ name, node, place }) {
  const random = createRandom(Number(seed))
  const folder = tempFolder()
  const options = place(folder)
  const acknowledged = { patch: 0, import: 0, key: 0, publish: 0, largeImport: 0, largePublish: 0 }
  const largeOnes = []
  const problems = { lost: [], torn: [] }
  const upAgain = []
  const ledger = createLedger(acknowledged)
  let project
  for (let round = 0; round <= KILLS; round++) {
    const startedAt = performance.now()
    const service = await startChild('./service-host.mjs', options, { node })
    project ??= await createProject(service)
    // The first answer that needs the data.
    await call(`${service.baseUrl}/api/v2/translations?size=1`, project)
    if (round > 0) upAgain.push(performance.now() - startedAt)
    await check(service, project, ledger, problems)
    for (const one of largeOnes) await checkLarge(service, one, problems)
    if (round === KILLS) {
      await service.end()
      break
    }
    const until = ledger.count() + 5 + Math.floor(random() * (smoke ? 10 : 120))
    const one = { ...(await createProject(service)), edition: 0, sent: 0, isImported: false, isPublished: false }
    largeOnes.push(one)
    const writers = Promise.all([startWriters(service, project, ledger, round), writeLarge(service, one, acknowledged)])
    while (ledger.count() < until) await Promise.race([sleep(1), writers.then(([reasons]) => failEarly(reasons))])
    // In every second round, beside publishes of the large import.
    while (round % 2 === 1 && !one.isImported) await Promise.race([sleep(5), writers])
    // Anywhere inside the writes that follow.
    await sleep(random() * LARGE_MS)
    await service.end('SIGKILL')
    await writers
  }
  removeFolder(folder)
  for (const [kind, list] of Object.entries(problems)) {
    failures += list.length
    for (const line of list.slice(0, 10)) console.error(`${name}: ${kind}: ${line}`)
  }
  return [
    name,
    whole(ledger.count()),
    ...Object.values(acknowledged).map(whole),
    problems.lost.length,
    problems.torn.length,
    whole(median(upAgain)),
    whole(percentile(upAgain, 0.95)),
    whole(Math.max(...upAgain)),
  ]
}

/**
 * What the service must have. A value that was sent and not acknowledged may have come or not: then both are allowed,
 * until the next
 * acknowledged write of the same key says which.
 */
function createLedger(acknowledged) {
  const texts = new Map()
  const imports = new Map()
  let published = 0
  let written = 0
  return {
    texts,
    imports,
    /** Acknowledged writes. */
    count: () => Object.values(acknowledged).reduce((a, b) => a + b, 0),
    nextText: () => `text ${++written}`,
    get published() {
      return published
    },
    /** `undefined` stands for a key that is deleted. */
    async write(kind, key, text, send) {
      const before = texts.get(key)
      const allowed = before ? before.allowed : [undefined]
      texts.set(key, { allowed: [...allowed, text] })
      await send()
      acknowledged[kind]++
      texts.set(key, { allowed: [text] })
    },
    async import(id, text, send) {
      imports.set(id, { text, isSure: false })
      await send()
      acknowledged.import++
      imports.set(id, { text, isSure: true })
    },
    async publish(number, send) {
      await send()
      acknowledged.publish++
      published = number
    },
  }
}

/**
 * Writes until the service is gone; resolves to why each writer ended. Each writer has keys of its own, so what one of
 * them sends comes in an order.
 */
async function startWriters({ baseUrl }, { headers }, ledger, round) {
  const send = (method, path, body) => call(`${baseUrl}${path}`, { method, headers, body })
  const set = (key, text) =>
    ledger.write('patch', key, text, () => send('PATCH', '/api/v2/translations', { key, language: 'en', text }))
  const create = (key) => ledger.write('key', key, '', () => send('POST', '/api/v1/translation-keys', { key }))
  const remove = (key) =>
    ledger.write('key', key, undefined, () => send('DELETE', `/api/v1/translation-keys?key=${key}`))

  const patches = async (name) => {
    for (let i = 0; ; i++) {
      const key = `${name}.${round}.${i}`
      await create(key)
      for (let times = 0; times < 3; times++) await set(key, ledger.nextText())
      if (i % 4 === 3) await remove(key)
    }
  }
  const imports = async () => {
    for (let i = 0; ; i++) {
      const id = `import.${round}.${i}`
      const text = ledger.nextText()
      const texts = Object.fromEntries(Array.from({ length: IMPORT_TEXTS }, (_, at) => [`${id}.${at}`, text]))
      await ledger.import(id, text, () => importTexts({ baseUrl, headers }, '', { en: texts }))
    }
  }
  const publishes = async () => {
    if (round === 0) await create('edition')
    for (let i = 1; ; i++) {
      const edition = round * 100_000 + i
      await set('edition', String(edition))
      await ledger.publish(edition, () => send('POST', '/api/v2/environments/_latest/publish'))
    }
  }
  const results = await Promise.allSettled([patches('a'), patches('b'), patches('c'), imports(), publishes()])
  return results.map(({ reason }) => reason.message)
}

/** Until the service is gone: imports, each over the texts of the one before, and a publish after each. */
async function writeLarge({ baseUrl }, one, acknowledged) {
  const textsOf = (edition) =>
    Object.fromEntries(
      Array.from({ length: LARGE_KEYS }, (_, i) => [`large.key${i}`, `Text ${i}, edition ${edition}.`]),
    )
  try {
    for (;;) {
      one.sent = one.edition + 1
      await importTexts({ baseUrl, headers: one.headers }, '', { en: textsOf(one.sent) })
      one.edition = one.sent
      one.isImported = true
      acknowledged.largeImport++
      await call(`${baseUrl}/api/v2/environments/_latest/publish`, { method: 'POST', headers: one.headers })
      one.isPublished = true
      acknowledged.largePublish++
    }
  } catch {
    // It was killed. Whoever writes beside this one says why, if not.
  }
}

async function checkLarge({ baseUrl, cdnUrl }, one, { lost, torn }) {
  const { headers, projectToken } = one
  const { pageDetails } = await call(`${baseUrl}/api/v2/translations?language=en&size=1`, { headers })
  const present = pageDetails.totalElements
  const what = `${projectToken}: ${present} of ${LARGE_KEYS}`
  if (present === LARGE_KEYS) one.isImported = true
  else if (one.isImported) lost.push(what)
  else if (present > 0) torn.push(what)
  if (present === LARGE_KEYS) await checkEdition({ baseUrl }, one, { lost, torn })
  if (!one.isPublished) return
  const hosted = Object.keys(await call(`${cdnUrl}/${projectToken}/_latest/en`)).length
  if (hosted !== LARGE_KEYS) lost.push(`${projectToken}: ${hosted} of ${LARGE_KEYS} are published`)
}

/** All texts are of the last import that was acknowledged, or all are of the one that was sent after it. */
async function checkEdition({ baseUrl }, one, { lost, torn }) {
  const { headers, projectToken, edition, sent } = one
  const count = async (n) => {
    const query = new URLSearchParams({ language: 'en', size: 1, text: `, edition ${n}.` })
    return (await call(`${baseUrl}/api/v2/translations?${query}`, { headers })).pageDetails.totalElements
  }
  const [known, newer] = [await count(edition), sent > edition ? await count(sent) : 0]
  if (known + newer !== LARGE_KEYS) lost.push(`${projectToken}: ${known + newer} of edition ${edition} and later`)
  else if (known > 0 && newer > 0) torn.push(`${projectToken}: ${newer} of ${LARGE_KEYS} are of edition ${sent}`)
  one.edition = newer > 0 ? sent : edition
}

function failEarly(reasons) {
  throw new Error(`the writers ended before the service did: ${reasons.join('; ')}`)
}

async function check({ baseUrl, cdnUrl }, { headers, projectToken }, ledger, { lost, torn }) {
  const found = new Map()
  for (const textStatus of ['NOT_EMPTY', 'EMPTY']) {
    for (let page = 0; ; page++) {
      const query = `language=en&textStatus=${textStatus}&size=500&page=${page}`
      const { data } = await call(`${baseUrl}/api/v2/translations?${query}`, { headers })
      for (const { key, text } of data) found.set(key, text)
      if (data.length < 500) break
    }
  }
  for (const [key, { allowed }] of ledger.texts) {
    const text = found.get(key)
    if (!allowed.includes(text)) lost.push(`${key} is ${JSON.stringify(text)}, not ${JSON.stringify(allowed)}`)
    ledger.texts.set(key, { allowed: [text] })
  }
  for (const [id, { text, isSure }] of ledger.imports) {
    let present = 0
    for (let at = 0; at < IMPORT_TEXTS; at++) if (found.get(`${id}.${at}`) === text) present++
    if (present === IMPORT_TEXTS) ledger.imports.set(id, { text, isSure: true })
    else if (isSure) lost.push(`${id}: ${present} of ${IMPORT_TEXTS}`)
    else if (present > 0) torn.push(`${id}: ${present} of ${IMPORT_TEXTS}`)
    else ledger.imports.delete(id)
  }
  if (ledger.published > 0) {
    const hosted = await call(`${cdnUrl}/${projectToken}/_latest/en`)
    if (!(Number(hosted.edition) >= ledger.published)) lost.push(`published ${hosted.edition}, not ${ledger.published}`)
  }
}
