/** Opens the one file that holds everything. */
import { chmodSync, closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LocalizationError, messageOf } from '../../errors.ts'
import { ignoreInGit } from '../../shared/private-folder.ts'
import { createDatabase, type Database, type DriverName } from './driver.ts'
import { loadNodeSqlite, openNodeSqlite } from './driver-node.ts'
import { openWasmSqlite } from './driver-wasm.ts'
import { SCHEMA, SCHEMA_VERSION } from './schema.ts'

/** The file's name inside the data folder. */
const DATABASE_FILE = 'service.sqlite'

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
const PRAGMAS = [
  'locking_mode=EXCLUSIVE',
  'journal_mode=WAL',
  'synchronous=FULL',
  'cache_size=-64000',
  'temp_store=MEMORY',
]

/** Opens or creates the database, by default in memory. `driver` forces one build of SQLite. */
export async function openDatabase(
  file = ':memory:',
  driver?: DriverName,
  beforeWrite?: () => void,
): Promise<Database> {
  const node = driver === 'node-sqlite3-wasm' ? undefined : loadNodeSqlite()
  if (driver === 'node:sqlite' && !node) {
    const hint = 'Use Node 22.13 or later, or leave the driver out.'
    throw startError('this runtime has no node:sqlite', { hint })
  }
  let database: Database | undefined
  try {
    database = createDatabase(node ? openNodeSqlite(node, file) : await openWasmSqlite(file), beforeWrite)
    for (const pragma of PRAGMAS) database.exec(`PRAGMA ${pragma}`)
    migrate(database)
    return database
  } catch (cause) {
    try {
      database?.close()
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

function startError(message: string, options: { hint: string; cause?: unknown }): LocalizationError {
  return new LocalizationError(message, { code: 'SERVICE_START', ...options })
}

function migrate(database: Database): void {
  database.transaction(() => {
    database.exec('CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)')
    const stored = database.get<{ value: string }>("SELECT value FROM meta WHERE name = 'schema'")
    const version = Number(stored?.value ?? 0)
    if (version > SCHEMA_VERSION) {
      const hint = 'Update the package, or choose another folder.'
      throw startError('the data was written by a later version of the service', { hint })
    }
    if (version === SCHEMA_VERSION) return
    for (const statement of SCHEMA) database.exec(statement)
    database.insert('meta', { name: 'schema', value: String(SCHEMA_VERSION) })
  })
}
