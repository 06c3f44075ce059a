import { defineConfig } from 'vitest/config'
import { project } from './vitest.config.ts'

/**
 * The tests that `npm run test:mutations` runs against each changed line. One seed, so that two runs have the same
 * result; polls are short, because a change may make what they wait for impossible.
 */
export default defineConfig({
  test: {
    ...project('unit', 60_000).test,
    include: ['test/unit/{api,catalog,files,sync}/**/*.test.ts'],
    expect: { poll: { timeout: 10_000 } },
    env: { FC_SEED: '1' },
    isolate: false,
  },
})
