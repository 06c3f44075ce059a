/** Data of other releases. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCatalog } from '../../../src/service/copy.ts'
import type { DriverName } from '../../../src/service/store/driver.ts'
import { TABLE_NAMES } from '../../../src/service/store/migrate.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { SQLITE_DRIVERS } from '../../helpers/service.ts'
import { tempFolder } from '../../helpers/temp.ts'

/** A file with the given version of the tables. */
async function writeData(driver: DriverName, version: number): Promise<string> {
  const file = join(await tempFolder(), 'service.sqlite')
  const database = await openDatabase(file, driver)
  await database.transaction((tx) => tx.run("UPDATE meta SET value = ? WHERE name = 'schema'", String(version)))
  await database.close()
  return file
}

describe.each(SQLITE_DRIVERS)('%s', (driver) => {
  test('a check knows all tables', async () => {
    const database = await openDatabase(undefined, driver)
    expect((await readCatalog(database, 'sqlite')).map(({ name }) => name)).toEqual([...TABLE_NAMES].sort())
    await database.close()
  })

  test.each([
    [99, 'a later version'],
    [1, 'before the first release'],
  ])('data with version %i of the tables is refused and left as it is', async (version, reason) => {
    const file = await writeData(driver, version)
    for (let start = 0; start < 2; start++) {
      await expect(openDatabase(file, driver)).rejects.toMatchObject({
        code: 'SERVICE_START',
        message: expect.stringContaining(reason),
      })
    }
  })
})
