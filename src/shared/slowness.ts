/**
 * Whether a disk keeps one waiting. Threads that wait for it side by side are worth what they cost only where there is something to wait
 * for: 400 small files are written one after another in half the time from the system's cache, and far slower on a network's disk.
 */
export interface Slowness {
  readonly now: boolean
  /** Does something with one file, at once. */
  time<Result>(work: () => Result): Result
}

/** A file from the system's cache takes a twentieth of it; a network's disk takes longer. */
const SLOW_FILE_MS = 1
/** What the first files may take besides: a pause of the processor is no slow disk. */
const GRACE_MS = 30

export function createSlowness(): Slowness {
  let files = 0
  let spentMs = 0
  return {
    get now() {
      return spentMs > GRACE_MS + files * SLOW_FILE_MS
    },
    time(work) {
      const startedAt = performance.now()
      try {
        return work()
      } finally {
        files++
        spentMs += performance.now() - startedAt
      }
    },
  }
}
