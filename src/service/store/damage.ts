/** Checks the data for damage, for `serve --check`. */
import type { Database } from './driver.ts'
import { migrate, startError } from './migrate.ts'
import type { Prepare } from './postgres-open.ts'

/** The tables of `TABLES_VERSION`. */
export const TABLES = [
  'changed_namespaces',
  'contents',
  'credentials',
  'customers',
  'environments',
  'exported_files',
  'jobs',
  'languages',
  'meta',
  'projects',
  'publications',
  'resources',
  'translation_keys',
  'translations',
] as const

/** SQLite's own check. Runs before the first write. */
export async function checkFile(file: string, database: Database): Promise<void> {
  const [found] = await database.all<{ quick_check: string }>('PRAGMA quick_check(1)')
  if (found?.quick_check === 'ok') return
  throw startError(`the file ${file} is damaged: ${found?.quick_check.split('\n').at(-1)}`, {
    hint: 'Restore a backup of it, or choose another folder.',
  })
}

/** Migrates, then reads every row of every table. */
export const migrateAndRead: Prepare = async (database, lockOut) => {
  await migrate(database, lockOut)
  await database.transaction(async (tx) => {
    // Not `COUNT(*)`: PostgreSQL may count only the entries of an index.
    for (const table of TABLES) await tx.get(`SELECT COUNT(one) FROM ${table} one`)
  })
}
