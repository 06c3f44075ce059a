/** Connects to PostgreSQL, and reports configuration problems. Any number of processes can use one database. */
import type { Pool } from 'pg'
import { LocalizationError, messageOf } from '../../errors.ts'
import { HttpError } from '../http-error.ts'
import type { TakeRequest } from '../rate-limit.ts'
import { type Repeated, repeat } from '../scheduling.ts'
import type { Database } from './driver.ts'
import { migrate, type Prepare, startError, TABLES_VERSION } from './migrate.ts'
import { createPostgresDatabase, createTransactions, LOCK_OUT_WRITERS } from './postgres.ts'
import { checkSessions, connectionConfig, createMigrationPool, createPool, parseAddress } from './postgres-pool.ts'
import { explained, isUnavailable } from './postgres-sessions.ts'

/** This table is not part of the data. It exists only if a rate limit is set, and is empty after the server crashes. */
const TABLE = `CREATE UNLOGGED TABLE IF NOT EXISTS rate_limits (
  subject TEXT PRIMARY KEY,
  remaining REAL NOT NULL,
  at REAL NOT NULL,
  missing REAL NOT NULL
)`

/** The bucket's current content. Concurrent requests may arrive out of order, but the time must not go backwards. */
const REFILLED = 'LEAST($2::float, b.remaining + GREATEST(0, $4::float - b.at) * $3::float)'
const remainingOf = (left: string) => `${left} - CASE WHEN ${left} >= 1 THEN 1 ELSE 0 END`
const missingOf = (left: string) => `GREATEST(0, 1 - ${left})`
const TAKE = `INSERT INTO rate_limits AS b (subject, remaining, at, missing)
  VALUES ($1, ${remainingOf('$2::float')}, $4::float, ${missingOf('$2::float')})
  ON CONFLICT (subject) DO UPDATE SET
    remaining = ${remainingOf(REFILLED)}, at = GREATEST(b.at, $4::float), missing = ${missingOf(REFILLED)}
  RETURNING missing`

/** Removes full buckets, and those with a time in the future, which exist if a clock was set back. */
const REMOVE = 'DELETE FROM rate_limits WHERE at < $1 OR at > $2'
const REMOVE_AFTER_MS = 60_000

async function createSharedBuckets(pool: Pool, database: Database): Promise<TakeRequest> {
  await database.transaction(async (tx) => {
    await tx.lock('rate limits')
    await tx.exec(TABLE)
  })
  let removed = Number.NEGATIVE_INFINITY
  return async (subject, { size, perMs }, at) => {
    if (at > removed + REMOVE_AFTER_MS) {
      removed = at
      // If this fails, it is retried a minute later.
      await pool.query(REMOVE, [at - size / perMs, at + REMOVE_AFTER_MS]).catch(() => {})
    }
    const { rows } = await explained(pool.query(TAKE, [subject, size, perMs, at]))
    return (rows[0] as { missing: number }).missing
  }
}

const MEASURE_AGAIN_MS = 5000

/** The database's clock, extrapolated from its last response. This machine's clock may be wrong. */
class DatabaseClock {
  private aheadMs: number | undefined
  private measuring: Repeated | undefined

  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  /** Milliseconds since 1970. */
  now(): number {
    return performance.now() + (this.aheadMs ?? 0)
  }

  async start(): Promise<void> {
    await this.measure()
    // If the database does not respond, the clock keeps running.
    this.measuring = repeat(MEASURE_AGAIN_MS, () => this.measure().catch(() => {}))
  }

  async close(): Promise<void> {
    await this.measuring?.close()
  }

  private async measure(): Promise<void> {
    const asked = performance.now()
    const { rows } = await this.pool.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS time')
    const time = Number((rows[0] as { time: string }).time)
    // The database read its clock between the request and the response, so the offset is between these two values. A
    // known offset between them is kept.
    const [least, most] = [time - performance.now(), time - asked]
    this.aheadMs = Math.min(most, Math.max(least, this.aheadMs ?? (least + most) / 2))
  }
}

type Pg = typeof import('pg')

/** The oldest version that PostgreSQL still maintains. */
const OLDEST_VERSION = 14

