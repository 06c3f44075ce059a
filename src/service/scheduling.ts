import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** Limits how long work may occupy the event loop in one turn. Concurrent work can share the limit. */
export class Turns {
  private endsAt: number
  private waiting: Promise<void> | undefined

  constructor(private readonly turnMs: number) {
    this.endsAt = performance.now() + turnMs
  }

  /** Resolves immediately if there is time left in this turn, otherwise in the next turn. */
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

/** Limits how much work runs concurrently. The rest waits in order of arrival. */
export class ConcurrencyLimit {
  private running = 0
  private readonly waiting: (() => void)[] = []

  /** @param late the time limit for waiting, and the error when it is exceeded */
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

  /** Resolves when the work may begin. Call the returned function when the work has ended. */
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
  /** Stops repeating, and waits until the running work has ended. */
  close(): Promise<void>
}

/**
 * Runs `work` repeatedly, with pauses of about `aboutMs` milliseconds. The pauses vary at random, so that processes
 * take turns. The timer does not keep the process alive. `work` must handle its own errors.
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
