/**
 * Installs the newest version of each bundler and library that the ranges of the peer dependencies accept, without a
 * change of package.json. The nightly job tests with them, so that a release that breaks this package shows there first.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { peerDependencies, devDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
/** Tests fetch the other peers, and always the newest. */
const names = Object.keys(peerDependencies).filter((name) => name in devDependencies)
const packages = names.map((name) => `${name}@${peerDependencies[name]}`)
const { status } = spawnSync('npm', ['install', '--no-save', '--ignore-scripts', ...packages], { stdio: 'inherit' })
if (status === 0) spawnSync('npm', ['ls', '--depth=0', ...names], { stdio: 'inherit' })
process.exitCode = status ?? 1
