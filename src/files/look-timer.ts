/** Decides when to look at the files: when their events have calmed down, or have gone on for too long. */
import type { Clock } from '../shared/clock.ts'

/**
 * Without an event for so long, the files are calm. Watchers drop an event that comes less than 50 ms after another of
 * the same file, so a look after this time sees what they dropped.
 */
export const CALM_MS = 100
export const LONGEST_UNREST_MS = 1_000

export class LookTimer {
  readonly #clock: Clock
  readonly #look: () => Promise<void>
  #ending = new AbortController()
  #firstAt: number | undefined
  #lastAt = 0

  /** @param look must not reject */
  constructor(clock: Clock, look: () => Promise<void>) {
    this.#clock = clock
    this.#look = look
  }

  /** After an event. */
  soon(): void {
    this.#lastAt = this.#clock.now()
    this.start()
  }

  /** Without an event, and without a delay for a look that is due. */
  start(): void {
    if (this.#firstAt !== undefined) return
    this.#lastAt = this.#clock.now()
    this.#firstAt = this.#lastAt
    void this.#lookWhenCalm(this.#firstAt, this.#ending.signal)
  }

  cancel(): void {
    this.#ending.abort(new Error('the timer was cancelled'))
    this.#ending = new AbortController()
    this.#firstAt = undefined
  }

  async #lookWhenCalm(startedAt: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const dueAt = Math.min(this.#lastAt + CALM_MS, startedAt + LONGEST_UNREST_MS)
      const waitMs = dueAt - this.#clock.now()
      if (waitMs <= 0) break
      const isDue = await this.#clock.sleep(waitMs, signal, { background: true }).then(
        () => !signal.aborted,
        () => false,
      )
      if (!isDue) return
    }
    this.#firstAt = undefined
    await this.#look()
  }
}
