/**
 * The interface of every database. Statements are SQL that SQLite and PostgreSQL accept, with positional parameters
 * (`?`). A statement runs in the scope whose method is called: the database, one transaction or one snapshot.
 */

export type SqlValue = string | number | null | Uint8Array
export type SqlRow = Readonly<Record<string, SqlValue>>

export type DriverName = 'node:sqlite' | 'node-sqlite3-wasm'

/** The statements of one scope. Only a transaction can write. */
export interface Queries {
  /** Takes the named locks, in order, until the transaction ends. Waits while another transaction has one of them. */
  lock(...names: string[]): Promise<void>
  /** Runs one or more statements without parameters. */
  exec(sql: string): Promise<void>
  /** Runs one statement and returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): Promise<number>
  /** Inserts one row, by column name. `onConflict`: an `ON CONFLICT` clause. Returns the number of changed rows. */
  insert(table: string, row: SqlRow, onConflict?: string): Promise<number>
  /** Inserts one row, and returns its new `id`. */
  insertWithId(table: string, row: SqlRow): Promise<number>
  /** Inserts any number of rows with the same columns. Returns the number of changed rows. */
  insertMany(table: string, rows: Iterable<SqlRow>, onConflict?: string): Promise<number>
  /** Inserts any number of rows with the same columns. Returns the new `id` of each, with one of its columns. */
  insertManyWithId<T>(table: string, rows: Iterable<SqlRow>, column: string): Promise<T[]>
  /**
   * Runs one statement after all others of the transaction, in the same message as its commit. `work` must not await
   * the rows: the promise resolves after the transaction has succeeded.
   */
  atCommit<T>(sql: string, ...values: SqlValue[]): Promise<T[]>
  /** The first row. */
  get<T>(sql: string, ...values: SqlValue[]): Promise<T | undefined>
  all<T>(sql: string, ...values: SqlValue[]): Promise<T[]>
  /** The rows as JSON objects with commas between them, in UTF-8, without parsing them here. `sql` has a `LIMIT`. */
  allAsJson(columns: readonly string[], sql: string, ...values: SqlValue[]): Promise<Buffer>
  /** Many rows, in batches, with other requests served in between. In a snapshot or a transaction. */
  batches<T>(sql: string, ...values: SqlValue[]): AsyncIterable<T[]>
}

export interface ConnectionCounts {
  readonly total: number
  readonly idle: number
  /** The number of requests that wait for a connection. */
  readonly waiting: number
}

export interface TransactionOptions {
  /**
   * True if the work need not wait for long snapshots: it keeps for them the keys that it writes, and changes nothing
   * else that they see. Default false.
   */
  readonly isBeside?: boolean | undefined
}

export interface SnapshotOptions {
  readonly isLong?: boolean
}

export interface Scopes extends Queries {
  /**
   * Runs a transaction, of which everything or nothing is done. The result is on the disk when the promise resolves.
   * `work` uses only the statements of `tx` and awaits only those.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Runs a snapshot. All reads through `read` see the same state of the data. With `isLong`, `work` reads with
   * `batches`.
   */
  snapshot<T>(work: (read: Queries) => Promise<T>, options?: SnapshotOptions): Promise<T>
}

export interface Database extends Scopes {
  /** True if a transaction blocks all other work. */
  readonly isSerial: boolean
  /**
   * Runs `work`, unless work of this name is running, in this process or in another one on the same database: then the
   * result is `false`. `work` uses only `scopes`, whose statements fail when the lock is lost.
   */
  exclusive(name: string, work: (scopes: Scopes) => Promise<void>): Promise<boolean>
  /** Throws the error that would refuse the next transaction. */
  checkWritable(): Promise<void>
  /**
   * Runs `work` while the data file is complete and does not change: later writes go to the log. Only for data in a
   * file; one `work` at a time.
   */
  holdFile?<T>(work: () => Promise<T>): Promise<T>
  /** The connections of the pool, if there is one. */
  connections?(): ConnectionCounts
  /** Waits for all running work. */
  close(): Promise<void>
}
