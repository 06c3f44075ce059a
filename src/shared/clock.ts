import { setTimeout as delay } from 'node:timers/promises'

interface SleepOptions {
  /** The process may end before the time is up. Default false. */
  readonly background?: boolean
}

/** The time source of all code that waits. Tests inject their own. */
export interface Clock {
  /** Monotonic, in milliseconds. */
  now(): number
  /** Milliseconds since 1970: for HTTP dates, and to notice that the machine slept, when `now` may stand still. */
  wallNow(): number
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal, options?: SleepOptions): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  async sleep(ms, signal, { background = false } = {}) {
    try {
      await delay(ms, undefined, { signal, ref: !background })
    } catch (thrown) {
      throw signal.aborted ? signal.reason : thrown
    }
  },
}
