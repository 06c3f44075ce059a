import type { SqlRow, SqlValue } from './driver.ts'

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

interface CommitStatement {
  readonly sql: string
  readonly values: readonly SqlValue[]
  readonly finish: (rows: unknown[]) => void
}

/** Checks which statements a scope allows, and keeps those that it runs last. */
export class Scope {
  private isOver = false
  private readonly last: CommitStatement[] = []

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

  /** Resolves to the rows of the statement. If it fails, the transaction rejects and this promise never settles. */
  async atCommit<T>(sql: string, values: readonly SqlValue[]): Promise<T[]> {
    this.checkWrite()
    return new Promise((resolve) => {
      this.last.push({ sql, values, finish: (rows) => resolve(rows as T[]) })
    })
  }

  /** Starts the last statements in order. */
  startLast<R>(run: (sql: string, values: readonly SqlValue[]) => R): R[] {
    return this.last.map(({ sql, values }) => run(sql, values))
  }

  /** Resolves each last statement with its rows. */
  finishLast(rows: readonly (readonly unknown[])[]): void {
    for (const [n, { finish }] of this.last.entries()) finish([...(rows[n] ?? [])])
  }

  end(): void {
    this.isOver = true
  }
}
