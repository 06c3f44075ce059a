/**
 * Vite builds with this plugin of one catalog, with one option more than the plain case: fallbacks, a customer, nested
 * messages, YAML. Whole processes, in turns. Each is printed as a ratio of the plain case.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { runBuild } from './lib/build.mjs'
import { ourPlugin, writeBuildApps } from './lib/build-apps.mjs'
import { SIZES } from './lib/catalog.mjs'
import { megabytes, printMachine, printTable, ratio, readArguments, seconds } from './lib/print.mjs'
import { putAside, tempFolder } from './lib/processes.mjs'
import { openBrowser, visit } from './lib/site.mjs'
import { median } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({ size: { type: 'string' }, rounds: { type: 'string' } })
const NAME = smoke ? 'tiny' : (given.size ?? 'M')
const ROUNDS = Number(given.rounds ?? (smoke ? 1 : 7))
/** Target: wall time and peak memory, of the plain case. */
const TARGET = 1.25

/** The last language lacks every third text, and another has them. */
function writeGaps({ root, languages, namespaces }) {
  for (const namespace of namespaces) {
    const path = join(root, 'locales', languages.at(-1), `${namespace}.json`)
    const texts = Object.entries(JSON.parse(readFileSync(path, 'utf8')))
    writeFileSync(path, JSON.stringify(Object.fromEntries(texts.filter((_, i) => i % 3 !== 0)), null, 2))
  }
}

/** Every tenth text of a customer, in a file of its own. */
function writeCustomer({ root, languages, namespaces }) {
  for (const language of languages) {
    for (const namespace of namespaces) {
      const texts = Object.entries(
        JSON.parse(readFileSync(join(root, 'locales', language, `${namespace}.json`), 'utf8')),
      )
      const own = texts.filter((_, i) => i % 10 === 0).map(([key, text]) => [key, `Acme: ${text}`])
      const path = join(root, 'customers/acme', language, `${namespace}.json`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, JSON.stringify(Object.fromEntries(own), null, 2))
    }
  }
}

/** The same texts as YAML, one line each. */
function writeYaml({ root }) {
  const folder = join(root, 'locales')
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const lines = Object.entries(JSON.parse(readFileSync(path, 'utf8'))).map(
      ([key, text]) => `${JSON.stringify(key)}: ${JSON.stringify(text)}`,
    )
    const target = join(root, 'yaml', relative(folder, path).replace(/json$/, 'yaml'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, `${lines.join('\n')}\n`)
  }
  rmSync(folder, { recursive: true })
}

const CASES = {
  plain: {},
  fallbacks: {
    prepare: writeGaps,
    options: ({ languages }) => ({ fallback: { [languages.at(-1)]: [languages.at(-2)] } }),
  },
  customer: {
    prepare: writeCustomer,
    options: () => ({
      files: ['locales/{language}/{namespace}.json', 'customers/{customer}/{language}/{namespace}.json'],
      customer: 'acme',
    }),
  },
  "shape: 'nested'": { options: () => ({ shape: 'nested' }) },
  YAML: { prepare: writeYaml, options: () => ({ files: 'yaml/{language}/{namespace}.yaml' }) },
}

printMachine()
const browser = await openBrowser()
const apps = Object.entries(CASES).map(([name, { prepare, options }]) => {
  const { roots, languages, namespaces } = writeBuildApps(tempFolder(), 'dotted', SIZES[NAME])
  const app = { root: roots.ours, languages, namespaces }
  prepare?.(app)
  const plugin = ourPlugin('vite', { root: app.root, report: false, ...options?.(app) })
  return { name, ...app, build: { bundler: 'vite', root: app.root, outDir: 'out', plugins: [plugin] }, runs: [] }
})
for (let round = smoke ? 1 : 0; round <= ROUNDS; round++) {
  for (const app of apps) {
    putAside(join(app.root, 'out'), join(app.root, '.localization'))
    const run = await runBuild(app.build)
    if (round === (smoke ? 1 : 0)) await checkOutput(app)
    if (round > 0) app.runs.push(run)
  }
}
await browser.close()

const of = ({ runs }, field) => median(runs.map((run) => run[field]))
const withTarget = (value) => `${ratio(value, 1)} (${value <= TARGET ? 'target' : 'MISSED'} ${TARGET})`
printTable(
  `${NAME}, dotted keys, Vite; median of ${ROUNDS}`,
  ['', 's', 'MB', 'seconds / plain', 'MB / plain'],
  apps.map((app) => [
    app.name,
    seconds(of(app, 'wall')),
    megabytes(of(app, 'peak')),
    withTarget(of(app, 'wall') / of(apps[0], 'wall')),
    withTarget(of(app, 'peak') / of(apps[0], 'peak')),
  ]),
)

/** The last language of the last namespace has as many texts as the first has. */
async function checkOutput({ name, root, languages, namespaces }) {
  const calls = [languages[0], languages.at(-1)].map((language) => [language, namespaces.at(-1)])
  const { values } = await visit(browser, 'vite', join(root, 'out'), calls)
  const [first, last] = values.map((texts) => count(texts))
  if (first === 0 || first !== last) throw new Error(`${name}: ${last} texts in the place of ${first}`)
}

function count(texts) {
  return Object.values(texts).reduce((sum, value) => sum + (typeof value === 'string' ? 1 : count(value)), 0)
}
