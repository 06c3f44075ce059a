/** Which source files there are. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import picomatch from 'picomatch'

/** Never sources of the app's own, wherever they stand. */
const LEFT_OUT = new Set(['node_modules', 'bower_components', 'dist', 'build', 'out', 'coverage', 'storybook-static'])

/** Paths from the root, with forward slashes, sorted. Hidden folders and symbolic links are not followed. */
export async function listSources(root: string, patterns: readonly string[]): Promise<string[]> {
  const clean = patterns.map((pattern) => pattern.replace(/^(!?)(?:\.\/)+/, '$1'))
  const without = clean.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  const matches = picomatch(clean.filter((pattern) => !pattern.startsWith('!')))
  const isLeftOut = without.length > 0 ? picomatch(without) : () => false
  const found: string[] = []
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!LEFT_OUT.has(entry.name)) pending.push(path)
      } else if (entry.isFile() && matches(path) && !isLeftOut(path)) found.push(path)
    }
  }
  return found.sort((a, b) => (a < b ? -1 : 1))
}
