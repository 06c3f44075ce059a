import { defineConfig } from 'vitest/config'

/** A browser, a dev server and this package's commands side by side on two cores: CI looks twice, and its summary names what it looked at twice. */
const RETRIED = ['browser', 'bundlers', 'cli', 'dev', 'frameworks', 'package']

const project = (name: string, timeout = 120_000) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: timeout,
    hookTimeout: timeout,
    // Vitest's own second is less than a loaded machine may take for anything.
    expect: { poll: { timeout: 60_000 } },
    retry: process.env.CI && RETRIED.includes(name) ? 1 : 0,
    pool: 'forks' as const,
    setupFiles: ['test/helpers/canary-setup.ts', 'test/helpers/second-tries.ts'],
  },
})

/** The faults are thrown at the built package: what a test or a helper imports of the public entries comes from `dist`. */
const faults = () => {
  const { test } = project('faults', 300_000)
  return {
    resolve: {
      alias: [
        {
          find: /^(?:\.\.\/)+src\/(index|client|service|runtime)\.ts$/,
          replacement: `${import.meta.dirname}/dist/$1.js`,
        },
      ],
    },
    test: { ...test, globalSetup: ['test/helpers/fault-table.ts'] },
  }
}

/** `npm run test:compatibility`: other tools and settings. Its results are the table of `docs/compatibility.md`. */
const compatibility = () => {
  const { test } = project('compatibility', 600_000)
  return { test: { ...test, env: { NODE_ENV: 'production' }, globalSetup: ['test/helpers/compatibility-table.ts'] } }
}

/** Everything but `unit` and `contract` runs against `dist`, as a user gets it: build first. */
export default defineConfig({
  test: {
    projects: [
      project('unit'),
      project('contract'),
      project('bundlers', 600_000),
      project('browser', 300_000),
      project('dev', 300_000),
      project('cli'),
      faults(),
      project('package', 300_000),
      project('frameworks', 600_000),
      compatibility(),
    ],
    // Vitest would leave one of two cores idle.
    maxWorkers: 2,
    passWithNoTests: true,
  },
})
