/** Copies all of the service's data from one database to another, including between SQLite and PostgreSQL. */

import { createHash, type Hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { LocalizationError } from '../errors.ts'
import { lockFolder } from './lock/folder-lock.ts'
import type { Database, Queries, SqlRow, SqlValue } from './store/driver.ts'
import { migrate, type Prepare, schemaVersion, startError, TABLES_VERSION } from './store/migrate.ts'
import { DATABASE_FILE, makeDataFolder, openDatabase, prepareDataFile } from './store/open.ts'
import { openPostgres } from './store/postgres-open.ts'
import { parseAddress } from './store/postgres-pool.ts'

/** Tables that are not copied. Migrations write `meta`. Exported files and rate limits expire. */
export const NOT_COPIED: readonly string[] = ['meta', 'exported_files', 'rate_limits']

interface CopiedTable {
  readonly table: string
  readonly rows: number
  /** The digest of all rows, ordered by primary key. It is the same for the source and the target. */
  readonly digest: string
}

/**
 * Copies one state of the source in a single transaction, so that all data is copied or none. Migrates the target
 * first. Compares the copied rows with the source before the commit. `from` and `to` are data folders, or URLs such as
 * `postgres://...`. `dryRun` rolls back after the comparison, so that the target remains empty.
 */
export async function copyData(
  from: string,
  to: string,
  dryRun = false,
  onTable?: (table: CopiedTable) => void,
): Promise<CopiedTable[]> {
  const source = await openPlace(from, 'source', checkVersion)
  try {
    const target = await openPlace(to, 'target', migrate)
    try {
      return await source.database.snapshot((read) =>
        target.database
          .transaction(async (tx) => {
            const tables = await sharedTables(read, source.dialect, tx, target.dialect)
            await checkEmpty(tx, tables, target.name)
            const copied: CopiedTable[] = []
            for (const table of tables) {
              copied.push(await copyTable(read, tx, table))
              if (target.dialect === 'postgres') await finishTable(tx, table)
              onTable?.(copied.at(-1) as CopiedTable)
            }
            // No running process owns the copied jobs.
            await tx.run("UPDATE jobs SET owner = '', lease_until = ''")
            if (dryRun) throw new DryRunEnd(copied)
            return copied
          })
          .catch((error) => {
            if (error instanceof DryRunEnd) return error.copied
            throw error
          }),
      )
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Thrown to roll back the transaction. */
class DryRunEnd extends Error {
  constructor(readonly copied: CopiedTable[]) {
    super('dry run')
  }
}

async function checkVersion(database: Pick<Database, 'transaction'>): Promise<void> {
  const version = await database.transaction(schemaVersion).catch(() => 0)
  if (version === TABLES_VERSION) return
  const [age, hint] =
    version > TABLES_VERSION
      ? ['a later', 'Update the package.']
      : ['an earlier', "Run this release's `localization serve` on it once to migrate the data."]
  throw startError(`the source contains data from ${version === 0 ? 'no' : age} version of the service`, { hint })
}

/** The copied tables. Throws if source and target have different ones. */
async function sharedTables(read: Queries, from: Dialect, tx: Queries, to: Dialect): Promise<TableInfo[]> {
  const isCopied = ({ name }: TableInfo) => !NOT_COPIED.includes(name)
  const source = (await readCatalog(read, from)).filter(isCopied)
  const target = (await readCatalog(tx, to)).filter(isCopied)
  const namesOf = (tables: readonly TableInfo[]) =>
    tables.map(({ name, columns, primaryKey }) => `${name}(${columns.join()}; ${primaryKey.join()})`)
  const [ours, theirs] = [namesOf(source), namesOf(target)]
  const different = [...ours, ...theirs].filter((name) => !ours.includes(name) || !theirs.includes(name))
  if (different.length === 0) return target
  throw startError(`source and target have different tables: ${different.join(', ')}`, {
    hint: "Use a folder, database or schema that contains only the service's data.",
  })
}

async function checkEmpty(tx: Queries, tables: readonly TableInfo[], name: string): Promise<void> {
  for (const table of tables) {
    if ((await tx.get(`SELECT 1 AS one FROM ${table.name} LIMIT 1`)) === undefined) continue
    throw startError(`the target ${name} has data: the table ${table.name} is not empty`, {
      hint: 'Copy to a new folder, database or schema on which no service has been started.',
    })
  }
}

async function copyTable(read: Queries, tx: Queries, table: TableInfo): Promise<CopiedTable> {
  const written = new TableDigest(table)
  for await (const rows of rowsOf(read, table)) {
    written.add(rows)
    await tx.insert(table.name, rows)
  }
  const found = new TableDigest(table)
  for await (const rows of rowsOf(tx, table)) found.add(rows)
  const [ours, theirs] = [written.end(), found.end()]
  if (ours.rows === theirs.rows && ours.digest === theirs.digest) return ours
  const counts = `${ours.rows} rows (${ours.digest}) in the source, ${theirs.rows} (${theirs.digest}) in the target`
  throw new LocalizationError(`the table ${table.name} differs after the copy: ${counts}`, {
    code: 'SERVICE_START',
    hint: 'Nothing was copied. Check the disks of source and target. If it happens again, report it.',
  })
}

/** All rows, ordered by primary key. Both databases order strings by their bytes. */
async function* rowsOf(queries: Queries, { name, columns, primaryKey, hasBytes }: TableInfo): AsyncGenerator<SqlRow[]> {
  const order = primaryKey.join(', ')
  if (!hasBytes) {
    yield* queries.batches<SqlRow>(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${order}`)
    return
  }
  // Reads one row at a time, because a batch of large rows might not fit into memory.
  const isKey = primaryKey.map((column) => `${column} = ?`).join(' AND ')
  const one = `SELECT ${columns.join(', ')} FROM ${name} WHERE ${isKey}`
  for await (const keys of queries.batches<SqlRow>(`SELECT ${order} FROM ${name} ORDER BY ${order}`)) {
    for (const key of keys) {
      const row = await queries.get<SqlRow>(one, ...primaryKey.map((column) => key[column] as SqlValue))
      if (row) yield [row]
    }
  }
}

/** Analyzes a copied table, and sets its counter, so that new rows are numbered after the copied ones. */
async function finishTable(tx: Queries, { name, numbered }: TableInfo): Promise<void> {
  await tx.exec(`ANALYZE ${name}`)
  if (numbered === undefined) return
  await tx.all(
    `SELECT setval(pg_get_serial_sequence('${name}', '${numbered}'), MAX(${numbered})) FROM ${name}
     HAVING MAX(${numbered}) IS NOT NULL`,
  )
}

class TableDigest {
  private rows = 0
  private readonly hash: Hash = createHash('sha256')

  constructor(private readonly table: TableInfo) {}

  add(rows: readonly SqlRow[]): void {
    for (const row of rows) {
      const values = this.table.columns.map((column) => portable(row[column] ?? null))
      this.hash.update(`${JSON.stringify(values)}\n`)
    }
    this.rows += rows.length
  }

  end(): CopiedTable {
    return { table: this.table.name, rows: this.rows, digest: this.hash.digest('hex').slice(0, 16) }
  }
}

function portable(value: SqlValue): string | number | null | { readonly sha256: string } {
  return value instanceof Uint8Array ? { sha256: createHash('sha256').update(value).digest('hex') } : value
}

export function isDatabaseUrl(address: string): boolean {
  return /^\s*[a-z]{2,}:\/\//i.test(address)
}

/**
 * Opens the data without starting a service. `prepare` migrates or checks the tables before they are used. A source
 * must exist. The result's `name` is the folder or database, without the password, for messages.
 */
export async function openPlace(address: string, role: 'source' | 'target', prepare: Prepare) {
  if (isDatabaseUrl(address)) {
    const { database } = await openPostgres(address, prepare)
    const dialect: Dialect = 'postgres'
    return { dialect, name: parseAddress(address).place, database, close: () => database.close() }
  }
  const folder = path.resolve(address)
  if (role === 'source' && !existsSync(path.join(folder, DATABASE_FILE))) {
    throw startError(`there is no ${DATABASE_FILE} in ${folder}`, { hint: "Specify a service's data folder." })
  }
  const real = await makeDataFolder(folder)
  const lock = await lockFolder(real)
  try {
    const database = await openDatabase(await prepareDataFile(real), undefined, undefined, prepare)
    lock.settle()
    const close = async () => {
      await database.close()
      await lock.release()
    }
    const dialect: Dialect = 'sqlite'
    return { dialect, name: folder, database, close }
  } catch (error) {
    await lock.release()
    throw error
  }
}

export type Dialect = 'sqlite' | 'postgres'

type TableInfo = Awaited<ReturnType<typeof readCatalog>>[number]

interface ColumnRow {
  readonly table: string
  readonly column: string
  readonly type: string
  /** The position in the primary key, starting at 1; 0 if the column is not part of the key. */
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

/** All tables, in alphabetical order. */
export async function readCatalog(queries: Queries, dialect: Dialect) {
  const tables = new Map<string, ColumnRow[]>()
  for (const row of await queries.all<ColumnRow>(COLUMNS[dialect])) {
    tables.set(row.table, [...(tables.get(row.table) ?? []), row])
  }
  return [...tables].map(([name, rows]) => ({
    name,
    columns: rows.map(({ column }) => column).sort(),
    /** The columns of the primary key, in order. */
    primaryKey: rows
      .filter(({ key }) => key > 0)
      .sort((a, b) => a.key - b.key)
      .map(({ column }) => column),
    /** True if the rows contain files, and so may be large. */
    hasBytes: rows.some(({ type }) => type === 'blob' || type === 'bytea'),
    /** The column whose values the database generates. */
    numbered: rows.find(({ numbered }) => numbered === 1)?.column,
  }))
}
