/** Texts and keys that are written while a publish or an export reads: they need not wait, and it does not see them. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ServiceContext } from '../../../src/service/context.ts'
import type { Call } from '../../../src/service/endpoint.ts'
import { keyEndpoints, translationEndpoints } from '../../../src/service/routes/translations.ts'
import { setText } from '../../../src/service/set-text.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createStore } from '../../../src/service/store/store.ts'
import type { TextFilter } from '../../../src/service/store/translations.ts'
import { SQLITE_DRIVERS } from '../../helpers/service.ts'

const KEYS = 1000
const now = () => '2026-01-01T00:00:00.000Z'
// UTF-8 and UTF-16 order some of these differently.
const names = Array.from({ length: KEYS }, (_, i) => `${['', '\ufeff', '😀'][i % 3]}key${i}`)

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
    await store.transaction(async (tx) => {
      await tx.projects.addCustomer(id, { key: 'acme' })
      await setText(tx, id, { key: 'key9', language: 'en', text: 'of acme', customerId: 'acme' })
      for (const key of names.slice(0, 9)) await tx.keys.remove(id, '', key)
      for (const key of names.slice(0, 9)) await tx.keys.create(id, { key, namespace: '', tags: ['tag'] })
      for (const key of names.slice(0, 3)) await setText(tx, id, { key, language: 'pl', text: 'with a tag' })
    })
    const write = (key: string, language: string, text: string) =>
      store.transaction((tx) => setText(tx, id, { key, language, text }), { isBeside: true })
    const read = (filter: TextFilter, between: (batches: number) => Promise<unknown> = async () => {}) =>
      store.snapshot(
        async ({ translations, keys }) => {
          const rows: string[] = []
          let batches = 0
          for await (const batch of keys.names(id)) {
            for (const { key } of batch) rows.push(key)
            await between(batches++)
          }
          for await (const batch of translations.rows(id, filter)) {
            for (const { namespace, key, language, text } of batch) rows.push(`${namespace} ${key} ${language} ${text}`)
            await between(batches++)
          }
          return rows
        },
        { isLong: true },
      )
    return { store, id, write, read }
  }

  const filters: [string, TextFilter][] = [
    ['all texts', {}],
    ['one language', { languages: ['pl'] }],
    ['gaps too', { customer: '', missing: true }],
    ['gaps of one language', { customer: '', missing: true, languages: ['pl'] }],
    ['one customer', { customer: 'acme' }],
    ['a tag', { tags: ['tag'] }],
  ]

  test.each(filters)('texts written meanwhile change nothing of it: %s', async (_name, filter) => {
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
    const after = await read({})
    expect(after.filter((row) => row.includes('written')).length).toBeGreaterThan(100)
  })

  test.each(filters)('keys created and removed meanwhile change nothing of it: %s', async (_name, filter) => {
    const { store, id, write, read } = await setUp()
    const before = await read(filter)
    let made = 0
    const during = await read(filter, (batches) =>
      store.transaction(
        async ({ keys }) => {
          // A read that sees new keys would go on for ever.
          if (batches > 8) return
          for (const [at, key] of names.entries()) {
            if (at % 5 !== batches % 5) continue
            // Removed, removed and made again, written and removed; and new ones in its place and elsewhere.
            if (at % 2 === 0) await keys.remove(id, '', key)
            if (at % 4 === 0) await keys.create(id, { key, namespace: '', tags: ['tag'] })
            await keys.create(id, { key: `${key} ${made}`, namespace: '', tags: ['tag'] })
            await keys.create(id, { key: `${key} ${made++}`, namespace: at % 3 === 0 ? 'other' : '' })
          }
        },
        { isBeside: true },
      ),
    )
    expect(during).toEqual(before)
    expect(made).toBeGreaterThan(500)
    await write('key1 0', 'en', 'x').catch(() => {})
    expect((await read({})).length).not.toBe(before.length)
  })

  test('requests that write texts and keys do not wait for it', async () => {
    const { store, id } = await setUp()
    const context = { store, features: {} } as unknown as ServiceContext
    const endpoints = [...keyEndpoints(context), ...translationEndpoints(context)]
    const call = (route: string, body: unknown, query = {}) => {
      const found = endpoints.find(({ method, path }) => `${method} ${path}` === route)
      return found?.handle({ project: { id }, body, query } as unknown as Call<never, never>)
    }
    const key = { key: 'new', namespace: '' }
    const text = { ...key, language: 'en', text: 'x' }
    await store.snapshot(
      async () => {
        await call('POST /api/v1/translation-keys', key)
        await call('PATCH /api/v1/translations', { content: [text, { ...text, key: 'newer' }] }, { updateOptions: [] })
        await call('PATCH /api/v2/translations/bulk', { translations: [text] })
        await call('DELETE /api/v1/translation-keys', undefined, key)
        await call('POST /api/v1/translation-keys/bulk', { translationKeys: [key] })
        await call('DELETE /api/v1/translation-keys/bulk', { translationKeys: [key] })
      },
      { isLong: true },
    )
    expect(await store.keys.record(id, '', 'new')).toBeUndefined()
  })

  test('a write that is refused meanwhile changes nothing, and the read goes on', async () => {
    const { write, read } = await setUp()
    const before = await read({})
    const during = await read({}, async () => {
      const results = await Promise.allSettled([
        write('none', 'en', 'x'),
        write('key15', 'en', 'y'),
        write('key15', 'xx', 'z'),
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
      await write('key12', 'en', 'written').then(() => order.push('written'))
    })
    await creating
    expect(order.at(0)).toBe('written')
    expect(order.at(-1)).toBe('created')
  })
})
