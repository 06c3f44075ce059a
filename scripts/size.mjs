// What each entry reads when it is imported, dependencies included, and what a page carries: `node scripts/size.mjs`,
// after a build.
// `--check` fails where a figure of size-budget.json is passed; `--json` prints the figures.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { createJiti } from 'jiti'

const root = fileURLToPath(new URL('..', import.meta.url))
const jiti = createJiti(import.meta.url)
const { BUNDLER_NAMES } = await jiti.import('../src/plugin/bundlers.ts')
const { readAtImport } = await jiti.import('./module-graph.ts')
const limits = JSON.parse(readFileSync(join(root, 'size-budget.json'), 'utf8'))
const { 'each bundler': ofBundler, ...others } = limits.import
const ofBundlers = Object.fromEntries(BUNDLER_NAMES.map((name) => [name, ofBundler]))
const budget = { ...limits, import: { ...ofBundlers, ...others } }
const check = process.argv.includes('--check')

/** The command imports what it needs: V8's coverage names every script that was loaded. */
function loadedByCommand() {
  const folder = mkdtempSync(join(tmpdir(), 'localization-size-'))
  try {
    execFileSync(process.execPath, [join(root, 'dist/cli.js'), '--version'], {
      env: { ...process.env, NODE_V8_COVERAGE: folder },
      stdio: 'ignore',
    })
    const scripts = readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result)
    return [...new Set(scripts.flatMap(({ url }) => (/^file:.*\.[cm]?js$/.test(url) ? fileURLToPath(url) : [])))]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function measure(files) {
  const bytes = files.reduce((sum, file) => sum + statSync(resolve(root, file)).size, 0)
  return { files: files.length, kilobytes: Math.round(bytes / 1000) }
}

/**
 * What a page carries of an entry where that is not all of it: the runtime is shaken to what one kind of build uses.
 */
const PARTS = {
  'runtime in production': ['runtime', 'createLoad'],
  'runtime, perChunk': ['runtime', 'createPerChunkLoad'],
}

async function measurePage(name) {
  const [entry, exported = '*'] = PARTS[name] ?? [name]
  const names = exported === '*' ? '*' : `{ ${exported} }`
  const { outputFiles } = await build({
    stdin: { contents: `export ${names} from ${JSON.stringify(join(root, `dist/${entry}.js`))}`, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  })
  return { gzipBytes: gzipSync(outputFiles[0].contents, { level: 9 }).length }
}

const figures = { import: {}, page: {} }
const read = await readAtImport(Object.keys(budget.import))
for (const [entry, files] of Object.entries(read)) figures.import[entry] = measure(files)
figures.import.cli = measure(loadedByCommand())
for (const entry of Object.keys(budget.page)) figures.page[entry] = await measurePage(entry)

if (process.argv.includes('--json')) console.log(JSON.stringify(figures))
else {
  const rows = [
    ...Object.entries(figures.import).map(([entry, { files, kilobytes }]) => [
      entry,
      `${files} of ${budget.import[entry].files} files`,
      `${kilobytes} of ${budget.import[entry].kilobytes} KB read on import`,
    ]),
    ...Object.entries(figures.page).map(([entry, { gzipBytes }]) => [
      `${entry} in a page`,
      '',
      `${gzipBytes} of ${budget.page[entry].gzipBytes} bytes, minified and gzipped`,
    ]),
  ]
  for (const [name, files, size] of rows) console.log(`${name.padEnd(20)} ${files.padEnd(20)} ${size}`)
}

const passed = Object.entries(budget).flatMap(([kind, entries]) =>
  Object.entries(entries).flatMap(([entry, limits]) =>
    Object.entries(limits)
      .filter(([unit, limit]) => !(figures[kind][entry][unit] <= limit))
      .map(([unit, limit]) => `${entry}: ${figures[kind][entry][unit]} ${unit}, the budget is ${limit}`),
  ),
)
for (const line of passed) console.error(line)
if (check && passed.length > 0) process.exitCode = 1
