/** The statements of a transaction that run with its commit. */
import type { SqlValue } from './driver.ts'

interface CommitStatement {
  readonly sql: string
  readonly values: readonly SqlValue[]
  readonly finish: (rows: unknown[]) => void
}

export class CommitStatements {
  private readonly statements: CommitStatement[] = []

  /** Resolves to the rows of the statement, never where it fails: the transaction does. */
  add<T>(sql: string, values: readonly SqlValue[]): Promise<T[]> {
    return new Promise((resolve) => {
      this.statements.push({ sql, values, finish: (rows) => resolve(rows as T[]) })
    })
  }

  /** Starts each of them, in their order. */
  start<R>(run: (sql: string, values: readonly SqlValue[]) => R): R[] {
    return this.statements.map(({ sql, values }) => run(sql, values))
  }

  /** With the rows of each. */
  finish(rows: readonly (readonly unknown[])[]): void {
    for (const [n, { finish }] of this.statements.entries()) finish([...(rows[n] ?? [])])
  }
}
