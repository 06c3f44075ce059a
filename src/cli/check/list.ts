/** Lists the source files of a project. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import picomatch from 'picomatch'

/** Folders without sources of the app's own, at any depth. */
const EXCLUDED = new Set(['node_modules', 'bower_components', 'dist', 'build', 'out', 'coverage', 'storybook-static'])

/** Returns sorted paths from the root, with forward slashes. Skips hidden folders and symbolic links. */
export async function listSources(root: string, patterns: readonly string[]): Promise<string[]> {
  const clean = patterns.map((pattern) => pattern.replace(/^(!?)(?:\.\/)+/, '$1'))
  const excluded = clean.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  const matches = picomatch(clean.filter((pattern) => !pattern.startsWith('!')))
  const isExcluded = excluded.length > 0 ? picomatch(excluded) : () => false
  const found: string[] = []
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!EXCLUDED.has(entry.name)) pending.push(path)
      } else if (entry.isFile() && matches(path) && !isExcluded(path)) found.push(path)
    }
  }
  return found.sort((a, b) => (a < b ? -1 : 1))
}
