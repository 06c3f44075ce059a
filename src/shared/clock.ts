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

/** Longer timers than a signed 32-bit number of milliseconds fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Deadline {
  /** Aborts when time is up (`timedOut`), or when one of the given signals does, with its reason. */
  readonly signal: AbortSignal
  readonly timedOut: boolean
  /** Starts counting anew. */
  start(timeoutMs: number): void
  /** Stops counting: waits that the client imposes on itself count for no call. */
  stop(): void
  /** Removes the timer and the listeners. */
  clear(): void
}

/** Joins signals and a time limit. `AbortSignal.any` would leak: it lives as long as the longest-lived source. */
export function createDeadline(sources: readonly (AbortSignal | undefined)[]): Deadline {
  const controller = new AbortController()
  const given = sources.filter((source) => source !== undefined)
  const abort = () => controller.abort(given.find(({ aborted }) => aborted)?.reason)
  for (const source of given) source.addEventListener('abort', abort)
  if (given.some(({ aborted }) => aborted)) abort()
  let timer: NodeJS.Timeout | undefined
  let timedOut = false
  const stop = () => clearTimeout(timer)
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut
    },
    start(timeoutMs) {
      stop()
      if (!Number.isFinite(timeoutMs)) return
      const end = () => {
        timedOut = !controller.signal.aborted
        controller.abort(new Error('time is up'))
      }
      timer = setTimeout(end, Math.min(timeoutMs, MAX_TIMER_MS))
    },
    stop,
    clear() {
      stop()
      for (const source of given) source.removeEventListener('abort', abort)
    },
  }
}
