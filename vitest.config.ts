import { defineConfig } from 'vitest/config'

const project = (name: string, timeout = 60_000) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: timeout,
    hookTimeout: timeout,
    pool: 'forks' as const,
  },
})

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
      project('package', 300_000),
      project('frameworks', 600_000),
    ],
    // Vitest would leave one of two cores idle.
    maxWorkers: 2,
    passWithNoTests: true,
  },
})
