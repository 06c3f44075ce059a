import type { ClientBase, Pool, PoolConfig } from 'pg'
import { startError } from './migrate.ts'

type Pg = typeof import('pg')

/** The time limit for opening a connection or waiting for a free one. */
const CONNECT_MS = 10_000
const DEFAULT_SIZE = 10
/** One connection each for a write, a long read and a short read. */
const MIN_SIZE = 3
/** The time limit for each statement. An import may take longer, because it has many statements. */
const STATEMENT_MS = 30_000
/**
 * The time limit for getting a lock. It is shorter than the limit for statements, so that the server's error names the
 * lock.
 */
const LOCK_MS = 25_000
/**
 * The time limit for an idle transaction. A process that is paused during a write must lose its locks before other
 * processes time out.
 */
const IDLE_WRITE_MS = 20_000
/** The additional time that the client waits. The server ends a statement first, unless the network is down. */
const NETWORK_MS = 5000
/** Without keep-alive, the locks and open transactions of a lost machine would remain for hours. */
const KEEP_ALIVE = { tcp_keepalives_idle: '10', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' }
const MIGRATION_MS = 3_600_000
const NO_LIMITS = { statement_timeout: '0', lock_timeout: '0' }

/**
 * In the URL, `?max=` sets the number of connections. `statement_timeout`, `lock_timeout` and
 * `idle_in_transaction_session_timeout` (in milliseconds) and `options` override the defaults.
 */
export function connectionConfig(pg: Pg, { connectionString, parameters, settings }: PostgresAddress): PoolConfig {
  const given: PostgresAddress['settings'] = {
    statement_timeout: String(STATEMENT_MS),
    lock_timeout: String(LOCK_MS),
    idle_in_transaction_session_timeout: String(IDLE_WRITE_MS),
    ...settings,
  }
  return {
    connectionString,
    max: poolSize(parameters.get('max')),
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: Number(given.statement_timeout) + NETWORK_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_MS,
    application_name: 'localization',
    pipeline: true,
    onConnect: (client: ClientBase) => applySettings(client, given),
    types: { getTypeParser: numbersFor(pg) },
  }
}

/**
 * Uses statements instead of startup parameters, because a pooler may reuse an existing session. The settings are read
 * back to check that they apply to later statements.
 */
async function applySettings(client: ClientBase, settings: PostgresAddress['settings']): Promise<void> {
  const names = Object.keys(settings)
  const ask = async (expressions: readonly string[]) => {
    const columns = expressions.map((expression, at) => `${expression} AS s${at}`)
    const [row] = (await client.query(`SELECT ${columns.join(', ')}`)).rows as Record<string, unknown>[]
    return expressions.map((_, at) => row?.[`s${at}`])
  }
  const quoted = (text: string) => client.escapeLiteral(text)
  // Connections without TCP, such as sockets, have no keep-alive and return 0.
  const keepAlive = Object.entries(KEEP_ALIVE).map(([name, value]) => `set_config('${name}', '${value}', false)`)
  const wanted = names.map((name) => `set_config(${quoted(name)}, ${quoted(settings[name] ?? '')}, false)`)
  const set = await ask([...wanted, ...keepAlive])
  const inForce = await ask(names.map((name) => `current_setting(${quoted(name)})`))
  const dropped = names.filter((_, at) => set[at] !== inForce[at])
  if (dropped.length === 0) return
  throw startError(`the database sessions do not keep these settings: ${dropped.join(', ')}`, { hint: SESSION_POOLING })
}

const SESSION_POOLING = 'Use session pooling (PgBouncer: pool_mode=session), or connect to PostgreSQL directly.'

/** Checks that two concurrent sessions each keep their own server process. */
export async function checkSessions(pool: Pool): Promise<void> {
  const clients = [await pool.connect(), await pool.connect()] as const
  try {
    const processOf = async (client: ClientBase) =>
      ((await client.query('SELECT pg_backend_pid() AS pid')).rows[0] as { pid: number }).pid
    const first = [await processOf(clients[0]), await processOf(clients[1])]
    // The check is repeated, because other users of a pooler may temporarily hide the problem.
    for (let round = 0; round < 5; round++) {
      const again = [await processOf(clients[0]), await processOf(clients[1])]
      if (first[0] !== first[1] && String(again) === String(first)) continue
      throw startError('the pooler in front of the database uses a different session for each transaction', {
        hint: SESSION_POOLING,
      })
    }
  } finally {
    for (const client of clients) client.release()
  }
}

export function createPool(pg: Pg, config: PoolConfig): Pool {
  const pool = new pg.Pool(config)
  // The pool replaces lost connections. The failed statement reports the error.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return pool
}

/**
 * Creates a pool for startup. It has longer limits, because a migration may take long or wait for a migration in
 * another process.
 */
export function createMigrationPool(pg: Pg, address: PostgresAddress): Pool {
  const config = connectionConfig(pg, { ...address, settings: { ...address.settings, ...NO_LIMITS } })
  return createPool(pg, { ...config, max: 1, query_timeout: MIGRATION_MS })
}

/** The maximum number of connections per process. */
function poolSize(given: string | null): number {
  const size = Number(given ?? DEFAULT_SIZE)
  if (Number.isInteger(size) && size >= MIN_SIZE) return size
  throw startError(`the database URL has max=${given}`, {
    hint: `Write a whole number of connections, at least ${MIN_SIZE}.`,
  })
}

/** Parses bigints, such as counts, as numbers. By default, `pg` returns strings. */
function numbersFor(pg: Pg): Pg['types']['getTypeParser'] {
  const { getTypeParser } = pg.types
  return ((oid: number, format?: 'text') =>
    oid === pg.types.builtins.INT8 ? Number : getTypeParser(oid, format)) as typeof getTypeParser
}

export interface PostgresAddress {
  /** The host or socket folder, and the database name, for messages. */
  readonly place: string
  /** The URL for `pg`, without the settings. */
  readonly connectionString: string
  readonly parameters: URLSearchParams
  /** Session settings from `options` and from separate parameters in the URL. */
  readonly settings: Readonly<Record<string, string>>
}

/**
 * Settings that are removed from the URL, because `pg` would send them when it connects, and poolers refuse or silently
 * drop them.
 */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

/** @throws LocalizationError `SERVICE_START`. The message contains no part of the URL. */
export function parseAddress(given: string): PostgresAddress {
  const [, rest = ''] = /^postgres(?:ql)?:\/\/(.*)$/s.exec(given.trim()) ?? []
  const userEnd = rest.lastIndexOf('@')
  if (/[@#/?]/.test(rest.slice(0, Math.max(0, userEnd))) || !isDecodable(rest.slice(0, userEnd + 1))) {
    throw startError('the password in the database URL must be percent-encoded', {
      hint: 'Write % as %25, @ as %40, # as %23, / as %2F and ? as %3F.',
    })
  }
  const host = rest.slice(userEnd + 1)
  // The URL of a socket has no host, and `URL` cannot parse it without one.
  const text = `postgres://${rest.slice(0, userEnd + 1)}${/^[/?]|^$/.test(host) ? `localhost${host}` : host}`
  if (rest === '' || !URL.canParse(text) || !isDecodable(new URL(text).pathname) || new URL(text).hash !== '') {
    throw startError('cannot parse the database URL', {
      hint: 'Write it as postgres://user:password@host:5432/database, with special characters percent-encoded.',
    })
  }
  const url = new URL(text)
  const parameters = new URLSearchParams(url.searchParams)
  const settings: Record<string, string> = parseOptions(parameters.get('options') ?? '')
  for (const name of LIMITS) {
    const value = parameters.get(name)
    if (value !== null) settings[name] = value
  }
  for (const name of ['options', ...LIMITS]) url.searchParams.delete(name)
  const place = `${parameters.get('host') ?? url.host}${url.pathname}`
  return { place, connectionString: url.href, parameters, settings }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Parses `-c name=value` and `--name=value`. A backslash escapes a space in a value. */
function parseOptions(options: string): Record<string, string> {
  const words = (options.match(/(?:\\.|[^\\\s])+/gs) ?? []).map((word) => word.replace(/\\(.)/gs, '$1'))
  const settings: Record<string, string> = {}
  for (let at = 0; at < words.length; at++) {
    const word = words[at] === '-c' ? `-c${words[++at] ?? ''}` : (words[at] ?? '')
    const [, name, value] = /^(?:-c|--)([\w.-]+)=(.*)$/s.exec(word) ?? []
    if (name === undefined || value === undefined) {
      throw startError('cannot parse the options in the database URL', {
        hint: 'Write them as options=-c%20search_path%3Dname.',
      })
    }
    settings[name.replaceAll('-', '_')] = value
  }
  return settings
}
