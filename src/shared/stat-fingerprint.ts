/**
 * Tells from the file system whether a file changed, without reading the file. The disk's clock may be another machine's,
 * so times of files are compared with each other only, never with this process's clock.
 */
import type { Stats } from 'node:fs'

/** A disk with a coarse clock records whole seconds, or hundredths of them. */
const COARSE_TICK_MS = 3_000
/** Other disks record times by a clock that ticks at least every ten milliseconds. */
const FINE_TICK_MS = 20

type Times = Pick<Stats, 'size' | 'ino' | 'mtimeMs' | 'ctimeMs'>

/** The change time is in it, which no program can set. Two contents of one tick of the disk's clock may share one. */
function fingerprintOf({ size, ino, mtimeMs, ctimeMs }: Times): string {
  return `${size} ${ino} ${mtimeMs} ${ctimeMs}`
}

/** False for a disk that records no change times. */
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

  /** True: the file has the content of the last read. */
  isUnchanged(path: string, stats: Times): boolean {
    const seen = this.#seen.get(path)
    return seen?.isProven === true && seen.fingerprint === fingerprintOf(stats)
  }

  /**
   * Call it between `stat` and the read. A fingerprint proves something after a read that began more than a tick after
   * the fingerprint was first seen: every later write happens at another time of the disk's clock.
   */
  willRead(path: string, stats: Times): void {
    const seen = this.#seen.get(path)
    const now = this.#now()
    const fingerprint = fingerprintOf(stats)
    const isSame = seen?.fingerprint === fingerprint
    const isProven = isSame && (seen.isProven || (hasTimes(stats) && now - seen.since > tickMs(stats)))
    this.#seen.set(path, { fingerprint, since: isSame ? seen.since : now, isProven })
  }

  /** The next look reads the file. */
  forget(path: string): void {
    this.#seen.delete(path)
  }

  /** Forgets all other files. */
  keepOnly(paths: { has(path: string): boolean }): void {
    for (const path of this.#seen.keys()) if (!paths.has(path)) this.#seen.delete(path)
  }
}
