/** The time of the database: processes on several machines write times that can be compared. */
import type { Pool } from 'pg'
import { type Repeated, repeat } from '../repeat.ts'

const MEASURE_AGAIN_MS = 5000

/** The database's time, counted on from its last answer. This machine's time of day may be wrong: it is not used. */
export class DatabaseClock {
  private aheadMs: number | undefined
  private measuring: Repeated | undefined

  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  /** In milliseconds since 1970. */
  now(): number {
    return performance.now() + (this.aheadMs ?? 0)
  }

  async start(): Promise<void> {
    await this.measure()
    // While the database does not answer, the clock goes on.
    this.measuring = repeat(MEASURE_AGAIN_MS, () => this.measure().catch(() => {}))
  }

  async close(): Promise<void> {
    await this.measuring?.close()
  }

  private async measure(): Promise<void> {
    const asked = performance.now()
    const { rows } = await this.pool.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS time')
    const time = Number((rows[0] as { time: string }).time)
    // The database read its clock between question and answer. A slow answer says less, and changes less.
    const [least, most] = [time - performance.now(), time - asked]
    this.aheadMs = Math.min(most, Math.max(least, this.aheadMs ?? (least + most) / 2))
  }
}
