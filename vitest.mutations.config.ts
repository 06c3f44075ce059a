import { defineConfig } from 'vitest/config'
import { project } from './vitest.config.ts'

/**
 * The tests that `npm run test:mutations` runs against each changed line. One seed, so that two runs have the same
 * result; short limits, because a change may make a test wait for ever.
 */
export default defineConfig({
  test: {
    ...project('unit', 10_000).test,
    include: ['test/unit/{api,catalog,files,sync}/**/*.test.ts'],
    expect: { poll: { timeout: 5_000 } },
    env: { FC_SEED: '1' },
    isolate: false,
  },
})
