/** Tells from the file system whether a file changed, without reading the file. */
import type { Stats } from 'node:fs'

export interface StatFingerprint {
  /**
   * Equal fingerprints mean equal bytes: the change time is in it, which no program can set. `undefined`: the file
   * changed a moment ago and may change again at the same time, or the disk records no change times.
   */
  readonly fingerprint: string | undefined
  /** How long until the fingerprint proves something. */
  readonly waitMs: number
}

/** A disk with a coarse clock records whole seconds, or hundredths of them. */
const COARSE_CLOCK_MS = 3_000
/** Other disks record times by the system's clock, which ticks at least every ten milliseconds. */
const FINE_CLOCK_MS = 20

export function fingerprintOf({ size, ino, mtimeMs, ctimeMs }: Stats): StatFingerprint {
  const unsureMs = ctimeMs % 10 === 0 ? COARSE_CLOCK_MS : FINE_CLOCK_MS
  const ageMs = Date.now() - ctimeMs
  if (ctimeMs > 0 && Math.abs(ageMs) >= unsureMs)
    return { fingerprint: `${size} ${ino} ${mtimeMs} ${ctimeMs}`, waitMs: 0 }
  return { fingerprint: undefined, waitMs: Math.ceil(unsureMs - Math.max(0, ageMs)) + 1 }
}
