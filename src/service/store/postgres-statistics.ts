/**
 * The planner's statistics of tables that grow fast. The server updates them up to a minute later: until then, the
 * query of one page may read all texts of a project.
 */
import type { Pool } from 'pg'
import type { Scopes, SqlRow } from './driver.ts'

/**
 * As a share of the rows at the last analysis. Small tables are included, because the server never analyzes a few
 * languages.
 */
const LEAST_GROWTH = 0.2

/** The same scopes. Growing tables are analyzed after the commit. */
export function withStatistics(pool: Pool, scopes: Scopes): Scopes {
  const tables = new Map<string, { rows: number; analyzed: number }>()
  const analyzeIfGrown = (table: string, added: number) => {
    const known = tables.get(table) ?? { rows: 0, analyzed: 0 }
    known.rows += added
    tables.set(table, known)
    if (known.rows === known.analyzed || known.rows < known.analyzed * (1 + LEAST_GROWTH)) return
    known.analyzed = known.rows
    // If it fails, the server's own analysis follows later.
    pool.query(`ANALYZE (SKIP_LOCKED) ${table}`).catch(() => {})
  }
  return {
    ...scopes,
    async transaction(work, options) {
      if (options?.isShort) return scopes.transaction(work, options)
      const added = new Map<string, number>()
      const result = await scopes.transaction((tx) => {
        added.clear()
        return work({
          ...tx,
          async insertMany(table, rows, onConflict) {
            const count = await tx.insertMany(table, rows, onConflict)
            added.set(table, (added.get(table) ?? 0) + count)
            return count
          },
          async insertManyWithId<T>(table: string, rows: Iterable<SqlRow>, column: string) {
            const inserted = await tx.insertManyWithId<T>(table, rows, column)
            added.set(table, (added.get(table) ?? 0) + inserted.length)
            return inserted
          },
        })
      }, options)
      for (const [table, count] of added) analyzeIfGrown(table, count)
      return result
    },
  }
}
