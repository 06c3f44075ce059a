/**
 * Runs the model of sync over many seeds: `node scripts/sync-model.mjs [seeds] [first]`. Default: 500 seeds of 60
 * steps, from 1.
 */
import { spawnSync } from 'node:child_process'

const [seeds = '500', first = '1'] = process.argv.slice(2)
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'dev', 'test/dev/sync-model.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, SYNC_MODEL_SEEDS: seeds, SYNC_MODEL_FIRST: first },
})
process.exitCode = status ?? 1
