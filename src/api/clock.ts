export { type Clock, systemClock } from '../shared/clock.ts'

export interface Deadline {
  /** Aborts when time is up (`timedOut`), or when one of the given signals does, with its reason. */
  readonly signal: AbortSignal
  readonly timedOut: boolean
  /** Starts counting anew. */
  start(timeoutMs: number): void
  /** Stops counting: waits that the client imposes on itself are nobody's delay. */
  stop(): void
  /** Takes the timer and the listeners away. */
  clear(): void
}

/** Joins signals and a time limit. `AbortSignal.any` keeps every joined signal alive as long as a long-lived source; this does not. */
export function createDeadline(sources: readonly (AbortSignal | undefined)[]): Deadline {
  const controller = new AbortController()
  const listeners: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let timedOut = false
  for (const source of sources) {
    if (source === undefined) continue
    if (source.aborted) {
      controller.abort(source.reason)
      break
    }
    const abort = () => controller.abort(source.reason)
    source.addEventListener('abort', abort, { once: true })
    listeners.push(() => source.removeEventListener('abort', abort))
  }
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut
    },
    start(timeoutMs) {
      clearTimeout(timer)
      if (!Number.isFinite(timeoutMs)) return
      timer = setTimeout(
        () => {
          timedOut = !controller.signal.aborted
          controller.abort(new Error('time is up'))
        },
        // Longer timers than a signed 32-bit number of milliseconds fire at once.
        Math.min(timeoutMs, 2 ** 31 - 1),
      )
    },
    stop: () => clearTimeout(timer),
    clear() {
      clearTimeout(timer)
      for (const remove of listeners) remove()
    },
  }
}
