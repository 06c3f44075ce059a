/** Who may use the one connection to SQLite: a single writer, or any number of readers. First come, first served. */

interface Waiting {
  readonly isWriter: boolean
  readonly start: () => void
}

export class AccessQueue {
  private readers = 0
  private isWriting = false
  private readonly waiting: Waiting[] = []

  /** Runs `work` when nothing else runs. */
  async write<T>(work: () => Promise<T> | T): Promise<T> {
    if (this.isWriting || this.readers > 0) await this.turn(true)
    else this.isWriting = true
    try {
      return await work()
    } finally {
      this.isWriting = false
      this.startNext()
    }
  }

  /** Runs `work` when no writer runs, and keeps writers waiting. Waits behind earlier writers, so that none starves. */
  async read<T>(work: () => Promise<T> | T): Promise<T> {
    if (this.isWriting || this.waiting.length > 0) await this.turn(false)
    else this.readers++
    try {
      return await work()
    } finally {
      this.readers--
      this.startNext()
    }
  }

  /** Like `read`, for `work` that ends before anything else can start: it waits only for a writer that runs. */
  async readOnce<T>(work: () => T): Promise<T> {
    return this.isWriting ? this.read(work) : work()
  }

  private turn(isWriter: boolean): Promise<void> {
    return new Promise((start) => this.waiting.push({ isWriter, start }))
  }

  private startNext(): void {
    for (let [next] = this.waiting; next && !this.isWriting; [next] = this.waiting) {
      if (next.isWriter && this.readers > 0) return
      this.waiting.shift()
      if (next.isWriter) this.isWriting = true
      else this.readers++
      next.start()
    }
  }
}
