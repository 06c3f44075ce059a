/**
 * Runs a built entry in a fresh Node process, as whoever deploys it would, and gives back what it put under
 * `globalThis.collect`.
 */
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const RUNNER = `
import { writeFile } from 'node:fs/promises'
const [entry, answer] = process.argv.slice(1)
const exports = await import(entry)
const collect = globalThis.collect ?? exports.collect
if (typeof collect !== 'function') throw new Error('the entry has no collect()')
await writeFile(answer, JSON.stringify(await collect()))
`

let runs = 0

export async function runEntry<T>(file: string, folder: string): Promise<T> {
  const answer = join(folder, `answer-${process.pid}-${++runs}.json`)
  const runner = join(folder, `runner-${process.pid}-${runs}.mjs`)
  await writeFile(runner, RUNNER)
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', RUNNER, pathToFileURL(file).href, answer], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  })
  const result = JSON.parse(await readFile(answer, 'utf8')) as T
  await Promise.all([rm(answer), rm(runner)])
  return result
}
