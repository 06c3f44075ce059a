// The faults, so many times in a row: `npm run test:faults -- 10`, and with `--node 24` on another Node from the
// package registry. Prints
// each run's table and stops at the first run that fails.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({ options: { node: { type: 'string' } }, allowPositionals: true })
const runs = Number(positionals[0] ?? 10)
const root = join(import.meta.dirname, '..')
const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run']
const only = ['--project', 'faults', '--reporter=dot']
const command =
  values.node === undefined
    ? [...vitest, ...only]
    : [join(root, 'scripts/test-on-node.mjs'), values.node, '--only', ...only]

const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, shell: process.platform === 'win32' })
if (build.status !== 0) {
  process.stderr.write(`${build.stderr}\n`)
  process.exit(1)
}
for (let run = 1; run <= runs; run++) {
  const startedAt = performance.now()
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' })
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`run ${run} of ${runs}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`)
  if (status !== 0) process.exit(1)
}
