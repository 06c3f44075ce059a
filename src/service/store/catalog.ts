/** The tables of a database, as the database itself describes them. */
import type { Queries } from './driver.ts'

export type Dialect = 'sqlite' | 'postgres'

export interface TableInfo {
  readonly name: string
  readonly columns: readonly string[]
  /** Its columns, in the order of the key. */
  readonly primaryKey: readonly string[]
  /** True if the rows may be large. */
  readonly hasBytes: boolean
  /** The column that the database numbers. */
  readonly numbered: string | undefined
}

interface ColumnRow {
  readonly table: string
  readonly column: string
  readonly type: string
  /** The position in the primary key, from 1. 0: not part of it. */
  readonly key: number
  readonly numbered: number
}

const COLUMNS: Readonly<Record<Dialect, string>> = {
  sqlite: `SELECT t.name AS "table", c.name AS "column", lower(c.type) AS type, c.pk AS key, 0 AS numbered
    FROM sqlite_master t JOIN pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid`,
  postgres: `SELECT c.table_name AS "table", c.column_name AS "column", c.data_type AS type,
      COALESCE(k.ordinal_position, 0) AS key, CASE WHEN c.is_identity = 'YES' THEN 1 ELSE 0 END AS numbered
    FROM information_schema.columns c
    JOIN information_schema.tables t
      ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
    LEFT JOIN information_schema.table_constraints p
      ON p.table_schema = c.table_schema AND p.table_name = c.table_name AND p.constraint_type = 'PRIMARY KEY'
    LEFT JOIN information_schema.key_column_usage k
      ON k.constraint_schema = p.constraint_schema AND k.constraint_name = p.constraint_name
        AND k.table_name = c.table_name AND k.column_name = c.column_name
    WHERE c.table_schema = current_schema() ORDER BY c.table_name COLLATE "C", c.ordinal_position`,
}

/** All tables, by name. */
export async function readCatalog(queries: Queries, dialect: Dialect): Promise<TableInfo[]> {
  const tables = new Map<string, ColumnRow[]>()
  for (const row of await queries.all<ColumnRow>(COLUMNS[dialect])) {
    tables.set(row.table, [...(tables.get(row.table) ?? []), row])
  }
  return [...tables].map(([name, rows]) => ({
    name,
    columns: rows.map(({ column }) => column).sort(),
    primaryKey: rows
      .filter(({ key }) => key > 0)
      .sort((a, b) => a.key - b.key)
      .map(({ column }) => column),
    hasBytes: rows.some(({ type }) => type === 'blob' || type === 'bytea'),
    numbered: rows.find(({ numbered }) => numbered === 1)?.column,
  }))
}
