import { defineConfig } from 'vitest/config'
import { project } from './vitest.config.ts'

/**
 * The projects that install other packages or take long: CI runs them, `npm test` does not. All of them test `dist`:
 * build first.
 * `catalogs` carries every real catalog through every bundler, the commands and the inspector; `npm test` a sample.
 * The results of `compatibility` are the table of `docs/compatibility.md`.
 */
export default defineConfig({
  test: {
    projects: [
      project('catalogs', 600_000, {
        include: ['test/browser/inspector.test.ts', 'test/bundlers/catalogs.test.ts', 'test/cli/round-trip.test.ts'],
        env: { THOROUGH: '1' },
      }),
      project('installed', 300_000),
      project('frameworks', 600_000),
      project('benchmarks', 300_000),
      project('compatibility', 600_000, {
        env: { NODE_ENV: 'production' },
        globalSetup: ['test/helpers/compatibility-table.ts'],
      }),
    ],
    maxWorkers: 2,
  },
})
