/** Before the tests of `test/compatibility`: their packages. After them: the table of `docs/compatibility.md`. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { BUNDLER_NAMES, type BundlerName, BUNDLERS as TABLE } from '../../src/plugin/bundlers.ts'
import { repository } from './bundlers.ts'
import type { CoverageResult } from './compatibility.ts'
import { npmInstall } from './tarball.ts'
import { writeTree } from './temp.ts'

type BundlerPackage = (typeof TABLE)[BundlerName]['package'] | 'vite7'

/** Each bundler's package and its title in the table. */
export const BUNDLERS = {
  ...Object.fromEntries(BUNDLER_NAMES.map((name) => [TABLE[name].package, TABLE[name].title])),
  vite7: TABLE.vite.title,
} as Readonly<Record<BundlerPackage, string>>

/** The packages' exact versions. */
const PACKAGES = join(repository, 'test/compatibility/packages/package.json')
const PAGE = join(repository, 'docs/compatibility.md')
/** Below `node_modules`, so that the bundlers that plugins import are those of this repository. */
const FOLDER = join(repository, 'node_modules/.cache/compatibility')

export default async function setup(project: TestProject): Promise<() => void> {
  const results = mkdtempSync(join(tmpdir(), 'compatibility-'))
  const failure = await installPackages().then(
    () => undefined,
    (error: Error) => `the packages of the compatibility suite could not be installed: ${error.message}`,
  )
  project.provide('compatibility', { results, packages: FOLDER, failure })
  return () => {
    const rows = readdirSync(results).map(
      (name) => JSON.parse(readFileSync(join(results, name), 'utf8')) as CoverageResult,
    )
    rmSync(results, { recursive: true, force: true })
    finish(rows)
  }
}

/** Once for each state of the list. */
async function installPackages(): Promise<void> {
  const wanted = readFileSync(PACKAGES, 'utf8')
  const read = (name: string) => {
    try {
      return readFileSync(join(FOLDER, name), 'utf8')
    } catch {
      return undefined
    }
  }
  if (read('installed.json') === wanted) return
  rmSync(FOLDER, { recursive: true, force: true })
  await writeTree(FOLDER, { 'package.json': wanted, 'index.mjs': 'export const load = (name) => import(name)\n' })
  await npmInstall(FOLDER, '--legacy-peer-deps', '--no-package-lock')
  await writeTree(FOLDER, { 'installed.json': wanted })
}

/** The table is written when every file ran whole. In continuous integration it must be there already. */
function finish(rows: readonly CoverageResult[]): void {
  const files = readdirSync(join(repository, 'test/compatibility')).filter((name) => name.endsWith('.test.ts'))
  const missing = files.filter((name) => !rows.some(({ file }) => file === name))
  const skipped = rows.filter(({ state }) => state === 'skipped').map(({ file }) => file)
  const notRun = [...new Set([...missing, ...skipped])].sort()
  if (notRun.length > 0) report(`docs/compatibility.md is left as it was: not run as a whole: ${notRun.join(', ')}`)
  else {
    const fresh = formatPage(rows)
    if (fresh === readFileSync(PAGE, 'utf8')) return
    if (!process.env.CI) writeFileSync(PAGE, fresh)
    const outcome = process.env.CI ? 'is out of date: commit what npm run test:compatibility writes' : 'is written'
    report(`docs/compatibility.md ${outcome}`)
  }
}

/** Vitest ends well whatever is thrown after the tests. */
function report(line: string): void {
  process.stdout.write(`${line}\n`)
  if (process.env.CI) process.exitCode = 1
}

const START = '<!-- results:start -->'
const END = '<!-- results:end -->'

interface TableRow {
  /** Tool, setting, limits. */
  readonly cells: readonly string[]
  readonly bundlers: Set<BundlerPackage>
}

/** The page with the results between its two marks. Sorted and without times: it changes only when a result does. */
function formatPage(results: readonly CoverageResult[]): string {
  const rows = new Map<string, TableRow>()
  for (const { tool, setting, bundlers, state, result = 'works', limit = '' } of results) {
    const outcome = state !== 'passed' ? '**fails**' : result === 'works' ? '' : result
    const limits = [outcome, limit].filter((part) => part !== '').join('; ')
    const cells = [toolName(tool), setting, limits].map((cell) => cell.replaceAll('|', '\\|'))
    const id = JSON.stringify(cells)
    const row = rows.get(id) ?? { cells, bundlers: new Set() }
    rows.set(id, row)
    for (const name of bundlers) row.bundlers.add(name)
  }
  const all = new Set([...rows.values()].flatMap(({ bundlers }) => [...bundlers]))
  const versions = [...all].map((name) => `${BUNDLERS[name]} ${installedVersion(name)}`).sort()
  const [limited, unlimited] = [true, false].map((isLimited) =>
    [...rows.values()].filter(({ cells }) => (cells[2] !== '') === isLimited),
  )
  const page = readFileSync(PAGE, 'utf8')
  const [before = '', after = ''] = [page.split(START)[0], page.split(END)[1]]
  const lines = [
    `Tested with ${versions.join(', ')}.`,
    '',
    '| tool or case | setting | bundlers | limits |',
    '|---|---|---|---|',
    ...(limited ?? [])
      .map(
        ({ cells: [tool, setting, limits], bundlers }) => `| ${tool} | ${setting} | ${titles(bundlers)} | ${limits} |`,
      )
      .sort(),
    '',
    'Without limits:',
    '',
    ...formatUnlimited(unlimited ?? []),
  ]
  return `${before}${START}\n${lines.join('\n')}\n${END}${after}`
}

/** Each tool once, with the bundlers of all its settings. */
function formatUnlimited(rows: readonly TableRow[]): string[] {
  const tools = new Map<string, Set<BundlerPackage>>()
  for (const { cells, bundlers } of rows) {
    const [tool = ''] = cells
    tools.set(tool, new Set([...(tools.get(tool) ?? []), ...bundlers]))
  }
  return [...tools].map(([tool, bundlers]) => `- ${tool} (${titles(bundlers)})`).sort()
}

/** `Vite` for both of its versions. */
function titles(bundlers: ReadonlySet<BundlerPackage>): string {
  const isBoth = bundlers.has('vite') && bundlers.has('vite7')
  const titleOf = (name: BundlerPackage) =>
    name.startsWith('vite') && !isBoth ? `Vite ${installedVersion(name)?.split('.')[0]}` : BUNDLERS[name]
  return [...new Set([...bundlers].map(titleOf))].sort().join(', ')
}

function toolName(tool: string): string {
  const { dependencies } = JSON.parse(readFileSync(PACKAGES, 'utf8')) as { dependencies: Record<string, string> }
  const version = dependencies[tool] ?? installedVersion(tool)
  return version === undefined ? tool : `${tool} ${version}`
}

function installedVersion(name: string): string | undefined {
  try {
    const about = readFileSync(join(repository, 'node_modules', name, 'package.json'), 'utf8')
    return (JSON.parse(about) as { version: string }).version
  } catch {
    return undefined
  }
}
