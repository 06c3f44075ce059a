/**
 * The repository's address stands in `repository.url` of package.json only. Writes `homepage` and `bugs` from it.
 * `--check` says whether they are current. `--publish`, before `npm publish`, also refuses the placeholder `OWNER`.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package.json', import.meta.url)
const [flag] = process.argv.slice(2)
const text = readFileSync(file, 'utf8')
const manifest = JSON.parse(text)
const page = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
const fresh = { homepage: `${page}#readme`, bugs: { url: `${page}/issues` } }

if (flag === undefined) {
  writeFileSync(file, `${JSON.stringify({ ...manifest, ...fresh }, null, 2)}\n`)
} else {
  const problems = []
  for (const [name, value] of Object.entries(fresh))
    if (JSON.stringify(manifest[name]) !== JSON.stringify(value))
      problems.push(`"${name}" does not follow from "repository": run node scripts/repository.mjs`)
  if (flag === '--publish' && page.includes('/OWNER/'))
    problems.push(
      '"repository" still has the placeholder OWNER: put the address of the repository there, and run node scripts/repository.mjs. npm compares it with the repository that publishes',
    )
  for (const problem of problems) process.stderr.write(`package.json: ${problem}\n`)
  if (problems.length > 0) process.exitCode = 1
}
