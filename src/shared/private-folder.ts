/** `.localization` holds secrets, this machine's data and caches, which do not belong into a repository. */

import { writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Makes Git ignore the `.localization` folder around a new folder, unless it has a `.gitignore`. */
export function ignoreInGit(newFolder: string): void {
  const names = newFolder.split(sep)
  const at = names.lastIndexOf('.localization')
  if (at < 0) return
  try {
    writeFileSync(join(names.slice(0, at + 1).join(sep), '.gitignore'), '*\n', { flag: 'wx' })
  } catch {
    // There is one, or the folder is read-only, which the next write reports.
  }
}
