/**
 * The queue for the one connection to SQLite: a single writer, or any number of readers, in order of arrival.
 * Exception: `writeBeside` and short reads do not wait for long readers, nor for the writers that wait for those.
 */

/** `longRead` and `writeBeside` may run at the same time. */
type Use = 'read' | 'longRead' | 'write' | 'writeBeside'

interface Waiting {
  readonly use: Use
  /** Starts the work immediately, so that no other work runs between the turn and the work. */
  readonly start: () => void
}

export class AccessQueue {
  private readonly running: Record<Use, number> = { read: 0, longRead: 0, write: 0, writeBeside: 0 }
  private readonly waiting: Waiting[] = []
  /** Short reads that run when the writer ends. */
  private afterWriter: (() => void)[] = []

  /** True if a writer may have to wait for a long reader. */
  get hasLongReader(): boolean {
    return this.running.longRead > 0 || this.waiting.some(({ use }) => use === 'longRead')
  }

  /** Runs `work` alone. */
  write<T>(work: () => Promise<T> | T): Promise<T> {
    return this.take('write', work)
  }

  /** Runs `work` alone or beside long readers. */
  writeBeside<T>(work: () => Promise<T> | T): Promise<T> {
    return this.take('writeBeside', work)
  }

  /** Runs `work` beside other readers; writers wait for it. It waits for earlier writers, so that no writer starves. */
  read<T>(work: () => Promise<T> | T): Promise<T> {
    return this.take('read', work)
  }

  /** Like `read`. Before `work` reads, it must wait for a concurrent writer: see `readOnce`. */
  readLong<T>(work: () => Promise<T> | T): Promise<T> {
    return this.take('longRead', work)
  }

  /** Like `read`, for synchronous `work`: it waits only for the running writer. */
  async readOnce<T>(work: () => T): Promise<T> {
    if (!this.isWriting) return work()
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

  private get isWriting(): boolean {
    return this.running.write + this.running.writeBeside > 0
  }

  private take<T>(use: Use, work: () => Promise<T> | T): Promise<T> {
    const isNext = this.waiting.length === 0 || use === 'writeBeside' || (use === 'read' && this.waitsForLongReader)
    if (isNext && this.mayRun(use)) return this.run(use, work)
    return new Promise((resolve, reject) => {
      this.waiting.push({ use, start: () => this.run(use, work).then(resolve, reject) })
    })
  }

  private async run<T>(use: Use, work: () => Promise<T> | T): Promise<T> {
    this.running[use]++
    try {
      return await work()
    } finally {
      this.running[use]--
      if (!this.isWriting) for (const read of this.afterWriter.splice(0)) read()
      this.startNext()
    }
  }

  private mayRun(use: Use): boolean {
    const { read, longRead } = this.running
    if (this.isWriting) return false
    if (use === 'write') return read + longRead === 0
    return use !== 'writeBeside' || read === 0
  }

  private startNext(): void {
    for (let at = this.nextAt(); at >= 0; at = this.nextAt()) this.waiting.splice(at, 1)[0]?.start()
  }

  /** Only writers wait, and the work behind them: another short read does not delay them further. */
  private get waitsForLongReader(): boolean {
    return this.running.longRead > 0 && !this.waiting.some(({ use }) => use === 'writeBeside' || use === 'read')
  }

  /** The first in the queue; if it waits for a long reader, the first that need not. -1: none may run. */
  private nextAt(): number {
    const [first] = this.waiting
    if (!first) return -1
    if (this.mayRun(first.use)) return 0
    if (this.running.longRead === 0) return -1
    const at = this.waiting.findIndex(({ use }) => use === 'writeBeside' || use === 'read')
    const next = this.waiting[at]
    return next && this.mayRun(next.use) ? at : -1
  }
}
