/** The port over PostgreSQL: each transaction and each snapshot has a connection of the pool. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { databaseUnavailable, storageFull } from '../http-error.ts'
import type { Database, Queries, SqlRow, SqlValue } from './driver.ts'
import { BATCH, inBatches, insertSql, refuse } from './sql.ts'

/** How often a transaction is repeated that met another one. */
const MAX_REPEATS = 5
const REPEAT_AFTER_MS = 20

const READ_ONE_STATE = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** `beforeWrite` may throw to refuse a transaction. */
export function createPostgresDatabase(pool: Pool, beforeWrite: () => Promise<void>): Database {
  return {
    ...createQueries((sql, values) => explained(pool.query(toPostgres(sql), [...values])), {
      checkWrite: () => refuse('a write needs a transaction'),
      checkCursor: () => refuse('a long read needs a snapshot'),
    }),
    async transaction(work) {
      for (let repeats = 0; ; repeats++) {
        await beforeWrite()
        try {
          return await inTransaction(pool, 'BEGIN', work, () => {})
        } catch (error) {
          if (!hasMetAnother(error) || repeats === MAX_REPEATS) throw error
          await sleep(REPEAT_AFTER_MS * 2 ** repeats * Math.random())
        }
      }
    },
    snapshot: (work) => inTransaction(pool, READ_ONE_STATE, work, () => refuse('a snapshot is only read')),
    close: () => pool.end(),
  }
}

async function inTransaction<T>(
  pool: Pool,
  begin: string,
  work: (queries: Queries) => Promise<T>,
  checkWrite: () => void,
): Promise<T> {
  const client = await explained(pool.connect())
  let isOver = false
  let isBroken = false
  const checkOpen = () => {
    if (isOver) refuse('the transaction or snapshot of this statement is over')
  }
  const execute = (sql: string, values: readonly SqlValue[] = []) => explained(client.query(sql, [...values]))
  try {
    await execute(begin)
    const queries = createQueries(
      async (sql, values) => {
        checkOpen()
        return execute(toPostgres(sql), values)
      },
      { checkWrite, checkCursor: checkOpen },
    )
    const result = await work(queries)
    const { command } = await execute('COMMIT')
    if (command !== 'COMMIT') throw new Error('a statement of the transaction failed: nothing was written')
    return result
  } catch (error) {
    isBroken = await rollBack(client)
    throw error
  } finally {
    isOver = true
    client.release(isBroken)
  }
}

/** True where the connection can be of no more use. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK')
    return false
  } catch {
    return true
  }
}

type Execute = (sql: string, values: readonly SqlValue[]) => Promise<QueryResult>

/** Each throws where the scope does not allow it. */
interface Checks {
  checkWrite(): void
  checkCursor(): void
}

function createQueries(execute: Execute, { checkWrite, checkCursor }: Checks): Queries {
  let cursors = 0
  const write = async (sql: string, values: readonly SqlValue[]) => {
    checkWrite()
    return execute(sql, values)
  }
  const run = async (sql: string, values: readonly SqlValue[]) => (await write(sql, values)).rowCount ?? 0
  return {
    // Services in several schemas of one database have locks of their own.
    lock: async (name) =>
      void (await write(`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' ' || ?, 0))`, [name])),
    exec: async (sql) => void (await write(toPostgresTypes(sql), [])),
    run: (sql, ...values) => run(sql, values),
    insert: (table, row, onConflict) => run(insertSql(table, row, onConflict), Object.values(row)),
    async insertWithId(table, row) {
      const { rows } = await write(insertSql(table, row, 'RETURNING id'), Object.values(row))
      return (rows[0] as { id: number }).id
    },
    async insertMany(table, rows, onConflict) {
      let changes = 0
      for (const batch of inBatches(rows)) changes += await run(...insertRows(table, batch, onConflict))
      return changes
    },
    get: async <T>(sql: string, ...values: SqlValue[]) => (await execute(sql, values)).rows[0] as T | undefined,
    all: async <T>(sql: string, ...values: SqlValue[]) => (await execute(sql, values)).rows as T[],
    async *batches<T>(sql: string, ...values: SqlValue[]) {
      checkCursor()
      const name = `batches_${++cursors}`
      await execute(`DECLARE ${name} NO SCROLL CURSOR FOR ${sql}`, values)
      let rows: T[]
      do {
        rows = (await execute(`FETCH ${BATCH} FROM ${name}`, [])).rows
        if (rows.length > 0) yield rows
      } while (rows.length === BATCH)
      await execute(`CLOSE ${name}`, [])
    },
  }
}

function insertRows(table: string, rows: readonly SqlRow[], onConflict?: string): [sql: string, values: SqlValue[]] {
  return [insertSql(table, rows[0] ?? {}, onConflict, rows.length), rows.flatMap((row) => Object.values(row))]
}

/** `$1` for the first `?`; no text in the statements has a `?`. */
function toPostgres(sql: string): string {
  let count = 0
  return sql.replaceAll('instr(', 'strpos(').replaceAll('?', () => `$${++count}`)
}

/** Texts are ordered by their bytes, as SQLite does. */
function toPostgresTypes(sql: string): string {
  return sql
    .replaceAll('INTEGER PRIMARY KEY', 'INTEGER GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY')
    .replaceAll(' TEXT', ' TEXT COLLATE "C"')
    .replaceAll(' REAL', ' DOUBLE PRECISION')
    .replaceAll(' BLOB', ' BYTEA')
}

/** A serialization failure or a deadlock: the transaction was rolled back and may succeed now. */
function hasMetAnother(error: unknown): boolean {
  return ['40001', '40P01'].includes((error as { code?: string }).code ?? '')
}

/** The same result; errors that a caller can act on are answers. */
async function explained<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if ((error as { code?: string }).code === '53100') throw storageFull()
    if (isConnectionError(error)) throw databaseUnavailable()
    throw error
  }
}

/** SQLSTATE class 08, a server that ends or starts, too many connections; and what the network says. */
function isConnectionError(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return (
    /^(?:08|57P0|53300)/.test(code) ||
    /^E[A-Z_]+$/.test(code) ||
    /connection terminated|timeout exceeded when trying to connect|not queryable/i.test(message)
  )
}
