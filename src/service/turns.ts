/** Long work that lets other requests have their turn of the loop. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The turns that one work has, or several that run at the same time have together. */
export class Turns {
  private endsAt: number
  private waiting: Promise<void> | undefined

  constructor(private readonly turnMs: number) {
    this.endsAt = performance.now() + turnMs
  }

  /** Resolves in the next turn, where this one is over. */
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
