/**
 * A start of Vite's dev server: from starting the process until it listens, and until the first namespace is served.
 * With this plugin and with `import.meta.glob` over the same files, each in a process of its own, in turns. `--warm`:
 * what earlier starts left stays. `--dist <folder>`: another build of the plugin, as a third variant.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SIZES, textCount, writeLocales } from './lib/catalog.mjs'
import { findChromium, launchChromium, openPage } from './lib/chromium.mjs'
import {
  exactCpuMs,
  megabytes,
  peakMemory,
  printMachine,
  printTable,
  ratio,
  readArguments,
  whole,
} from './lib/print.mjs'
import { putAside, removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { median } from './lib/stats.mjs'

const { smoke, size, rounds, warm, dist } = readArguments({
  dist: { type: 'string' },
  size: { type: 'string' },
  rounds: { type: 'string' },
  warm: { type: 'boolean', default: false },
})
const NAMES = smoke ? ['tiny'] : (size?.split(',') ?? ['small', 'M', 'L'])
const ROUNDS = Number(rounds ?? (smoke ? 1 : 7))
/**
 * Of the plain app, in time and in processor time: until the server listens, and until the first namespace is served.
 * And peak memory.
 */
const BARS = {
  small: { listen: 1.1, served: 1.15 },
  M: { listen: 1.1, served: 1.15, peak: 1.2 },
  L: { listen: 1.1, served: 1.1 },
}
const FIGURES = [
  { name: 'listen', title: 'listens', print: whole },
  { name: 'served', title: 'first namespace served', print: whole },
  { name: 'listenCpu', bar: 'listen', title: 'processor ms: listens', print: whole },
  { name: 'servedCpu', bar: 'served', title: 'served', print: whole },
  { name: 'peak', title: 'peak MB', print: megabytes },
]

const VARIANTS = {
  plain: {
    title: 'vite, import.meta.glob',
    options: null,
    main: (key) => `const files = import.meta.glob('./locales/**/*.json')
const texts = (await files['./locales/en/common.json']()).default
globalThis.shown?.(texts[${JSON.stringify(key)}])
`,
  },
  ours: {
    title: 'vite, ours',
    options: { source: 'files', defaultLanguage: 'en' },
    main: (key) => `import { load } from 'virtual:translations'
const texts = await load('en', 'common')
globalThis.shown?.(texts[${JSON.stringify(key)}])
`,
  },
}
if (dist) VARIANTS.other = { ...VARIANTS.ours, title: `vite, ${dist}`, dist: pathToFileURL(`${resolve(dist)}/`).href }

printMachine()
if (!findChromium()) {
  console.error('no Chromium: set CHROMIUM_PATH')
  process.exit(2)
}
await measureImport()
for (const name of NAMES) await measure(name, { ...SIZES[name], spelling: 'identifiers' })
process.exit()

async function measure(name, catalog) {
  const apps = Object.entries(VARIANTS).map(([variant, { main, ...rest }]) => {
    const root = tempFolder()
    writeLocales(root, catalog)
    const [[key, text]] = Object.entries(JSON.parse(readFileSync(join(root, 'locales/en/common.json'), 'utf8')))
    writeFileSync(join(root, 'main.js'), main(key))
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    return { variant, ...rest, root, text, runs: [] }
  })
  for (const app of apps) await checkPage(app)
  for (let round = smoke ? 1 : 0; round <= ROUNDS; round++) {
    for (const app of apps) {
      const run = await start(app)
      // The first of each warms the disk's cache.
      if (round > 0) app.runs.push(run)
    }
  }
  const medians = apps.map(({ runs }) =>
    Object.fromEntries(FIGURES.map(({ name: figure }) => [figure, medianOf(runs.map((run) => run[figure]))])),
  )
  const [plain, ...others] = medians
  printTable(
    `${name}: ${catalog.languages} languages, ${catalog.namespaces} namespaces, ${whole(textCount(catalog))} texts; medians of ${ROUNDS}${warm ? ', started before' : ''}, ms from starting the process`,
    ['', ...FIGURES.map(({ title }) => title)],
    [
      ...apps.map(({ title }, at) => [title, ...FIGURES.map(({ name: figure, print }) => print(medians[at][figure]))]),
      ...others.map((ours, at) => [
        `ratio, ${apps[at + 1].title}`,
        ...FIGURES.map(({ name: figure, bar = figure }) => compared(ours[figure], plain[figure], BARS[name]?.[bar])),
      ]),
    ],
  )
  for (const { root } of apps) removeFolder(root)
}

