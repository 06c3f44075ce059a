/**
 * A command beside a dev server that syncs 100,000 texts: how long the command waits until the server stands by, and
 * how long the server takes from the command's end until it syncs again, which a save shows that the service then has.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { namespacesOf, textCount, writeLocales } from './lib/catalog.mjs'
import { printMachine, printTable, readArguments, whole } from './lib/print.mjs'
import { startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { median, percentile } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({ rounds: { type: 'string' } })
const SIZE = smoke ? { languages: 2, namespaces: 5, keys: 20 } : { languages: 20, namespaces: 50, keys: 100 }
const ROUNDS = Number(given.rounds ?? (smoke ? 3 : 30))
const PAUSE_MS = smoke ? 100 : 500
const KEY = 'edited'

printMachine()
const service = await startChild('./service-host.mjs', {})
const project = { ...service, ...(await createProject(service)) }
const root = tempFolder()
writeLocales(root, SIZE)
writeFileSync(join(root, 'main.js'), '')
writeFileSync(join(root, 'package.json'), '{"type":"module"}')
const path = join(root, 'locales/en/common.json')
const texts = JSON.parse(readFileSync(path, 'utf8'))
const save = (text) => writeFileSync(path, `${JSON.stringify({ [KEY]: text, ...texts }, null, 2)}\n`)
save('edit 0')
for (const { namespace, texts: languages } of namespacesOf(SIZE)) {
  if (namespace === 'common') languages.en[KEY] = 'edit 0'
  await importTexts(project, namespace, languages)
}
const options = {
  source: 'files',
  defaultLanguage: 'en',
  service: { baseUrl: service.baseUrl, apiKey: project.apiKey },
}
const server = await startChild('./dev-server-host.mjs', { bundler: 'vite', root, options })
await saveAndWait(1)

const standByMs = []
const againMs = []
for (let round = 0; round < ROUNDS; round++) {
  await sleep(PAUSE_MS)
  const askedAt = performance.now()
  const command = await borrow()
  standByMs.push(performance.now() - askedAt)
  const endedAt = performance.now()
  command.destroy()
  // The save has its own way to the service, about 100 ms.
  await saveAndWait(round + 2)
  againMs.push(performance.now() - endedAt)
}
printTable(
  `A command beside a dev server of ${whole(textCount(SIZE))} texts, ${ROUNDS} times`,
  ['', 'median ms', '95th percentile ms', 'slowest ms'],
  [
    ['the server stands by', ...figures(standByMs)],
    ['from the end of the command until a save is on the service', ...figures(againMs)],
  ],
)
await server.end()
process.exit()

function figures(ms) {
  return [median(ms), percentile(ms, 0.95), Math.max(...ms)].map(whole)
}

async function saveAndWait(edit) {
  const text = `edit ${edit}`
  save(text)
  for (;;) {
    const { data } = await call(`${project.baseUrl}/api/v2/translations?key=${KEY}&language=en&namespace=common`, {
      headers: project.headers,
    })
    if (data.some((each) => each.text === text)) return
    await sleep(5)
  }
}

/** As `src/sync/lock.ts` asks for it. The loan ends with the connection. */
async function borrow() {
  for (;;) {
    const socket = connect(`\0localization-sync-${hashOf(folderId())}`)
    socket.setEncoding('utf8')
    socket.write('borrow\n')
    let answer = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      answer += chunk
      if (answer.endsWith('yours\n')) socket.emit('lent')
    })
    const isLent = await Promise.race([
      once(socket, 'lent').then(() => true),
      once(socket, 'close').then(
        () => false,
        () => false,
      ),
    ])
    if (isLent) return socket
    await sleep(5)
  }
}

/** As `src/shared/folder-id.ts` makes it. */
function folderId() {
  const { dev, ino } = statSync(root, { bigint: true })
  return `${BigInt.asUintN(32, dev)}:${ino}`
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
