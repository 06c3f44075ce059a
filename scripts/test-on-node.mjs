// Runs the unit and contract tests on another Node from the package registry: `npm run test:node -- 24`. Node 20 has no
// `node:sqlite`:
// only this run tests the local service on that driver. Builds on other Nodes are in `test/installed/tarball.test.ts`.
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { nodeBinary } from './node-binary.mjs'

const node = nodeBinary(process.argv[2] ?? '24')
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
