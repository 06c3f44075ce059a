/** Opens the data file. */

import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LocalizationError, messageOf } from '../../errors.ts'
import { ignoreInGit } from '../../shared/atomic-write.ts'
import { realFolder } from '../../shared/folder-id.ts'
import type { Database, DriverName } from './driver.ts'
import { migrate, startError } from './migrate.ts'
import { type Connection, createDatabase } from './sqlite.ts'
import { loadNodeSqlite, openNodeSqlite, openWasmSqlite, recoverFromWasm } from './sqlite-builds.ts'
import { removeStagedTexts } from './staged-import.ts'

export const DATABASE_FILE = 'service.sqlite'

/**
 * Creates the folder if it does not exist, and returns its real path. Does not touch existing files, because another
 * process may be using them.
 */
export function makeDataFolder(dataDir: string): Promise<string> {
  return writingData(dataDir, () => {
    if (mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined) {
      // The data file contains API keys, so a new folder must not be committed.
      writeFileSync(path.join(dataDir, '.gitignore'), '*\n')
      ignoreInGit(dataDir)
    }
    return realFolder(dataDir)
  })
}

/** Creates the data file. Only its owner can read it, because it contains API keys in plain text. */
export function prepareDataFile(dataDir: string): Promise<string> {
  return writingData(dataDir, () => {
    const file = path.join(dataDir, DATABASE_FILE)
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
    return file
  })
}

/** If `work` fails, the error names the folder that cannot be written. */
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

// In the WebAssembly build, EXCLUSIVE must come first, so that WAL works without shared memory.
const PRAGMAS = ['locking_mode=EXCLUSIVE', 'journal_mode=WAL', 'synchronous=FULL', 'temp_store=MEMORY']

/** SQLite's page cache in KB. It is larger for the WebAssembly build, where reading a page again takes longer. */
const CACHE_KB = { 'node:sqlite': 8000, 'node-sqlite3-wasm': 32_000 }

/**
 * Opens the data in `file`, or in memory by default. `driver` selects the SQLite build. `prepare` migrates or checks
 * the tables.
 */
export async function openDatabase(
  file = ':memory:',
  driver?: DriverName,
  beforeWrite?: () => void,
  prepare: (database: Database) => Promise<void> = migrate,
): Promise<Database> {
  const node = driver === 'node-sqlite3-wasm' ? undefined : loadNodeSqlite()
  if (driver === 'node:sqlite' && !node) {
    const hint = 'Use Node 22.13 or later, or remove the driver option.'
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
    await removeStagedTexts(database)
    return database
  } catch (cause) {
    try {
      await (database ?? connection)?.close()
    } catch {
      // The first error is reported.
    }
    throw openError(file, cause)
  }
}

function openError(file: string, cause: unknown): LocalizationError {
  if (cause instanceof LocalizationError) return cause
  // This is SQLite's own message, which is the same in every build.
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

const PROBE_FILE = '.service.probe'
/** Larger than any single write by SQLite. */
const PROBE = new Uint8Array(65_536)

/**
 * True if the disk is full. The WebAssembly build reports every failed write as an I/O error, so this also tries to
 * write a file.
 */
export function isDiskFull(error: unknown, folder: string | undefined): boolean {
  if (folder === undefined) return false
  const message = messageOf(error)
  if (message.includes('database or disk is full') || isNoSpace(error)) return true
  return message.includes('disk I/O error') && !hasRoom(folder)
}

function hasRoom(folder: string): boolean {
  const probe = path.join(folder, PROBE_FILE)
  try {
    writeFileSync(probe, PROBE, { mode: 0o600 })
    return true
  } catch (error) {
    return !isNoSpace(error)
  } finally {
    rmSync(probe, { force: true })
  }
}

function isNoSpace(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException)?.code ?? '')
}
