/** Work that repeats, waits and ends with its owner. */
import { setMaxListeners } from 'node:events'
import type { Clock } from '../../api/clock.ts'

export interface Tasks {
  readonly signal: AbortSignal
  /** Runs `work` after that time, unless everything ends before. */
  after(ms: number, work: () => Promise<void> | void): void
  /** One after the other. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
  /** Ends the waiting and resolves when what runs has ended. */
  close(reason: Error): Promise<void>
}

/** `onError`: what escaped from work that nobody waits for. */
export function createTasks(clock: Clock, onError: (error: unknown) => void): Tasks {
  const closing = new AbortController()
  // Every call under way listens; there may be many, and no more than that.
  setMaxListeners(0, closing.signal)
  const running = new Set<Promise<unknown>>()
  let last: Promise<unknown> = Promise.resolve()

  const run = async (ms: number, work: () => Promise<void> | void) => {
    try {
      await clock.sleep(ms, closing.signal)
    } catch {
      return
    }
    try {
      if (!closing.signal.aborted) await work()
    } catch (error) {
      if (!closing.signal.aborted) onError(error)
    }
  }

  return {
    signal: closing.signal,
    after(ms, work) {
      if (closing.signal.aborted) return
      const promise = run(ms, work)
      running.add(promise)
      promise.finally(() => running.delete(promise))
    },
    exclusive(work) {
      const mine = last.then(work)
      last = mine.catch(() => undefined)
      return mine
    },
    async close(reason) {
      closing.abort(reason)
      await Promise.all(running)
      await last
    },
  }
}
