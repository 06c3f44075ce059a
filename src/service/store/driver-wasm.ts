/** SQLite as WebAssembly: runs everywhere Node does, and compiles or downloads nothing at install. */
import { closeSync, openSync, rmSync } from 'node:fs'
import type { Database } from 'node-sqlite3-wasm'
import type { Connection } from './sqlite.ts'
import { hasWalFolder, makeWalFolder } from './wal-folder.ts'

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
