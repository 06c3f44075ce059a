/** Lists the source files of a project. */
import picomatch from 'picomatch'
import { walkFiles } from '../../shared/walk.ts'

/** Folders without sources of the app's own. */
export const EXCLUDED_FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'dist',
  'build',
  'out',
  'coverage',
  'storybook-static',
])

/** Returns sorted paths from the root, with forward slashes. A pattern that begins with `!` leaves files out. */
export async function listSources(root: string, patterns: readonly string[]): Promise<string[]> {
  const isSource = sourceFilter(patterns)
  const found: string[] = []
  for await (const path of walkFiles(root, { skipped: EXCLUDED_FOLDERS })) if (isSource(path)) found.push(path)
  return found.sort()
}

/** Whether a path from the root, with forward slashes, is a source file. */
export function sourceFilter(patterns: readonly string[]): (path: string) => boolean {
  const clean = patterns.map((pattern) => pattern.replace(/^(!?)(?:\.\/)+/, '$1'))
  const excluded = clean.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  const matches = picomatch(clean.filter((pattern) => !pattern.startsWith('!')))
  const isExcluded = excluded.length > 0 ? picomatch(excluded) : () => false
  return (path) => matches(path) && !isExcluded(path)
}
