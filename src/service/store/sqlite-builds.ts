/**
 * The two SQLite builds: `node:sqlite`, available in Node 22.13 and later, and WebAssembly, which runs wherever Node
 * does and needs no compiler or download during installation.
 */

import { closeSync, linkSync, lstatSync, mkdirSync, openSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import type { Database } from 'node-sqlite3-wasm'
import { LocalizationError } from '../../errors.ts'
import type { SqlValue } from './driver.ts'
import type { Connection } from './sqlite.ts'

/**
 * Opens `file`, or data in memory for `:memory:`. The caller must have the lock on the data folder. This build's own
 * lock is a folder next to the file, which remains if the process is killed. Because the caller has the data folder's
 * lock, such a folder is stale and is removed.
 */
export async function openWasmSqlite(file: string): Promise<Connection> {
  const { default: sqlite } = await import('node-sqlite3-wasm')
  if (file === ':memory:') return connect(new sqlite.Database())
  // The file must exist before it can get a second name.
  closeSync(openSync(file, 'a', 0o600))
  const folder = makeWalFolder(file, () => {
    rmSync(`${file}.lock`, { recursive: true, force: true })
    const database = new sqlite.Database(file)
    try {
      // Any read recovers the log, and closing the database deletes it.
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

/** If a killed process used this build, copies its log into the file, so that another build can open the file. */
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
            // `finalize` frees the statement, but throws the error from its last run again.
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
 * Protects a file while this build has it open. Other SQLite programs do not see this build's lock. They would delete
 * its write-ahead log (WAL), or write to the file. A folder at the WAL's path makes them fail instead. This build opens
 * the file by a second name in that folder, and its WAL is created there.
 */
interface WalFolder {
  /** The second name. */
  readonly alias: string
  /** Removes the folder, unless it still contains a log. */
  remove(): void
}

const walOf = (file: string) => `${file}-wal`

/** True if the folder exists. It remains after its process is killed. */
function hasWalFolder(file: string): boolean {
  return lstatSync(walOf(file), { throwIfNoEntry: false })?.isDirectory() ?? false
}

/**
 * `recover` copies the log of a killed process that used another SQLite build into the file, and removes the log.
 *
 * @throws LocalizationError `SERVICE_LOCKED` if SQLite's files show that another program has the database open.
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
    // No other program can open the file from now on. A program that already has it open has created other files next
    // to it.
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

/** Other programs create one of these files when they open the database. The service's own builds do not. */
function checkUnused(file: string): void {
  for (const trace of [`${file}-shm`, `${file}-journal`]) {
    if (lstatSync(trace, { throwIfNoEntry: false })) throw inUse(file, trace)
  }
}

function inUse(file: string, trace: string): LocalizationError {
  return new LocalizationError(`the data in ${file} is in use by another program: ${trace} exists`, {
    code: 'SERVICE_LOCKED',
    hint: 'Close that program. If it was killed, start it again with this data and let it exit normally, or use Node 22.13 or later.',
  })
}

interface NodeSqlite {
  DatabaseSync: new (
    file: string,
  ) => {
    exec(sql: string): void
    prepare(sql: string): NodeStatement
    close(): void
  }
}

interface NodeStatement {
  run(...values: SqlValue[]): { changes: number | bigint }
  all(...values: SqlValue[]): unknown[]
  iterate(...values: SqlValue[]): IterableIterator<unknown>
  /** Requires Node 22.16 or later. */
  setReturnArrays?(on: boolean): void
  columns?(): { readonly name: string }[]
}

/** Returns `undefined` if the runtime does not have the module, or has only a part of it. */
export function loadNodeSqlite(): NodeSqlite | undefined {
  const emitWarning = process.emitWarning
  try {
    // Some runtimes print an experimental warning. Users of the service cannot act on it.
    process.emitWarning = () => {}
    const module = process.getBuiltinModule?.('node:sqlite') as unknown as NodeSqlite | undefined
    if (!module) return undefined
    const probe = new module.DatabaseSync(':memory:')
    const isComplete = typeof probe.prepare('SELECT 1').iterate === 'function'
    probe.close()
    return isComplete ? module : undefined
  } catch {
    return undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Opens `file`, or data in memory for `:memory:`. */
export function openNodeSqlite({ DatabaseSync }: NodeSqlite, file: string): Connection {
  const database = new DatabaseSync(file)
  return {
    driver: 'node:sqlite',
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        run: (values) => Number(statement.run(...values).changes),
        all: (values) => statement.all(...values),
        iterate: (values) => iterate(statement, values),
        finalize: () => {},
      }
    },
    close: () => database.close(),
  }
}

/** Reads rows as arrays where possible, because `node:sqlite`'s objects have no prototype and need twice the memory. */
function* iterate(statement: NodeStatement, values: SqlValue[]): IterableIterator<unknown> {
  if (!statement.setReturnArrays || !statement.columns) {
    yield* statement.iterate(...values)
    return
  }
  const names = statement.columns().map(({ name }) => name)
  statement.setReturnArrays(true)
  for (const row of statement.iterate(...values) as IterableIterator<unknown[]>) {
    const object: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at++) object[names[at] ?? ''] = row[at]
    yield object
  }
}
