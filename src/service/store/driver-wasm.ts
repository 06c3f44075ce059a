/** SQLite as WebAssembly: runs wherever Node does, nothing compiled or downloaded at install. */
import { rmSync } from 'node:fs'
import type { Connection } from './sqlite.ts'

/**
 * Opens `file` (`:memory:` for none). The caller holds the folder's lock: this build locks with a folder beside the
 * file that outlives a killed process, so the one that is there is left over, and is removed here.
 */
export async function openWasmSqlite(file: string): Promise<Connection> {
  const { default: sqlite } = await import('node-sqlite3-wasm')
  if (file !== ':memory:') rmSync(`${file}.lock`, { recursive: true, force: true })
  const database = new sqlite.Database(file)
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
    close: () => database.close(),
  }
}
