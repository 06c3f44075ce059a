/** Lets other requests run during long work. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The time budget of each turn of the event loop. Concurrent work may share it. */
export class Turns {
  private endsAt: number
  private waiting: Promise<void> | undefined

  constructor(private readonly turnMs: number) {
    this.endsAt = performance.now() + turnMs
  }

  /** Resolves in the next turn if the time of this one is over, otherwise immediately. */
  async next(): Promise<void> {
    while (performance.now() >= this.endsAt) {
      this.waiting ??= nextTurn().then(() => {
        this.waiting = undefined
        this.endsAt = performance.now() + this.turnMs
      })
      await this.waiting
    }
  }
}
