/** Opens the file that contains all data. */
import { chmodSync, closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LocalizationError, messageOf } from '../../errors.ts'
import { ignoreInGit } from '../../shared/private-folder.ts'
import type { Database, DriverName } from './driver.ts'
import { loadNodeSqlite, openNodeSqlite } from './driver-node.ts'
import { openWasmSqlite, recoverFromWasm } from './driver-wasm.ts'
import { removeTextsAhead } from './import-ahead.ts'
import { migrate, startError } from './migrate.ts'
import { type Connection, createDatabase } from './sqlite.ts'

/** The name of the data file in the data folder. */
export const DATABASE_FILE = 'service.sqlite'

/** Creates the folder if it does not exist. Existing files remain untouched: another process may be using them. */
export function makeDataFolder(dataDir: string): Promise<void> {
  return writingData(dataDir, () => {
    if (mkdirSync(dataDir, { recursive: true, mode: 0o700 }) === undefined) return
    // The file contains API keys, so a new folder must stay out of repositories.
    writeFileSync(path.join(dataDir, '.gitignore'), '*\n')
    ignoreInGit(dataDir)
  })
}

/** Creates the file, readable only by its owner: it contains API keys in plain text. */
export function prepareDataFile(dataDir: string): Promise<string> {
  return writingData(dataDir, () => {
    const file = path.join(dataDir, DATABASE_FILE)
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
    return file
  })
}

/** Runs `work`. If it fails, the error names the folder that cannot be written. */
export async function writingData<T>(dataDir: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw startError(`the service cannot write its data to ${dataDir}: ${messageOf(cause)}`, {
      hint: 'Choose a writable folder.',
      cause,
    })
  }
}

// The WebAssembly build needs this order: exclusive first, so that WAL works without shared memory.
const PRAGMAS = ['locking_mode=EXCLUSIVE', 'journal_mode=WAL', 'synchronous=FULL', 'temp_store=MEMORY']

/** SQLite's page cache in KB. Reading a page again is more expensive in the WebAssembly build. */
const CACHE_KB = { 'node:sqlite': 8000, 'node-sqlite3-wasm': 32_000 }

/**
 * Opens or creates the database, by default in memory. `driver` forces a build of SQLite; `prepare` migrates the
 * tables.
 */
export async function openDatabase(
  file = ':memory:',
  driver?: DriverName,
  beforeWrite?: () => void,
  prepare: (database: Database) => Promise<void> = migrate,
): Promise<Database> {
  const node = driver === 'node-sqlite3-wasm' ? undefined : loadNodeSqlite()
  if (driver === 'node:sqlite' && !node) {
    const hint = 'Use Node 22.13 or later, or leave the driver out.'
    throw startError('this runtime has no node:sqlite', { hint })
  }
  let connection: Connection | undefined
  let database: Database | undefined
  try {
    if (node) await recoverFromWasm(file)
    connection = node ? openNodeSqlite(node, file) : await openWasmSqlite(file)
    for (const pragma of [...PRAGMAS, `cache_size=-${CACHE_KB[connection.driver]}`]) connection.exec(`PRAGMA ${pragma}`)
    database = createDatabase(connection, beforeWrite)
    await prepare(database)
    await removeTextsAhead(database)
    return database
  } catch (cause) {
    try {
      await (database ?? connection)?.close()
    } catch {
      // Report the first failure.
    }
    throw openError(file, cause)
  }
}

function openError(file: string, cause: unknown): LocalizationError {
  if (cause instanceof LocalizationError) return cause
  // SQLite's own message, which is the same in every build.
  if (messageOf(cause).includes('database is locked')) {
    return new LocalizationError(`the data in ${file} is in use by another program`, {
      code: 'SERVICE_LOCKED',
      hint: 'Close the program that has the file open, or choose another folder.',
      cause,
    })
  }
  return startError(`the service cannot open ${file}: ${messageOf(cause)}`, {
    hint: 'The file may be damaged, or not a database: restore a copy or choose another folder.',
    cause,
  })
}
