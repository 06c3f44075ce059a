/**
 * Production builds of an app that can show every text: plain JSON imports by the bundler, and this plugin. Whole processes, in turns.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { languageNames, namespaceNames, SIZES, textCount, writeLocales } from './lib/catalog.mjs'
import { megabytes, printMachine, printTable, ratio, readArguments, seconds, whole } from './lib/print.mjs'
import { tempFolder } from './lib/processes.mjs'
import { median } from './lib/stats.mjs'

const {
  smoke,
  only,
  size: wantedSize,
  rounds: wantedRounds,
  warm,
  keys,
} = readArguments({
  only: { type: 'string' },
  size: { type: 'string' },
  rounds: { type: 'string' },
  warm: { type: 'boolean', default: false },
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

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const script = fileURLToPath(new URL('./lib/build-host.mjs', import.meta.url))

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
  writeFileSync(
    join(plain, 'main.js'),
    `const loaders = {\n${loaders.join('\n')}\n}\nglobalThis.show = async (language, namespace) => (await loaders[language][namespace]()).default\n`,
  )
  writeFileSync(
    join(plain, 'ours.js'),
    "import { load } from 'virtual:translations'\nglobalThis.show = (language, namespace) => load(language, namespace)\n",
  )
  return plain
}

async function build(argument) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [script, JSON.stringify(argument)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const [code] = await once(child, 'close')
  const wall = performance.now() - startedAt
  if (code !== 0) throw new Error(`${argument.bundler} ended with ${code}: ${errors}${out}`)
  return { wall, ...JSON.parse(out.trim().split('\n').at(-1)) }
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
for (const name of NAMES) {
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
    const ours = { from: join(dist, `${bundler}.js`), options: { root, configFile: false, source: 'files' } }
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
        rmSync(join(root, argument.outDir), { recursive: true, force: true })
        if (!warm) rmSync(join(root, '.localization'), { recursive: true, force: true })
        const run = await build(argument)
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
    ])
    console.log(rows.at(-1).join(' | '))
  }
  printTable(
    `${name}: ${size.languages} languages, ${size.namespaces} namespaces, ${whole(textCount(size))} texts, keys are ${keys === 'dotted' ? 'dotted paths' : keys}; median of ${rounds}${warm ? ', built before' : ''}`,
    ['', 'plain s', 'ours s', 'ratio', 'plain MB', 'ours MB', 'ratio'],
    rows,
  )
}
