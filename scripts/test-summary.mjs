// Prints the closing line of a test run from vitest's JSON report; fails when a browser test did not run.
import { readFileSync } from 'node:fs'

const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
  readFileSync(process.argv[2], 'utf8'),
)
const skippedInBrowser = testResults
  .filter(({ name }) => name.includes('/test/browser/'))
  .flatMap(({ assertionResults }) => assertionResults)
  .filter(({ status }) => status !== 'passed')
for (const { fullName, status } of skippedInBrowser) console.error(`${status}: ${fullName}`)
console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
process.exit(skippedInBrowser.length > 0 || numFailedTests > 0 || numPassedTests === 0 ? 1 : 0)
