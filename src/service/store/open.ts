/** Opens the one file that holds everything. */
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

/** The file's name inside the data folder. */
export const DATABASE_FILE = 'service.sqlite'

/** Creates the folder where there is none. Files in it are not touched: another process may have them. */
export function makeDataFolder(dataDir: string): Promise<void> {
  return writingData(dataDir, () => {
    if (mkdirSync(dataDir, { recursive: true, mode: 0o700 }) === undefined) return
    // The file holds API keys: a folder made here stays out of repositories.
    writeFileSync(path.join(dataDir, '.gitignore'), '*\n')
    ignoreInGit(dataDir)
  })
}

/** Creates the file, readable by its owner only: project API keys are in it as they are given out. */
export function prepareDataFile(dataDir: string): Promise<string> {
  return writingData(dataDir, () => {
    const file = path.join(dataDir, DATABASE_FILE)
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
    return file
  })
}

/** Says which folder cannot be written when `work` fails. */
export async function writingData<T>(dataDir: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw startError(`the service cannot write its data to ${dataDir}: ${messageOf(cause)}`, {
      hint: 'Give a folder that can be written.',
      cause,
    })
  }
}

// The order matters for the WebAssembly build: exclusive first, so that WAL needs no shared memory.
const PRAGMAS = ['locking_mode=EXCLUSIVE', 'journal_mode=WAL', 'synchronous=FULL', 'temp_store=MEMORY']

/** KB of pages that SQLite keeps. The WebAssembly build pays more for reading one again. */
const CACHE_KB = { 'node:sqlite': 8000, 'node-sqlite3-wasm': 32_000 }

/** Opens or makes the database, by default in memory. `driver` forces a build of SQLite; `prepare` makes the tables. */
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
      // The first failure is the error to report.
    }
    throw openError(file, cause)
  }
}

function openError(file: string, cause: unknown): LocalizationError {
  if (cause instanceof LocalizationError) return cause
  // The words of SQLite itself, the same in every build.
  if (messageOf(cause).includes('database is locked')) {
    return new LocalizationError(`the data in ${file} is in use by another program`, {
      code: 'SERVICE_LOCKED',
      hint: 'Close the program that has the file open, or choose another folder.',
      cause,
    })
  }
  return startError(`the service cannot open ${file}: ${messageOf(cause)}`, {
    hint: 'The file may be damaged or no database: restore a copy or choose another folder.',
    cause,
  })
}
