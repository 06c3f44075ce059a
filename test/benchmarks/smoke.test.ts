/** The benchmarks still run. What they measure is looked at by people: nothing here depends on how fast anything is. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { noChromium } from '../helpers/browser.ts'
import { repository } from '../helpers/bundlers.ts'

/** The header of every table, and some of its rows. */
const service = [
  /\| request +\| at once/,
  /\| v2 PATCH +\| +64 \|/,
  /\| hosting, 304 +\| +8 \|/,
  /\| export v4, 9 files/,
]
const million = [/\| what +\| seconds/, /\| publish, one text changed +\|/, /\| publish, texts set meanwhile +\|/]
const kill = [/\| store +\|/, /\| node-sqlite3-wasm on Node \d+[^\n]*\| +0 \| +0 \|/]
const loop = [/\| bundler, catalog +\| text on the page/, /\| vite, tiny +\|/, /\| vite, with the plugin, syncing +\|/]
const compile = [/\| texts with syntax +\| as texts, KB/, /\| without it +\|/]
const edge = [/\| load\(\), every text +\| +\d+ \|/, /\| one static import +\| +1 \|/]
const load = [/\| PATCH a text +\|/, /\| 200: [^|]+\| +0 \| +\d+ \| +0 \|/]
const loadDev = [/\| at the end +\| +600 +\| +0 \| +0 \| +0 \| +0 \| +\d+ \|/, /\| heap +\|/, /\| after close\(\) +\|/]
const shared = [/\| export +\| +4 \| +0 \| +1 \| +0 \| +yes \|/, /\| query +\| +4 \| +0 \| +1 \| +0 \| +yes \|/]
const fleet = [/\| cold +\| +0 \| [^|]+\| +110 \| +0 \| +0 \|/, /\| warm +\| +0 \| [^|]+\| +20 \| +10 \| +0 \|/]
const postgres = [/\| v2 PATCH, 64 at once, 99 % ms +\|/, /\| export v4, peak MB of a process +\|/]
const commands = [
  /\| uploads to a bare server +\|/,
  /\| import of all files +\| +1 \|/,
  /\| push of everything +\| +1 \|/,
  /\| diff, 10 % changed +\| +1 \|/,
  /\| pull, 10 % changed +\| +1 \|/,
]
const types = [/\| this declaration +\|/, /\| i18next, its own typed resources +\|/]
const builds = [
  /\| languages x namespaces +\| import\(\) each/,
  /\| vite, 12 x 12 +\|/,
  /\| plain s \| copied s \| ours s \| ours \/ copied \| ours \/ plain \|/,
  ...['vite', 'webpack', 'esbuild'].map((name) => new RegExp(`\\| ${name} \\d`)),
]
const variants = [/\| plain +\| [^|]+\|/, /\| YAML +\|/]
const compare = [/\n0 of (\d+) figures compared[\s\S]+\n\1 of \1 figures compared/, /\| figure +\| before +\| now +\|/]
const badInput = [/\| 9 files, 50 ms for each operation +\|/, /\| 50 files of two texts +\|/, /\| one file of 1 MB +\|/]
const warm = [/\| load ms \| write ms \| our part ms \|/, /\| vite \d[^\n]*\| +\d+ \|$/m]
const fromService = [/\| export, first build +\|/, /\| query, first build +\|/, /\| hosting, nothing changed +\| +2 \|/]
const prune = [/\| without prune +\|/, /generated[\s\S]+\| literals, perChunk +\|/, /playground: texts/, /\| globs +\|/]
const devEdit = [/\| project +\| text on the page, median ms/, /\| 1,200 texts, 60 files, syncing +\|/]
const secondSaves = [/\| vite, right +\| +\d+ \|/, /\| rspack, a day ahead +\|/]
const standBy = [/\| the server stands by +\| +\d+ \|/]
const devStart = [/\| +listens \| first namespace served \|/, /\| vite, ours +\|/]
const live = [
  /\| delivery: 'build' +\| +\d+ \|/,
  /\| delivery: 'live' +\| +\d+ \|/,
  /\| i18next-http-backend +\| +\d+ \|/,
  /\| 3 texts in 3 namespaces +\| +\d/,
  /\| median ms +\| +95 % ms \|/,
]
/** Figures about this project; those about others are there where they are installed. */
const ours = [
  /\| ours +\|/,
  /\| ours, 5 used keys +\|/,
  ...['vite', 'webpack', 'esbuild'].map((name) => new RegExp(`\\| ours, ${name} \\d`)),
]
const others = [
  /\| unplugin-vue-i18n \(/,
  /\| unplugin-vue-i18n, treeShaking, 5 used keys \(/,
  /\| Lingui, its Vite plugin \(/,
  /\| Lingui, compiled by its command first \(/,
  /\| vite-plugin-i18next-loader \(/,
  /\| Paraglide, 5 used keys \(/,
]
const hasRivals = existsSync(join(repository, 'bench/node_modules/@inlang/paraglide-js'))
if (!hasRivals) process.stdout.write('rivals are left out of the benchmarks: bench/node_modules is not there\n')

const inspector = [/frames while scrolling: median/, /tasks of more than 50 ms of work: \d/]

describe('benchmarks with --smoke', () => {
  test('service', () => prints('service', service))
  test('million', () => prints('million', million))
  test('kill-service', () => prints('kill-service', kill))
  test('load-service', () => prints('load-service', load))
  test('load-dev', () => prints('load-dev', loadDev))
  test('shared-cache', () => prints('shared-cache', shared))
  test('fleet', () => prints('fleet', fleet))
  test('postgres', () => prints('postgres', postgres))
  test('commands', () => prints('commands', commands))
  test('types', () => prints('types', types))
  test('compile', () => prints('compile', compile))
  test('edge', () => prints('edge', edge))
  test.skipIf(noChromium)('inspector', () => prints('inspector', inspector))
  test.skipIf(noChromium)('dev-loop', () => prints('dev-loop', loop))
  test.skipIf(noChromium)('dev-edit', () => prints('dev-edit', devEdit))
  test.skipIf(noChromium)('second-saves', () => prints('second-saves', secondSaves))
  test('stand-by', () => prints('stand-by', standBy))
  test.skipIf(noChromium)('builds', () => prints('builds', builds, '--only', 'vite,webpack,esbuild'))
  test.skipIf(noChromium)('builds, built before', () => prints('builds', warm, '--warm', '--only', 'vite'))
  test.skipIf(noChromium)('builds, from the service', () => prints('builds', fromService, '--service'))
  test.skipIf(noChromium)('build-variants', () => prints('build-variants', variants))
  test('bad-input', () => prints('bad-input', badInput))
  test.skipIf(noChromium)('compare', () => prints('compare', compare))
  test.skipIf(noChromium)('prune', () => prints('prune', prune))
  test.skipIf(noChromium)('live', () => prints('live', live))
  test.skipIf(noChromium)('dev-start', () => prints('dev-start', devStart))
  test.skipIf(noChromium)('rivals, ours', () => prints('rivals', ours, '--only', 'plain,ours'))
  test.skipIf(noChromium || !hasRivals)('rivals, others', () =>
    prints('rivals', others, '--only', 'vue,lingui,i18next,paraglide'),
  )
})

/** Fails with what the script wrote when it does not end with 0. */
async function prints(name: string, expected: readonly RegExp[], ...flags: readonly string[]): Promise<void> {
  const script = join(repository, 'bench', `${name}.mjs`)
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--smoke', ...flags])
  for (const pattern of expected) expect(stdout).toMatch(pattern)
  for (const line of stdout.split('\n').filter((text) => text.startsWith('|'))) expect(line).not.toContain('NaN')
}
