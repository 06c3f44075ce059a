/** Periodic work, such as checks for changes by other processes. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Repeated {
  /** Waits for the running work. */
  close(): Promise<void>
}

/**
 * Repeats `work` about `aboutMs` after its last end, with a random variation so that processes take turns. The timer
 * does not keep the process alive. `work` reports its own failures.
 */
export function repeat(aboutMs: number, work: () => Promise<void>): Repeated {
  const stop = new AbortController()
  const loop = async () => {
    for (;;) {
      const waitMs = aboutMs * (0.75 + Math.random() / 2)
      await sleep(waitMs, undefined, { ref: false, signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) return
      await work()
    }
  }
  const running = loop()
  return {
    close() {
      stop.abort()
      return running
    },
  }
}
