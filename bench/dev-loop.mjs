/**
 * The dev loop in real Chromium: a saved file until its text is on the page, and until the service has acknowledged it,
 * beside a plain
 * JSON import with HMR in the same bundler in the same run; and what a start with 10,000 files costs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { namespacesOf, SIZES, textCount, writeLocales } from './lib/catalog.mjs'
import { findChromium, launchChromium, openPage } from './lib/chromium.mjs'
import { megabytes, peakMemory, printMachine, printTable, ratio, readArguments, whole } from './lib/print.mjs'
import { removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { createProject, importTexts } from './lib/service-calls.mjs'
import { createRandom, median, percentile } from './lib/stats.mjs'

const { smoke, only } = readArguments({ only: { type: 'string' } })
const BUNDLERS = only ? [only] : smoke ? ['vite'] : ['vite', 'webpack', 'rspack']
const EDITS = smoke ? 3 : 50
const WARM_UP = smoke ? 1 : 5
const CATALOGS = smoke
  ? [['tiny', SIZES.tiny]]
  : [
      ['small', SIZES.small],
      ['M', SIZES.M],
    ]
const START = smoke ? SIZES.tiny : { languages: 100, namespaces: 100, keys: 20 }
const STARTS = smoke ? 1 : 3
/** What has not come by then counts as missed. */
const LIMIT_MS = 15_000
const KEY = 'edited'
const random = createRandom(1)

if (!findChromium()) {
  console.error('no Chromium: set CHROMIUM_PATH')
  process.exit(2)
}

/** Shows one text, and shows it again after each update: with this package, and as a plain JSON module. */
const OURS = `
import { load, onUpdate } from 'virtual:translations'
const render = async () => globalThis.shown((await load('en', 'common')).${KEY})
render()
onUpdate(render)
`
const PLAIN = {
  vite: `
import texts from './locales/en/common.json'
globalThis.shown(texts.${KEY})
import.meta.hot.accept('./locales/en/common.json', (next) => globalThis.shown(next.default.${KEY}))
`,
  webpack: `
import texts from './locales/en/common.json'
globalThis.shown(texts.${KEY})
module.hot.accept('./locales/en/common.json', () => globalThis.shown(texts.${KEY}))
`,
}

printMachine()
const browser = await launchChromium()
const loops = []
for (const [name, size] of CATALOGS) {
  for (const bundler of BUNDLERS) loops.push(await measureLoop(bundler, name, size))
}
printTable(
  `Milliseconds from saving a file, median / 95th percentile of ${EDITS}`,
  [
    'bundler, catalog',
    'text on the page',
    'acknowledged by the service',
    'plain JSON on the page',
    'page / plain',
    'missed',
  ],
  loops,
)

const starts = []
for (const bundler of BUNDLERS) starts.push(...(await measureStarts(bundler)))
printTable(
  `A start with ${whole(START.languages * START.namespaces)} files (${whole(textCount(START))} texts), medians of ${STARTS}`,
  ['bundler', 'listens ms', 'first text on the page ms', 'peak MB'],
  starts,
)
await browser.close()
process.exit()

async function measureLoop(bundler, name, size) {
  const service = await startChild('./service-host.mjs', { tellPatches: true })
  const project = await createProject(service)
  const ours = createApp(size, OURS)
  const plain = createApp(size, PLAIN[bundler] ?? PLAIN.webpack)
  await fillService({ ...service, ...project }, size)
  const options = {
    source: 'files',
    defaultLanguage: 'en',
    service: { baseUrl: service.baseUrl, apiKey: project.apiKey },
  }
  const acknowledged = collectTimes(service)
  const [withPlugin, without] = [await openApp(bundler, ours, options), await openApp(bundler, plain, null)]
  const samples = { page: [], service: [], plain: [] }
  const missed = { page: 0, service: 0, plain: 0 }
  const take = async (kind, savedAt, arrived, isWarm) => {
    try {
      const at = await arrived
      if (isWarm) samples[kind].push(at - savedAt)
    } catch (error) {
      missed[kind]++
      console.error(`${bundler}, ${name}, ${kind}: ${error.message}`)
    }
  }
  for (let i = -WARM_UP; i < EDITS; i++) {
    const text = `edit ${i + WARM_UP + 1}`
    const before = acknowledged.count()
    const savedAt = ours.save(text)
    await Promise.all([
      take('page', savedAt, withPlugin.opened.seen(text, LIMIT_MS), i >= 0),
      take('service', savedAt, acknowledged.after(before, LIMIT_MS), i >= 0),
    ])
    await rest()
    const plainSavedAt = plain.save(text)
    await take('plain', plainSavedAt, without.opened.seen(text, LIMIT_MS), i >= 0)
    await rest()
  }
  for (const one of [withPlugin, without]) {
    await one.opened.close()
    await one.server.end()
  }
  await service.end()
  for (const { root } of [ours, plain]) removeFolder(root)
  const both = (list) => `${whole(median(list))} / ${whole(percentile(list, 0.95))}`
  return [
    `${bundler}, ${name}`,
    both(samples.page),
    both(samples.service),
    both(samples.plain),
    ratio(median(samples.page), median(samples.plain)),
    Object.values(missed).join(' / '),
  ]
}

