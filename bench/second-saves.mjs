/**
 * Saves of 2 to 8 files together, and a second save of one of them 5 to 120 ms later: whether the last content is on an
 * open page and in the service, and after how long. With the dev servers of Vite, webpack and Rspack, with three ways to
 * write a file, and with a server whose clock is a day off.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findChromium, launchChromium, openPage } from './lib/chromium.mjs'
import { printMachine, printTable, readArguments, whole } from './lib/print.mjs'
import { removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { createRandom, median, percentile } from './lib/stats.mjs'

const BUNDLERS = ['vite', 'webpack', 'rspack']
const { smoke, ...given } = readArguments({
  bundler: { type: 'string' },
  tries: { type: 'string' },
  seed: { type: 'string', default: '1' },
})
/** Of each bundler and clock: 1,002 in all. */
const TRIES = Number(given.tries ?? (smoke ? 4 : 167))
const FILES = 8
const DAY_MS = 86_400_000
const IN_TIME_MS = 1_000
const LIMIT_MS = 40_000
const POLL_MS = 10
const random = createRandom(Number(given.seed))
const between = (low, high) => low + Math.floor(random() * (high - low + 1))

const ways = {
  'in place': (path, text) => writeFileSync(path, text),
  'by rename': (path, text) => {
    writeFileSync(`${path}.tmp`, text)
    renameSync(`${path}.tmp`, path)
  },
  'deleted and written': (path, text) => {
    rmSync(path)
    writeFileSync(path, text)
  },
}

if (!findChromium()) {
  console.error('no Chromium: set CHROMIUM_PATH')
  process.exit(2)
}

printMachine()
console.log(`seed ${given.seed}`)
const browser = await launchChromium()
const service = await startChild('./service-host.mjs', {})
const rows = []
for (const bundler of given.bundler ? [given.bundler] : BUNDLERS)
  for (const shiftMs of [0, DAY_MS]) rows.push(await measure(bundler, shiftMs))
printTable(
  `A second save 5 to 120 ms after the first, ${whole(TRIES)} of each row`,
  [
    'dev server, its clock',
    `page: over ${IN_TIME_MS / 1_000} s`,
    'median ms',
    'slowest ms',
    `service: over ${IN_TIME_MS / 1_000} s`,
    'median ms',
    '99th percentile ms',
    'slowest ms',
  ],
  rows,
)
await browser.close()
await service.end()
process.exit()

async function measure(bundler, shiftMs) {
  const root = tempFolder()
  const access = { ...service, ...(await createProject(service)) }
  const names = Array.from({ length: FILES }, (_, i) => `part${i}`)
  const pathOf = (name) => join(root, `locales/en/${name}.json`)
  const content = (text) => `${JSON.stringify({ edited: text })}\n`
  mkdirSync(join(root, 'locales/en'), { recursive: true })
  for (const name of names) {
    writeFileSync(pathOf(name), content(`${name} 0`))
    await importTexts(access, name, { en: { edited: `${name} 0` } })
  }
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  writeFileSync(join(root, 'main.js'), mainOf(names))
  const options = {
    source: 'files',
    defaultLanguage: 'en',
    service: { baseUrl: access.baseUrl, apiKey: access.apiKey },
  }
  const nodeArguments = shiftMs === 0 ? [] : ['--import', clockOf(shiftMs)]
  const server = await startChild('./dev-server-host.mjs', { bundler, root, options }, { nodeArguments })
  const opened = await openPage(browser, server.address)
  await Promise.all(names.map((name) => opened.seen(`${name} 0`)))
  await served(access, names[0], 'warm up', () => writeFileSync(pathOf(names[0]), content('warm up')))
  const onPage = []
  const inService = []
  for (let i = 1; i <= TRIES; i++) {
    const together = names.slice(0, between(2, FILES))
    const again = together[between(0, together.length - 1)]
    const write = Object.values(ways)[between(0, Object.keys(ways).length - 1)]
    for (const name of together) write(pathOf(name), content(`${name} ${i}`))
    await sleep(between(5, 120))
    const text = `${again} ${i}, again`
    let savedAt
    const save = () => {
      savedAt = Date.now()
      write(pathOf(again), content(text))
    }
    const seen = opened.seen(text, LIMIT_MS).catch(() => Number.POSITIVE_INFINITY)
    const takenAt = await served(access, again, text, save)
    onPage.push((await seen) - savedAt)
    inService.push(takenAt - savedAt)
  }
  await opened.close()
  await server.end()
  removeFolder(root)
  const late = (all) => all.filter((ms) => ms > IN_TIME_MS).length
  return [
    `${bundler}, ${shiftMs === 0 ? 'right' : 'a day ahead'}`,
    late(onPage),
    whole(median(onPage)),
    whole(Math.max(...onPage)),
    late(inService),
    whole(median(inService)),
    whole(percentile(inService, 0.99)),
    whole(Math.max(...inService)),
  ]
}

/** Saves, and resolves to the time when the service has the text; infinity after the limit. */
async function served({ baseUrl, headers }, namespace, text, save) {
  save()
  const query = new URLSearchParams({ language: 'en', namespace, key: 'edited' })
  for (const until = Date.now() + LIMIT_MS; Date.now() < until; await sleep(POLL_MS)) {
    const { data } = await call(`${baseUrl}/api/v2/translations?${query}`, { headers })
    if (data.some((row) => row.text === text)) return Date.now()
  }
  return Number.POSITIVE_INFINITY
}

function mainOf(names) {
  return `
import { load, onUpdate } from 'virtual:translations'
const render = async () => {
  for (const name of ${JSON.stringify(names)}) globalThis.shown((await load('en', name)).edited)
}
render()
onUpdate(render)
`
}

/** A module that sets the clock of the process forward. */
function clockOf(shiftMs) {
  const code = `
    const now = Date.now
    Date.now = () => now() + ${shiftMs}
    globalThis.Date = class extends Date {
      constructor(...given) { given.length === 0 ? super(Date.now()) : super(...given) }
    }`
  return `data:text/javascript,${encodeURIComponent(code)}`
}
