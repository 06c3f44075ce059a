/** SQLite as WebAssembly: runs everywhere Node does, and compiles or downloads nothing at install. */

import { closeSync, linkSync, lstatSync, mkdirSync, openSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import type { Database } from 'node-sqlite3-wasm'
import { LocalizationError } from '../../errors.ts'
import type { Connection } from './sqlite.ts'

/**
 * Opens `file`; `:memory:` for data in memory. The caller holds the folder's lock. This build locks with a folder
 * beside the file, which survives a killed process. An existing one is therefore stale, and is removed.
 */
export async function openWasmSqlite(file: string): Promise<Connection> {
  const { default: sqlite } = await import('node-sqlite3-wasm')
  if (file === ':memory:') return connect(new sqlite.Database())
  // A file needs to exist before it can get a second name.
  closeSync(openSync(file, 'a', 0o600))
  const folder = makeWalFolder(file, () => {
    rmSync(`${file}.lock`, { recursive: true, force: true })
    const database = new sqlite.Database(file)
    try {
      // Any read opens the log; the close removes it.
      database.exec('PRAGMA locking_mode=EXCLUSIVE; SELECT COUNT(*) FROM sqlite_schema')
    } finally {
      database.close()
    }
  })
  try {
    return connect(new sqlite.Database(folder.alias), folder.remove)
  } catch (error) {
    folder.remove()
    throw error
  }
}

/** Copies the log that a killed process with this build left into the file, so that another build can open the file. */
export async function recoverFromWasm(file: string): Promise<void> {
  if (!hasWalFolder(file)) return
  const connection = await openWasmSqlite(file)
  try {
    connection.exec('PRAGMA locking_mode=EXCLUSIVE; SELECT COUNT(*) FROM sqlite_schema')
  } finally {
    connection.close()
  }
}

function connect(database: Database, afterClose: () => void = () => {}): Connection {
  return {
    driver: 'node-sqlite3-wasm',
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        run: (values) => statement.run(values).changes,
        all: (values) => statement.all(values),
        iterate: (values) => statement.iterate(values),
        finalize() {
          try {
            statement.finalize()
          } catch {
            // It frees the statement, even though it repeats the error of the last run.
          }
        },
      }
    },
    close() {
      database.close()
      afterClose()
    },
  }
}

/**
 * Protects a file that this build has open. Other SQLite programs do not see its lock, and would delete its write-ahead
 * log (WAL) or write to the file. A folder at the path of the file's log makes them fail to read or write. This build
 * opens a second name of the file in that folder, with its log beside it.
 */
interface WalFolder {
  /** The second name of the file. */
  readonly alias: string
  /** Removes the folder, unless it contains a log that is not in the file yet. */
  remove(): void
}

const walOf = (file: string) => `${file}-wal`

/** True if a process that runs, or was killed, created the folder. */
function hasWalFolder(file: string): boolean {
  return lstatSync(walOf(file), { throwIfNoEntry: false })?.isDirectory() ?? false
}

/**
 * `recover` copies the log of a killed process with another SQLite build into the file, and removes the log.
 *
 * @throws LocalizationError `SERVICE_LOCKED` when the files of SQLite show that another program has the database open.
 */
function makeWalFolder(file: string, recover: () => void): WalFolder {
  const folder = walOf(file)
  const alias = path.join(folder, 'data')
  if (!hasWalFolder(file)) {
    checkUnused(file)
    if (lstatSync(folder, { throwIfNoEntry: false })) recover()
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(file, folder) : error
    }
  }
  const removeAlias = () => {
    rmSync(alias, { force: true })
    rmSync(`${alias}.lock`, { recursive: true, force: true })
  }
  const remove = () => {
    removeAlias()
    try {
      rmdirSync(folder)
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  try {
    // From here on no other program can open the file, and programs that have it open have left their files beside it.
    checkUnused(file)
    removeAlias()
    giveSecondName(file, alias)
  } catch (error) {
    remove()
    throw error
  }
  return { alias, remove }
}

function giveSecondName(file: string, alias: string): void {
  try {
    linkSync(file, alias)
  } catch {
    // Some file systems do not support hard links.
    symlinkSync(path.join('..', path.basename(file)), alias)
  }
}

/** Another program that has the file open creates one of these files. The service's own builds do not. */
function checkUnused(file: string): void {
  for (const trace of [`${file}-shm`, `${file}-journal`]) {
    if (lstatSync(trace, { throwIfNoEntry: false })) throw inUse(file, trace)
  }
}

function inUse(file: string, trace: string): LocalizationError {
  return new LocalizationError(`the data in ${file} is in use by another program: it has the file ${trace}`, {
    code: 'SERVICE_LOCKED',
    hint: 'Close that program. If it was killed, open the data with it once more and close it, or use Node 22.13 or later.',
  })
}
