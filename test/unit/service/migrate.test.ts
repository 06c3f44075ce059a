/** Data of earlier and of later releases. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCatalog } from '../../../src/service/copy.ts'
import { digestOf } from '../../../src/service/store/credentials.ts'
import type { DriverName } from '../../../src/service/store/driver.ts'
import { SCHEMA, TABLES } from '../../../src/service/store/migrate.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createDatabase } from '../../../src/service/store/sqlite.ts'
import { loadNodeSqlite, openNodeSqlite, openWasmSqlite } from '../../../src/service/store/sqlite-builds.ts'
import { createStore } from '../../../src/service/store/store.ts'
import { SQLITE_DRIVERS } from '../../helpers/service.ts'
import { tempFolder } from '../../helpers/temp.ts'

/** A file with the given version of the tables, and one project in those of version 1. */
async function writeData(driver: DriverName, version: number): Promise<string> {
  const file = join(await tempFolder(), 'service.sqlite')
  const node = driver === 'node:sqlite' ? loadNodeSqlite() : undefined
  const database = createDatabase(node ? openNodeSqlite(node, file) : await openWasmSqlite(file))
  await database.transaction(async (tx) => {
    await tx.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)')
    await tx.insert('meta', [{ name: 'schema', value: String(version) }])
    for (const statement of SCHEMA) await tx.exec(statement)
    const project = { id: 1, name: 'old', project_token: 'token', api_key: 'key', unpublished_changes: 3 }
    await tx.insert('projects', [{ ...project, created_at: '2026-01-01T00:00:00.000Z' }])
    await tx.insert('personal_tokens', [{ hash: digestOf('personal'), created_at: '2026-01-01T00:00:00.000Z' }])
  })
  await database.close()
  return file
}

describe.each(SQLITE_DRIVERS)('%s', (driver) => {
  test('data of the first release is brought up to date once, and its API keys and personal tokens stay', async () => {
    const file = await writeData(driver, 1)
    for (let start = 0; start < 2; start++) {
      const database = await openDatabase(file, driver)
      const { projects, credentials } = createStore(database, () => '2026-01-02T00:00:00.000Z')
      expect(await projects.byApiKey('key')).toMatchObject({ id: 1, name: 'old', unpublishedChanges: 3, version: 0 })
      expect(await projects.byApiKey('other')).toBe(undefined)
      expect(await credentials.hasPersonalToken('personal')).toBe(true)
      expect(await credentials.hasPersonalToken('other')).toBe(false)
      await database.close()
    }
  })

  test('a check knows all tables', async () => {
    const database = await openDatabase(undefined, driver)
    expect((await readCatalog(database, 'sqlite')).map(({ name }) => name)).toEqual(TABLES)
    await database.close()
  })

  test('data of a later release is refused and left as it is', async () => {
    const file = await writeData(driver, 99)
    for (let start = 0; start < 2; start++) {
      await expect(openDatabase(file, driver)).rejects.toMatchObject({
        code: 'SERVICE_START',
        message: expect.stringContaining('a later version'),
      })
    }
  })
})
