/**
 * Kills the local service with kill -9 during mixed writes, again and again, on each SQLite build: what it had
 * acknowledged must be there
 * when it is up again, and no import may be there by half. Ends with 1 if anything is lost.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { printMachine, printTable, readArguments, whole } from './lib/print.mjs'
import { listDrivers, removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { createRandom, median, percentile } from './lib/stats.mjs'

const { smoke, kills, seed } = readArguments({ kills: { type: 'string' }, seed: { type: 'string', default: '1' } })
const KILLS = Number(kills ?? (smoke ? 2 : 30))
const IMPORT_TEXTS = 60

printMachine()
let failures = 0
const rows = []
for (const one of listDrivers({ node24: !smoke })) rows.push(await killAgainAndAgain(one))
printTable(
  `${KILLS} kill -9 during mixed writes`,
  ['driver', 'acknowledged', 'PATCH', 'imports', 'keys', 'publishes', 'lost', 'torn', 'up again ms', '95th', 'most'],
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

async function killAgainAndAgain({ node, version, driver }) {
  const random = createRandom(Number(seed))
  const folder = tempFolder()
  const dataDir = join(folder, 'data')
  const acknowledged = { patch: 0, import: 0, key: 0, publish: 0 }
  const problems = { lost: [], torn: [] }
  const upAgain = []
  const ledger = createLedger(acknowledged)
  let project
  for (let round = 0; round <= KILLS; round++) {
    const startedAt = performance.now()
    const service = await startChild('./service-host.mjs', { driver, dataDir }, { node })
    project ??= await createProject(service)
    // The first answer that needs the data.
    await call(`${service.baseUrl}/api/v2/translations?size=1`, project)
    if (round > 0) upAgain.push(performance.now() - startedAt)
    await check(service, project, ledger, problems)
    if (round === KILLS) {
      await service.end()
      break
    }
    const until = ledger.count() + 5 + Math.floor(random() * (smoke ? 10 : 120))
    const writers = startWriters(service, project, ledger, round)
    while (ledger.count() < until) await Promise.race([sleep(1), writers.then(failEarly)])
    // Anywhere inside the writes that follow.
    await sleep(random() * 20)
    await service.end('SIGKILL')
    await writers
  }
  removeFolder(folder)
  for (const [kind, list] of Object.entries(problems)) {
    failures += list.length
    for (const line of list.slice(0, 10)) console.error(`${driver}: ${kind}: ${line}`)
  }
  return [
    `${driver} on Node ${version}`,
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
