/** `.localization` holds secrets, data of this machine and caches: no repository should have it. */

import { writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Lets Git ignore the `.localization` folder that a new folder lies in, unless the folder has a `.gitignore`. */
export function ignoreInGit(newFolder: string): void {
  const names = newFolder.split(sep)
  const at = names.lastIndexOf('.localization')
  if (at < 0) return
  try {
    writeFileSync(join(names.slice(0, at + 1).join(sep), '.gitignore'), '*\n', { flag: 'wx' })
  } catch {
    // There is one, or nothing can be written here: what is written next says so.
  }
}
