/** Short concurrent transactions share one flush to the disk, which costs more than their statements. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The steps of a transaction on one connection. */
export interface TransactionSteps {
  begin(): void
  /** Makes a savepoint for `undo`. */
  mark(): void
  /** Rolls back to the savepoint. Throws if the whole transaction is lost. */
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

/** Maximum time that the first member of a group waits for others. */
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
        // Requests that arrived in the meantime join.
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

  /** Rolls back only this member's writes if it fails. */
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
        // SQLite rolled back everything, as on a full disk. Report the first error, which is the reason.
        throw error
      }
      return false
    }
  }
}
