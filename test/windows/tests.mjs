// Runs tests under Wine. Their types were removed before: esbuild as WebAssembly takes a second for each file.
import { startVitest } from 'vitest/node'

const { include, omitted, report } = JSON.parse(process.argv[2])
const vitest = await startVitest(
  'test',
  [],
  {
    config: false,
    watch: false,
    include,
    testNamePattern: omitted.length > 0 ? new RegExp(`^(?!.*(?:${omitted.join('|')}))`) : undefined,
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ['test/helpers/canary-setup.ts'],
    reporters: ['default', 'json'],
    outputFile: { json: report },
  },
  { esbuild: false },
)
await vitest.close()