async function measureStarts(bundler) {
  const service = await startChild('./service-host.mjs', {})
  const project = await createProject(service)
  await fillService({ ...service, ...project }, START)
  const kinds = {
    'no plugin': { main: PLAIN[bundler] ?? PLAIN.webpack, options: null },
    'with the plugin': { main: OURS, options: { source: 'files', defaultLanguage: 'en' } },
    'with the plugin, syncing': {
      main: OURS,
      options: {
        source: 'files',
        defaultLanguage: 'en',
        service: { baseUrl: service.baseUrl, apiKey: project.apiKey },
      },
    },
  }
  const samples = new Map(Object.keys(kinds).map((kind) => [kind, { listen: [], shown: [], memory: [] }]))
  const app = createApp(START, '')
  for (let i = 0; i < STARTS; i++) {
    for (const [kind, { main, options }] of Object.entries(kinds)) {
      writeFileSync(join(app.root, 'main.js'), main)
      const startedAt = Date.now()
      const server = await startChild('./dev-server-host.mjs', { bundler, root: app.root, options })
      const listensAt = Date.now()
      const opened = await openPage(browser, server.address)
      const shownAt = await opened.seen('edit 0')
      // What goes on behind the first page is part of the cost: the syncing one reads the whole project.
      await sleep(smoke ? 200 : 5_000)
      const { listen, shown, memory } = samples.get(kind)
      listen.push(listensAt - startedAt)
      shown.push(shownAt - startedAt)
      memory.push(peakMemory(server.pid))
      await opened.close()
      await server.end()
    }
  }
  await service.end()
  removeFolder(app.root)
  return [...samples].map(([kind, { listen, shown, memory }]) => [
    `${bundler}, ${kind}`,
    whole(median(listen)),
    whole(median(shown)),
    memory.includes(undefined) ? '-' : megabytes(median(memory)),
  ])
}

/** A folder with a catalog whose `en/common` has one text more, the one that is edited. */
function createApp(size, main) {
  const root = tempFolder()
  writeLocales(root, size)
  writeFileSync(join(root, 'main.js'), main)
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  const path = join(root, 'locales/en/common.json')
  const texts = JSON.parse(readFileSync(path, 'utf8'))
  /** As an editor does that writes in place. Gives when it began. */
  const save = (text) => {
    const content = `${JSON.stringify({ [KEY]: text, ...texts }, null, 2)}\n`
    const savedAt = Date.now()
    writeFileSync(path, content)
    return savedAt
  }
  save('edit 0')
  return { root, save }
}

async function openApp(bundler, { root }, options) {
  const server = await startChild('./dev-server-host.mjs', { bundler, root, options })
  const opened = await openPage(browser, server.address)
  await opened.seen('edit 0')
  return { server, opened }
}

async function fillService(target, size) {
  for (const { namespace, texts } of namespacesOf(size)) {
    if (namespace === 'common') texts.en[KEY] = 'edit 0'
    await importTexts(target, namespace, texts)
  }
}

function collectTimes({ child }) {
  const times = []
  const waiting = []
  child.on('message', (at) => {
    times.push(at)
    for (const check of waiting.splice(0)) check()
  })
  return {
    count: () => times.length,
    /** When the PATCH after the first `count` was answered. */
    async after(count, limitMs) {
      const timeout = sleep(limitMs).then(() => Promise.reject(new Error('nothing was acknowledged')))
      while (times.length <= count) await Promise.race([timeout, new Promise((resolve) => waiting.push(resolve))])
      timeout.catch(() => undefined)
      return times[count]
    },
  }
}

/** Edits come when nothing else goes on, and never in step with a timer. */
function rest() {
  return sleep((smoke ? 50 : 250) + random() * 150)
}
