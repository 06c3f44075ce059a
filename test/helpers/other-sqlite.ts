/** Another program with SQLite, in a process of its own: its locks are those of the system. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { startProcess } from './processes.ts'

const NODE = `
const { createInterface } = require('node:readline')
const { DatabaseSync } = require('node:sqlite')
let database
createInterface({ input: process.stdin }).on('line', (line) => {
  try {
    const [file, sql] = JSON.parse(line)
    database ??= new DatabaseSync(file)
    database.prepare(sql).all()
    console.log('done')
  } catch (error) {
    console.log(error.message)
  }
})`

const PYTHON = `
import json, sqlite3, sys
database = None
for line in sys.stdin:
    try:
        file, sql = json.loads(line)
        if database is None: database = sqlite3.connect(file, timeout=0, isolation_level=None)
        database.execute(sql).fetchall()
        print('done', flush=True)
    except Exception as error:
        print(error, flush=True)`

const command = findCommand()
if (!command) process.stdout.write('tests beside another SQLite program skipped: neither node:sqlite nor python3\n')

function findCommand(): readonly string[] | undefined {
  if (process.getBuiltinModule?.('node:sqlite')) return [process.execPath, '--no-warnings', '-e', NODE]
  return spawnSync('python3', ['-c', 'import sqlite3']).status === 0 ? ['python3', '-c', PYTHON] : undefined
}

export const hasOtherSqlite = command !== undefined

/** Opens `file` with its first statement. */
export function openOtherSqlite(file: string) {
  const { child, ended } = startProcess(command ?? [], { stdin: 'pipe' })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  return {
    /** Resolves to `done`, or to the message of the error. */
    async execute(sql: string): Promise<string> {
      child.stdin?.write(`${JSON.stringify([file, sql])}\n`)
      return (await lines.next()).value
    },
    async close(): Promise<void> {
      child.stdin?.end()
      await ended
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
