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

type Work<T> = () => Promise<T> | T

/** Allows either readers or writers, in order of arrival. */
class FairLock {
  private readers = 0
  private writers = 0
  private readonly waiting: { readonly isWriter: boolean; readonly start: () => void }[] = []
  private afterWriter: (() => void)[] = []

  constructor(private readonly maxWriters: number) {}

  /** Queues `work`, and starts it at the moment when its turn comes, so that no other work can start in between. */
  take<T>(use: 'read' | 'write', work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const isWriter = use === 'write'
      this.waiting.push({ isWriter, start: () => void this.run(isWriter, work).then(resolve, reject) })
      this.startNext()
    })
  }

  /** Runs synchronous `work` without waiting in the queue, but not while a writer is running. */
  async readOnce<T>(work: () => T): Promise<T> {
    if (this.writers === 0) return work()
    return new Promise((resolve, reject) => {
      this.afterWriter.push(() => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  private async run<T>(isWriter: boolean, work: Work<T>): Promise<T> {
    if (isWriter) this.writers++
    else this.readers++
    try {
      return await work()
    } finally {
      if (isWriter) this.writers--
      else this.readers--
      if (this.writers === 0) for (const read of this.afterWriter.splice(0)) read()
      this.startNext()
    }
  }

  private startNext(): void {
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      const mayRun = next.isWriter ? this.readers === 0 && this.writers < this.maxWriters : this.writers === 0
      if (!mayRun) return
      this.waiting.shift()
      next.start()
    }
  }
}

/**
 * Queues work on the single SQLite connection. A long read does not hold the connection between its reads, so only
 * `write` waits until it ends.
 */
export class AccessQueue {
  private readonly connection = new FairLock(1)
  /** Keeps `write` and long reads apart. Admits several writers, because they take turns on the connection. */
  private readonly longReads = new FairLock(Number.POSITIVE_INFINITY)

  /** Runs `work` alone. */
  write<T>(work: Work<T>): Promise<T> {
    return this.longReads.take('write', () => this.connection.take('write', work))
  }

  /** Like `write`, but does not wait for long reads to end. */
  writeBeside<T>(work: Work<T>): Promise<T> {
    return this.connection.take('write', work)
  }

  /** Runs `work` concurrently with other readers. Later writers wait for it. */
  read<T>(work: Work<T>): Promise<T> {
    return this.connection.take('read', work)
  }

  /** Starts `work` while no writer is running. `work` must use `readOnce` for each read. */
  readLong<T>(work: () => Promise<T>): Promise<T> {
    return this.longReads.take('read', async () => {
      const { reading } = await this.connection.take('read', () => ({ reading: work() }))
      return reading
    })
  }

  readOnce<T>(work: () => T): Promise<T> {
    return this.connection.readOnce(work)
  }
}