/** `undefined` where one of them is missing. */
function medianOf(values) {
  return values.some((value) => !Number.isFinite(value)) ? undefined : median(values)
}

function compared(ours, plain, bar) {
  const missed = bar !== undefined && ours / plain > bar ? ': MISSED' : ''
  return `${ratio(ours, plain)}${bar === undefined ? '' : ` (bar ${bar}${missed})`}`
}

/** Of the plugin's entry for Vite, in a process of its own: processor time of the import, and time until it is over. */
async function measureImport() {
  const runs = []
  for (let round = 0; round < ROUNDS; round++) {
    const child = await startChild('./import-host.mjs', { entry: 'vite' })
    runs.push(child)
    await child.end('SIGKILL')
  }
  const [ms, cpuMs] = ['ms', 'cpuMs'].map((what) => median(runs.map((run) => run[what])))
  printTable(
    `importing unplugin-localization/vite: medians of ${ROUNDS}`,
    ['ms (bar 40)', 'processor ms'],
    [[whole(ms), whole(cpuMs)]],
  )
}

/** Nothing of an earlier start is there. */
function forget({ root }) {
  putAside(join(root, '.vite'), join(root, '.localization'))
}

function startServer({ root, options, dist }) {
  return startChild('./dev-server-host.mjs', { bundler: 'vite', root, options, dist })
}

async function start(app) {
  if (!warm) forget(app)
  const startedAt = performance.now()
  const server = await startServer(app)
  const listen = performance.now() - startedAt
  const listenCpu = exactCpuMs(server.pid)
  const code = await fetchFirstNamespace(server.address)
  const served = performance.now() - startedAt
  const servedCpu = exactCpuMs(server.pid)
  if (!code.includes(JSON.stringify(app.text))) throw new Error(`${app.variant}: the first namespace has other texts`)
  const peak = peakMemory(server.pid)
  await server.end('SIGKILL')
  return { listen, served, listenCpu, servedCpu, peak }
}

/**
 * What a browser asks for until it has en/common: the page, its scripts (Vite's client is one of them) and all that
 * they import, and then the module of the texts.
 */
async function fetchFirstNamespace(address) {
  const page = await get(address)
  const scripts = [...page.matchAll(/<script type="module" src="([^"]+)"/g)]
  const wanted = new Set(scripts.map(([, path]) => new URL(path, address).href))
  let texts
  // Grows while it is walked.
  for (const url of wanted) {
    const code = await get(url)
    for (const [, specifier] of code.matchAll(/\bimport\(\s*["']([^"']+)["']/g)) {
      if (/\/en[./]common\.js(on)?(\?|$)/.test(specifier)) texts ??= new URL(specifier, url).href
    }
    // Our manifest computes the address.
    if (/\/manifest\.js(\?|$)/.test(url)) texts ??= new URL('namespace/en.common.js', url).href
    for (const [, specifier] of code.matchAll(/(?:^|[;\n])\s*(?:import|export)\b[^"'();]*["']([^"']+)["']/g)) {
      wanted.add(new URL(specifier, url).href)
    }
  }
  if (!texts) throw new Error(`nothing that ${address} fetches imports en/common`)
  return get(texts)
}

async function get(url) {
  const response = await fetch(url, { headers: { accept: '*/*' } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`)
  return text
}

/** In a real page, before anything is timed. */
async function checkPage(app) {
  const browser = await launchChromium()
  const server = await startServer(app)
  const page = await openPage(browser, server.address)
  await page.seen(app.text)
  await server.end('SIGKILL')
  await browser.close()
}
