/**
 * Production builds of an app that can show every text: plain JSON imports by the bundler, and this plugin. Whole
 * processes, in turns.
 * `--warm`: built before, with nothing changed since. `--manifest`: only how many bytes the loader is. `--service`:
 * only what builds ask of the
 * service.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { runBuild } from './lib/build.mjs'
import { languageNames, namespaceNames, SIZES, textCount, writeLocales } from './lib/catalog.mjs'
import { measureManifests } from './lib/manifest-size.mjs'
import { megabytes, printMachine, printTable, ratio, readArguments, seconds, whole } from './lib/print.mjs'
import { putAside, tempFolder } from './lib/processes.mjs'
import { measureServiceBuilds } from './lib/service-builds.mjs'
import { openBrowser, visit } from './lib/site.mjs'
import { median } from './lib/stats.mjs'

const {
  smoke,
  only,
  size: wantedSize,
  rounds: wantedRounds,
  warm,
  manifest,
  service,
  keys,
} = readArguments({
  only: { type: 'string' },
  size: { type: 'string' },
  rounds: { type: 'string' },
  warm: { type: 'boolean', default: false },
  manifest: { type: 'boolean', default: false },
  service: { type: 'boolean', default: false },
  keys: { type: 'string', default: 'identifiers' },
})
const BUNDLERS = ['vite', 'rolldown', 'rollup', 'esbuild', 'rspack', 'webpack', 'farm'].filter(
  (name) => only === undefined || only.split(',').includes(name),
)
const NAMES = smoke ? ['tiny'] : wantedSize ? wantedSize.split(',') : ['M', 'L']

/** What must hold, of plain JSON imports in the same bundler: wall time and peak memory. */
const BARS = {
  vite: { M: [0.35, 0.28], L: [0.22, 0.07] },
  rolldown: { M: [0.6, 0.35], L: [0.42, 0.09] },
  rollup: { M: [0.2, 0.2], L: [0.08, 0.09] },
  esbuild: { M: [0.52, 0.28], L: [0.4, 0.12] },
  rspack: { M: [0.9, 0.8], L: [0.6, 0.35] },
  webpack: { M: [0.3, 0.45], L: [0.18, 0.25] },
}

/** Our own part of a build with nothing changed, load and write, in milliseconds. */
const WARM_BARS = { M: 60 }

/**
 * Rollup's and webpack's plain builds of a million texts end with "heap out of memory" at what Node allows by itself.
 */
const NODE_OPTIONS = { L: ['--max-old-space-size=12288'] }

/** Farm's JSON modules have no default export when they are imported lazily. */
const PLAIN_SHOW = `globalThis.show = async (language, namespace) => {
  const texts = await loaders[language][namespace]()
  return texts.default ?? texts
}
`

const dist = fileURLToPath(new URL('../dist/', import.meta.url))

function writeApps(folder, size) {
  const plain = join(folder, 'plain')
  writeLocales(plain, size)
  const loaders = languageNames(size.languages).flatMap((language) => [
    `  ${JSON.stringify(language)}: {`,
    ...namespaceNames(size.namespaces).map(
      (name) => `    ${JSON.stringify(name)}: () => import(${JSON.stringify(`./locales/${language}/${name}.json`)}),`,
    ),
    '  },',
  ])
  writeFileSync(join(plain, 'main.js'), `const loaders = {\n${loaders.join('\n')}\n}\n${PLAIN_SHOW}`)
  writeFileSync(
    join(plain, 'ours.js'),
    "import { load } from 'virtual:translations'\nglobalThis.show = (language, namespace) => load(language, namespace)\n",
  )
  return plain
}

/** The built app, executed: whole namespaces as their files hold them. */
async function checkOutput(bundler, root, outDir, size) {
  const [languages, namespaces] = [languageNames(size.languages), namespaceNames(size.namespaces)]
  const calls = [
    [languages[0], namespaces[0]],
    [languages[1], namespaces[1]],
    [languages.at(-1), namespaces.at(-1)],
  ]
  const { values } = await visit(browser, bundler, join(root, outDir), calls)
  for (const [i, [language, namespace]] of calls.entries()) {
    const expected = JSON.parse(readFileSync(join(root, 'locales', language, `${namespace}.json`), 'utf8'))
    if (!isDeepStrictEqual({ ...values[i] }, expected))
      throw new Error(`${bundler}, ${outDir}: wrong texts in ${language}/${namespace}`)
  }
}

