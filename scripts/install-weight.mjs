/**
 * What `npm install unplugin-localization` adds to a project: `npm run weight`, after a build. Packs, installs, counts.
 * `--write` puts the figures into README.md and docs/figures.md; `--check` says whether they are there.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FIGURES = /\d+ packages, [\d.]+ MB, and no install scripts/
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'localization-weight-'))

function sizeOf(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

try {
  const npm = (...args) => execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] }).toString()
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  npm('pack', root, '--ignore-scripts', '--silent')
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  npm('install', `./${tarball}`, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund')
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
  const packages = Object.entries(lock.packages).map(([path, { version, hasInstallScript }]) => ({
    name: path.replace(/^.*node_modules\//, ''),
    version,
    hasInstallScript: hasInstallScript === true,
    bytes: sizeOf(join(folder, path)),
  }))
  packages.sort((a, b) => b.bytes - a.bytes)
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
  for (const { name, version, bytes } of packages)
    console.log(`${name}@${version}`.padEnd(48) + megabytes(bytes).padStart(9))
  const scripts = packages.filter(({ hasInstallScript }) => hasInstallScript)
  const total = packages.reduce((sum, { bytes }) => sum + bytes, 0)
  console.log(
    `${packages.length} packages, ${megabytes(total)}, tarball ${Math.round(statSync(join(folder, tarball)).size / 1000)} KB, ${scripts.length} with an install script`,
  )
  if (scripts.length > 0) process.exitCode = 1
  for (const name of ['README.md', 'docs/figures.md']) {
    const text = readFileSync(join(root, name), 'utf8')
    const fresh = text.replace(FIGURES, `${packages.length} packages, ${megabytes(total)}, and no install scripts`)
    if (process.argv.includes('--write')) writeFileSync(join(root, name), fresh)
    else if (process.argv.includes('--check') && (fresh !== text || !FIGURES.test(text))) {
      console.error(`${name} has other figures: run npm run weight -- --write`)
      process.exitCode = 1
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
