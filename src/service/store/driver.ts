/** The port every SQLite build is reached through. Statements are plain SQL that PostgreSQL accepts too, parameters by position. */

export type SqlValue = string | number | null | Uint8Array
export type SqlRow = Record<string, SqlValue>

export type DriverName = 'node:sqlite' | 'node-sqlite3-wasm'

export interface Database {
  readonly driver: DriverName
  /** Runs one or several statements without parameters. */
  exec(sql: string): void
  /** Runs one statement and tells how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number
  /** The first row. The statement is run to its end, so that no read stays open. */
  get<T>(sql: string, ...values: SqlValue[]): T | undefined
  all<T>(sql: string, ...values: SqlValue[]): T[]
  /** Rows one by one. Leave the loop or exhaust it before anything is written: a read stays open meanwhile. */
  iterate<T>(sql: string, ...values: SqlValue[]): IterableIterator<T>
  /** All or nothing, on disk when it returns. Inside another transaction it is part of that one. */
  transaction<T>(work: () => T): T
  close(): void
}

/** What one SQLite build has to offer; `createDatabase` makes the port of it. */
export interface Connection {
  readonly driver: DriverName
  exec(sql: string): void
  prepare(sql: string): PreparedStatement
  close(): void
}

export interface PreparedStatement {
  run(values: SqlValue[]): number
  all(values: SqlValue[]): unknown[]
  iterate(values: SqlValue[]): IterableIterator<unknown>
  /** Frees what the build does not free by itself. */
  finalize(): void
}

/** Statements kept prepared. Filters of any length make texts of their own: those used longest ago go. */
const MOST_STATEMENTS = 200

/** A long transaction may write before it commits: within one, `guard` is called again after so many milliseconds. */
const GUARD_AGAIN_MS = 100

/** Puts statement cache and transactions over a connection. `guard` is called before anything is written, and may throw. */
export function createDatabase(connection: Connection, guard: () => void = () => {}): Database {
  const cache = new Map<string, PreparedStatement>()
  let depth = 0
  let guardedAt = 0

  const guarded = () => {
    guard()
    guardedAt = performance.now()
  }

  const execute = <T>(sql: string, work: (statement: PreparedStatement) => T): T => {
    const statement = cache.get(sql) ?? connection.prepare(sql)
    cache.delete(sql)
    cache.set(sql, statement)
    if (cache.size > MOST_STATEMENTS) {
      const [oldest, unused] = cache.entries().next().value as [string, PreparedStatement]
      cache.delete(oldest)
      unused.finalize()
    }
    try {
      return work(statement)
    } catch (error) {
      // A statement that failed once fails for good in the WebAssembly build: the next run prepares a new one.
      cache.delete(sql)
      statement.finalize()
      throw error
    }
  }

  return {
    driver: connection.driver,
    exec: (sql) => connection.exec(sql),
    run(sql, ...values) {
      if (depth === 0 || performance.now() - guardedAt > GUARD_AGAIN_MS) guarded()
      return execute(sql, (statement) => statement.run(values))
    },
    get: <T>(sql: string, ...values: SqlValue[]) =>
      execute(sql, (statement) => statement.all(values)[0] as T | undefined),
    all: <T>(sql: string, ...values: SqlValue[]) => execute(sql, (statement) => statement.all(values) as T[]),
    *iterate<T>(sql: string, ...values: SqlValue[]): IterableIterator<T> {
      // Not from the cache: a loop that is left early must not leave an open cursor for the next user of the same text.
      const statement = connection.prepare(sql)
      try {
        yield* statement.iterate(values) as IterableIterator<T>
      } finally {
        statement.finalize()
      }
    },
    transaction(work) {
      if (depth > 0) return work()
      guarded()
      connection.exec('BEGIN')
      depth++
      try {
        const result = work()
        guarded()
        connection.exec('COMMIT')
        return result
      } catch (error) {
        try {
          connection.exec('ROLLBACK')
        } catch {
          // SQLite already rolled back (disk full, I/O error): the first error is the one to tell.
        }
        throw error
      } finally {
        depth--
      }
    },
    close() {
      for (const statement of cache.values()) statement.finalize()
      cache.clear()
      connection.close()
    },
  }
}
