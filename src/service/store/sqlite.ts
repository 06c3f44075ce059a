/**
 * The `Database` interface on a single SQLite connection. Statements are synchronous. Only waiting for a scope is
 * asynchronous.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AccessQueue, Turns } from '../scheduling.ts'
import {
  type Database,
  type DriverName,
  inBatches,
  insertSql,
  type Queries,
  refuse,
  Scope,
  type Scopes,
  type SqlRow,
  type SqlValue,
} from './driver.ts'

/** A SQLite build. */
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
  /** Frees memory that is not freed automatically. */
  finalize(): void
}

/** Filters generate any number of different SQL strings, so the least recently used statements are finalized. */
const MAX_STATEMENTS = 200

/** Rows per slice. */
const SLICE = 250

/**
 * The time spent on slices before other requests get a turn, in milliseconds. With less time, a long read and
 * the work that it blocks would take minutes if many requests are waiting, because the next turn comes late.
 */
const TURN_MS = 15

/**
 * The number of changes after which the log is copied to the file. SQLite's own limit would copy the log during a
 * commit, while other requests wait.
 */
const LOG_CHANGES = 2000

/**
 * Creates the database. `beforeWrite` is called before a transaction is written to disk, and can throw to refuse the
 * transaction.
 */
export function createDatabase(connection: Connection, beforeWrite: () => void = () => {}): Database {
  const access = new AccessQueue()
  const statements = new Statements(connection)
  const execute = (sql: string) => void statements.run(sql, [])
  connection.exec('PRAGMA wal_autocheckpoint=0')
  let isHeld = false
  let copied = 0
  /** Copies the log in a separate turn. If SQLite refuses because of a long read, a later commit tries again. */
  const copyLog = () => {
    const [{ n }] = statements.all('SELECT total_changes() AS n', []) as [{ n: number }]
    if (n - copied < LOG_CHANGES) return
    const copy = () => {
      if (isHeld || copied >= n) return
      beforeWrite()
      statements.all('PRAGMA wal_checkpoint(PASSIVE)', [])
      copied = n
    }
    nextTurn()
      .then(() => access.writeBeside(copy))
      .catch(() => {})
  }
  const inTransaction = async <T>(work: (tx: Queries) => Promise<T>): Promise<T> => {
    // A long transaction may be partly written to disk before its commit.
    beforeWrite()
    execute('BEGIN')
    try {
      const result = await inScope('transaction', statements, work)
      beforeWrite()
      execute('COMMIT')
      copyLog()
      return result
    } catch (error) {
      try {
        execute('ROLLBACK')
      } catch {
        // SQLite has already rolled back (full disk, I/O error). The first error is reported.
      }
      throw error
    }
  }
  const readOnce: RunRead = (read) => access.readOnce(read)
  const scopes: Scopes = {
    ...createQueries(statements, new Scope('database'), readOnce),
    transaction: (work, { isBeside = false } = {}) =>
      isBeside ? access.writeBeside(() => inTransaction(work)) : access.write(() => inTransaction(work)),
    snapshot(work, { isLong = false } = {}) {
      return isLong
        ? access.readLong(() => inScope('snapshot', statements, work, readOnce))
        : access.read(() => inScope('snapshot', statements, work))
    },
  }
  return {
    ...scopes,
    isSerial: true,
    // Needs no lock, because no other process uses the data.
    exclusive: (_name, work) => work(scopes).then(() => true),
    checkWritable: async () => beforeWrite(),
    async holdFile(work) {
      await access.write(() => {
        beforeWrite()
        const [found] = statements.all('PRAGMA wal_checkpoint(TRUNCATE)', []) as { busy: number }[]
        if (found?.busy !== 0) refuse('the log could not be written to the file')
        isHeld = true
      })
      try {
        return await work()
      } finally {
        isHeld = false
      }
    },
    close: () =>
      access.write(() => {
        statements.finalize()
        connection.close()
      }),
  }
}

type RunRead = <R>(read: () => R) => Promise<R> | R

/** Runs `work`. Its statements fail after `work` has ended. `runRead` can delay reads. */
async function inScope<T>(
  kind: 'snapshot' | 'transaction',
  statements: Statements,
  work: (queries: Queries) => Promise<T>,
  runRead: RunRead = (read) => read(),
): Promise<T> {
  const scope = new Scope(kind)
  try {
    const result = await work(createQueries(statements, scope, runRead))
    scope.startLast((sql, values) => statements.run(sql, [...values]))
    return result
  } finally {
    scope.end()
  }
}

