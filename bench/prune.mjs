/**
 * What `prune` saves in apps: the bytes of texts that the first page fetches and that the whole app has, and what it
 * costs in build time.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openFirstPage } from './lib/first-page.mjs'
import { hasHeadlamp } from './lib/headlamp.mjs'
import { printMachine, printTable, ratio, readArguments, seconds, tenth, whole } from './lib/print.mjs'
import { removeFolder, tempFolder } from './lib/processes.mjs'
import { generatedApp, headlamp, keptApp, playground, sizeOf } from './lib/prune-apps.mjs'
import { openBrowser } from './lib/site.mjs'
import { median } from './lib/stats.mjs'

const { smoke, only, rounds } = readArguments({ only: { type: 'string' }, rounds: { type: 'string', default: '3' } })
const VARIANTS = [
  ['without prune', false],
  ['prune', {}],
  ['literals', { onUnknown: 'literals' }],
  ['literals, perChunk', { onUnknown: 'literals', perChunk: true }],
]
const LANGUAGE = 'de'
const TEXTS = /(?:^|\/)localization\//

const size = smoke ? { routes: 3, keys: 4 } : { routes: 40, keys: 50 }
const kept = smoke ? { languages: 2, keys: 10, names: 10 } : { languages: 100, keys: 1000, names: 10_000 }
const APPS = [
  ['generated', (folder) => generatedApp(folder, size), smoke ? 1 : Number(rounds)],
  ['playground', playground, smoke ? 1 : Number(rounds)],
  ['headlamp', (folder) => headlamp(folder, packThisPackage()), 1],
  ['keep', (folder) => keptApp(folder, kept), smoke ? 1 : Number(rounds)],
]

const browser = await openBrowser()
try {
  printMachine()
  for (const [name, prepare, times] of APPS) {
    if (only ? !only.split(',').includes(name) : smoke && name === 'headlamp') continue
    if (name === 'headlamp' && !hasHeadlamp) {
      console.log('\nheadlamp is left out: it is not there')
      continue
    }
    const folder = tempFolder()
    await (name === 'keep' ? measureKeep : measure)(await prepare(folder), times)
    removeFolder(folder)
  }
} finally {
  await browser.close()
}

async function measure(app, times) {
  const built = new Map(VARIANTS.map(([title]) => [title, { tookMs: [] }]))
  const { bytes } = app.languages().find(({ language }) => language === LANGUAGE)
  // The first build warms the machine.
  if (times > 1) await app.build(false)
  for (let round = 0; round < times; round++)
    for (const [title, prune] of VARIANTS) {
      const result = built.get(title)
      result.tookMs.push(await app.build(prune))
      result.first ??= await firstTexts(app, LANGUAGE)
      result.all ??= sizeOf(app.texts(LANGUAGE))
    }
  const reference = median(built.get('without prune').tookMs)
  printTable(
    `${app.title}: texts of the language ${LANGUAGE}, whose files have ${tenth(bytes / 1000)} KB; median of ${times}`,
    ['options', 'first page, KB', 'of its files', 'all chunks, KB', 'with fallbacks, KB', 'build, s', 'of without'],
    [...built].map(([title, { tookMs, first, all }]) => [
      title,
      tenth(first.own / 1000),
      percent(first.own, bytes),
      tenth(all / 1000),
      tenth(first.all / 1000),
      seconds(median(tookMs)),
      ratio(median(tookMs), reference),
    ]),
  )
  if (app.languages().length > 2) await printLanguages(app)
}

/** The time that names in `keep` add to a build with the same texts. */
async function measureKeep(app, times) {
  const tookMs = new Map(app.variants.map(([title]) => [title, []]))
  if (times > 1) await app.build({})
  for (let round = 0; round < times; round++)
    for (const [title, keep] of app.variants) tookMs.get(title).push(await app.build(keep ? { keep } : false))
  const reference = median(tookMs.get('without prune'))
  const { languages, keys, names } = kept
  printTable(
    `keep: ${whole(names)} names, ${whole(languages * keys)} texts in ${languages} languages; median of ${times}`,
    ['names in keep', 'build, s', 'more than without, s'],
    [...tookMs].map(([title, took]) => [title, seconds(median(took)), seconds(median(took) - reference)]),
  )
}

/** After the last build. */
async function printLanguages(app) {
  const rows = []
  for (const { language, bytes } of app.languages()) {
    const { own, all } = await firstTexts(app, language)
    rows.push([language, tenth(bytes / 1000), tenth(own / 1000), percent(own, bytes), tenth(all / 1000)])
  }
  const header = ['language', 'files, KB', 'first page, KB', 'of its files', 'with fallbacks, KB']
  printTable(`${app.title}: the first page with ${VARIANTS.at(-1)[0]}, by language`, header, rows)
}

/** Bytes of texts that the first page fetches: of its language, and of all. */
async function firstTexts(app, language) {
  const address = `/?language=${language}`
  const { files } = await openFirstPage(browser, app.output, { language, address })
  const texts = files.filter(({ path }) => TEXTS.test(path))
  const isOwn = ({ path }) => new RegExp(`localization/${language}[./]`).test(path)
  const sum = (list) => list.reduce((bytes, file) => bytes + file.bytes, 0)
  if (!texts.some(isOwn)) throw new Error(`${app.title}: the first page fetches no texts of ${language}`)
  return { own: sum(texts.filter(isOwn)), all: sum(texts) }
}

function packThisPackage() {
  const folder = tempFolder()
  const repository = join(import.meta.dirname, '..')
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: repository, stdio: 'pipe' })
  return join(folder, readdirSync(folder)[0])
}

function percent(part, whole) {
  return `${tenth((100 * part) / whole)} %`
}
