/** What a disk tells of a file or a folder without reading it. */
import type { Stats } from 'node:fs'

/** What changed so short a time ago may change once more in the same tick of the disk's clock. */
const RACY_MS = 3_000

/**
 * The same stamp, the same bytes in a file and the same names in a folder: it has the time at which the system itself noted the last
 * change, which nobody can set. `undefined`: it proves nothing yet, or the disk notes no such time.
 */
export function stampOf({ size, ino, mtimeMs, ctimeMs }: Stats): string | undefined {
  if (ctimeMs <= 0 || Math.abs(Date.now() - ctimeMs) < RACY_MS) return undefined
  return `${size} ${ino} ${mtimeMs} ${ctimeMs}`
}
