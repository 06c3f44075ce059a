/** The work of a dev server's sync: one thing at a time where files are concerned, and pauses for another process. */
import { setMaxListeners } from 'node:events'
import type { Clock } from '../shared/clock.ts'

/** While this process stands by, running requests are given up after this time. */
const LAST_CALLS_MS = 2_000

/** The next pause, or the one that lasts. */
class Pause {
  readonly rounds = new AbortController()
  readonly calls = new AbortController()
  readonly over: Promise<void>
  end: () => void = () => {}

  constructor() {
    this.over = new Promise((resolve) => {
      this.end = resolve
    })
  }
}

export class Tasks {
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  /** Work that has to end before this process stands by. */
  readonly #busy = new Set<Promise<unknown>>()
  #last: Promise<unknown> = Promise.resolve()
  #pause = new Pause()

  constructor(
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void,
  ) {
    // Every running call adds a listener, so their number has no limit that Node should warn about.
    setMaxListeners(0, this.signal)
    this.signal.addEventListener('abort', () => this.#pause.end(), { once: true })
  }

  get signal(): AbortSignal {
    return this.#closing.signal
  }

  get isPaused(): boolean {
    return this.#pause.rounds.signal.aborted
  }

  /** The signals of work that a pause ends: `signal` between two requests, `callSignal` also within one. */
  signals(): { readonly signal: AbortSignal; readonly callSignal: AbortSignal } {
    const { rounds, calls } = this.#pause
    return {
      signal: AbortSignal.any([this.signal, rounds.signal]),
      callSignal: AbortSignal.any([this.signal, calls.signal]),
    }
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

  /** A pause waits until this work ends. */
  busy<T>(work: Promise<T>): Promise<T> {
    const done = work.finally(() => this.#busy.delete(done))
    this.#busy.add(done)
    return done
  }

  /** Does the work again if a pause interrupts it. */
  async betweenPauses(work: () => Promise<void>): Promise<void> {
    for (;;) {
      await this.resumed()
      if (this.signal.aborted) return
      const { signal } = this.#pause.rounds
      try {
        await this.busy(work())
      } catch (error) {
        if (!signal.aborted) throw error
      }
      if (!signal.aborted) return
    }
  }

  /** Resolves when nothing is busy any more. Nothing begins before `resume`. */
  async pause(): Promise<void> {
    const { rounds, calls } = this.#pause
    rounds.abort(new Error('another process syncs'))
    const timer = setTimeout(() => calls.abort(new Error('another process syncs')), LAST_CALLS_MS)
    await Promise.allSettled(this.#busy)
    clearTimeout(timer)
  }

  resume(): void {
    const { end } = this.#pause
    this.#pause = new Pause()
    end()
  }

  async resumed(): Promise<void> {
    while (this.isPaused && !this.signal.aborted) await this.#pause.over
  }

  /** Ends the waiting and resolves when what runs has ended. */
  async close(reason: Error): Promise<void> {
    this.#closing.abort(reason)
    await Promise.all(this.#running)
    await this.#last
  }
}
