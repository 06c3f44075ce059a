/** Work that is done again and again, such as a look at what other processes did. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Repeated {
  /** Waits for the work that runs. */
  close(): Promise<void>
}

/**
 * Does `work` again some time after it ended: `aboutMs`, more or less, so that processes take turns. Keeps no process
 * alive. `work` reports its own failures.
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
