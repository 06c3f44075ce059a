// Brings the options table of README.md up to date; `--check` only says whether it is.
import { readFile, writeFile } from 'node:fs/promises'
import { createJiti } from 'jiti'

const jiti = createJiti(import.meta.url)
const { refreshOptionsTable } = await jiti.import('../src/config/docs.ts')
const path = new URL('../README.md', import.meta.url)
const current = await readFile(path, 'utf8')
const fresh = refreshOptionsTable(current)
if (fresh === undefined) {
  process.stderr.write('README.md has no options:start and options:end markers\n')
  process.exitCode = 1
} else if (fresh === current) {
  process.stderr.write('the options table is current\n')
} else if (process.argv.includes('--check')) {
  process.stderr.write('the options table is out of date: run node scripts/options-table.mjs\n')
  process.exitCode = 1
} else {
  await writeFile(path, fresh)
  process.stderr.write('README.md: the options table is refreshed\n')
}