/**
 * `prepare` migrates or checks the tables before they are used. Returns the database, its clock in milliseconds since
 * 1970, and a function that creates rate limit buckets that all processes share.
 *
 * @throws LocalizationError `SERVICE_START` if the database cannot be used.
 */
export async function openPostgres(url: string, prepare: Prepare = migrate) {
  const address = parseAddress(url)
  const { place } = address
  const pg = await importPg()
  const pool = createPool(pg, connectionConfig(pg, address))
  const clock = new DatabaseClock(pool)
  const close = async () => {
    await clock.close()
    await pool.end()
  }
  try {
    await prepareTables(createMigrationPool(pg, address), place, prepare)
    await checkSessions(pool)
    await clock.start()
    const database = { ...createPostgresDatabase(pool, TABLES_VERSION), close }
    return { database, now: () => clock.now(), createBuckets: () => createSharedBuckets(pool, database) }
  } catch (error) {
    await close().catch(() => {})
    throw openError(error, place)
  }
}

async function prepareTables(pool: Pool, place: string, prepare: Prepare): Promise<void> {
  try {
    await checkServer(pool, place)
    await prepare(createTransactions(pool), (tx) => tx.exec(LOCK_OUT_WRITERS))
  } finally {
    await pool.end()
  }
}

async function importPg(): Promise<Pg> {
  try {
    const module = await import('pg')
    return module.default as unknown as Pg
  } catch (cause) {
    throw startError('PostgreSQL requires the pg package, which is not installed', {
      hint: 'Run: npm install pg',
      cause,
    })
  }
}

async function checkServer(pool: Pool, place: string): Promise<void> {
  const { rows } = await pool.query(
    `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding,
            current_schema() AS schema`,
  )
  const [{ version, encoding, schema }] = rows as [{ version: string; encoding: string; schema: string | null }]
  const major = Math.floor(Number(version) / 10_000)
  if (major < OLDEST_VERSION) {
    const hint = `Use PostgreSQL ${OLDEST_VERSION} or later.`
    throw startError(`the database ${place} runs on PostgreSQL ${major}, which is too old`, { hint })
  }
  if (encoding !== 'UTF8') {
    const hint = "Create it with: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0"
    throw startError(`the database ${place} has the encoding ${encoding}, which cannot store every text`, { hint })
  }
  if (schema === null) {
    const hint = "Create the schema, or correct the search_path in the database URL or in the role's settings."
    throw startError(`no schema in the search_path exists in the database ${place}`, { hint })
  }
}

const UNREACHABLE = 'Start PostgreSQL, or correct the host and port in the database URL.'
/** Hints for the user, by SQLSTATE or error code. */
const HINTS: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user and password in the database URL.',
  '28000': 'Correct the user in the database URL, or allow it in pg_hba.conf.',
  '3D000': 'Create the database, or correct its name in the database URL.',
  '42501': 'Grant the role CREATE and USAGE on the schema: GRANT ALL ON SCHEMA public TO the role.',
  '25006': 'Use the URL of the primary server: this one is read-only.',
  '42P01': 'Restore a backup: a table is missing.',
  XX001: 'Restore a backup: the database is damaged.',
  XX002: 'Run REINDEX DATABASE, or restore a backup: an index is damaged.',
  '53100': "Free some space on the database's disk.",
  '53300':
    'Raise max_connections in PostgreSQL, or lower ?max= in the database URL: each process opens that many connections.',
  '57P03': 'Wait until PostgreSQL has started.',
  ENOTFOUND: 'Correct the host in the database URL.',
}

function openError(error: unknown, place: string): LocalizationError {
  const cause = (error instanceof HttpError && error.cause) || error
  if (cause instanceof LocalizationError) return cause
  if (/client password must be a string/.test(messageOf(cause))) {
    return startError(`the database ${place} requires a password, but the database URL has none`, {
      hint: 'Write it as postgres://user:password@host:5432/database, or set PGPASSWORD.',
    })
  }
  const { code = '' } = cause as { code?: string }
  const hint = HINTS[code] ?? (isUnavailable(cause) ? UNREACHABLE : "See the database's log.")
  return startError(`the service cannot use the database ${place}: ${messageOf(cause)}`, { hint, cause })
}
