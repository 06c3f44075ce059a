/** The port to every SQLite build. Statements are SQL that PostgreSQL accepts too, with parameters by position. */

export type SqlValue = string | number | null | Uint8Array
type SqlRow = Readonly<Record<string, SqlValue>>

export type DriverName = 'node:sqlite' | 'node-sqlite3-wasm'

export interface Database {
  readonly driver: DriverName
  /** Runs one or several statements without parameters. */
  exec(sql: string): void
  /** Runs one statement and returns how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number
  /** Inserts one row, by column name. `onConflict`: an `ON CONFLICT` clause. */
  insert(table: string, row: SqlRow, onConflict?: string): number
  /** The first row. The statement runs to its end, so that no read stays open. */
  get<T>(sql: string, ...values: SqlValue[]): T | undefined
  all<T>(sql: string, ...values: SqlValue[]): T[]
  /** Rows one by one. Leave the loop or exhaust it before anything is written: a read stays open meanwhile. */
  iterate<T>(sql: string, ...values: SqlValue[]): IterableIterator<T>
  /** All or nothing, on disk when it returns. Inside another transaction it is part of that one. */
  transaction<T>(work: () => T): T
  close(): void
}

/** One SQLite build. `createDatabase` makes the port of it. */
export interface Connection {
  readonly driver: DriverName
  exec(sql: string): void
  prepare(sql: string): PreparedStatement
  close(): void
}

interface PreparedStatement {
  run(values: SqlValue[]): number
  all(values: SqlValue[]): unknown[]
  iterate(values: SqlValue[]): IterableIterator<unknown>
  /** Frees what the build does not free by itself. */
  finalize(): void
}

/** Filters produce any number of statement texts: the ones used longest ago are finalized. */
const MAX_STATEMENTS = 200

/** Adds prepared statements and transactions to a connection. `beforeWrite` may throw to refuse a write. */
export function createDatabase(connection: Connection, beforeWrite: () => void = () => {}): Database {
  const statements = new Map<string, PreparedStatement>()
  let isInTransaction = false

  const execute = <T>(sql: string, work: (statement: PreparedStatement) => T): T => {
    const statement = statements.get(sql) ?? connection.prepare(sql)
    statements.delete(sql)
    statements.set(sql, statement)
    if (statements.size > MAX_STATEMENTS) {
      const [oldest, unused] = statements.entries().next().value as [string, PreparedStatement]
      statements.delete(oldest)
      unused.finalize()
    }
    try {
      return work(statement)
    } catch (error) {
      // In the WebAssembly build a statement that failed once keeps failing.
      statements.delete(sql)
      statement.finalize()
      throw error
    }
  }

  const run = (sql: string, ...values: SqlValue[]) => {
    if (!isInTransaction) beforeWrite()
    return execute(sql, (statement) => statement.run(values))
  }

  return {
    driver: connection.driver,
    exec: (sql) => connection.exec(sql),
    run,
    insert(table, row, onConflict = '') {
      const columns = Object.keys(row)
      const places = columns.map(() => '?')
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')}) ${onConflict}`
      return run(sql, ...Object.values(row))
    },
    get: <T>(sql: string, ...values: SqlValue[]) =>
      execute(sql, (statement) => statement.all(values)[0] as T | undefined),
    all: <T>(sql: string, ...values: SqlValue[]) => execute(sql, (statement) => statement.all(values) as T[]),
    *iterate<T>(sql: string, ...values: SqlValue[]): IterableIterator<T> {
      // A statement of its own: a loop that is left early must not leave an open cursor for the next user of the text.
      const statement = connection.prepare(sql)
      try {
        yield* statement.iterate(values) as IterableIterator<T>
      } finally {
        statement.finalize()
      }
    },
    transaction(work) {
      if (isInTransaction) return work()
      beforeWrite()
      connection.exec('BEGIN')
      isInTransaction = true
      try {
        const result = work()
        beforeWrite()
        connection.exec('COMMIT')
        return result
      } catch (error) {
        try {
          connection.exec('ROLLBACK')
        } catch {
          // SQLite already rolled back (full disk, I/O error). Report the first error.
        }
        throw error
      } finally {
        isInTransaction = false
      }
    },
    close() {
      for (const statement of statements.values()) statement.finalize()
      statements.clear()
      connection.close()
    },
  }
}
