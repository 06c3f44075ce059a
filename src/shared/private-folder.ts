/** `.localization` contains secrets, local data and caches, which do not belong in a repository. */

import { writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Adds a `.gitignore` to the `.localization` folder that contains the new folder, if there is none yet. */
export function ignoreInGit(newFolder: string): void {
  const names = newFolder.split(sep)
  const at = names.lastIndexOf('.localization')
  if (at < 0) return
  try {
    writeFileSync(join(names.slice(0, at + 1).join(sep), '.gitignore'), '*\n', { flag: 'wx' })
  } catch {
    // The file already exists, or the folder is read-only, which the next write reports.
  }
}
