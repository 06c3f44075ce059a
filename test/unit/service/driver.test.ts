/** One suite for every SQLite build behind the port. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Database, DriverName, SqlValue } from '../../../src/service/store/driver.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createDatabase } from '../../../src/service/store/sqlite.ts'
import { SQLITE_DRIVERS } from '../../helpers/service.ts'
import { tempFolder } from '../../helpers/temp.ts'

async function open(driver: DriverName, file?: string) {
  const database = await openDatabase(file, driver)
  let closed = false
  const close = async () => {
    if (!closed) await database.close()
    closed = true
  }
  onTestFinished(close)
  await database.transaction((tx) =>
    tx.exec('CREATE TABLE IF NOT EXISTS things (name TEXT PRIMARY KEY, n INTEGER, bytes BLOB)'),
  )
  return { database, close }
}

/** One statement as a transaction of its own. */
function run(database: Database, sql: string, ...values: SqlValue[]): Promise<number> {
  return database.transaction((tx) => tx.run(sql, ...values))
}

const ADD = 'INSERT INTO things (name, n) VALUES (?, ?)'

async function names(database: Pick<Database, 'all'>): Promise<string[]> {
  return (await database.all<{ name: string }>('SELECT name FROM things ORDER BY name')).map(({ name }) => name)
}

/** A promise to be kept from outside. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** Many at once: one transaction for each name. */
function addEach(database: Database, added: readonly string[]) {
  return Promise.allSettled(added.map((name, n) => run(database, ADD, name, n)))
}

const statuses = (results: readonly PromiseSettledResult<unknown>[]) => results.map(({ status }) => status)

