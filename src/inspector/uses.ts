/** Where the source spells a key: a search for the quoted key, as a person would do it. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResolvedConfig } from '../config/types.ts'
import { createFilePatterns, displayPath } from '../files/patterns.ts'

const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|html|mdx?)$/
const LEFT_OUT = new Set(['node_modules', 'dist', 'build', 'coverage', 'out'])
const MOST_FILES = 5_000
const MOST_BYTES = 1_000_000
const MOST_PLACES = 20
const BATCH = 32

/** `src/app.ts:3:5`, at most twenty. `undefined`: the project is too large to look through. */
export async function findUses(config: ResolvedConfig, key: string): Promise<readonly string[] | undefined> {
  const { root, files, defaultNamespace } = config
  const patterns = createFilePatterns({ root, patterns: files, defaultNamespace })
  const sources: string[] = []
  const pending = [root]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) pending.push(path)
      else if (entry.isFile() && SOURCE.test(entry.name) && !patterns.match(path)) sources.push(path)
      if (sources.length > MOST_FILES) return undefined
    }
  }
  sources.sort()
  const needles = ["'", '"', '`'].map((quote) => `${quote}${key}${quote}`)
  // i18next's `namespace:key`.
  const tails = ["'", '"', '`'].map((quote) => `:${key}${quote}`)
  const places: string[] = []
  for (let at = 0; at < sources.length && places.length < MOST_PLACES; at += BATCH) {
    const found = await Promise.all(
      sources
        .slice(at, at + BATCH)
        .map(async (path) => placesIn(path, displayPath(root, path), [...needles, ...tails])),
    )
    places.push(...found.flat())
  }
  return places.slice(0, MOST_PLACES)
}

async function placesIn(path: string, name: string, needles: readonly string[]): Promise<string[]> {
  try {
    if ((await stat(path)).size > MOST_BYTES) return []
    const text = await readFile(path, 'utf8')
    const offsets = needles.flatMap((needle) => offsetsOf(text, needle)).sort((a, b) => a - b)
    return offsets.slice(0, MOST_PLACES).map((offset) => {
      const before = text.slice(0, offset)
      const line = before.split('\n').length
      return `${name}:${line}:${offset - before.lastIndexOf('\n')}`
    })
  } catch {
    return []
  }
}

function offsetsOf(text: string, needle: string): number[] {
  const offsets: number[] = []
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) offsets.push(at)
  return offsets
}
