/** Texts that are written while a publish or an export reads: they need not wait, and it does not see them. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { setText } from '../../../src/service/set-text.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createStore } from '../../../src/service/store/store.ts'
import type { TextFilter } from '../../../src/service/store/translations.ts'
import { SQLITE_DRIVERS } from '../../helpers/service.ts'

const KEYS = 1000
const now = () => '2026-01-01T00:00:00.000Z'
const names = Array.from({ length: KEYS }, (_, i) => `key${i}`)

describe.each(SQLITE_DRIVERS)('a long read on %s', (driver) => {
  const setUp = async () => {
    const database = await openDatabase(undefined, driver)
    onTestFinished(() => database.close())
    const store = createStore(database, now)
    const { id } = await store.transaction(({ projects }) => projects.create('project', 'en'))
    // Every second key has no Polish text.
    await store.importTexts(
      id,
      {
        namespace: '',
        customer: '',
        tags: [],
        replace: false,
        texts: new Map([
          ['en', new Map(names.map((key) => [key, 'first']))],
          ['pl', new Map(names.filter((_, i) => i % 2 === 0).map((key) => [key, 'pierwszy']))],
        ]),
      },
      async () => {},
    )
    const write = (key: string, language: string, text: string) =>
      store.transaction((tx) => setText(tx, id, { key, language, text }), { isBeside: true })
    const read = (filter: TextFilter, between: (batches: number) => Promise<unknown> = async () => {}) =>
      store.snapshot(
        async ({ translations }) => {
          const rows: string[] = []
          let batches = 0
          for await (const batch of translations.rows(id, filter)) {
            for (const { key, language, text } of batch) rows.push(`${key} ${language} ${text}`)
            await between(batches++)
          }
          return rows
        },
        { isLong: true },
      )
    return { store, id, write, read }
  }

  test.each<[string, TextFilter]>([
    ['all texts', {}],
    ['one language', { languages: ['pl'] }],
    ['gaps too', { customer: '', missing: true }],
  ])('texts written meanwhile change nothing of it: %s', async (_name, filter) => {
    const { write, read } = await setUp()
    const before = await read(filter)
    let writes = 0
    const during = await read(filter, async (batches) => {
      // Those that it has read, those of this batch and those ahead, with a text and without.
      for (const [at, key] of names.entries()) {
        if (at % 7 !== batches % 7) continue
        await Promise.all(['en', 'pl'].map((language) => write(key, language, `written ${writes++} ${'x'.repeat(at)}`)))
      }
    })
    expect(during).toEqual(before)
    expect(writes).toBeGreaterThan(500)
    const after = await read(filter)
    expect(after.filter((row) => row.includes('written')).length).toBeGreaterThan(100)
  })

  test('a write that is refused meanwhile changes nothing, and the read goes on', async () => {
    const { write, read } = await setUp()
    const before = await read({})
    const during = await read({}, async () => {
      const results = await Promise.allSettled([
        write('none', 'en', 'x'),
        write('key5', 'en', 'y'),
        write('key5', 'xx', 'z'),
      ])
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
    })
    expect(during).toEqual(before)
  })

  test('texts are written ahead of what waits for the read', async () => {
    const { store, id, write, read } = await setUp()
    const order: string[] = []
    let creating: Promise<unknown> | undefined
    await read({}, async () => {
      creating ??= store
        .transaction(({ keys }) => keys.create(id, { key: 'new', namespace: '' }))
        .then(() => order.push('created'))
      await write('key1', 'en', 'written').then(() => order.push('written'))
    })
    await creating
    expect(order.at(0)).toBe('written')
    expect(order.at(-1)).toBe('created')
  })
})
