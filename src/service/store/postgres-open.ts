/** Connects to PostgreSQL, and reports what is wrong with it. Any number of processes use one database. */
import type { Pool } from 'pg'
import { LocalizationError, messageOf } from '../../errors.ts'
import { HttpError } from '../http-error.ts'
import type { TakeRequest } from '../rate-limit.ts'
import type { Database } from './driver.ts'
import { migrate, startError, TABLES_VERSION } from './migrate.ts'
import { createPostgresDatabase, createTransactions, LOCK_OUT_WRITERS } from './postgres.ts'
import { DatabaseClock } from './postgres-clock.ts'
import { isUnavailable } from './postgres-errors.ts'
import { connectionConfig, createMigrationPool, createPool } from './postgres-pool.ts'
import { createSharedBuckets } from './postgres-rate-limit.ts'

type Pg = typeof import('pg')

/** The oldest version that is maintained. */
const OLDEST_VERSION = 14

export interface PostgresData {
  readonly database: Database
  /** In milliseconds since 1970. */
  readonly now: () => number
  /** The rate limit's, for all processes. */
  readonly createBuckets: () => Promise<TakeRequest>
}

/** What is done with the tables before others use them. */
export type Prepare = typeof migrate

/**
 * `prepare`: what is done with the tables first.
 *
 * @throws LocalizationError `SERVICE_START` where the database cannot be used.
 */
export async function openPostgres(url: string, prepare: Prepare = migrate): Promise<PostgresData> {
  const place = describePlace(url)
  const pg = await importPg()
  const config = connectionConfig(pg, url)
  const pool = createPool(pg, config)
  const clock = new DatabaseClock(pool)
  const close = async () => {
    await clock.close()
    await pool.end()
  }
  try {
    await prepareTables(createMigrationPool(pg, config), place, prepare)
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
    throw startError('PostgreSQL needs the package pg, which is not installed', { hint: 'Run: npm install pg', cause })
  }
}

/** Host and database, without the password. */
export function describePlace(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    if (/^postgres(?:ql)?:$/.test(protocol)) return `${host}${pathname}`
  } catch {
    // Reported below, without the address: it may have a password.
  }
  throw startError('the address of the database cannot be read', {
    hint: 'Write it as postgres://user:password@host:5432/database, with special characters percent-encoded.',
  })
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
    throw startError(`the database ${place} has the encoding ${encoding}, which cannot hold every text`, { hint })
  }
  if (schema === null) {
    const hint = 'Create the schema that the role or the address names, or correct its search_path.'
    throw startError(`no schema of the search_path exists in the database ${place}`, { hint })
  }
}

const UNREACHABLE = 'Start PostgreSQL, or correct host and port in the address.'
/** What to do, by SQLSTATE or error code. */
const HINTS: Readonly<Record<string, string>> = {
  '28P01': 'Correct user and password in the address.',
  '28000': 'Correct the user in the address, or allow it in pg_hba.conf.',
  '3D000': 'Create the database, or correct its name in the address.',
  '42501': 'Grant the role CREATE and USAGE on the schema: GRANT ALL ON SCHEMA public TO the role.',
  '25006': 'Give the address of the primary server: this one only reads.',
  '42P01': 'Restore a backup: a table is missing.',
  XX001: 'Restore a backup: the database is damaged.',
  XX002: 'Run REINDEX DATABASE, or restore a backup: an index is damaged.',
  '53100': 'Make room on the disk of the database.',
  '53300': 'Raise max_connections of PostgreSQL, or lower ?max= in the address: each process has so many connections.',
  '57P03': 'Wait until PostgreSQL has started.',
  ENOTFOUND: 'Correct the host in the address.',
}

function openError(error: unknown, place: string): LocalizationError {
  if (error instanceof LocalizationError) return error
  const cause = (error instanceof HttpError && error.cause) || error
  const { code = '' } = cause as { code?: string }
  const hint = HINTS[code] ?? (isUnavailable(cause) ? UNREACHABLE : 'See the log of the database.')
  return startError(`the service cannot use the database ${place}: ${messageOf(cause)}`, { hint, cause })
}
