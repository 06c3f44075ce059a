/** At most so many at once, first come first served. */
export class Gate {
  private readonly queue = new Set<() => void>()

  constructor(private free: number) {}

  /** Waits for a place. Rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.free > 0) {
      this.free--
      return
    }
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.queue.delete(admit)
        reject(signal.reason)
      }
      this.queue.add(admit)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Gives the place to the next in the queue. To be called once for each `enter`. */
  leave(): void {
    const [first] = this.queue
    if (!first) {
      this.free++
      return
    }
    this.queue.delete(first)
    first()
  }
}
