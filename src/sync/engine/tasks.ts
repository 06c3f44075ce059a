import { setMaxListeners } from 'node:events'
import type { Clock } from '../../api/clock.ts'

export class Tasks {
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void,
  ) {
    // Every running call adds a listener, so their number has no limit that Node should warn about.
    setMaxListeners(0, this.signal)
  }

  get signal(): AbortSignal {
    return this.#closing.signal
  }

  /** Runs `work` after that time, unless the tasks end before. */
  after(ms: number, work: () => Promise<void> | void): void {
    if (this.signal.aborted) return
    const promise = this.clock
      .sleep(ms, this.signal)
      .then(() => (this.signal.aborted ? undefined : work()))
      .catch((error: unknown) => this.signal.aborted || this.onError(error))
    this.#running.add(promise)
    promise.finally(() => this.#running.delete(promise))
  }

  readonly exclusive = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => undefined)
    return mine
  }

  /** Ends the waiting and resolves when what runs has ended. */
  async close(reason: Error): Promise<void> {
    this.#closing.abort(reason)
    await Promise.all(this.#running)
    await this.#last
  }
}
