/**
 * Other ways to bring texts into a Vite build, beside this plugin: what a build costs, and what a page that shows 20
 * texts has to fetch.
 * Run `npm install` in this folder first; what is not installed is left out.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gzipped, runBuild, runCommand, sizeOf } from './lib/build.mjs'
import { languageNames, messagesOf, namespaceNames, namespacesOf, SIZES, textCount } from './lib/catalog.mjs'
import { megabytes, printMachine, printTable, ratio, readArguments, seconds, whole } from './lib/print.mjs'
import { putAside, removeFolder, tempFolder } from './lib/processes.mjs'
import { APPROACHES, ours, paraglide, SHOWN_LANGUAGE, withoutTexts } from './lib/rivals/apps.mjs'
import { openBrowser, visit } from './lib/site.mjs'
import { median } from './lib/stats.mjs'

const {
  smoke,
  only,
  size: sizeName = smoke ? 'tiny' : 'M',
  rounds: wantedRounds,
  page: isPageOnly,
} = readArguments({
  only: { type: 'string' },
  size: { type: 'string' },
  rounds: { type: 'string' },
  page: { type: 'boolean', default: false },
})
const ROUNDS = Number(wantedRounds ?? (smoke ? 1 : 5))
/** Builds of half a minute and more. */
const SLOW_ROUNDS = Math.min(ROUNDS, 3)
const SIZE = { ...SIZES[sizeName], spelling: 'identifiers', hasArgumentsOnly: true }
/** What the pages are built of: as issue and README state the bar, and every namespace of the whole catalog. */
const PAGE_SIZES = smoke ? [SIZE] : [{ ...SIZE, languages: 20, namespaces: 1, keys: 250 }, SIZE]
const PAGE_BAR = 1_500
const BUNDLERS = smoke ? ['vite', 'webpack', 'esbuild'] : ['vite', 'rollup', 'rolldown', 'esbuild', 'webpack', 'rspack']
const USED = smoke ? 5 : 20
const failures = []

/** 20 keys of `common`, from all over it. */
const usedKeys = (size) => {
  const keys = Object.keys(messagesOf(size, 0, 0))
  return Array.from({ length: USED }, (_, i) => keys[Math.floor((i * keys.length) / USED)])
}

printMachine()
const versions = new Map(APPROACHES.map(({ name, packages }) => [name, versionsOf(packages)]))
const installed = APPROACHES.filter(({ name }) => {
  const isWanted = only === undefined || only.split(',').some((part) => name.toLowerCase().includes(part))
  if (isWanted && versions.get(name) === undefined) console.log(`${name} left out: run "npm install" in bench/`)
  return isWanted && versions.get(name) !== undefined
})
const browser = await openBrowser()
if (!isPageOnly) await compareBuilds()
for (const size of PAGE_SIZES) await comparePages(size)
await browser.close()
for (const failure of failures) console.error(failure)
process.exit(smoke && failures.length > 0 ? 1 : 0)

async function compareBuilds() {
  // Paraglide's cost depends on how many messages are used; so does what we put out.
  const entries = installed.flatMap((approach) =>
    (approach.isForUsedKeys ? ['page'] : approach === ours || approach === paraglide ? ['all', 'page'] : ['all']).map(
      (kind) => ({
        approach,
        kind,
        label: `${approach.name}${kind === 'page' ? `, ${USED} used keys` : ''}`,
        runs: [],
      }),
    ),
  )
  for (const entry of entries) entry.root = prepared(entry.approach, entry.kind, SIZE)
  const running = [...entries]
  for (let round = 0; round <= ROUNDS; round++) {
    for (const entry of [...running]) {
      if (entry.approach.isSlow && round > SLOW_ROUNDS) continue
      try {
        const run = await buildOnce(entry.approach, entry.kind, entry.root, 'vite')
        if (round > 0) entry.runs.push(run)
        else {
          await checkTexts(entry.approach, entry.kind, entry.root, 'vite', SIZE)
          entry.size = sizeOf(join(entry.root, 'out'))
        }
      } catch (error) {
        running.splice(running.indexOf(entry), 1)
        fail(entry.label, error)
      }
    }
  }
  const of = (entry, field) => median(entry?.runs.map((run) => run[field]) ?? [])
  const plain = running.find(({ label }) => label.startsWith('plain'))
  printTable(
    `${sizeName} in Vite ${running[0]?.runs[0]?.version}: ${SIZE.languages} languages, ${SIZE.namespaces} namespaces, ${whole(textCount(SIZE))} texts; medians of ${ROUNDS}${entries.some(({ approach }) => approach.isSlow) ? `, of Paraglide ${SLOW_ROUNDS}` : ''}`,
    ['', 'wall s', 'of plain', 'peak MB', 'of plain', 'files', 'all output, gzip KB'],
    running.map((entry) => [
      labelOf(entry.approach, entry.label),
      seconds(of(entry, 'wall')),
      ratio(of(entry, 'wall'), of(plain, 'wall')),
      megabytes(of(entry, 'peak')),
      ratio(of(entry, 'peak'), of(plain, 'peak')),
      whole(entry.size.files),
      whole(entry.size.gzip / 1_000),
    ]),
  )
  for (const { root } of entries) removeFolder(root)
}

