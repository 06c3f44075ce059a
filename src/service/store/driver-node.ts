/** `node:sqlite`, available in Node 22.13 and later. */
import type { SqlValue } from './driver.ts'
import type { Connection } from './sqlite.ts'

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
