/** The `Database` interface for PostgreSQL. Each transaction and each snapshot has its own connection. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, QueryResult } from 'pg'
import { databaseReadOnly, databaseUnavailable, databaseUpgraded } from '../http-error.ts'
import {
  BATCH,
  type Database,
  inBatches,
  insertSql,
  type Queries,
  refuse,
  Scope,
  type Scopes,
  type SqlRow,
  type SqlValue,
} from './driver.ts'
import {
  type Execute,
  explained,
  hasMetAnother,
  isFullDisk,
  MAX_COMMON_VALUES,
  oneAtATime,
  type Session,
  type Sessions,
  Statements,
  sessionsOf,
} from './postgres-sessions.ts'

/** The maximum number of retries after a conflict with another transaction. */
const MAX_REPEATS = 5
const REPEAT_AFTER_MS = 20

/** The timeout is long, because rows are processed between reads. A snapshot blocks no other work. */
const READ_ONE_STATE = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL idle_in_transaction_session_timeout = '2min'`
/** Both statements are sent in one message, so that checking the version needs no additional round trip. */
const WRITE = "BEGIN; SELECT value FROM meta WHERE name = 'schema'"

/** A process that is paused during a publish loses its lock after this time. */
const EXCLUSIVE_IDLE = '2min'

/** Waits for running writes. Writes that are waiting for this lock then see the new version. */
export const LOCK_OUT_WRITERS = 'LOCK TABLE meta IN ACCESS EXCLUSIVE MODE'

/** The growth after which the tables of texts are analyzed, as a fraction of the texts that this process added. */
const LEAST_GROWTH = 0.2

/** The ID includes the schema, so that services in different schemas of one database have separate locks. */
const lockId = (name: string) => `hashtextextended(current_schema() || ' ' || ${name}, 0)`

/** Writes only while the tables are in version `tables`. */
export function createPostgresDatabase(pool: Pool, tables: number): Database {
  const statements = new Statements()
  const readPool = (sql: string, values: readonly SqlValue[] = []) =>
    explained(pool.query({ ...statements.of(sql), values: [...values] }))
  const sessions = sessionsOf(pool, statements)
  const texts = { added: 0, analyzed: 0 }
  const begin = async ({ execute }: Session) => {
    // A message with several statements returns several results.
    const [, version] = (await execute(WRITE)) as unknown as QueryResult[]
    checkTables(version, tables)
  }
  return {
    ...createScopes(readPool, sessions, begin),
    isSerial: false,
    textsAdded(count) {
      texts.added += count
      if (texts.added <= texts.analyzed * (1 + LEAST_GROWTH)) return
      texts.analyzed = texts.added
      // Errors are ignored, because the server analyzes the tables later.
      pool.query('ANALYZE (SKIP_LOCKED) languages, translation_keys, translations').catch(() => {})
    },
    exclusive: (name, work) =>
      sessions.longRead(async (session) => {
        if (!(await changeLock(session, 'pg_try_advisory_lock', name))) return false
        try {
          await session.execute(`SET idle_session_timeout = '${EXCLUSIVE_IDLE}'`)
          await work(createScopes(session.query, oneAtATime(session), begin))
        } finally {
          session.isBroken ||= !(await unlock(session, name).catch(() => false))
        }
        return true
      }),
    async checkWritable() {
      const found = await readPool(
        `SELECT value, current_setting('transaction_read_only') AS "readOnly" FROM meta WHERE name = 'schema'`,
      )
      checkTables(found, tables)
      if ((found.rows[0] as { readOnly: string }).readOnly === 'on') throw databaseReadOnly()
    },
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

/** Transactions for migrations, which must not check the version. */
export function createTransactions(pool: Pool): Pick<Database, 'transaction'> {
  const refuseRead = () => refuse('a read needs a transaction')
  return createScopes(
    refuseRead,
    sessionsOf(pool, new Statements()),
    async ({ execute }) => void (await execute('BEGIN')),
  )
}

function checkTables(version: QueryResult | undefined, tables: number): void {
  const stored = Number((version?.rows[0] as { value: string } | undefined)?.value ?? 0)
  if (stored !== tables) throw databaseUpgraded(stored, tables)
}

/** The locks end with the connection, even if the process crashes. */
async function changeLock(
  session: Session,
  change: 'pg_try_advisory_lock' | 'pg_advisory_unlock',
  name: string,
): Promise<boolean> {
  const { rows } = await session.query(`SELECT ${change}(${lockId('?')}) AS "isDone"`, [name])
  return (rows[0] as { isDone: boolean }).isDone
}

async function unlock(session: Session, name: string): Promise<boolean> {
  await session.execute('RESET idle_session_timeout')
  return changeLock(session, 'pg_advisory_unlock', name)
}

function createScopes(read: Execute, sessions: Sessions, begin: (session: Session) => Promise<void>): Scopes {
  return {
    ...createQueries(read, new Scope('database')),
    async transaction(work) {
      for (let repeats = 0; ; repeats++) {
        try {
          return await sessions.write((session) => inTransaction('transaction', session, begin, work))
        } catch (error) {
          if (!hasMetAnother(error) || repeats === MAX_REPEATS) throw error
          await sleep(REPEAT_AFTER_MS * 2 ** repeats * Math.random())
        }
      }
    },
    snapshot(work, { isLong = false } = {}) {
      const withSession = isLong ? sessions.longRead : sessions.read
      const beginRead = async ({ execute }: Session) => void (await execute(READ_ONE_STATE))
      return withSession((session) => inTransaction('snapshot', session, beginRead, work))
    },
  }
}

async function inTransaction<T>(
  kind: 'snapshot' | 'transaction',
  session: Session,
  begin: (session: Session) => Promise<void>,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const scope = new Scope(kind)
  try {
    await begin(session)
    const result = await work(createQueries(session.query, scope))
    // In one message, so that waiting transactions need not wait for round trips of this process.
    const sent = scope.startLast((sql, values) => session.query(sql, values, values.length > MAX_COMMON_VALUES))
    const [{ command }] = await Promise.all([session.execute('COMMIT'), ...sent])
    if (command !== 'COMMIT') throw new Error('a statement of the transaction failed: nothing was written')
    return result
  } catch (error) {
    session.isBroken ||= await session.execute('ROLLBACK').then(
      () => false,
      () => true,
    )
    throw session.isBroken && isFullDisk(error) ? databaseUnavailable(error) : error
  } finally {
    scope.end()
  }
}

function createQueries(execute: Execute, scope: Scope): Queries {
  let cursors = 0
  const read: Execute = async (...statement) => {
    scope.checkOpen()
    return execute(...statement)
  }
  const write: Execute = async (...statement) => {
    scope.checkWrite()
    return execute(...statement)
  }
  const run = async (...statement: Parameters<Execute>) => (await write(...statement)).rowCount ?? 0
  return {
    async lock(...names) {
      const sql = `SELECT pg_advisory_xact_lock(${lockId('name')}) FROM json_array_elements_text(?) AS name`
      await write(sql, [JSON.stringify(names)])
    },
    exec: async (sql) => void (await write(toPostgresTypes(sql), [])),
    run: (sql, ...values) => run(sql, values),
    async insert(table, rows, onConflict) {
      let changes = 0
      for (const batch of inInserts(rows)) changes += await run(...insertRows(table, batch, onConflict))
      return changes
    },
    async insertReturning<T>(table: string, rows: Iterable<SqlRow>, columns: string) {
      const inserted: T[] = []
      for (const batch of inInserts(rows)) {
        inserted.push(...(await write(...insertRows(table, batch, `RETURNING ${columns}`))).rows)
      }
      return inserted
    },
    atCommit: (sql, ...values) => scope.atCommit(sql, values),
    get: async <T>(sql: string, ...values: SqlValue[]) => (await read(sql, values)).rows[0] as T | undefined,
    all: async <T>(sql: string, ...values: SqlValue[]) => (await read(sql, values)).rows as T[],
    // Without ORDER BY, an aggregate takes the rows in the order of the inner statement.
    async allAsJson(_columns, sql, ...values) {
      const joined = `SELECT string_agg(row_to_json(found)::text, ',') AS json FROM (${sql}) found`
      const [{ json }] = (await read(joined, values)).rows as [{ json: string | null }]
      return Buffer.from(json ?? '')
    },
    async *batches<T>(sql: string, ...values: SqlValue[]) {
      scope.checkCursor()
      const name = `batches_${++cursors}`
      await read(`DECLARE ${name} NO SCROLL CURSOR FOR ${sql}`, values)
      let rows: T[]
      do {
        rows = (await read(`FETCH ${BATCH} FROM ${name}`, [])).rows
        if (rows.length > 0) yield rows
      } while (rows.length === BATCH)
      await read(`CLOSE ${name}`, [])
    },
  }
}

/** The maximum size of the rows in one statement, in characters and bytes. */
const INSERT_SIZE = 1_000_000
/** Values count as at least this size, because PostgreSQL accepts at most 65,535 parameters. */
const MIN_VALUE_SIZE = 20

function inInserts(rows: Iterable<SqlRow>): Generator<SqlRow[]> {
  return inBatches(rows, INSERT_SIZE, (row) => {
    let size = 0
    for (const value of Object.values(row)) {
      size += MIN_VALUE_SIZE + (typeof value === 'object' || typeof value === 'string' ? (value?.length ?? 0) : 0)
    }
    return size
  })
}

/** Sends rows as one JSON parameter, because the server parses and plans statements with many parameters slowly. */
function insertRows(table: string, rows: readonly SqlRow[], clause = ''): Parameters<Execute> {
  const [first = {}] = rows
  // In JSON, bytes would need twice the memory.
  if (Object.values(first).some((value) => value instanceof Uint8Array)) {
    return [insertSql(table, first, clause, rows.length), rows.flatMap((row) => Object.values(row)), true]
  }
  const columns = Object.keys(first).join(', ')
  const selected = `SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ?)`
  return [`INSERT INTO ${table} (${columns}) ${selected} ${clause}`, [JSON.stringify(rows)]]
}

/** Strings are ordered by their bytes, as in SQLite. */
function toPostgresTypes(sql: string): string {
  return sql
    .replaceAll('INTEGER PRIMARY KEY', 'INTEGER GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY')
    .replaceAll(' TEXT', ' TEXT COLLATE "C"')
    .replaceAll(' REAL', ' DOUBLE PRECISION')
    .replaceAll(' BLOB', ' BYTEA')
}
