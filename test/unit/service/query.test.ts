/** What a query over translations costs beside its page: counting what it finds, and skipping the pages before. */
import { expect, test } from 'vitest'
import type { Database } from '../../../src/service/store/driver.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createStore } from '../../../src/service/store/store.ts'
import { SQLITE_DRIVERS } from '../../helpers/service.ts'

async function setUp(driver: (typeof SQLITE_DRIVERS)[number]) {
  const database = await openDatabase(undefined, driver)
  const seen = { counts: 0, offsets: [] as unknown[] }
  const counted: Database = {
    ...database,
    get(sql, ...values) {
      if (sql.includes('COUNT(*)')) seen.counts++
      return database.get(sql, ...values)
    },
    allAsJson(columns, sql, ...values) {
      seen.offsets.push(values.at(-1))
      return database.allAsJson(columns, sql, ...values)
    },
  }
  const store = createStore(counted, () => '2026-01-01T00:00:00.000Z')
  const { id } = await store.transaction(({ projects }) => projects.create('p', 'en'))
  const texts = new Map(Array.from({ length: 10 }, (_, i) => [`key${i}`, `text ${i}`]))
  await store.transaction(({ translations }) =>
    translations.importTexts(id, {
      namespace: '',
      customer: '',
      tags: [],
      replace: false,
      texts: new Map([['en', texts]]),
    }),
  )
  const set = (key: string, language: string, text: string) =>
    store.transaction(async ({ projects, keys, translations }) => {
      await projects.lock(id)
      const found = (await keys.find(id, '', key)) ?? (await keys.create(id, { key, namespace: '' }))
      await translations.set(id, found?.id ?? 0, { language, customer: '', text, reviewStatus: 'NOT_REVIEWED' })
    })
  const page = async (number: number, filter = {}) => {
    const project = await store.projects.get(id)
    if (!project) throw new Error('the project is gone')
    const { json, total } = await store.query.page(project, filter, number, 3)
    return { total, keys: JSON.parse(`[${json}]`).map(({ key }: { key: string }) => key) }
  }
  return { seen, set, page, close: () => database.close() }
}

test.each(SQLITE_DRIVERS)('%s: texts are counted again when some come, not when one changes', async (driver) => {
  const { seen, set, page, close } = await setUp(driver)
  expect(await page(0)).toEqual({ total: 10, keys: ['key0', 'key1', 'key2'] })
  await set('key3', 'en', 'changed')
  expect(await page(1)).toEqual({ total: 10, keys: ['key3', 'key4', 'key5'] })
  expect(seen.counts).toBe(1)
  await set('key35', 'en', 'new')
  expect(await page(1)).toEqual({ total: 11, keys: ['key3', 'key35', 'key4'] })
  expect(seen.counts).toBe(2)
  await close()
})

test.each(SQLITE_DRIVERS)('%s: what a query finds by its content is counted after each write', async (driver) => {
  const { set, page, close } = await setUp(driver)
  expect(await page(0, { text: 'TEXT 1' })).toEqual({ total: 1, keys: ['key1'] })
  await set('key0', 'en', 'another text 1')
  expect(await page(0, { text: 'TEXT 1' })).toEqual({ total: 2, keys: ['key0', 'key1'] })
  expect(await page(0, { textStatus: 'EMPTY' })).toEqual({ total: 0, keys: [] })
  await set('key5', 'en', '')
  expect(await page(0, { textStatus: 'EMPTY' })).toEqual({ total: 1, keys: ['key5'] })
  await close()
})

test.each(SQLITE_DRIVERS)('%s: a page starts at the nearest answered page before it', async (driver) => {
  const { seen, page, close } = await setUp(driver)
  await page(0)
  expect(await page(3)).toEqual({ total: 10, keys: ['key9'] })
  expect(await page(2)).toEqual({ total: 10, keys: ['key6', 'key7', 'key8'] })
  expect(await page(3)).toEqual({ total: 10, keys: ['key9'] })
  expect(seen.offsets).toEqual([0, 6, 3, 0])
  await close()
})
