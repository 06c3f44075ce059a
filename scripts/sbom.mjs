/**
 * The bill of materials of what users install, copies in the package included, as CycloneDX JSON on standard output.
 * `npm sbom --omit dev` here would leave out every
 * package that a development dependency needs as well: it is asked in a folder that has the others only, at the same
 * versions.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COPIED } from './copied.mjs'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'localization-sbom-'))
try {
  const {
    devDependencies,
    overrides: _overrides,
    scripts: _scripts,
    ...manifest
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of COPIED) manifest.dependencies[name] = devDependencies[name]
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  for (const name of ['package-lock.json', '.npmrc']) cpSync(join(root, name), join(folder, name))
  const npm = (...args) =>
    execFileSync('npm', args, {
      cwd: folder,
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: process.platform === 'win32',
    })
  npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline')
  process.stdout.write(npm('sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
