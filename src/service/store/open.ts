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

/** Makes the folder where there is none. What is in it is not touched: somebody else may have it. */
export function makeDataFolder(dataDir: string): void {
  writing(dataDir, () => {
    if (mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined) {
      // The file holds API keys: a folder made here stays out of repositories.
      writeFileSync(path.join(dataDir, '.gitignore'), '*\n')
      ignoreInGit(dataDir)
    }
  })
}

/** Makes the file, readable by its owner only: project API keys are in it as they are given out. */
export function prepareDataFile(dataDir: string): string {
  return writing(dataDir, () => {
    const file = path.join(dataDir, DATABASE_FILE)
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
    return file
  })
}

function writing<T>(dataDir: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new LocalizationError(`the service cannot write its data to ${dataDir}: ${messageOf(cause)}`, {
      code: 'SERVICE_START',
      hint: 'Give a folder that can be written.',
      cause,
    })
  }
}

/** Opens or makes the database. Without `file` it lives in memory. `driver` forces one build; `guard` is that of `createDatabase`. */
export async function openDatabase(
  file: string | undefined,
  driver?: DriverName,
  guard?: () => void,
): Promise<Database> {
  const target = file ?? ':memory:'
  const node = driver === 'node-sqlite3-wasm' ? undefined : loadNodeSqlite()
  if (driver === 'node:sqlite' && !node) {
    throw new LocalizationError('this runtime has no node:sqlite', {
      code: 'SERVICE_START',
      hint: 'Use Node 22.13 or later, or leave the driver out.',
    })
  }
  let database: Database | undefined
  try {
    database = createDatabase(node ? openNodeSqlite(node, target) : await openWasmSqlite(target), guard)
    // The order matters for the WebAssembly build: exclusive first, so that WAL needs no shared memory.
    for (const pragma of [
      'locking_mode=EXCLUSIVE',
      'journal_mode=WAL',
      'synchronous=FULL',
      'cache_size=-64000',
      'temp_store=MEMORY',
    ]) {
      database.exec(`PRAGMA ${pragma}`)
    }
    migrate(database)
    return database
  } catch (cause) {
    close(database)
    if (cause instanceof LocalizationError) throw cause
    // SQLite's own words in every build.
    if (messageOf(cause).includes('database is locked')) {
      throw new LocalizationError(`the data in ${target} is in use by another program`, {
        code: 'SERVICE_LOCKED',
        hint: 'Close the program that has the file open, or choose another folder.',
        cause,
      })
    }
    throw new LocalizationError(`the service cannot open ${target}: ${messageOf(cause)}`, {
      code: 'SERVICE_START',
      hint: 'The file may be damaged or no database: restore a copy or choose another folder.',
      cause,
    })
  }
}

function close(database: Database | undefined): void {
  try {
    database?.close()
  } catch {
    // What it failed with first is the error to tell.
  }
}

function migrate(database: Database): void {
  database.transaction(() => {
    database.exec('CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)')
    const version = Number(
      database.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', 'schema')?.value ?? 0,
    )
    if (version > SCHEMA_VERSION) {
      throw new LocalizationError('the data was written by a later version of the service', {
        code: 'SERVICE_START',
        hint: 'Update the package, or choose another folder.',
      })
    }
    if (version === SCHEMA_VERSION) return
    for (const statement of SCHEMA) database.exec(statement)
    database.run(
      'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      'schema',
      String(SCHEMA_VERSION),
    )
  })
}
