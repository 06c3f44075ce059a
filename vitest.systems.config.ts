import { defineConfig } from 'vitest/config'
import { SYSTEM_TESTS } from './test/systems/files.mjs'
import { project } from './vitest.config.ts'

/** `npm run test:systems`: on Windows and macOS. `npm run test:windows` runs the same files under Wine. */
export default defineConfig({
  test: { projects: [project('systems', 300_000, { include: SYSTEM_TESTS })], maxWorkers: 2 },
})
