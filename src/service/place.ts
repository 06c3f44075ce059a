/** The place of data: a folder with SQLite, or a PostgreSQL database. For commands that use data without a service. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { lockFolder } from './lock/folder-lock.ts'
import type { Dialect } from './store/catalog.ts'
import type { Database } from './store/driver.ts'
import { startError } from './store/migrate.ts'
import { DATABASE_FILE, makeDataFolder, openDatabase, prepareDataFile } from './store/open.ts'
import { parseAddress } from './store/postgres-address.ts'
import { openPostgres, type Prepare } from './store/postgres-open.ts'

export interface Place {
  readonly dialect: Dialect
  /** For messages, without the password. */
  readonly name: string
  readonly database: Database
  close(): Promise<void>
}

export function isDatabaseUrl(address: string): boolean {
  return /^\s*[a-z]{2,}:\/\//i.test(address)
}

/** `prepare`: prepares the tables before they are used. A source must exist. */
export async function openPlace(address: string, role: 'source' | 'target', prepare: Prepare): Promise<Place> {
  if (isDatabaseUrl(address)) {
    const { database } = await openPostgres(address, prepare)
    return { dialect: 'postgres', name: parseAddress(address).place, database, close: () => database.close() }
  }
  const folder = path.resolve(address)
  if (role === 'source' && !existsSync(path.join(folder, DATABASE_FILE))) {
    throw startError(`there is no ${DATABASE_FILE} in ${folder}`, { hint: 'Give the data folder of a service.' })
  }
  await makeDataFolder(folder)
  const lock = await lockFolder(folder)
  try {
    const database = await openDatabase(await prepareDataFile(folder), undefined, undefined, prepare)
    lock.settle()
    const close = async () => {
      await database.close()
      await lock.release()
    }
    return { dialect: 'sqlite', name: folder, database, close }
  } catch (error) {
    await lock.release()
    throw error
  }
}
