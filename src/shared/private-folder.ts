/** `.localization` contains secrets, local data and caches, which do not belong in a repository. */

import { writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** If the new folder is inside a `.localization` folder without a `.gitignore`, makes Git ignore that folder. */
export function ignoreInGit(newFolder: string): void {
  const names = newFolder.split(sep)
  const at = names.lastIndexOf('.localization')
  if (at < 0) return
  try {
    writeFileSync(join(names.slice(0, at + 1).join(sep), '.gitignore'), '*\n', { flag: 'wx' })
  } catch {
    // The file already exists, or the folder is read-only; the next write reports that.
  }
}
