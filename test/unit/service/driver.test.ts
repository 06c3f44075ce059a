/** One suite for every SQLite build behind the port. */
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase, type DriverName } from '../../../src/service/store/driver.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { DRIVERS } from '../../helpers/service.ts'
import { tempFolder } from '../../helpers/temp.ts'

async function open(driver: DriverName, file?: string) {
  const database = await openDatabase(file, driver)
  let closed = false
  const close = () => {
    if (!closed) database.close()
    closed = true
  }
  onTestFinished(close)
  database.exec('CREATE TABLE IF NOT EXISTS things (name TEXT PRIMARY KEY, n INTEGER, bytes BLOB)')
  return { database, close }
}

describe.each(DRIVERS)('%s', (driver) => {
  test('values come back as they went in', async () => {
    const { database } = await open(driver)
    const bytes = new Uint8Array([0, 1, 254, 255])
    for (const [i, name] of [
      '',
      ' ',
      '\b\u001f',
      '😀',
      'e\u0301',
      '\u2028',
      '\ufeff',
      '\'"; --',
      '__proto__',
    ].entries()) {
      expect(database.run('INSERT INTO things (name, n, bytes) VALUES (?, ?, ?)', name, i, bytes)).toBe(1)
      const row = database.get<{ name: string; n: number; bytes: Uint8Array }>(
        'SELECT * FROM things WHERE name = ?',
        name,
      )
      expect(row).toMatchObject({ name, n: i })
      expect([...(row?.bytes ?? [])]).toEqual([...bytes])
    }
    database.run('INSERT INTO things (name, n) VALUES (?, ?)', 'large', Number.MAX_SAFE_INTEGER)
    expect(database.get('SELECT n, bytes FROM things WHERE name = ?', 'large')).toMatchObject({
      n: Number.MAX_SAFE_INTEGER,
      bytes: null,
    })
    expect(database.get('SELECT n FROM things WHERE name = ?', 'absent')).toBe(undefined)
  })

  test('run tells how many rows changed, also for an upsert that does nothing', async () => {
    const { database } = await open(driver)
    const upsert =
      'INSERT INTO things (name, n) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = excluded.n WHERE things.n <> excluded.n'
    expect(database.run(upsert, 'a', 1)).toBe(1)
    expect(database.run(upsert, 'a', 1)).toBe(0)
    expect(database.run(upsert, 'a', 2)).toBe(1)
    expect(database.run('DELETE FROM things')).toBe(1)
  })

  test('a transaction is all or nothing, one inside another is part of it', async () => {
    const { database } = await open(driver)
    const add = (name: string) => database.run('INSERT INTO things (name) VALUES (?)', name)
    const names = () => database.all<{ name: string }>('SELECT name FROM things ORDER BY name').map(({ name }) => name)
    expect(() =>
      database.transaction(() => {
        add('a')
        database.transaction(() => add('b'))
        add('a')
      }),
    ).toThrow()
    expect(names()).toEqual([])
    expect(database.transaction(() => add('c'))).toBe(1)
    expect(names()).toEqual(['c'])
  })

  test('a loop over rows may be left early, and writing goes on', async () => {
    const { database } = await open(driver)
    for (let i = 0; i < 100; i++) database.run('INSERT INTO things (name, n) VALUES (?, ?)', `${i}`, i)
    for (const { n } of database.iterate<{ n: number }>('SELECT n FROM things ORDER BY n')) {
      if (n === 3) break
    }
    database.transaction(() => database.run('DELETE FROM things WHERE n > ?', 50))
    database.exec('DROP TABLE things')
  })

  test('close leaves one file, and the next one reads it', async () => {
    const file = join(await tempFolder(), 'x.sqlite')
    const first = await open(driver, file)
    first.database.run('INSERT INTO things (name) VALUES (?)', 'kept')
    first.close()
    const second = await open(driver, file)
    expect(second.database.all('SELECT name FROM things')).toMatchObject([{ name: 'kept' }])
  })
})

test.skipIf(DRIVERS.includes('node:sqlite'))('a driver that this runtime lacks is SERVICE_START', async () => {
  await expect(openDatabase(undefined, 'node:sqlite')).rejects.toMatchObject({ code: 'SERVICE_START' })
})

test('filters of any length do not keep a statement each for good', () => {
  const open = new Set<string>()
  const database = createDatabase({
    driver: 'node-sqlite3-wasm',
    exec: () => {},
    prepare(sql) {
      open.add(sql)
      return { run: () => 0, all: () => [], iterate: () => [].values(), finalize: () => void open.delete(sql) }
    },
    close: () => {},
  })
  for (let i = 0; i < 10_000; i++) {
    database.all(`SELECT ${i}`)
    database.get('often')
  }
  expect(open.size).toBeLessThanOrEqual(200)
  expect([...open]).toContain('often')
  database.close()
  expect(open.size).toBe(0)
})
