/** Finds a quoted key in the source code, or a text that has no key yet. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResolvedConfig } from '../config/types.ts'
import { createFilePatterns } from '../files/patterns.ts'
import { escapeRegExp } from '../shared/escape-regexp.ts'
import { displayPath } from '../shared/paths.ts'

const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|html|mdx?)$/
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'build', 'coverage', 'out'])
const MOST_FILES = 5_000
const MOST_BYTES = 1_000_000
const MOST_PLACES = 20
const FILES_AT_ONCE = 32
/** The number of characters to show before and after the text. */
const MOST_AROUND = 80

/** A location in the sources, with the part of the line around the text. */
export interface SourceLine {
  /** `src/app.ts:3:5` */
  readonly place: string
  readonly line: string
}

/** At most 20 locations. `undefined` if the project has too many source files to search. */
export async function findUses(config: ResolvedConfig, key: string): Promise<readonly string[] | undefined> {
  // After a colon, because in i18next a key may follow its namespace.
  const found = await search(config, new RegExp(`['"\`:]${escapeRegExp(key)}['"\`]`, 'g'))
  return found?.map(({ place }) => place)
}

/** The locations of the text in the sources, with any whitespace between its words. */
export async function findText(config: ResolvedConfig, text: string): Promise<readonly SourceLine[]> {
  const words = text.trim().split(/\s+/).map(escapeRegExp)
  return (await search(config, new RegExp(words.join('\\s+'), 'g'))) ?? []
}

async function search(config: ResolvedConfig, wanted: RegExp): Promise<readonly SourceLine[] | undefined> {
  const files = await sourceFiles(config)
  if (files.length > MOST_FILES) return undefined
  const places: SourceLine[] = []
  for (let at = 0; at < files.length && places.length < MOST_PLACES; at += FILES_AT_ONCE) {
    const found = files.slice(at, at + FILES_AT_ONCE).map((path) => placesIn(path, wanted, config.root))
    places.push(...(await Promise.all(found)).flat())
  }
  return places.slice(0, MOST_PLACES)
}

async function sourceFiles(config: ResolvedConfig): Promise<readonly string[]> {
  const { root } = config
  const patterns = createFilePatterns(config)
  const sources: string[] = []
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined && sources.length <= MOST_FILES; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.name.startsWith('.') || SKIPPED_FOLDERS.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile() && SOURCE.test(entry.name) && !patterns.match(path)) sources.push(path)
    }
  }
  return sources.sort()
}

async function placesIn(path: string, wanted: RegExp, root: string): Promise<SourceLine[]> {
  try {
    if ((await stat(path)).size > MOST_BYTES) return []
    const text = await readFile(path, 'utf8')
    const matches = [...text.matchAll(wanted)].slice(0, MOST_PLACES)
    return matches.map(({ index, 0: found }) => {
      const before = text.slice(0, index)
      const column = index - before.lastIndexOf('\n')
      const start = Math.max(index - column + 1, index - MOST_AROUND)
      const rest = text.slice(index + found.length).split('\n', 1)[0] ?? ''
      const line = text.slice(start, index) + found + rest.slice(0, MOST_AROUND)
      return { place: `${displayPath(root, path)}:${before.split('\n').length}:${column}`, line: line.trim() }
    })
  } catch {
    return []
  }
}
