import { defineConfig } from 'vitest/config'
import files from './test/systems/files.json' with { type: 'json' }
import { project } from './vitest.config.ts'

/** The tests that touch paths, files, patterns, locks and addresses. `npm run test:systems`: on Windows and macOS. `npm run test:windows` runs the same files under Wine. */
export default defineConfig({
  test: { projects: [project('systems', 300_000, { include: files })], maxWorkers: 2 },
})
