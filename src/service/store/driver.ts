/**
 * The port to every database. Statements are SQL that SQLite and PostgreSQL accept, with parameters by position (`?`).
 * A statement belongs to the scope that it is called on: the database itself, one transaction or one snapshot.
 */

export type SqlValue = string | number | null | Uint8Array
export type SqlRow = Readonly<Record<string, SqlValue>>

export type DriverName = 'node:sqlite' | 'node-sqlite3-wasm'

/** The statements of one scope. Only a transaction writes. */
export interface Queries {
  /** Waits until no other transaction has this lock, and keeps it until this one ends. */
  lock(name: string): Promise<void>
  /** Runs one or several statements without parameters. */
  exec(sql: string): Promise<void>
  /** Runs one statement and returns how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): Promise<number>
  /** Inserts one row, by column name. `onConflict`: an `ON CONFLICT` clause. Returns how many rows it changed. */
  insert(table: string, row: SqlRow, onConflict?: string): Promise<number>
  /** Inserts one row, and returns the `id` that the database gave it. */
  insertWithId(table: string, row: SqlRow): Promise<number>
  /** Inserts any number of rows with the same columns. Returns how many rows it changed. */
  insertMany(table: string, rows: Iterable<SqlRow>, onConflict?: string): Promise<number>
  /** Inserts any number of rows with the same columns. Returns the `id` that each got, beside one of its columns. */
  insertManyWithId<T>(table: string, rows: Iterable<SqlRow>, column: string): Promise<T[]>
  /**
   * Runs one statement after all others of the transaction, in one go with its commit. `work` cannot wait for its rows:
   * they are there when the transaction has ended well.
   */
  atCommit<T>(sql: string, ...values: SqlValue[]): Promise<T[]>
  /** The first row. */
  get<T>(sql: string, ...values: SqlValue[]): Promise<T | undefined>
  all<T>(sql: string, ...values: SqlValue[]): Promise<T[]>
  /** The rows as JSON objects with commas between them, in UTF-8: nothing is made of them here. `sql` has a `LIMIT`. */
  allAsJson(columns: readonly string[], sql: string, ...values: SqlValue[]): Promise<Buffer>
  /** Many rows, some at a time: other requests are served in between. Inside a snapshot or a transaction. */
  batches<T>(sql: string, ...values: SqlValue[]): AsyncIterable<T[]>
}

export interface ConnectionCounts {
  readonly total: number
  readonly idle: number
  /** Requests that wait for a connection. */
  readonly waiting: number
}

export interface TransactionOptions {
  /** It writes a few rows: others like it may share its flush to the disk. Default false. */
  readonly isShort?: boolean | undefined
  /** It changes nothing that a long snapshot sees: it need not wait for one. Only if it is short. Default false. */
  readonly isBeside?: boolean | undefined
}

export interface SnapshotOptions {
  readonly isLong?: boolean
}

export interface Scopes extends Queries {
  /**
   * All or nothing, on disk when the promise resolves. `work` uses the statements of `tx` and waits for nothing else.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Everything that `work` reads through `read` is one state of the data. `isLong`: `work` reads with `batches`. */
  snapshot<T>(work: (read: Queries) => Promise<T>, options?: SnapshotOptions): Promise<T>
}

export interface Database extends Scopes {
  /** A transaction keeps everything else waiting. */
  readonly isSerial: boolean
  /**
   * Runs `work` unless work of this name runs already, in this process or in another one of the same database: then
   * nothing is done, and the result is `false`. `work` uses `scopes` alone, which fail when the lock is lost.
   */
  exclusive(name: string, work: (scopes: Scopes) => Promise<void>): Promise<boolean>
  /** Throws the error with which the next transaction would be refused. */
  checkWritable(): Promise<void>
  /**
   * The file of the data holds everything that is committed as `work` begins, and nothing changes it until `work` ends:
   * later writes are in the log. Only for data in a file; one `work` at a time.
   */
  holdFile?<T>(work: () => Promise<T>): Promise<T>
  /** Of a pool of connections. */
  connections?(): ConnectionCounts
  /** Waits for everything that runs. */
  close(): Promise<void>
}
