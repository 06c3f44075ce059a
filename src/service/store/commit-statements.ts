/** The statements that run together with the commit of a transaction. */
import type { SqlValue } from './driver.ts'

interface CommitStatement {
  readonly sql: string
  readonly values: readonly SqlValue[]
  readonly finish: (rows: unknown[]) => void
}

export class CommitStatements {
  private readonly statements: CommitStatement[] = []

  /** Resolves to the rows of the statement. If it fails, the transaction rejects and this promise never settles. */
  add<T>(sql: string, values: readonly SqlValue[]): Promise<T[]> {
    return new Promise((resolve) => {
      this.statements.push({ sql, values, finish: (rows) => resolve(rows as T[]) })
    })
  }

  /** Starts the statements in order. */
  start<R>(run: (sql: string, values: readonly SqlValue[]) => R): R[] {
    return this.statements.map(({ sql, values }) => run(sql, values))
  }

  /** Resolves each statement with its rows. */
  finish(rows: readonly (readonly unknown[])[]): void {
    for (const [n, { finish }] of this.statements.entries()) finish([...(rows[n] ?? [])])
  }
}
