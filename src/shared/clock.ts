import { setTimeout as delay } from 'node:timers/promises'

interface SleepOptions {
  /** True if the process may exit during the wait. Default false. */
  readonly background?: boolean
}

/** The time source for all code that waits. Tests inject their own. */
export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number
  /**
   * Milliseconds since 1970. Used for HTTP dates, and to notice that the machine was asleep, because `now` may stand
   * still during sleep.
   */
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

/** Timers whose delay does not fit in 31 bits fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Deadline {
  /** Aborts when the time is up (`timedOut`), or when a given signal aborts, with that signal's reason. */
  readonly signal: AbortSignal
  readonly timedOut: boolean
  start(timeoutMs: number): void
  /**
   * Stops the timer. Called before the client waits on purpose, because such waits do not count towards the time limit.
   */
  stop(): void
  clear(): void
}

/**
 * Combines signals and a time limit. `AbortSignal.any` would leak, because its signal lives as long as the
 * longest-lived source.
 */
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
        controller.abort(new Error('the time is up'))
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
