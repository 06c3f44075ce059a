// Builds `dist`: node scripts/build.mjs [--if-changed] [--no-types]
// `--if-changed` builds only what is older than the sources; `--no-types` leaves out the declarations.
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
/** The last file that each step writes. */
const CODE = 'dist/runtime.js'
const TYPES = 'dist/index.d.cts'

/** Builds the code, and with `types` the declarations. With `ifChanged`, only what is older than the sources. */
export async function build({ types = true, ifChanged = false, log = console.log } = {}) {
  const changed = changedAt()
  if (!ifChanged || timeOf(CODE) < changed) {
    log('building dist ...')
    const cli = join(root, 'node_modules/rolldown/bin/cli.mjs')
    execFileSync(process.execPath, [cli, '--config', 'rolldown.config.ts'], { cwd: root, encoding: 'utf8' })
  }
  if (!types || (ifChanged && timeOf(TYPES) >= changed)) return
  log('building the declarations ...')
  const { buildTypes } = await import('./build-types.mjs')
  await buildTypes()
}

/** Vitest's global setup of the projects whose tests read the declarations. */
export const setup = () => build({ ifChanged: true })

/** The last change of a source. The time of a folder changes when a file is added or removed. */
function changedAt() {
  const sources = readdirSync(join(root, 'src'), { recursive: true }).map((name) => join('src', name))
  const scripts = ['build', 'build-types', 'plain-types'].map((name) => `scripts/${name}.mjs`)
  const others = ['scripts/build-inspector.ts', 'scripts/build-notices.ts', 'rolldown.config.ts', 'package-lock.json']
  return Math.max(...['src', ...sources, ...scripts, ...others].map(timeOf))
}

/** 0 if the file does not exist. */
function timeOf(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const has = (option) => process.argv.includes(option)
  await build({ types: !has('--no-types'), ifChanged: has('--if-changed') })
}
