/**
 * Production builds of an app that can show every text: by plain JSON imports, by a folder of files that the build
 * copies and the page fetches, and by this plugin. Whole processes, in turns.
 * `--warm`: built before, with nothing changed since. `--manifest`: only how many bytes the loader is. `--service`:
 * only what builds ask of the service.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { runBuild } from './lib/build.mjs'
import { expectedTexts, ourPlugin, SHAPES, writeBuildApps } from './lib/build-apps.mjs'
import { SIZES } from './lib/catalog.mjs'
import { measureManifests } from './lib/manifest-size.mjs'
import { megabytes, printMachine, printTable, ratio, readArguments, seconds, whole } from './lib/print.mjs'
import { putAside, removeFolder, tempFolder } from './lib/processes.mjs'
import { measureServiceBuilds } from './lib/service-builds.mjs'
import { openBrowser, visit } from './lib/site.mjs'
import { median } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({
  only: { type: 'string' },
  size: { type: 'string' },
  rounds: { type: 'string' },
  warm: { type: 'boolean', default: false },
  manifest: { type: 'boolean', default: false },
  service: { type: 'boolean', default: false },
  shapes: { type: 'string' },
})
const BUNDLERS = ['vite', 'rolldown', 'rollup', 'esbuild', 'rspack', 'webpack', 'farm'].filter(
  (name) => given.only === undefined || given.only.split(',').includes(name),
)
const NAMES = smoke ? ['tiny'] : (given.size?.split(',') ?? ['M', 'L'])
const VARIANTS = ['plain', 'copied', 'ours']

/** Targets: the plugin, of the build that copies the files. Wall time and peak memory. */
const TARGETS = {
  M: { dotted: [1.15, 1.2], nested: [1.1], identifiers: [1.15] },
  L: { dotted: [1.3, 1.5] },
}

/** The plugin's own part of a build with nothing changed, load and write, in milliseconds. */
const WARM_TARGETS = { M: 25, L: 120 }

/**
 * Rollup's and webpack's plain builds of a million texts end with "heap out of memory" at what Node allows by itself.
 */
const NODE_OPTIONS = { L: ['--max-old-space-size=12288'] }

const dist = fileURLToPath(new URL('../dist/', import.meta.url))

/** The built app, executed: whole namespaces as their files hold them. */
async function checkOutput({ bundler, variant, root, outDir }, { languages, namespaces }) {
  const calls = [
    [languages[0], namespaces[0]],
    [languages[1], namespaces.at(1) ?? namespaces[0]],
    [languages.at(-1), namespaces.at(-1)],
  ]
  const { values } = await visit(browser, bundler, join(root, outDir), calls)
  for (const [i, [language, namespace]] of calls.entries()) {
    if (!isDeepStrictEqual({ ...values[i] }, expectedTexts(variant, root, language, namespace)))
      throw new Error(`${bundler}, ${variant}: wrong texts in ${language}/${namespace}`)
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
const sizes = NAMES.map((name) => [name, SIZES[name]])
if (given.service) {
  const names = given.size || smoke ? NAMES : ['M']
  for (const name of names)
    await measureServiceBuilds({ dist, size: SIZES[name], rounds: Number(given.rounds ?? (smoke ? 1 : 5)) })
}
if ((given.manifest || smoke) && !given.service)
  await measureManifests({ browser, dist, bundlers: smoke ? ['vite'] : BUNDLERS, smoke })
for (const [name, size] of given.manifest || given.service ? [] : sizes) {
  const rounds = Number(given.rounds ?? (smoke ? 1 : name === 'L' ? 3 : 5))
  for (const shape of given.shapes?.split(',') ?? shapesOf(name)) {
    const folder = tempFolder()
    const apps = writeBuildApps(folder, shape, size)
    const rows = []
    for (const bundler of BUNDLERS) {
      const measured = await measureBundler(bundler, apps, { rounds, nodeOptions: NODE_OPTIONS[name] })
      if (!measured) continue
      rows.push(rowOf(bundler, measured, { name, shape }))
      console.log(rows.at(-1).join(' | '))
    }
    print(`${smoke ? 'tiny' : name}, ${apps.title}; median of ${rounds}${given.warm ? ', built before' : ''}`, rows)
    removeFolder(folder)
  }
}
await browser.close()

/** The real catalog has a size of its own, so it is measured once. */
function shapesOf(name) {
  if (smoke) return ['nested']
  return name === 'L' ? ['dotted', 'identifiers'] : SHAPES
}

async function measureBundler(bundler, apps, { rounds, nodeOptions }) {
  const json = bundler === 'rollup' ? jsonPlugin() : []
  if (!json) {
    console.log(`rollup left out: run "npm install" in bench/ for @rollup/plugin-json`)
    return undefined
  }
  const report = given.warm ? 'json' : false
  const argumentsOf = {
    plain: { plugins: json },
    copied: { copiedFolder: 'public' },
    ours: { plugins: [ourPlugin(bundler, { root: apps.roots.ours, report })] },
  }
  const runs = { plain: [], copied: [], ours: [] }
  for (let round = smoke ? 1 : 0; round <= rounds; round++) {
    for (const variant of VARIANTS) {
      const root = apps.roots[variant]
      const build = { bundler, root, outDir: `out-${bundler}`, ...argumentsOf[variant] }
      if (!given.warm) putAside(join(root, build.outDir), join(root, '.localization'))
      const run = await runBuild(build, nodeOptions)
      if (round === (smoke ? 1 : 0)) await checkOutput({ ...build, variant }, apps)
      if (given.warm && variant === 'ours') Object.assign(run, ownPart(root))
      // The first of each warms the disk's cache.
      if (round > 0) runs[variant].push(run)
    }
  }
  for (const variant of VARIANTS) putAside(join(apps.roots[variant], `out-${bundler}`))
  return runs
}

function rowOf(bundler, runs, { name, shape }) {
  const of = (variant, field) => median(runs[variant].map((run) => run[field]))
  const [wallTarget, peakTarget] =
    TARGETS[name]?.[shape] && (bundler === 'vite' || shape === 'dotted') ? TARGETS[name][shape] : []
  const against = (field, target) => withTarget(of('ours', field) / of('copied', field), target, 2)
  return [
    `${bundler} ${runs.ours[0].version}`,
    ...VARIANTS.map((variant) => seconds(of(variant, 'wall'))),
    against('wall', wallTarget),
    ratio(of('ours', 'wall'), of('plain', 'wall')),
    ...VARIANTS.map((variant) => megabytes(of(variant, 'peak'))),
    against('peak', bundler === 'vite' ? peakTarget : undefined),
    ratio(of('ours', 'peak'), of('plain', 'peak')),
    ...(given.warm ? [whole(of('ours', 'load')), whole(of('ours', 'write')), ownPartOf(runs.ours, name)] : []),
  ]
}

function ownPartOf(runs, name) {
  return withTarget(median(runs.map(({ load, write }) => load + write)), WARM_TARGETS[name], 0)
}

function withTarget(value, target, digits) {
  if (!Number.isFinite(value)) return '-'
  const shown = value.toFixed(digits)
  return target === undefined ? shown : `${shown} (${value <= target ? 'target' : 'MISSED'} ${target})`
}

function print(title, rows) {
  const header = ['', 'plain s', 'copied s', 'ours s', 'ours / copied', 'ours / plain']
  const memory = ['plain MB', 'copied MB', 'ours MB', 'ours / copied', 'ours / plain']
  printTable(title, [...header, ...memory, ...(given.warm ? ['load ms', 'write ms', 'our part ms'] : [])], rows)
}
