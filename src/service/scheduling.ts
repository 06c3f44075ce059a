/**
 * Decides when work runs: how long it may occupy the event loop, how much of it runs concurrently, and how often it is
 * repeated.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** The time budget of each turn of the event loop for long work. Concurrent work may share it. */
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

/** Limits concurrent work of one kind. Other work waits in order of arrival. */
export class ConcurrencyLimit {
  private running = 0
  private readonly waiting: (() => void)[] = []

  /** @param late rejects work that has waited too long */
  constructor(
    private readonly max: number,
    private readonly late?: { readonly afterMs: number; readonly error: () => Error },
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Resolves when work may begin. The result is a function that ends the work. */
  async enter(): Promise<() => void> {
    if (this.running === this.max) await this.turn()
    else this.running++
    return () => {
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }

  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      this.waiting.push(start)
      const { late } = this
      const timer =
        late &&
        setTimeout(() => {
          this.waiting.splice(this.waiting.indexOf(start), 1)
          reject(late.error())
        }, late.afterMs)
    })
  }
}

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
