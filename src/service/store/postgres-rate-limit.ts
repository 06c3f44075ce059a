/** The rate limit's buckets where several processes count together. */
import type { Pool } from 'pg'
import type { TakeRequest } from '../rate-limit.ts'
import type { Database } from './driver.ts'
import { explained } from './postgres.ts'

/** Not part of the data: made where a limit is set, empty after a crash of the server. */
const TABLE = `CREATE UNLOGGED TABLE IF NOT EXISTS rate_limits (
  subject TEXT PRIMARY KEY,
  remaining REAL NOT NULL,
  at REAL NOT NULL,
  missing REAL NOT NULL
)`

/** What the bucket holds now. Requests that waited for each other may come out of order: time never goes back. */
const REFILLED = 'LEAST($2::float, b.remaining + GREATEST(0, $4::float - b.at) * $3::float)'
const remainingOf = (left: string) => `${left} - CASE WHEN ${left} >= 1 THEN 1 ELSE 0 END`
const missingOf = (left: string) => `GREATEST(0, 1 - ${left})`
const TAKE = `INSERT INTO rate_limits AS b (subject, remaining, at, missing)
  VALUES ($1, ${remainingOf('$2::float')}, $4::float, ${missingOf('$2::float')})
  ON CONFLICT (subject) DO UPDATE SET
    remaining = ${remainingOf(REFILLED)}, at = GREATEST(b.at, $4::float), missing = ${missingOf(REFILLED)}
  RETURNING missing`

/** Full buckets, and those of a clock that was set back since. */
const REMOVE = 'DELETE FROM rate_limits WHERE at < $1 OR at > $2'
const REMOVE_AFTER_MS = 60_000

export async function createSharedBuckets(pool: Pool, database: Database): Promise<TakeRequest> {
  await database.transaction(async (tx) => {
    await tx.lock('rate limits')
    await tx.exec(TABLE)
  })
  let removed = Number.NEGATIVE_INFINITY
  return async (subject, { size, perMs }, at) => {
    if (at > removed + REMOVE_AFTER_MS) {
      removed = at
      // The next minute tries again.
      await pool.query(REMOVE, [at - size / perMs, at + REMOVE_AFTER_MS]).catch(() => {})
    }
    const { rows } = await explained(pool.query(TAKE, [subject, size, perMs, at]))
    return (rows[0] as { missing: number }).missing
  }
}