function createQueries(statements: Statements, scope: Scope, runRead: RunRead): Queries {
  const read: RunRead = (run) => {
    scope.checkOpen()
    return runRead(run)
  }
  const write = <T>(run: () => T): T => {
    scope.checkWrite()
    return run()
  }
  /** Lets other requests run between full batches. */
  const insertEach = async (
    table: string,
    rows: Iterable<SqlRow>,
    clause: string | undefined,
    insertOne: (sql: string, values: SqlValue[]) => void,
  ) => {
    const turns = new Turns(TURN_MS)
    for (const batch of inBatches(rows, SLICE)) {
      const sql = insertSql(table, batch[0] ?? {}, clause)
      write(() => {
        for (const row of batch) insertOne(sql, Object.values(row))
      })
      if (batch.length === SLICE) await turns.next()
    }
  }
  return {
    // Transactions run one after another, so every lock is free.
    lock: async () => scope.checkWrite(),
    exec: async (sql) => write(() => statements.exec(sql)),
    run: async (sql, ...values) => write(() => statements.run(sql, values)),
    async insert(table, rows, onConflict) {
      let changes = 0
      await insertEach(table, rows, onConflict, (sql, values) => {
        changes += statements.run(sql, values)
      })
      return changes
    },
    async insertReturning<T>(table: string, rows: Iterable<SqlRow>, columns: string) {
      const inserted: T[] = []
      await insertEach(table, rows, `RETURNING ${columns}`, (sql, values) => {
        inserted.push(...(statements.all(sql, values) as T[]))
      })
      return inserted
    },
    atCommit: (sql, ...values) => scope.atCommit(sql, values),
    get: async <T>(sql: string, ...values: SqlValue[]) => read(() => statements.all(sql, values)[0] as T | undefined),
    all: async <T>(sql: string, ...values: SqlValue[]) => read(() => statements.all(sql, values) as T[]),
    // If there is a LIMIT, SQLite keeps the order of the inner statement.
    allAsJson: async (columns, sql, ...values) => {
      const members = columns.map((column) => `'${column}', "${column}"`).join(', ')
      const joined = `SELECT CAST(group_concat(json_object(${members})) AS BLOB) AS json FROM (${sql})`
      const [found] = (await read(() => statements.all(joined, values))) as [{ json: Uint8Array | null }]
      return bufferOf(found.json ?? new Uint8Array())
    },
    async *batches<T>(sql: string, ...values: SqlValue[]) {
      scope.checkCursor()
      const turns = new Turns(TURN_MS)
      const batches = inBatches(statements.iterate(sql, values), SLICE)
      try {
        for (let next = await read(() => batches.next()); !next.done; next = await read(() => batches.next())) {
          yield next.value as T[]
          if (next.value.length === SLICE) await turns.next()
          scope.checkCursor()
        }
      } finally {
        batches.return()
      }
    },
  }
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

/** Prepared statements, by their SQL. */
class Statements {
  private readonly prepared = new Map<string, PreparedStatement>()

  constructor(private readonly connection: Connection) {}

  exec(sql: string): void {
    this.connection.exec(sql)
  }

  run(sql: string, values: SqlValue[]): number {
    return this.execute(sql, (statement) => statement.run(values))
  }

  /** Reads all rows, so that the statement does not remain open. */
  all(sql: string, values: SqlValue[]): unknown[] {
    return this.execute(sql, (statement) => statement.all(values))
  }

  *iterate(sql: string, values: SqlValue[]): IterableIterator<unknown> {
    // This call has its own statement, because a loop may leave the cursor early, which must not affect later uses of
    // the same SQL.
    const statement = this.connection.prepare(sql)
    try {
      yield* statement.iterate(values)
    } finally {
      statement.finalize()
    }
  }

  finalize(): void {
    for (const statement of this.prepared.values()) statement.finalize()
    this.prepared.clear()
  }

  private execute<T>(sql: string, work: (statement: PreparedStatement) => T): T {
    const statement = this.prepared.get(sql) ?? this.connection.prepare(sql)
    this.prepared.delete(sql)
    this.prepared.set(sql, statement)
    if (this.prepared.size > MAX_STATEMENTS) {
      const [oldest, unused] = this.prepared.entries().next().value as [string, PreparedStatement]
      this.prepared.delete(oldest)
      unused.finalize()
    }
    try {
      return work(statement)
    } catch (error) {
      // In the WebAssembly build, a statement that has failed once fails again.
      this.prepared.delete(sql)
      statement.finalize()
      throw error
    }
  }
}
