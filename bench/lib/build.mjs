/** Production builds as whole processes, and what they put out. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { runNode } from './processes.mjs'

const buildHost = fileURLToPath(new URL('./build-host.mjs', import.meta.url))
const tellPeak = new URL('./tell-peak.mjs', import.meta.url).href

/** One build with `build-host.mjs`: what it prints, and how long its process lived. `nodeOptions`: of that process. */
export function runBuild(argument, nodeOptions = []) {
  return run([...nodeOptions, buildHost, JSON.stringify(argument)], argument.bundler, argument.root)
}

/** A command of a package, in the app's folder, before a build. */
export function runCommand(file, commandArguments, folder, nodeOptions = []) {
  return run([...nodeOptions, '--import', tellPeak, file, ...commandArguments], file, folder)
}

async function run(nodeArguments, name, cwd) {
  const { ms, out, failure } = await runNode(nodeArguments, cwd)
  if (failure) throw new Error(`${name} ${failure}`)
  return { wall: ms, ...JSON.parse(out.trim().split('\n').at(-1)) }
}

export const gzipped = (content) => gzipSync(content, { level: 9 }).length

/** Files and bytes below a folder, each file compressed by itself. */
export function sizeOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const contents = entries.map((entry) => readFileSync(join(entry.parentPath, entry.name)))
  return {
    files: contents.length,
    raw: contents.reduce((sum, content) => sum + content.length, 0),
    gzip: contents.reduce((sum, content) => sum + gzipped(content), 0),
  }
}
