/** The connections to PostgreSQL: how many there are, and how long they wait. */
import type { ClientBase, Pool, PoolConfig } from 'pg'
import { startError } from './migrate.ts'

type Pg = typeof import('pg')

/** How long a new connection, or a free one of the pool, is waited for. */
const CONNECT_MS = 10_000
const DEFAULT_SIZE = 10
/** One for writes, one for long reads, one for short reads. */
const MIN_SIZE = 3
/** A single statement; an import is many. */
const STATEMENT_MS = 30_000
/** Below the limit of statements: the server says what it waited for. */
const LOCK_MS = 25_000
/** A process that is paused in a write loses its locks before others give up waiting for them. */
const IDLE_WRITE_MS = 20_000
/** The server ends a statement before the client gives up: only a dead network lets this much more pass. */
const NETWORK_MS = 5000
/** The locks and the open transactions of a machine that is gone must not stay for hours. */
const KEEP_ALIVE = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3'
const MIGRATION_MS = 3_600_000
const NO_LIMITS = { statement_timeout: 0, lock_timeout: 0 }

/**
 * `?max=` of the address is the number of connections. pg itself takes `statement_timeout`, `lock_timeout` and
 * `idle_in_transaction_session_timeout`, in milliseconds, from the address: they win over these.
 */
export function connectionConfig(pg: Pg, url: string): PoolConfig {
  const { searchParams } = new URL(url)
  const statementMs = Number(searchParams.get('statement_timeout') ?? STATEMENT_MS)
  return {
    connectionString: url,
    max: poolSize(url),
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_WRITE_MS,
    query_timeout: statementMs + NETWORK_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_MS,
    application_name: 'localization',
    onConnect: async (client: ClientBase) => void (await client.query(KEEP_ALIVE)),
    types: { getTypeParser: numbersFor(pg) },
  }
}

export function createPool(pg: Pg, config: PoolConfig): Pool {
  const pool = new pg.Pool(config)
  // A connection that ends is replaced; the statement that it runs fails, and is answered.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return pool
}

/** For the start: changes of tables take as long as they take, and another process may be making them. */
export function createMigrationPool(pg: Pg, config: PoolConfig): Pool {
  const connectionString = withoutLimits(config.connectionString ?? '')
  return createPool(pg, { ...config, connectionString, max: 1, ...NO_LIMITS, query_timeout: MIGRATION_MS })
}

function withoutLimits(url: string): string {
  const address = new URL(url)
  const given = ['query_timeout', ...Object.keys(NO_LIMITS)].filter((name) => address.searchParams.has(name))
  if (given.length === 0) return url
  for (const name of given) address.searchParams.delete(name)
  return address.href
}

/** How many connections a process may have. */
function poolSize(url: string): number {
  const given = new URL(url).searchParams.get('max')
  const size = Number(given ?? DEFAULT_SIZE)
  if (Number.isInteger(size) && size >= MIN_SIZE) return size
  throw startError(`the address of the database has max=${given}`, {
    hint: `Write a whole number of connections, at least ${MIN_SIZE}.`,
  })
}

/** Counts are of the type bigint, which `pg` answers as strings. */
function numbersFor(pg: Pg): Pg['types']['getTypeParser'] {
  const { getTypeParser } = pg.types
  return ((oid: number, format?: 'text') =>
    oid === pg.types.builtins.INT8 ? Number : getTypeParser(oid, format)) as typeof getTypeParser
}
