// Refreshes what is generated from the schema of the options. With `--check` it only says what is out of date.
import { readFile, writeFile } from 'node:fs/promises'
import { createJiti } from 'jiti'

const { refreshReference, generateOptionsSource, generateRules } = await createJiti(import.meta.url).import(
  './options-source.ts',
)

for (const [file, refresh] of [
  ['docs/options.md', refreshReference],
  ['src/config/options.ts', generateOptionsSource],
  ['src/config/rules.ts', generateRules],
]) {
  const path = new URL(`../${file}`, import.meta.url)
  const current = await readFile(path, 'utf8').catch(() => '')
  const fresh = refresh(current)
  if (fresh === undefined) {
    process.stderr.write(`${file} has no options:start and options:end markers\n`)
    process.exitCode = 1
  } else if (fresh === current) {
    process.stderr.write(`${file}: the options are current\n`)
  } else if (process.argv.includes('--check')) {
    process.stderr.write(`${file}: the options are out of date: run node scripts/options.mjs\n`)
    process.exitCode = 1
  } else {
    await writeFile(path, fresh)
    process.stderr.write(`${file}: the options are refreshed\n`)
  }
}