/** What the plugin says it took, in milliseconds. */
function ownPart(root) {
  const { ms } = JSON.parse(readFileSync(join(root, '.localization/report.json'), 'utf8'))
  return ms
}

/** Rollup reads no JSON by itself. */
function jsonPlugin() {
  const from = new URL('./package.json', import.meta.url)
  try {
    return [{ from: createRequire(from).resolve('@rollup/plugin-json'), options: {} }]
  } catch {
    return undefined
  }
}

printMachine()
const browser = await openBrowser()
if (service) {
  for (const name of wantedSize || smoke ? NAMES : ['M'])
    await measureServiceBuilds({
      dist,
      size: { ...SIZES[name], spelling: keys },
      rounds: Number(wantedRounds ?? (smoke ? 1 : 5)),
    })
}
if ((manifest || smoke) && !service)
  await measureManifests({ browser, dist, bundlers: smoke ? ['vite'] : BUNDLERS, smoke })
for (const name of manifest || service ? [] : NAMES) {
  const size = { ...SIZES[name], spelling: keys }
  const rounds = Number(wantedRounds ?? (smoke ? 1 : name === 'L' ? 3 : 5))
  const folder = tempFolder()
  const root = writeApps(folder, size)
  const rows = []
  for (const bundler of BUNDLERS) {
    const json = bundler === 'rollup' ? jsonPlugin() : []
    if (!json) {
      console.log(`rollup left out: run "npm install" in bench/ for @rollup/plugin-json`)
      continue
    }
    const report = warm ? 'json' : false
    const ours = { from: join(dist, `${bundler}.js`), options: { root, configFile: false, source: 'files', report } }
    const runs = { plain: [], ours: [] }
    const variants = [
      ['plain', { bundler, root, outDir: 'out-plain', plugins: json }],
      ['ours', { bundler, root, outDir: 'out-ours', plugins: [ours] }],
    ]
    const main = join(root, 'main.js')
    const sources = { plain: readFileSync(main, 'utf8'), ours: readFileSync(join(root, 'ours.js'), 'utf8') }
    for (let round = smoke ? 1 : 0; round <= rounds; round++) {
      for (const [variant, argument] of variants) {
        writeFileSync(main, sources[variant])
        if (!warm) putAside(join(root, argument.outDir), join(root, '.localization'))
        const run = await runBuild(argument, NODE_OPTIONS[name])
        const isFirst = round === (smoke ? 1 : 0)
        if (isFirst) await checkOutput(bundler, root, argument.outDir, size)
        if (warm && variant === 'ours') Object.assign(run, ownPart(root))
        // The first of each warms the disk's cache.
        if (round > 0) runs[variant].push(run)
      }
    }
    writeFileSync(main, sources.plain)
    const of = (variant, field) => median(runs[variant].map((run) => run[field]))
    const [wallBar, peakBar] = BARS[bundler]?.[name] ?? []
    const met = (value, bar) => (bar === undefined ? '' : value <= bar ? ` (bar ${bar})` : ` (bar ${bar}: MISSED)`)
    const wall = of('ours', 'wall') / of('plain', 'wall')
    const peak = of('ours', 'peak') / of('plain', 'peak')
    rows.push([
      `${bundler} ${runs.ours[0].version}`,
      seconds(of('plain', 'wall')),
      seconds(of('ours', 'wall')),
      `${ratio(wall, 1)}${met(wall, wallBar)}`,
      megabytes(of('plain', 'peak')),
      megabytes(of('ours', 'peak')),
      `${ratio(peak, 1)}${met(peak, peakBar)}`,
      ...(warm
        ? [whole(of('ours', 'load')), whole(of('ours', 'write')), ownPartOf(runs.ours, WARM_BARS[name], met)]
        : []),
    ])
    console.log(rows.at(-1).join(' | '))
  }
  printTable(
    `${name}: ${size.languages} languages, ${size.namespaces} namespaces, ${whole(textCount(size))} texts, keys are ${keys === 'dotted' ? 'dotted paths' : keys}; median of ${rounds}${warm ? ', built before' : ''}`,
    [
      ...['', 'plain s', 'ours s', 'ratio', 'plain MB', 'ours MB', 'ratio'],
      ...(warm ? ['load ms', 'write ms', 'our part ms'] : []),
    ],
    rows,
  )
}
await browser.close()

function ownPartOf(runs, bar, met) {
  const value = median(runs.map(({ load, write }) => load + write))
  return `${whole(value)}${met(value, bar)}`
}
