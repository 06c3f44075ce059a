/** SQLite as WebAssembly: runs wherever Node does, nothing compiled or downloaded at install. */
import { closeSync, openSync, rmSync } from 'node:fs'
import type { Database } from 'node-sqlite3-wasm'
import type { Connection } from './sqlite.ts'
import { hasWalFolder, makeWalFolder } from './wal-folder.ts'

/**
 * Opens `file` (`:memory:` for none). The caller holds the folder's lock: this build locks with a folder beside the
 * file that outlives a killed process, so the one that is there is left over, and is removed.
 */
export async function openWasmSqlite(file: string): Promise<Connection> {
  const { default: sqlite } = await import('node-sqlite3-wasm')
  if (file === ':memory:') return connect(new sqlite.Database())
  // Only a file that exists has a second name.
  closeSync(openSync(file, 'a', 0o600))
  const folder = makeWalFolder(file, () => {
    rmSync(`${file}.lock`, { recursive: true, force: true })
    const database = new sqlite.Database(file)
    try {
      // Any read finds the log; the close removes it.
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

/** Writes what a killed process with this build left beside `file` into the file, for another build to open it. */
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
            // It repeats the error of the statement's last run, and frees it all the same.
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
