/** Large imports on SQLite: in short transactions, and still all or nothing. */
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { setText } from '../../../src/service/set-text.ts'
import type { Database } from '../../../src/service/store/driver.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createStore, type ServiceStore } from '../../../src/service/store/store.ts'
import { SQLITE_DRIVERS } from '../../helpers/service.ts'
import { tempFolder } from '../../helpers/temp.ts'

const KEYS = 3000
const now = () => '2026-01-01T00:00:00.000Z'

const textsOf = (text: string) => new Map(Array.from({ length: KEYS }, (_, i) => [`key${i}`, text]))
const request = (text: string) => ({
  namespace: '',
  customer: '',
  tags: ['tag'],
  replace: true,
  texts: new Map(['en', 'pl'].map((language) => [language, textsOf(text)])),
})
const set = (store: ServiceStore, id: number, key: string, text: string) =>
  store.transaction((tx) => setText(tx, id, { key, language: 'en', text }, true))
const create = (store: ServiceStore) => store.transaction(({ projects }) => projects.create('project', 'en'))

/** The rows of all projects, and what is kept for imports. */
async function rowsOf(database: Database) {
  const count = async (table: string) => (await database.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))?.n
  return { keys: await count('translation_keys'), texts: await count('translations') }
}

describe.each(SQLITE_DRIVERS)('a large import on %s', (driver) => {
  const open = async (file?: string) => {
    const database = await openDatabase(file, driver)
    let isOpen = true
    const close = async () => {
      if (isOpen) await database.close()
      isOpen = false
    }
    onTestFinished(close)
    return { database, close }
  }

  test('others write and read meanwhile, and see nothing of it before its end', async () => {
    const { database } = await open()
    const store = createStore(database, now)
    const { id } = await create(store)
    await store.transaction(({ translations }) =>
      translations.importTexts(id, { ...request(''), texts: new Map([['en', new Map([['key1', 'old']])]]) }),
    )
    let isOver = false
    const importing = store
      .importTexts(id, request('new'), async () => {})
      .finally(() => {
        isOver = true
      })
    const seen = new Set<number>()
    let writes = 0
    while (!isOver) {
      // Requests arrive in turns of the event loop.
      await nextTurn()
      await store.transaction(({ keys }) => keys.create(id, { key: `other${writes++}`, namespace: 'other' }))
      const project = await store.projects.get(id)
      if (project) seen.add((await store.query.page(project, { namespace: '' }, 0, 1)).total)
    }
    await importing
    expect(writes).toBeGreaterThan(3)
    for (const total of seen) expect([1, 2 * KEYS]).toContain(total)
    const project = await store.projects.get(id)
    expect(project?.unpublishedChanges).toBe(1 + 2 * KEYS + writes)
    expect((await store.query.page(project ?? never(), { text: 'new' }, 0, 1)).total).toBe(2 * KEYS)
    expect(await store.keys.record(id, '', 'key7')).toMatchObject({ tags: ['tag'], charactersLimit: -1 })
    expect(await rowsOf(database)).toEqual({ keys: KEYS + writes, texts: 2 * KEYS })
    expect(await database.all('SELECT name FROM sqlite_temp_schema')).toEqual([])
  })

  test('a new key that somebody makes meanwhile gets the text, and is there once', async () => {
    const { database } = await open()
    const store = createStore(database, now)
    const { id } = await create(store)
    let calls = 0
    await store.importTexts(id, request('new'), async (tx) => {
      if (calls++ === 0) await tx.keys.create(id, { key: 'key7', namespace: '', charactersLimit: 3 })
    })
    expect(await rowsOf(database)).toEqual({ keys: KEYS, texts: 2 * KEYS })
  })

  test('texts of present keys are seen all at once, or not at all', async () => {
    const { database } = await open()
    const store = createStore(database, now)
    const { id } = await create(store)
    await store.importTexts(id, request('old'), async () => {})
    let isOver = false
    const importing = store
      .importTexts(id, { ...request('new'), tags: ['tag', 'more'] }, async () => {})
      .finally(() => {
        isOver = true
      })
    const seen = new Set<number>()
    while (!isOver) {
      await nextTurn()
      const project = await store.projects.get(id)
      if (project) seen.add((await store.query.page(project, { text: 'new' }, 0, 1)).total)
      await store.transaction((tx) => tx.keys.create(id, { key: 'title', namespace: 'other' }))
    }
    await importing
    for (const total of seen) expect([0, 2 * KEYS]).toContain(total)
    expect(await rowsOf(database)).toEqual({ keys: KEYS + 1, texts: 2 * KEYS })
    expect(await store.keys.record(id, '', 'key7')).toMatchObject({ tags: ['tag', 'more'] })
    const before = (await store.projects.get(id))?.unpublishedChanges ?? 0
    await store.importTexts(id, request('new'), async () => {})
    expect((await store.projects.get(id))?.unpublishedChanges).toBe(before)
    expect(await database.all('SELECT name FROM sqlite_temp_schema')).toEqual([])
  })

  /** Starts an import and does `work` when its texts are prepared. */
  const importBeside = async (
    { database, store, id }: { database: Database; store: ServiceStore; id: number },
    texts: ReturnType<typeof request>,
    work: () => Promise<unknown>,
  ) => {
    const importing = store.importTexts(id, texts, async () => {})
    while ((await database.all('SELECT name FROM sqlite_temp_schema')).length === 0) await nextTurn()
    await Promise.all([importing, work()])
  }

  test('without "replace" only empty texts are filled, also where a text was written meanwhile', async () => {
    const { database } = await open()
    const store = createStore(database, now)
    const { id } = await create(store)
    await store.importTexts(id, request(''), async () => {})
    await set(store, id, 'key1', 'earlier')
    await importBeside({ database, store, id }, { ...request('new'), replace: false }, () =>
      set(store, id, 'key2', 'meanwhile'),
    )
    const texts = await database.all<{ text: string; n: number }>(
      'SELECT text, COUNT(*) AS n FROM translations GROUP BY text ORDER BY text',
    )
    expect(texts).toEqual([
      { text: 'earlier', n: 1 },
      { text: 'meanwhile', n: 1 },
      { text: 'new', n: 2 * KEYS - 2 },
    ])
  })

  test('a present key that is removed meanwhile, or made anew, is there once with the text', async () => {
    const { database } = await open()
    const store = createStore(database, now)
    const { id } = await create(store)
    await store.importTexts(id, request('old'), async () => {})
    await importBeside({ database, store, id }, request('new'), () =>
      store.transaction(async ({ keys }) => {
        for (const key of ['key7', `key${KEYS - 1}`]) await keys.remove(id, '', key)
        await keys.create(id, { key: 'other', namespace: '' })
      }),
    )
    expect(await rowsOf(database)).toEqual({ keys: KEYS + 1, texts: 2 * KEYS })
    expect(await database.all("SELECT * FROM translations WHERE text <> 'new'")).toEqual([])
    expect(await store.keys.record(id, '', 'key7')).toMatchObject({ tags: ['tag'] })
  })

  test('a condition and the limit of a key hold', async () => {
    const { database } = await open()
    const store = createStore(database, now)
    const { id } = await create(store)
    await store.transaction(({ keys }) => keys.create(id, { key: 'key1', namespace: '', charactersLimit: 3 }))
    await store.importTexts(id, request('old'), async () => {})
    let present: readonly (readonly [string, string])[] = []
    const check = (texts: typeof present) => {
      present = texts
      throw new Error('changed')
    }
    const conditional = { ...request('new'), texts: new Map([['en', textsOf('new')]]), check }
    await expect(store.importTexts(id, conditional, async () => {})).rejects.toThrow('changed')
    expect(new Map(present)).toEqual(textsOf('old'))
    await expect(store.importTexts(id, request('longer'), async () => {})).rejects.toThrow('at most 3 characters')
    expect(await database.all("SELECT * FROM translations WHERE text <> 'old'")).toEqual([])
  })

  test('one that is refused at its end leaves nothing', async () => {
    const { database } = await open()
    const store = createStore(database, now)
    const { id } = await create(store)
    const refused = store.importTexts(id, request('new'), () => Promise.reject(new Error('revoked')))
    await expect(refused).rejects.toThrow('revoked')
    expect(await rowsOf(database)).toEqual({ keys: 0, texts: 0 })
  })

  test('one that ends with its process leaves nothing to the next start, whenever that was', async () => {
    const file = join(await tempFolder(), 'file')
    const first = await open(file)
    const { id } = await create(createStore(first.database, now))
    await first.close()
    let isWhole = false
    for (let left = 0; !isWhole; left++) {
      const { database, close } = await open(file)
      let transactions = left
      const dying: Database = {
        ...database,
        transaction: (work, options) =>
          transactions-- > 0 ? database.transaction(work, options) : Promise.reject(new Error('killed')),
      }
      await createStore(dying, now)
        .importTexts(id, request('new'), async () => {})
        .catch(() => {})
      await close()
      const next = await open(file)
      const { keys, texts } = await rowsOf(next.database)
      isWhole = keys === KEYS
      expect({ keys, texts }).toEqual(isWhole ? { keys: KEYS, texts: 2 * KEYS } : { keys: 0, texts: 0 })
      await next.close()
    }
  })
})

function never(): never {
  throw new Error('there is no project')
}
