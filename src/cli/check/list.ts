/** Lists the source files of a project. */
import picomatch from 'picomatch'
import { walkFiles } from '../walk.ts'

/** Folders without sources of the app's own. */
const EXCLUDED = new Set(['node_modules', 'bower_components', 'dist', 'build', 'out', 'coverage', 'storybook-static'])

/** Returns sorted paths from the root, with forward slashes. A pattern that begins with `!` leaves files out. */
export async function listSources(root: string, patterns: readonly string[]): Promise<string[]> {
  const clean = patterns.map((pattern) => pattern.replace(/^(!?)(?:\.\/)+/, '$1'))
  const excluded = clean.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  const matches = picomatch(clean.filter((pattern) => !pattern.startsWith('!')))
  const isExcluded = excluded.length > 0 ? picomatch(excluded) : () => false
  const found: string[] = []
  for await (const path of walkFiles(root, { skipped: EXCLUDED }))
    if (matches(path) && !isExcluded(path)) found.push(path)
  return found.sort()
}
