/** A PostgreSQL server for a benchmark, as the tests start it, but with every transaction forced onto the disk. */
import { readdirSync, readFileSync } from 'node:fs'
import { createJiti } from 'jiti'

const helpers = createJiti(import.meta.url, { fsCache: false })

/** `undefined`, and a line that says so, where PostgreSQL is not installed. The server ends with the script. */
export async function startPostgres() {
  const { postgresPrograms, startPostgres: start, emptySchema } = await helpers.import('../../test/helpers/postgres.ts')
  if (!postgresPrograms()) {
    console.log('PostgreSQL is not installed (apt-get install postgresql): SQLite and one process only')
    return undefined
  }
  const { url, stop } = await start(undefined, { isDurable: true })
  process.on('exit', stop)
  const server = processes().find(({ command }) => command.includes(`-p\0${new URL(url).port}`))
  return {
    /** The address of a database without data. */
    emptyDatabase: () => emptySchema(url),
    /** Of all connections so far. */
    cpuSeconds: () => cpuOf(server?.pid),
  }
}

function processes() {
  const all = []
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      all.push({ pid, parent: fields[1], command, ticks: fields.slice(11, 15).map(Number) })
    } catch {
      // It has ended.
    }
  }
  return all
}

/** With its children; those that have ended count as its own. */
function cpuOf(pid) {
  let ticks = 0
  for (const one of processes()) {
    if (one.pid === pid) ticks += one.ticks.reduce((sum, n) => sum + n, 0)
    else if (one.parent === pid) ticks += one.ticks[0] + one.ticks[1]
  }
  return ticks / 100
}
