/**
 * The interface to a database. Statements are SQL that both SQLite and PostgreSQL accept, with `?` for parameters. A
 * statement runs in the scope on which it is called: the database, a transaction or a snapshot.
 */

export type SqlValue = string | number | null | Uint8Array
export type SqlRow = Readonly<Record<string, SqlValue>>

export type DriverName = 'node:sqlite' | 'node-sqlite3-wasm'

/** Statements in one scope. Only a transaction can write. */
export interface Queries {
  /** Takes named locks, in this order, until the transaction ends. Waits if another transaction has one of them. */
  lock(...names: string[]): Promise<void>
  /** Runs one or more statements without parameters. */
  exec(sql: string): Promise<void>
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): Promise<number>
  /**
   * Inserts rows, which must all have the same columns. `onConflict` is an `ON CONFLICT` clause. Returns the number of
   * changed rows.
   */
  insert(table: string, rows: Iterable<SqlRow>, onConflict?: string): Promise<number>
  /** Inserts rows, which must all have the same columns. Returns these `columns` of each new row. */
  insertReturning<T>(table: string, rows: Iterable<SqlRow>, columns: string): Promise<T[]>
  /** Runs a statement last, in the same message as the commit. */
  atCommit(sql: string, ...values: SqlValue[]): void
  /** Returns the first row. */
  get<T>(sql: string, ...values: SqlValue[]): Promise<T | undefined>
  all<T>(sql: string, ...values: SqlValue[]): Promise<T[]>
  /** Returns the rows as JSON objects in UTF-8, separated by commas and not parsed. `sql` must have a `LIMIT`. */
  allAsJson(columns: readonly string[], sql: string, ...values: SqlValue[]): Promise<Buffer>
  /** Reads rows in batches, and serves other requests in between. Must be called in a snapshot or a transaction. */
  batches<T>(sql: string, ...values: SqlValue[]): AsyncIterable<T[]>
}

export interface ConnectionCounts {
  readonly total: number
  readonly idle: number
  /** The number of requests that are waiting for a connection. */
  readonly waiting: number
}

export interface Scopes extends Queries {
  /**
   * Runs a transaction, which is committed completely or not at all. When the promise resolves, it is on disk. `work`
   * must use and await only statements of `tx`. If `isBeside` is set, it can run during long snapshots. It must then
   * save each key for these snapshots before it writes the key, and it must not change anything else that they read.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>, options?: { readonly isBeside?: boolean }): Promise<T>
  /**
   * Runs a snapshot: all reads through `read` see the same state of the data. If `isLong` is set, `work` must read with
   * `batches`.
   */
  snapshot<T>(work: (read: Queries) => Promise<T>, options?: { readonly isLong?: boolean }): Promise<T>
}

export interface Database extends Scopes {
  /** True if a transaction blocks all other work. */
  readonly isSerial: boolean
  /**
   * Runs `work`. Returns `false` without running it if work with the same name is running in another process on the
   * same database. `work` must use only `scopes`. Its statements fail if the lock is lost.
   */
  exclusive(name: string, work: (scopes: Scopes) => Promise<void>): Promise<boolean>
  /**
   * Updates the statistics if many texts were added since the last time. The server itself updates them only up to a
   * minute later. Until then, a query for one page may read all of a project's texts. Not needed by SQLite.
   */
  textsAdded?(count: number): void
  /** Throws the error that the next transaction would throw. */
  checkWritable(): Promise<void>
  /**
   * Keeps the data file complete and unchanged while `work` runs. Writes in the meantime go to the log. Only for data
   * in a file. Only one `work` can run at a time.
   */
  holdFile?<T>(work: () => Promise<T>): Promise<T>
  connections?(): ConnectionCounts
  /** Waits for running work. */
  close(): Promise<void>
}

/** Rows per batch. */
export const BATCH = 1000

/** Ends a batch when the total size of its items reaches `limit`. By default, each item has the size 1. */
export function* inBatches<T>(
  items: Iterable<T>,
  limit = BATCH,
  sizeOf: (item: T) => number = () => 1,
): Generator<T[], void> {
  let batch: T[] = []
  let size = 0
  for (const item of items) {
    batch.push(item)
    size += sizeOf(item)
    if (size < limit) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

/** `row` provides the column names. `count` is the number of rows. */
export function insertSql(table: string, row: SqlRow, onConflict = '', count = 1): string {
  const columns = Object.keys(row)
  const places = `(${columns.map(() => '?').join(', ')})`
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array<string>(count).fill(places).join(', ')} ${onConflict}`
}

export function refuse(message: string): never {
  throw new Error(message)
}

/** The number of items before the first one for which `isBefore` is false. It must be false for all later items too. */
export function countWhile<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let [from, to] = [0, items.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBefore(items[middle] as T)) from = middle + 1
    else to = middle
  }
  return from
}

/** The maximum number of values in the conditions of one statement. */
const GROUP = 200

/**
 * Splits values into groups of the same size, so that all statements have the same SQL. The last group is padded with
 * its last value.
 */
export function* inGroups<T>(values: readonly T[]): Generator<T[]> {
  for (let at = 0; at < values.length; at += GROUP) {
    const some = values.slice(at, at + GROUP)
    const last = some.at(-1) as T
    while (some.length < GROUP) some.push(last)
    yield some
  }
}

/** Checks which statements a scope allows, and keeps those that it runs last. */
export class Scope {
  private isOver = false
  private readonly last: { readonly sql: string; readonly values: readonly SqlValue[] }[] = []

  constructor(private readonly kind: 'database' | 'snapshot' | 'transaction') {}

  checkOpen(): void {
    if (this.isOver) refuse('the transaction or snapshot of this statement is over')
  }

  checkWrite(): void {
    this.checkOpen()
    if (this.kind === 'database') refuse('a write needs a transaction')
    if (this.kind === 'snapshot') refuse('a snapshot is only read')
  }

  checkCursor(): void {
    this.checkOpen()
    if (this.kind === 'database') refuse('a long read needs a snapshot')
  }

  atCommit(sql: string, values: readonly SqlValue[]): void {
    this.checkWrite()
    this.last.push({ sql, values })
  }

  /** Starts the last statements in order. */
  startLast<R>(run: (sql: string, values: readonly SqlValue[]) => R): R[] {
    return this.last.map(({ sql, values }) => run(sql, values))
  }

  end(): void {
    this.isOver = true
  }
}
