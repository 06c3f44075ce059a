/**
 * A start of Vite's dev server: from starting the process until it listens, and until the first namespace is served.
 * With this plugin
 * and with `import.meta.glob` over the same files, each in a process of its own, in turns. `--warm`: what earlier
 * starts left stays.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SIZES, textCount, writeLocales } from './lib/catalog.mjs'
import { findChromium, launchChromium, openPage } from './lib/chromium.mjs'
import { megabytes, peakMemory, printMachine, printTable, ratio, readArguments, whole } from './lib/print.mjs'
import { putAside, removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { median } from './lib/stats.mjs'

const { smoke, size, rounds, warm } = readArguments({
  size: { type: 'string' },
  rounds: { type: 'string' },
  warm: { type: 'boolean', default: false },
})
const NAMES = smoke ? ['tiny'] : (size?.split(',') ?? ['small', 'M', 'L'])
const ROUNDS = Number(rounds ?? (smoke ? 1 : 7))
/** Of the plain app: until the server listens, until the first namespace is served, and peak memory. */
const BARS = {
  small: { listen: 1.1, served: 1.15 },
  M: { listen: 1.1, served: 1.15, peak: 1.2 },
  L: { listen: 1.1, served: 1.1 },
}

const VARIANTS = {
  plain: {
    options: null,
    main: (key) => `const files = import.meta.glob('./locales/**/*.json')
const texts = (await files['./locales/en/common.json']()).default
globalThis.shown?.(texts[${JSON.stringify(key)}])
`,
  },
  ours: {
    options: { source: 'files', defaultLanguage: 'en' },
    main: (key) => `import { load } from 'virtual:translations'
const texts = await load('en', 'common')
globalThis.shown?.(texts[${JSON.stringify(key)}])
`,
  },
}

printMachine()
if (!findChromium()) {
  console.error('no Chromium: set CHROMIUM_PATH')
  process.exit(2)
}
await measureImport()
for (const name of NAMES) await measure(name, { ...SIZES[name], spelling: 'identifiers' })
process.exit()

async function measure(name, catalog) {
  const apps = Object.entries(VARIANTS).map(([variant, { options, main }]) => {
    const root = tempFolder()
    writeLocales(root, catalog)
    const [[key, text]] = Object.entries(JSON.parse(readFileSync(join(root, 'locales/en/common.json'), 'utf8')))
    writeFileSync(join(root, 'main.js'), main(key))
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    return { variant, root, options, text, runs: [] }
  })
  for (const app of apps) await checkPage(app)
  for (let round = smoke ? 1 : 0; round <= ROUNDS; round++) {
    for (const app of apps) {
      const run = await start(app)
      // The first of each warms the disk's cache.
      if (round > 0) app.runs.push(run)
    }
  }
  const [plain, ours] = apps.map(({ runs }) => ({
    listen: median(runs.map(({ listen }) => listen)),
    served: median(runs.map(({ served }) => served)),
    peak: runs.some(({ peak }) => peak === undefined) ? undefined : median(runs.map(({ peak }) => peak)),
  }))
  const bars = BARS[name] ?? {}
  const compared = (what) => {
    const bar = bars[what]
    const missed = bar !== undefined && ours[what] / plain[what] > bar ? ': MISSED' : ''
    return `${ratio(ours[what], plain[what])}${bar === undefined ? '' : ` (bar ${bar}${missed})`}`
  }
  printTable(
    `${name}: ${catalog.languages} languages, ${catalog.namespaces} namespaces, ${whole(textCount(catalog))} texts; medians of ${ROUNDS}${warm ? ', started before' : ''}, ms from starting the process`,
    ['', 'listens', 'first namespace served', 'peak MB'],
    [
      ['vite, import.meta.glob', whole(plain.listen), whole(plain.served), megabytes(plain.peak)],
      ['vite, ours', whole(ours.listen), whole(ours.served), megabytes(ours.peak)],
      ['ratio', compared('listen'), compared('served'), compared('peak')],
    ],
  )
  for (const { root } of apps) removeFolder(root)
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

function startServer({ root, options }) {
  return startChild('./dev-server-host.mjs', { bundler: 'vite', root, options })
}

async function start(app) {
  if (!warm) forget(app)
  const startedAt = performance.now()
  const server = await startServer(app)
  const listen = performance.now() - startedAt
  const code = await fetchFirstNamespace(server.address)
  const served = performance.now() - startedAt
  if (!code.includes(JSON.stringify(app.text))) throw new Error(`${app.variant}: the first namespace has other texts`)
  const peak = peakMemory(server.pid)
  await server.end('SIGKILL')
  return { listen, served, peak }
}

/**
 * What a browser asks for until it has en/common: the page, its script and all that imports, and then the module of the
 * texts.
 */
async function fetchFirstNamespace(address) {
  await get(address)
  const wanted = new Set([new URL('/main.js', address).href])
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