async function comparePages(size) {
  const rows = []
  const entries = installed.flatMap((approach) =>
    (approach === ours ? BUNDLERS : ['vite']).map((bundler) => ({ approach, bundler })),
  )
  const own = new Map()
  for (const bundler of new Set(entries.map((entry) => entry.bundler))) {
    own.set(bundler, await bytesWithoutTexts(bundler, size))
  }
  for (const { approach, bundler } of entries) {
    const label = approach === ours ? `ours, ${bundler}` : approach.name
    const root = prepared(approach, 'page', size)
    try {
      const { version } = await buildOnce(approach, 'page', root, bundler, true)
      const { first, late, runtime, requests } = weigh(await checkTexts(approach, 'page', root, bundler, size))
      const loader = first - own.get(bundler)
      const sum = loader + late
      rows.push([
        approach === ours ? `${label} ${version}` : labelOf(approach, label),
        whole(requests),
        whole(loader),
        whole(late),
        approach === ours ? `${whole(sum)} (bar ${whole(PAGE_BAR)}${sum > PAGE_BAR ? ': MISSED' : ''})` : whole(sum),
        whole(first + late),
        runtime > 0 ? whole(runtime) : '',
      ])
    } catch (error) {
      fail(label, error)
    }
    removeFolder(root)
  }
  printTable(
    `A page with ${USED} of ${size.keys} keys of one namespace; ${size.languages} languages, ${size.namespaces} ${size.namespaces === 1 ? 'namespace' : 'namespaces'}: gzip bytes fetched`,
    ['', 'requests', 'with the page', 'for the language', 'both', "and the page's 20 calls", 'runtime, apart'],
    rows,
  )
}

/**
 * What the page has fetched: with itself, for its language since, and what runs modules where that is a file of its
 * own.
 */
function weigh(fetched) {
  const bytes = (files) => files.reduce((sum, { content }) => sum + gzipped(content), 0)
  const isRuntime = ({ path }) => /(^|\/)runtime(-[\w-]+)?\.js$/.test(path)
  const own = fetched.filter((file) => !isRuntime(file))
  return {
    requests: fetched.length,
    first: bytes(own.filter(({ isLate }) => !isLate)),
    late: bytes(own.filter(({ isLate }) => isLate)),
    runtime: bytes(fetched.filter(isRuntime)),
  }
}

/** The same page, built the same way, with texts that come from nowhere: its calls and their keys. */
async function bytesWithoutTexts(bundler, size) {
  const root = prepared(withoutTexts, 'page', size)
  await buildOnce(withoutTexts, 'page', root, bundler, true)
  const { fetched } = await visit(browser, bundler, join(root, 'out'), [['en']])
  removeFolder(root)
  return weigh(fetched).first
}

function prepared(approach, kind, size) {
  const root = tempFolder()
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  approach.prepare(root, size)
  writeFileSync(join(root, 'main.js'), kind === 'all' ? approach.all : approach.page(usedKeys(size)))
  return root
}

/** From the sources alone: nothing that an earlier build left is there. */
async function buildOnce(approach, kind, root, bundler, isRuntimeApart = false) {
  putAside(...['out', '.localization', 'node_modules', ...(approach.generated ?? [])].map((name) => join(root, name)))
  const before = approach.command ? await runCommand(...approach.command, root) : { wall: 0, peak: 0 }
  const runtimeChunk = isRuntimeApart
    ? (approach.runtime ?? (/^(webpack|rspack)$/.test(bundler) ? 'runtime' : undefined))
    : undefined
  const run = await runBuild({
    bundler,
    root,
    outDir: 'out',
    plugins: approach.plugins(root, kind, bundler),
    runtimeChunk,
  })
  return { ...run, wall: before.wall + run.wall, peak: Math.max(before.peak, run.peak) }
}

/** Executes what was built and compares what it shows; gives what the page fetched. */
async function checkTexts(approach, kind, root, bundler, size) {
  const [languages, namespaces] = [languageNames(size.languages), namespaceNames(size.namespaces)]
  const pairs = [
    [SHOWN_LANGUAGE, 0],
    [size.languages - 1, size.namespaces - 1],
  ].slice(0, kind === 'page' ? 1 : 2)
  const { values, fetched } = await visit(
    browser,
    bundler,
    join(root, 'out'),
    pairs.map(([language, namespace]) => [languages[language], namespaces[namespace]]),
  )
  const texts = [...namespacesOf(size)]
  for (const [i, [languageAt, namespaceAt]] of pairs.entries()) {
    const language = languages[languageAt]
    const whole = texts[namespaceAt].texts[language]
    const keys = usedKeys(size)
    const expected = kind === 'all' ? whole : Object.fromEntries(keys.map((key) => [key, whole[key]]))
    const messages = kind === 'all' ? values[i] : Object.fromEntries(keys.map((key, at) => [key, values[i][at]]))
    const shown = await approach.read({ ...messages }, language)
    if (!isDeepStrictEqual(shown, expected)) {
      const key = Object.keys(expected).find((name) => shown[name] !== expected[name])
      throw new Error(`wrong texts: ${key} is ${JSON.stringify(shown[key])}, not ${JSON.stringify(expected[key])}`)
    }
  }
  return fetched
}

/** A rival that fails is left out and says why; without a build of ours there is nothing to compare. */
function fail(label, error) {
  const reason = error.message.split('\n').slice(0, 12).join('\n')
  failures.push(`${label} is left out: ${reason}`)
}

function labelOf({ name }, label) {
  const found = versions.get(name)
  return found ? `${label} (${found})` : label
}

/** Empty for what comes with the project, `undefined` where a package is missing. */
function versionsOf(packages) {
  const files = packages.map((name) => new URL(`./node_modules/${name}/package.json`, import.meta.url))
  if (!files.every((file) => existsSync(file))) return undefined
  const found = files.map((file) => JSON.parse(readFileSync(file, 'utf8')).version)
  return [...new Set(found)].join(' / ')
}
