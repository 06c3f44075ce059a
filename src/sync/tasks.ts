/**
 * The tasks of a dev server's sync. Only one task at a time may use the files. All tasks pause while another process
 * needs the files.
 */
import { setMaxListeners } from 'node:events'
import type { Clock } from '../shared/clock.ts'

/** After this time, a pause aborts the requests that are still running. */
const LAST_CALLS_MS = 2_000

/** The current pause, or the next one. */
class Pause {
  readonly rounds = new AbortController()
  readonly calls = new AbortController()
  end: () => void = () => {}
  readonly over = new Promise<void>((resolve) => {
    this.end = resolve
  })
}

export class Tasks {
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  /** Work that must end before a pause begins. */
  readonly #busy = new Set<Promise<unknown>>()
  #last: Promise<unknown> = Promise.resolve()
  #pause = new Pause()

  constructor(
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void,
  ) {
    // Every running call adds a listener. Prevents Node's MaxListenersExceededWarning.
    setMaxListeners(0, this.signal)
    this.signal.addEventListener('abort', () => this.#pause.end(), { once: true })
  }

  get signal(): AbortSignal {
    return this.#closing.signal
  }

  get isPaused(): boolean {
    return this.#pause.rounds.signal.aborted
  }

  /**
   * A pause aborts `signal` first, which ends work between two requests, and later `callSignal`, which also aborts
   * running requests.
   */
  signals(): { readonly signal: AbortSignal; readonly callSignal: AbortSignal } {
    const endedBy = ({ signal }: AbortController) => AbortSignal.any([this.signal, signal])
    return { signal: endedBy(this.#pause.rounds), callSignal: endedBy(this.#pause.calls) }
  }

  /** Runs `work` after `ms` milliseconds, unless the tasks are closed first. */
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

  /** Waits for the end of a pause. A new pause waits for `work`. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    while (this.isPaused && !this.signal.aborted) await this.#pause.over
    const done = work().finally(() => this.#busy.delete(done))
    this.#busy.add(done)
    return done
  }

  /** Runs `work`, and repeats it if a pause interrupts it. */
  async betweenPauses(work: () => Promise<void>): Promise<void> {
    let wasPaused: boolean
    do {
      wasPaused = await this.busy(async () => {
        const pause = this.#pause.rounds.signal
        if (this.signal.aborted) return false
        await work().catch((error: unknown) => {
          if (!pause.aborted) throw error
        })
        return pause.aborted
      })
    } while (wasPaused)
  }

  /** Resolves when no work is running. No new work starts until `resume`. */
  async pause(): Promise<void> {
    const { rounds, calls } = this.#pause
    rounds.abort(new Error('another process is syncing'))
    const timer = setTimeout(() => calls.abort(new Error('another process is syncing')), LAST_CALLS_MS)
    await Promise.allSettled(this.#busy)
    clearTimeout(timer)
  }

  resume(): void {
    const { end } = this.#pause
    this.#pause = new Pause()
    end()
  }

  /** Rejects everything that is waiting, with this reason. Resolves when all running work has ended. */
  async close(reason: Error): Promise<void> {
    this.#closing.abort(reason)
    await Promise.all(this.#running)
    await this.#last
  }
}
