/** Walks a project's folders. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface WalkOptions {
  /** The names of folders to skip at any depth. */
  readonly skipped: ReadonlySet<string>
  readonly maxDepth?: number
  /** If true, skips unreadable folders. By default, they cause an error. */
  readonly ignoresUnreadable?: boolean
}

/**
 * Yields file paths relative to the root, with forward slashes, outer folders first. Skips hidden files, hidden folders
 * and symbolic links.
 */
export async function* walkFiles(
  root: string,
  { skipped, maxDepth = Number.POSITIVE_INFINITY, ignoresUnreadable = false }: WalkOptions,
): AsyncGenerator<string, void, undefined> {
  const pending = [{ folder: '', depth: 0 }]
  // The list grows during the loop.
  for (const { folder, depth } of pending) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      if (ignoresUnreadable) return []
      throw error
    })
    for (const entry of entries) {
      const path = folder + entry.name
      if (entry.name.startsWith('.')) continue
      if (entry.isFile()) yield path
      else if (entry.isDirectory() && !skipped.has(entry.name) && depth < maxDepth)
        pending.push({ folder: `${path}/`, depth: depth + 1 })
    }
  }
}
