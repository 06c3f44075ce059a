/** Decides when to scan the files: when the events have calmed down, or have gone on for too long. */
import type { Clock } from '../shared/clock.ts'

const DEBOUNCE_MS = 60
const LONGEST_DEBOUNCE_MS = 1_000

export class LookTimer {
  readonly #clock: Clock
  readonly #look: () => Promise<void>
  #ending = new AbortController()
  #firstAt: number | undefined
  #lastAt = 0
  #isLaterDue = false

  /** @param look must not reject */
  constructor(clock: Clock, look: () => Promise<void>) {
    this.#clock = clock
    this.#look = look
  }

  /** After an event. */
  soon(): void {
    this.#lastAt = this.#clock.now()
    if (this.#firstAt !== undefined) return
    this.#firstAt = this.#lastAt
    void this.#lookWhenQuiet(this.#firstAt, this.#ending.signal)
  }

  /** After a time, unless such a look is due already. */
  after(ms: number): void {
    if (this.#isLaterDue) return
    this.#isLaterDue = true
    void this.#sleep(ms, this.#ending.signal).then((isDue) => {
      if (!isDue) return
      this.#isLaterDue = false
      return this.#look()
    })
  }

  cancel(): void {
    this.#ending.abort(new Error('the timer was cancelled'))
    this.#ending = new AbortController()
    this.#firstAt = undefined
    this.#isLaterDue = false
  }

  async #lookWhenQuiet(startedAt: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const dueAt = Math.min(this.#lastAt + DEBOUNCE_MS, startedAt + LONGEST_DEBOUNCE_MS)
      const waitMs = dueAt - this.#clock.now()
      if (waitMs <= 0) break
      if (!(await this.#sleep(waitMs, signal))) return
    }
    this.#firstAt = undefined
    await this.#look()
  }

  /** False: cancelled. */
  #sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    return this.#clock.sleep(ms, signal, { background: true }).then(
      () => !signal.aborted,
      () => false,
    )
  }
}
