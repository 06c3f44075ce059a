/**
 * Detects changed files without reading them. The disk's clock may belong to another machine, so file times are
 * compared only with each other, never with this process's clock.
 */
import type { Stats } from 'node:fs'

/** The resolution of a coarse disk clock, which records whole seconds or hundredths of a second. */
const COARSE_TICK_MS = 3_000
/** The resolution of other disk clocks, which is at most 10 milliseconds, with a margin. */
const FINE_TICK_MS = 20

type Times = Pick<Stats, 'size' | 'ino' | 'mtimeMs' | 'ctimeMs'>

/**
 * Includes the change time, which programs cannot set. Two versions may have the same fingerprint if they are written
 * within one tick of the disk's clock.
 */
function fingerprintOf({ size, ino, mtimeMs, ctimeMs }: Times): string {
  return `${size} ${ino} ${mtimeMs} ${ctimeMs}`
}

const hasTimes = ({ ctimeMs }: Times) => ctimeMs > 0

const tickMs = ({ ctimeMs }: Times) => (ctimeMs % 10 === 0 ? COARSE_TICK_MS : FINE_TICK_MS)

interface SeenFile {
  readonly fingerprint: string
  readonly since: number
  readonly isProven: boolean
}

/** The fingerprints of the files that this process reads. */
export class FingerprintMemo {
  readonly #seen = new Map<string, SeenFile>()
  readonly #now: () => number

  /** @param now a monotonic clock */
  constructor(now: () => number) {
    this.#now = now
  }

  /** True if the file certainly still has the content that was last read. */
  isUnchanged(path: string, stats: Times): boolean {
    const seen = this.#seen.get(path)
    return seen?.isProven === true && seen.fingerprint === fingerprintOf(stats)
  }

  /**
   * Must be called between `stat` and the read. The fingerprint is proven if the read starts more than one tick after
   * the fingerprint was first seen. Any later write then gets a different time, and so a different fingerprint.
   */
  willRead(path: string, stats: Times): void {
    const seen = this.#seen.get(path)
    const now = this.#now()
    const fingerprint = fingerprintOf(stats)
    const isSame = seen?.fingerprint === fingerprint
    const isProven = isSame && (seen.isProven || (hasTimes(stats) && now - seen.since > tickMs(stats)))
    this.#seen.set(path, { fingerprint, since: isSame ? seen.since : now, isProven })
  }

  /** Makes the next `isUnchanged` return false. */
  forget(path: string): void {
    this.#seen.delete(path)
  }

  /** Forgets all other files. */
  keepOnly(paths: { has(path: string): boolean }): void {
    for (const path of this.#seen.keys()) if (!paths.has(path)) this.#seen.delete(path)
  }
}
