/** A PostgreSQL server for a benchmark, as the tests start it, but with every transaction forced onto the disk. */
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
  /** The address of a database without data. */
  return { emptyDatabase: () => emptySchema(url) }
}
