/** `.localization` contains secrets, local data and caches, which do not belong in a repository. */

import { writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Makes Git ignore the `.localization` folder that contains a new folder, unless it has a `.gitignore`. */
export function ignoreInGit(newFolder: string): void {
  const names = newFolder.split(sep)
  const at = names.lastIndexOf('.localization')
  if (at < 0) return
  try {
    writeFileSync(join(names.slice(0, at + 1).join(sep), '.gitignore'), '*\n', { flag: 'wx' })
  } catch {
    // It already exists, or the folder is read-only, which the next write reports.
  }
}
