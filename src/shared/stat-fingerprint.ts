/** What a disk tells of a file or a folder without reading it. */
import type { Stats } from 'node:fs'

/** What changed so short a time ago may change once more in the same tick of the disk's clock. */
const RACY_MS = 3_000
/** The same, on a disk that notes times by the system's clock: it ticks at least every ten milliseconds. */
const FINE_RACY_MS = 20

/**
 * The same fingerprint, the same bytes in a file and the same names in a folder: it has the time at which the system itself noted the
 * last change, which nobody can set. `undefined`: it proves nothing yet, or the disk notes no such time.
 */
export function statFingerprint({ size, ino, mtimeMs, ctimeMs }: Stats, racyMs = RACY_MS): string | undefined {
  if (ctimeMs <= 0 || Math.abs(Date.now() - ctimeMs) < racyMs) return undefined
  return `${size} ${ino} ${mtimeMs} ${ctimeMs}`
}

/** The same, as soon as it proves something; until then, how long that takes. */
export function quickFingerprint(stats: Stats): { readonly fingerprint: string | undefined; readonly waitMs: number } {
  // Disks with a coarse clock note whole seconds, or hundredths of them.
  const racyMs = stats.ctimeMs % 10 === 0 ? RACY_MS : FINE_RACY_MS
  const fingerprint = statFingerprint(stats, racyMs)
  const ageMs = Math.max(0, Date.now() - stats.ctimeMs)
  return { fingerprint, waitMs: fingerprint === undefined ? Math.ceil(racyMs - ageMs) + 1 : 0 }
}
