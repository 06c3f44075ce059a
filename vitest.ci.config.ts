import { defineConfig } from 'vitest/config'
import { builtProject } from './vitest.config.ts'

/**
 * The projects that install other packages or take long: CI runs them, `npm test` does not. All of them test `dist`:
 * build first.
 * `catalogs` carries every real catalog through every bundler, the commands and the inspector; `npm test` a sample.
 * The results of `compatibility` are the table of `docs/compatibility.md`.
 */
export default defineConfig({
  test: {
    projects: [
      builtProject('catalogs', 600_000, {
        include: ['test/browser/inspector.test.ts', 'test/bundlers/catalogs.test.ts', 'test/cli/round-trip.test.ts'],
        env: { THOROUGH: '1' },
      }),
      builtProject('installed', 300_000),
      builtProject('frameworks', 600_000),
      builtProject('benchmarks', 300_000),
      builtProject('compatibility', 600_000, {
        env: { NODE_ENV: 'production' },
        globalSetup: ['test/helpers/compatibility-table.ts'],
      }),
    ],
    maxWorkers: 2,
  },
})
