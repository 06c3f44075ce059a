/** Copies all data of the service from one database to another, including between SQLite and PostgreSQL. */
import { createHash, type Hash } from 'node:crypto'
import { LocalizationError } from '../errors.ts'
import { openPlace } from './place.ts'
import { type Dialect, readCatalog, type TableInfo } from './store/catalog.ts'
import type { Database, Queries, SqlRow, SqlValue } from './store/driver.ts'
import { migrate, schemaVersion, startError, TABLES_VERSION } from './store/migrate.ts'

export { isDatabaseUrl } from './place.ts'

/** A migration writes `meta`. Exported files and rate limits expire. */
export const NOT_COPIED: readonly string[] = ['meta', 'exported_files', 'rate_limits']

export interface CopiedTable {
  readonly table: string
  readonly rows: number
  /** Of all rows in the order of their primary key, equal on both sides. */
  readonly digest: string
}

export interface CopyOptions {
  /** A data folder, or `postgres://...`. */
  readonly from: string
  readonly to: string
  /** Copies and compares, then rolls back, so that the target remains empty. */
  readonly dryRun?: boolean | undefined
  readonly onTable?: ((table: CopiedTable) => void) | undefined
}

/**
 * Copies one state of the source in one transaction of the target: all or nothing. Migrates the target first, and
 * compares the copied rows with the source before the commit.
 *
 * @throws LocalizationError `SERVICE_LOCKED` for a folder in use; `SERVICE_START` for a source of another release, a
 * target with data, and a difference.
 */
export async function copyData({ from, to, dryRun = false, onTable }: CopyOptions): Promise<CopiedTable[]> {
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
              if (target.dialect === 'postgres') await continueNumbers(tx, table)
              onTable?.(copied.at(-1) as CopiedTable)
            }
            // No process owns the copied jobs.
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
      : ['an earlier', 'Start `localization serve` of this release on it once: the start updates the data.']
  throw startError(`the source holds the data of ${version === 0 ? 'no' : age} version of the service`, { hint })
}

/** The tables of both sides, which must be the same. */
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
    hint: 'Give a folder, database or schema that contains only the data of the service.',
  })
}

async function checkEmpty(tx: Queries, tables: readonly TableInfo[], name: string): Promise<void> {
  for (const table of tables) {
    if ((await tx.get(`SELECT 1 AS one FROM ${table.name} LIMIT 1`)) === undefined) continue
    throw startError(`the target ${name} has data: the table ${table.name} is not empty`, {
      hint: 'Copy into a new folder, database or schema, and start no service on it before.',
    })
  }
}

async function copyTable(read: Queries, tx: Queries, table: TableInfo): Promise<CopiedTable> {
  const written = new TableDigest(table)
  for await (const rows of rowsOf(read, table)) {
    written.add(rows)
    await tx.insertMany(table.name, rows)
  }
  const found = new TableDigest(table)
  for await (const rows of rowsOf(tx, table)) found.add(rows)
  const [ours, theirs] = [written.end(), found.end()]
  if (ours.rows === theirs.rows && ours.digest === theirs.digest) return ours
  const counts = `${ours.rows} rows (${ours.digest}) in the source, ${theirs.rows} (${theirs.digest}) in the target`
  throw new LocalizationError(`the table ${table.name} is not the same after the copy: ${counts}`, {
    code: 'SERVICE_START',
    hint: 'Nothing was copied. Check the disks of both sides, and report it if it happens again.',
  })
}

/** All rows in the order of the primary key. Both sides order texts by their bytes. */
async function* rowsOf(queries: Queries, { name, columns, primaryKey, hasBytes }: TableInfo): AsyncGenerator<SqlRow[]> {
  const order = primaryKey.join(', ')
  if (!hasBytes) {
    yield* queries.batches<SqlRow>(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${order}`)
    return
  }
  // One at a time, because a batch of them might not fit into memory.
  const isKey = primaryKey.map((column) => `${column} = ?`).join(' AND ')
  const one = `SELECT ${columns.join(', ')} FROM ${name} WHERE ${isKey}`
  for await (const keys of queries.batches<SqlRow>(`SELECT ${order} FROM ${name} ORDER BY ${order}`)) {
    for (const key of keys) {
      const row = await queries.get<SqlRow>(one, ...primaryKey.map((column) => key[column] as SqlValue))
      if (row) yield [row]
    }
  }
}

/** Continues the numbers of new rows after the copied ones. */
async function continueNumbers(tx: Queries, { name, numbered }: TableInfo): Promise<void> {
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
