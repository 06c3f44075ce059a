/** How much work of one kind runs at once. The rest waits: first come, first served. */
export class ConcurrencyLimit {
  private running = 0
  private readonly waiting: (() => void)[] = []

  /** Work that waits for longer than `waitMs` rejects with `createError()`. */
  constructor(
    private readonly max: number,
    private readonly waitMs: number,
    private readonly createError: () => Error,
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running === this.max) await this.turn()
    else this.running++
    try {
      return await work()
    } finally {
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
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(start), 1)
        reject(this.createError())
      }, this.waitMs)
      this.waiting.push(start)
    })
  }
}
