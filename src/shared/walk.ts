/** Walks a project's folders. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Yields file paths relative to the root, with forward slashes, outer folders first. Skips hidden files, hidden
 * folders, symbolic links and unreadable folders.
 * @param skipped the names of folders to skip at any depth
 */
export async function* walkFiles(
  root: string,
  skipped: ReadonlySet<string>,
  maxDepth = Number.POSITIVE_INFINITY,
): AsyncGenerator<string, void, undefined> {
  const pending = [{ folder: '', depth: 0 }]
  // The list grows during the loop.
  for (const { folder, depth } of pending) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = folder + entry.name
      if (entry.name.startsWith('.')) continue
      if (entry.isFile()) yield path
      else if (entry.isDirectory() && !skipped.has(entry.name) && depth < maxDepth)
        pending.push({ folder: `${path}/`, depth: depth + 1 })
    }
  }
}
