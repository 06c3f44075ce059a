// Runs the unit and contract tests on another Node from the package registry: `npm run test:node -- 24`. Node 20 has no
// `node:sqlite`:
// only this run tests the local service on that driver. Builds on other Nodes are in `test/installed/tarball.test.ts`.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const major = process.argv[2] ?? '24'
const folder = join(tmpdir(), `unplugin-localization-node-${major}`)
const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), '{"private":true}')
execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', `${platform}@${major}`], {
  cwd: folder,
  stdio: 'ignore',
})

const node = join(folder, 'node_modules', platform, 'bin', 'node')
console.log(`Node ${execFileSync(node, ['--version']).toString().trim()}`)
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
const rest = process.argv.slice(3)
// `--only`: what follows says which projects.
const projects =
  rest[0] === '--only'
    ? rest.slice(1)
    : [...['unit', 'mocked', 'contract'].flatMap((name) => ['--project', name]), ...rest]
const { status } = spawnSync(node, [vitest, 'run', ...projects], {
  stdio: 'inherit',
  cwd: join(import.meta.dirname, '..'),
})
process.exit(status ?? 1)
