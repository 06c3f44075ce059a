/** Short transactions that arrive together are one on the disk: a flush costs more than their statements. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The steps of a transaction on one connection. */
export interface TransactionSteps {
  begin(): void
  /** From here on, `undo` can take back what is written. */
  mark(): void
  /** Throws where the whole transaction is gone. */
  undo(): void
  commit(): void
  rollBack(): void
}

interface Member {
  /** Resolves when everything is written. */
  readonly run: () => Promise<void>
  readonly onDisk: () => void
  readonly fail: (error: unknown) => void
}

/** How long the first one of a group waits for others at most. */
const LONGEST_GROUP_MS = 10

export class WriteGroups {
  private waiting: Member[] = []
  private isScheduled = false

  constructor(
    /** Runs `work` while no other writer runs. */
    private readonly write: (work: () => Promise<void>) => Promise<void>,
    private readonly steps: TransactionSteps,
  ) {}

  /** Runs `work` while nothing else runs. Resolves when it is on the disk. */
  add<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: T
      this.waiting.push({
        run: async () => {
          result = await work()
        },
        onDisk: () => resolve(result),
        fail: reject,
      })
      this.schedule()
    })
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return
    this.isScheduled = true
    void this.write(() => this.runGroup()).finally(() => {
      this.isScheduled = false
      this.schedule()
    })
  }

  private async runGroup(): Promise<void> {
    const { steps } = this
    const until = performance.now() + LONGEST_GROUP_MS
    const written: Member[] = []
    try {
      steps.begin()
    } catch (error) {
      for (const { fail } of this.waiting.splice(0)) fail(error)
      return
    }
    try {
      do {
        for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
          if (await this.isWritten(next)) written.push(next)
        }
        // Requests that have arrived meanwhile join.
        await nextTurn()
      } while (this.waiting.length > 0 && performance.now() < until)
      steps.commit()
    } catch (error) {
      steps.rollBack()
      for (const { fail } of written) fail(error)
      return
    }
    for (const { onDisk } of written) onDisk()
  }

  /** A member that fails takes back only what it wrote. */
  private async isWritten({ run, fail }: Member): Promise<boolean> {
    this.steps.mark()
    try {
      await run()
      return true
    } catch (error) {
      fail(error)
      try {
        this.steps.undo()
      } catch {
        // SQLite rolled back everything, as on a full disk: the first error says why.
        throw error
      }
      return false
    }
  }
}