describe.each(SQLITE_DRIVERS)('%s', (driver) => {
  test('of concurrent transactions, one that fails takes back only its own', async () => {
    const { database } = await open(driver)
    const results = await addEach(database, ['a', 'b', 'a', 'c'])
    expect(statuses(results)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    const half = database.transaction(async (tx) => {
      await tx.run(ADD, 'd', 1)
      await tx.run(ADD, 'a', 1)
    })
    const [failed, whole] = await Promise.allSettled([half, run(database, ADD, 'e', 1), addEach(database, ['f'])])
    expect([failed?.status, whole?.status]).toEqual(['rejected', 'fulfilled'])
    expect(await names(database)).toEqual(['a', 'b', 'c', 'e', 'f'])
  })

  test('when commits are refused, the transactions fail, and the next ones succeed', async () => {
    let isRefused = false
    const database = await openDatabase(join(await tempFolder(), 'file'), driver, () => {
      if (isRefused) throw new Error('refused')
    })
    onTestFinished(() => database.close())
    await database.transaction((tx) => tx.exec('CREATE TABLE things (name TEXT PRIMARY KEY, n INTEGER)'))
    isRefused = true
    expect(statuses(await addEach(database, ['a', 'b']))).toEqual(['rejected', 'rejected'])
    isRefused = false
    expect(statuses(await addEach(database, ['b', 'c']))).toEqual(['fulfilled', 'fulfilled'])
    expect(await names(database)).toEqual(['b', 'c'])
  })

  test('a statement that makes SQLite roll back fails its transaction, and the next one succeeds', async () => {
    const { database } = await open(driver)
    await run(database, ADD, 'a', 1)
    const rolledBack = database.transaction(async (tx) => {
      await tx.run(ADD, 'b', 1)
      await tx.run('INSERT OR ROLLBACK INTO things (name, n) VALUES (?, ?)', 'a', 2)
    })
    await expect(rolledBack).rejects.toThrow()
    expect(await names(database)).toEqual(['a'])
    expect(statuses(await addEach(database, ['b']))).toEqual(['fulfilled'])
  })

  test('the log is copied to the file, but not while a commit makes others wait', async () => {
    const file = join(await tempFolder(), 'file')
    const { database } = await open(driver, file)
    const sizes: number[] = []
    const rows = Array.from({ length: 3000 }, (_, n) => ({ name: `${n}${'x'.repeat(2000)}`, n }))
    const writing = database.transaction((tx) => tx.insert('things', rows))
    const reading = database.snapshot(async (read) => {
      sizes.push(statSync(file).size)
      return read.get('SELECT COUNT(*) AS n FROM things')
    })
    expect([await writing, await reading]).toEqual([3000, { n: 3000 }])
    expect(sizes[0]).toBeLessThan(1_000_000)
    await expect.poll(() => statSync(file).size).toBeGreaterThan(6_000_000)
  })

  test('a short read does not wait for a writer that waits for a long read', async () => {
    const { database } = await open(driver)
    const order: string[] = []
    let writing: Promise<unknown> | undefined
    await database.snapshot(
      async () => {
        writing = database.transaction((tx) => tx.run(ADD, 'a', 1)).then(() => order.push('written'))
        await database.snapshot(async (read) =>
          order.push(`read ${(await read.all('SELECT name FROM things')).length}`),
        )
        order.push('read all')
      },
      { isLong: true },
    )
    await writing
    expect(order).toEqual(['read 0', 'read all', 'written'])
    expect(await names(database)).toEqual(['a'])
  })

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
      expect(await run(database, 'INSERT INTO things (name, n, bytes) VALUES (?, ?, ?)', name, i, bytes)).toBe(1)
      const row = await database.get<{ name: string; n: number; bytes: Uint8Array }>(
        'SELECT * FROM things WHERE name = ?',
        name,
      )
      expect(row).toMatchObject({ name, n: i })
      expect([...(row?.bytes ?? [])]).toEqual([...bytes])
    }
    await run(database, ADD, 'large', Number.MAX_SAFE_INTEGER)
    expect(await database.get('SELECT n, bytes FROM things WHERE name = ?', 'large')).toMatchObject({
      n: Number.MAX_SAFE_INTEGER,
      bytes: null,
    })
    expect(await database.get('SELECT n FROM things WHERE name = ?', 'absent')).toBe(undefined)
  })

  test('run tells how many rows changed, also for an upsert that does nothing', async () => {
    const { database } = await open(driver)
    const onConflict = 'ON CONFLICT (name) DO UPDATE SET n = excluded.n WHERE things.n <> excluded.n'
    expect(await run(database, `${ADD} ${onConflict}`, 'a', 1)).toBe(1)
    expect(await run(database, `${ADD} ${onConflict}`, 'a', 1)).toBe(0)
    expect(await run(database, `${ADD} ${onConflict}`, 'a', 2)).toBe(1)
    const rows = [3, 2, 3].map((n, i) => ({ name: 'aab'[i] ?? '', n }))
    await database.transaction(async (tx) => {
      expect(await tx.insert('things', rows.slice(1), onConflict)).toBe(1)
      expect(await tx.insert('things', [], onConflict)).toBe(0)
    })
    expect(await run(database, 'DELETE FROM things')).toBe(2)
  })

  test('an inserted row has an id', async () => {
    const { database } = await open(driver)
    await database.transaction(async (tx) => {
      await tx.exec('CREATE TABLE numbered (id INTEGER PRIMARY KEY, name TEXT)')
      expect([
        await tx.insertReturning('numbered', [{ name: 'a' }, { name: 'b' }], 'id'),
        await tx.insertReturning('numbered', [{ name: 'c' }], 'id, name'),
      ]).toEqual([[{ id: 1 }, { id: 2 }], [{ id: 3, name: 'c' }]])
    })
  })

  test('a transaction is all or nothing, and its statements end with it', async () => {
    const { database } = await open(driver)
    let left: Pick<Database, 'all' | 'run'> | undefined
    const failing = database.transaction(async (tx) => {
      left = tx
      await tx.run(ADD, 'a', 1)
      await tx.run(ADD, 'a', 2)
    })
    await expect(failing).rejects.toThrow()
    expect(await names(database)).toEqual([])
    await expect(left?.all('SELECT 1')).rejects.toThrow('is over')
    await expect(left?.run(ADD, 'a', 1)).rejects.toThrow('is over')
    expect(await run(database, ADD, 'c', 1)).toBe(1)
    expect(await names(database)).toEqual(['c'])
  })

  test('a write needs a transaction, and a long read a snapshot', async () => {
    const { database } = await open(driver)
    await expect(database.run(ADD, 'a', 1)).rejects.toThrow('needs a transaction')
    await expect(database.snapshot((read) => read.run(ADD, 'a', 1))).rejects.toThrow('only read')
    await expect(database.batches('SELECT 1')[Symbol.asyncIterator]().next()).rejects.toThrow('needs a snapshot')
  })

  test('nobody reads what a transaction has not committed; transactions run one after the other', async () => {
    const { database } = await open(driver)
    const { open: goOn, opened } = gate()
    let isOver = false
    const first = database.transaction(async (tx) => {
      await tx.run(ADD, 'a', 1)
      await opened
      isOver = true
      throw new Error('rolled back')
    })
    const read = names(database)
    const second = database.transaction(async (tx) => {
      expect(isOver).toBe(true)
      await tx.run(ADD, 'b', 1)
      return names(tx)
    })
    const snapshot = database.snapshot(names)
    await new Promise(setImmediate)
    goOn()
    await expect(first).rejects.toThrow('rolled back')
    expect(await Promise.all([read, second, snapshot])).toEqual([[], ['b'], ['b']])
  })

  test('a snapshot stays as it is while others write, and short reads do not wait for it', async () => {
    const { database } = await open(driver)
    await database.transaction((tx) =>
      tx.insert(
        'things',
        Array.from({ length: 2500 }, (_, n) => ({ name: String(n).padStart(4, '0'), n })),
      ),
    )
    let written: Promise<number> | undefined
    let reads = 0
    const sizes = await database.snapshot(async (read) => {
      const found: number[] = []
      for await (const rows of read.batches('SELECT n FROM things ORDER BY n')) {
        found.push(rows.length)
        written ??= run(database, 'DELETE FROM things')
        reads += (await names(database)).length
      }
      return found
    })
    expect(sizes).toEqual(Array(10).fill(250))
    expect(reads).toBe(25_000)
    expect(await written).toBe(2500)
  })

  test('a loop over rows may be left early, and writing goes on', async () => {
    const { database } = await open(driver)
    const rows = Array.from({ length: 2000 }, (_, n) => ({ name: `${n}`, n }))
    await database.transaction((tx) => tx.insert('things', rows))
    await database.snapshot(async (read) => {
      for await (const [row] of read.batches<{ n: number }>('SELECT n FROM things ORDER BY n')) {
        expect(row).toEqual({ n: 0 })
        break
      }
    })
    await run(database, 'DELETE FROM things WHERE n > ?', 50)
    await database.transaction((tx) => tx.exec('DROP TABLE things'))
  })

  test('close waits for a transaction, leaves one file, and the next one reads it', async () => {
    const file = join(await tempFolder(), 'x.sqlite')
    const first = await open(driver, file)
    const written = run(first.database, ADD, 'kept', 1)
    await first.close()
    await written
    const second = await open(driver, file)
    expect(await names(second.database)).toEqual(['kept'])
  })
})

test.skipIf(SQLITE_DRIVERS.includes('node:sqlite'))('a driver that this runtime lacks is SERVICE_START', async () => {
  await expect(openDatabase(undefined, 'node:sqlite')).rejects.toMatchObject({ code: 'SERVICE_START' })
})

test('filters of any length do not keep a statement each for good', async () => {
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
    await database.all(`SELECT ${i}`)
    await database.get('often')
  }
  expect(open.size).toBeLessThanOrEqual(200)
  expect([...open]).toContain('often')
  await database.close()
  expect(open.size).toBe(0)
})
