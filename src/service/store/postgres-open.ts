/** Connects to PostgreSQL, says what is wrong with it, and makes sure that this process alone runs the service on it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Pool } from 'pg'
import { LocalizationError, messageOf } from '../../errors.ts'
import { databaseUnavailable } from '../http-error.ts'
import type { Database } from './driver.ts'
import { migrate, startError } from './migrate.ts'
import { createPostgresDatabase } from './postgres.ts'

type Pg = typeof import('pg')

/** The oldest version that is maintained. */
const OLDEST_VERSION = 14
const CONNECT_MS = 10_000
/** How long the server may take to see that the last process is dead. */
const CLAIM_MS = 5000
const CLAIM_AGAIN_MS = 100

const CLAIM = `SELECT pg_try_advisory_lock(hashtextextended(current_schema() || ' service', 0)) AS "isHeld"`
/** A dead network must not keep the claim for hours. */
const KEEP_ALIVE = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3'

/**
 * @throws LocalizationError `SERVICE_START` where the database cannot be used, `SERVICE_LOCKED` where another process
 * runs the service on it.
 */
export async function openPostgres(url: string): Promise<Database> {
  const place = describePlace(url)
  const pg = await importPg()
  const config = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'localization',
    types: { getTypeParser: numbersFor(pg) },
  }
  const pool: Pool = new pg.Pool(config)
  // A connection that ends is replaced; the statement that it runs fails, and is answered.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  const claim = new Claim(() => new pg.Client(config))
  const close = async () => {
    await pool.end()
    await claim.release()
  }
  try {
    await checkServer(pool, place)
    await claim.take(place)
    const database = createPostgresDatabase(pool, () => claim.ensure())
    await migrate(database)
    return { ...database, close }
  } catch (error) {
    await close().catch(() => {})
    throw openError(error, place)
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

/** Counts are of the type bigint, which `pg` answers as strings. */
function numbersFor(pg: Pg): Pg['types']['getTypeParser'] {
  const { getTypeParser } = pg.types
  return ((oid: number, format?: 'text') =>
    oid === pg.types.builtins.INT8 ? Number : getTypeParser(oid, format)) as typeof getTypeParser
}

/** Host and database, without the password. */
function describePlace(url: string): string {
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

/** What to do, by SQLSTATE or error code. */
const HINTS: Readonly<Record<string, string>> = {
  '28P01': 'Correct user and password in the address.',
  '28000': 'Correct the user in the address, or allow it in pg_hba.conf.',
  '3D000': 'Create the database, or correct its name in the address.',
  '42501': 'Grant the role CREATE and USAGE on the schema: GRANT ALL ON SCHEMA public TO the role.',
  ECONNREFUSED: 'Start PostgreSQL, or correct host and port in the address.',
  ENOTFOUND: 'Correct the host in the address.',
}

function openError(error: unknown, place: string): LocalizationError {
  if (error instanceof LocalizationError) return error
  const { code = '' } = error as { code?: string }
  const hint = HINTS[code] ?? 'See the log of the database.'
  return startError(`the service cannot use the database ${place}: ${messageOf(error)}`, { hint, cause: error })
}

/** A lock that the server frees when the connection ends, in whatever way. */
class Claim {
  private client: Client | undefined
  private renewal: Promise<void> | undefined
  private isReleased = false

  constructor(private readonly createClient: () => Client) {}

  async take(place: string): Promise<void> {
    const until = performance.now() + CLAIM_MS
    while (!(await this.tryOnce())) {
      if (performance.now() > until) {
        throw new LocalizationError(`another process runs the service on the database ${place}`, {
          code: 'SERVICE_LOCKED',
          hint: 'Stop it, or use another database or schema.',
        })
      }
      await sleep(CLAIM_AGAIN_MS)
    }
  }

  /** Before a write. Takes the claim again where the connection was lost, as when the database restarted. */
  async ensure(): Promise<void> {
    if (this.client) return
    this.renewal ??= this.renew().finally(() => {
      this.renewal = undefined
    })
    await this.renewal
  }

  async release(): Promise<void> {
    this.isReleased = true
    await this.client?.end()
  }

  private async renew(): Promise<void> {
    const isHeld = !this.isReleased && (await this.tryOnce().catch(() => false))
    if (!isHeld) throw databaseUnavailable()
  }

  private async tryOnce(): Promise<boolean> {
    const client = this.createClient()
    const forget = () => {
      if (this.client === client) this.client = undefined
    }
    client.on('error', forget).on('end', forget)
    try {
      await client.connect()
      await client.query(KEEP_ALIVE)
      const { rows } = await client.query(CLAIM)
      if ((rows[0] as { isHeld: boolean }).isHeld) {
        this.client = client
        return true
      }
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    await client.end()
    return false
  }
}
