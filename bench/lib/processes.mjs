/**
 * Child processes that say when they are ready, temporary folders, and Node 24 from the package registry. Everything
 * ends with the script.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))
if (!existsSync(join(dist, 'service.js'))) {
  console.error('dist is empty: run "npm run build" first')
  process.exit(2)
}

const children = new Set()
const folders = new Set()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

/** A fresh folder that goes with the script. */
export function tempFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'localization-bench-')))
  folders.add(folder)
  return folder
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  folders.delete(folder)
}

let aside
let putAsideCount = 0

/**
 * Takes files or folders of a temporary folder out of the way, for a run that must not find them. They are not deleted
 * before the script ends:
 * for minutes ext4 looks past each deleted file for each new one, and who writes hundreds of them would pay for what
 * was deleted before.
 */
export function putAside(...paths) {
  aside ??= tempFolder()
  for (const path of paths) if (existsSync(path)) renameSync(path, join(aside, `${putAsideCount++}`))
}

/** Runs Node to its end. `ms`: how long the process lived. `failure`: how it failed, with its output. */
export async function runNode(nodeArguments, cwd) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, nodeArguments, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const [code, signal] = await once(child, 'close')
  const failure = code === 0 ? undefined : `ended with ${code ?? signal}: ${errors}${out}`
  return { ms: performance.now() - startedAt, code, out, errors, failure }
}

/**
 * Starts a script of this folder with one argument, as JSON, and waits for its first line, which is JSON as well.
 * `errors()`: what it wrote to standard error so far. `end(signal)` resolves when it is gone.
 */
export async function startChild(script, argument, { node = process.execPath, env = {}, nodeArguments = [] } = {}) {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(node, [...nodeArguments, path, JSON.stringify(argument)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Advanced: buffers travel as they are.
    serialization: 'advanced',
    // Nothing is pushed on a continuous-integration machine.
    env: { ...process.env, CI: '', ...env },
  })
  children.add(child)
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'exit').finally(() => children.delete(child))
  const ready = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([line]) => JSON.parse(line)),
    ended.then(([code, signal]) => {
      throw new Error(`${script} ended with ${code ?? signal}: ${errors}`)
    }),
  ])
  child.stdout.resume()
  return {
    ...ready,
    child,
    pid: child.pid,
    errors: () => errors,
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      await ended
    },
  }
}

/** The path of Node 24, installed with npm into a folder of its own the first time. */
function findNode24() {
  if (process.versions.node.startsWith('24.')) return process.execPath
  const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(tmpdir(), 'unplugin-localization-node-24')
  const node = join(folder, 'node_modules', platform, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const install = ['install', '--no-save', '--no-audit', '--no-fund', `${platform}@24`]
    execFileSync('npm', install, { cwd: folder, stdio: 'ignore', shell: process.platform === 'win32' })
  }
  return node
}

/** Runtimes and the SQLite builds to run on them: this one's, and with `node24` those of Node 24. */
export function listDrivers({ node24 }) {
  const own = { node: process.execPath, version: process.versions.node }
  const hasNodeSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined
  const drivers = [{ ...own, driver: 'node-sqlite3-wasm' }]
  if (hasNodeSqlite) drivers.push({ ...own, driver: 'node:sqlite' })
  else if (node24) {
    const node = findNode24()
    drivers.push({
      node,
      version: execFileSync(node, ['-p', 'process.versions.node']).toString().trim(),
      driver: 'node:sqlite',
    })
  }
  return drivers
}
