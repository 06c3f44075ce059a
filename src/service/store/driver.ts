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
  /** Inserts a row. `onConflict` is an `ON CONFLICT` clause. Returns the number of changed rows. */
  insert(table: string, row: SqlRow, onConflict?: string): Promise<number>
  /** Inserts a row and returns its new `id`. */
  insertWithId(table: string, row: SqlRow): Promise<number>
  /** Inserts rows, which must all have the same columns. Returns the number of changed rows. */
  insertMany(table: string, rows: Iterable<SqlRow>, onConflict?: string): Promise<number>
  /** Inserts rows, which must all have the same columns. Returns the new `id` and the value of `column` for each. */
  insertManyWithId<T>(table: string, rows: Iterable<SqlRow>, column: string): Promise<T[]>
  /**
   * Runs a statement last, in the same message as the commit. `work` must not await the result: the promise resolves
   * after the commit.
   */
  atCommit<T>(sql: string, ...values: SqlValue[]): Promise<T[]>
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

export interface TransactionOptions {
  /**
   * True if the transaction can run during long snapshots. It must then save each key for these snapshots before it
   * writes the key, and it must not change anything else that they read. Default false.
   */
  readonly isBeside?: boolean | undefined
}

export interface SnapshotOptions {
  readonly isLong?: boolean
}

export interface Scopes extends Queries {
  /**
   * Runs a transaction, which is committed completely or not at all. When the promise resolves, it is on disk. `work`
   * must use and await only statements of `tx`.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Runs a snapshot: all reads through `read` see the same state of the data. If `isLong` is set, `work` must read with
   * `batches`.
   */
  snapshot<T>(work: (read: Queries) => Promise<T>, options?: SnapshotOptions): Promise<T>
}

export interface Database extends Scopes {
  /** True if a transaction blocks all other work. */
  readonly isSerial: boolean
  /**
   * Runs `work`. Returns `false` without running it if work with the same name is running in any process on the same
   * database. `work` must use only `scopes`. Its statements fail if the lock is lost.
   */
  exclusive(name: string, work: (scopes: Scopes) => Promise<void>): Promise<boolean>
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
