import { defineConfig } from 'vitest/config'

/**
 * One folder of `test/`. `timeout` is for one test or hook: what a loaded machine may take, not what a test should
 * take.
 */
export const project = (name: string, timeout = 120_000, more: object = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: timeout,
    hookTimeout: timeout,
    // Vitest's default of one second is too short on a loaded machine.
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks' as const,
    setupFiles: ['test/helpers/canary-setup.ts'],
    ...more,
  },
})

/** Tests of the built package: what they and their helpers import of the public entries comes from `dist`. */
export const builtProject = (...given: Parameters<typeof project>) => ({
  ...project(...given),
  resolve: {
    alias: [
      {
        find: /^(?:\.\.\/)+src\/(index|client|service|runtime|next)\.ts$/,
        replacement: `${import.meta.dirname}/dist/$1.js`,
      },
    ],
  },
})

/** For projects with tests in Chromium: it is launched once for each process. */
export const IN_CHROMIUM = { environment: './test/helpers/chromium-environment.ts' }

/**
 * `npm test`. All projects but `unit` and `mocked` test `dist`, `contract` where the service is a process of its own: build
 * first. `vitest.ci.config.ts` has the slower projects.
 */
export default defineConfig({
  test: {
    projects: [
      // Files of projects with `isolate: false` share processes: to load modules, bundlers and Chromium takes longer than
      // most tests. `mocked` has the files that replace modules.
      project('unit', 120_000, { isolate: false }),
      project('mocked'),
      project('contract', 120_000, { isolate: false }),
      builtProject('bundlers', 600_000, { isolate: false }),
      builtProject('browser', 300_000, { isolate: false, ...IN_CHROMIUM }),
      project('dev', 300_000, { isolate: false }),
      builtProject('cli', 120_000, { isolate: false }),
      builtProject('systems', 300_000, { isolate: false }),
      builtProject('faults', 300_000, { isolate: false, globalSetup: ['test/helpers/fault-table.ts'] }),
      builtProject('package', 300_000, { isolate: false, globalSetup: ['scripts/build.mjs'] }),
    ],
    // More than cores: many tests wait for a server, a page or a process.
    maxWorkers: 4,
  },
})
