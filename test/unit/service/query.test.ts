/** What a query over translations costs beside its page: counting what it finds, and skipping the pages before. */
import { expect, test } from 'vitest'
import type { Database } from '../../../src/service/store/driver.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createStore } from '../../../src/service/store/store.ts'
import { seededRandom } from '../../helpers/process-group.ts'
import { SQLITE_DRIVERS } from '../../helpers/service.ts'

async function setUp(driver: (typeof SQLITE_DRIVERS)[number]) {
  const database = await openDatabase(undefined, driver)
  const seen = { counts: 0, countsOfAll: 0, offsets: [] as unknown[] }
  const counted: Database = {
    ...database,
    get(sql, ...values) {
      if (sql.includes('COUNT(*)')) seen.counts++
      return database.get(sql, ...values)
    },
    all(sql, ...values) {
      if (sql.includes('COUNT(*)')) seen.counts++
      if (sql.includes('GROUP BY k.namespace')) seen.countsOfAll++
      return database.all(sql, ...values)
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
  const set = (key: string, language: string, text: string, namespace = '') =>
    store.transaction(async ({ projects, keys, translations }) => {
      await projects.lock(id)
      const found = (await keys.find(id, namespace, key)) ?? (await keys.create(id, { key, namespace }))
      const keyId = found?.id ?? 0
      const entry = { namespace, key, language, customer: '', text, reviewStatus: 'NOT_REVIEWED' } as const
      await translations.set(id, keyId, entry, await translations.text(keyId, language, ''))
    })
  const page = async (number: number, filter = {}) => {
    const project = await store.projects.get(id)
    if (!project) throw new Error('the project is gone')
    const { json, total } = await store.query.page(project, filter, number, 3)
    return { total, keys: JSON.parse(`[${json}]`).map(({ key }: { key: string }) => key) }
  }
  /** As another process of the same data does. */
  const createElsewhere = (key: string, namespace: string) =>
    createStore(database, () => '2026-01-01T00:00:00.000Z').importTexts(
      id,
      { namespace, customer: '', tags: [], replace: false, texts: new Map([['en', new Map([[key, 'text']])]]) },
      async () => {},
    )
  const remove = (key: string, namespace: string) => store.transaction(({ keys }) => keys.remove(id, namespace, key))
  return { seen, set, createElsewhere, remove, page, close: () => database.close() }
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

test.each(SQLITE_DRIVERS)('%s: a write to one namespace leaves what is known of the others', async (driver) => {
  const { seen, set, page, close } = await setUp(driver)
  for (let i = 0; i < 6; i++) await set(`key${i}`, 'en', 'text', 'b')
  await page(0)
  await page(1)
  await page(2)
  seen.offsets.length = 0
  await set('key00', 'en', 'new', 'b')
  expect(await page(2)).toEqual({ total: 17, keys: ['key6', 'key7', 'key8'] })
  expect(await page(5)).toEqual({ total: 17, keys: ['key4', 'key5'] })
  // The first page is known from before, the second one is looked for from the start of its namespace.
  expect(seen.offsets).toEqual([0, 5])
  await close()
})

test.each(SQLITE_DRIVERS)(
  '%s: pages hold each text once and in order, whatever is written between them',
  async (driver) => {
    const { set, remove, page, close } = await setUp(driver)
    // Bytes order them in another way than UTF-16 does.
    const namespaces = ['', 'a', '\u{ff5e}', '\u{1f389}']
    const random = seededRandom(7)
    const pick = (count: number) => Math.floor(random() * count)
    const names = new Set(Array.from({ length: 10 }, (_, i) => `0 key${i}`))
    for (let round = 0; round < 150; round++) {
      const [namespace, key] = [pick(4), `key${pick(20)}`]
      if (random() < 0.4) {
        await remove(key, namespaces[namespace] ?? '')
        names.delete(`${namespace} ${key}`)
      } else {
        await set(key, 'en', `text ${round}`, namespaces[namespace])
        names.add(`${namespace} ${key}`)
      }
      const expected = [...names].sort().map((name) => name.slice(2))
      const number = pick(Math.ceil(expected.length / 3))
      const found = await page(number)
      expect(found).toEqual({ total: expected.length, keys: expected.slice(number * 3, number * 3 + 3) })
    }
    await close()
  },
)

test.each(SQLITE_DRIVERS)('%s: what another process adds is counted in its namespace only', async (driver) => {
  const { seen, set, createElsewhere, page, close } = await setUp(driver)
  await set('first', 'en', 'text', 'other')
  expect((await page(0)).total).toBe(11)
  await createElsewhere('second', 'other')
  expect((await page(0)).total).toBe(12)
  await createElsewhere('third', 'a new one')
  await set('fourth', 'en', 'text', 'other')
  expect(await page(4)).toEqual({ total: 14, keys: ['fourth', 'second'] })
  expect(seen.countsOfAll).toBe(1)
  await close()
})

test.each(SQLITE_DRIVERS)('%s: requests that ask for the same are counted once', async (driver) => {
  const { seen, page, close } = await setUp(driver)
  await Promise.all(Array.from({ length: 20 }, () => page(0)))
  expect(seen.counts).toBe(1)
  await close()
})
