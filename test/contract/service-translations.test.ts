/** Contract: Resource Translation; Endpoints Translations; Limits: Page size. */
import { describe, expect, test } from 'vitest'
import { createProject, DRIVERS, shareService, startService } from '../helpers/service.ts'

const PATH = '/api/v2/translations'

describe.each(DRIVERS)('translations on %s', (driver) => {
  const setUp = async (content: object = {}) => {
    const service = await shareService({ driver, customers: ['acme', 'globex'], languages: ['pl'] })
    const project = await createProject(service)
    if (Object.keys(content).length > 0) await project.import(content)
    const set = (body: object) => project.api('PATCH', PATH, body)
    const query = async (parameters: string) => (await project.get(`${PATH}?${parameters}`)).body.data
    const keys = async (parameters: string) => (await query(parameters)).map(({ key }: { key: string }) => key)
    return { service, project, set, query, keys }
  }

  describe('Add or set translation', () => {
    test('sets, then updates; the query answers every field of Translation', async () => {
      const { set, query } = await setUp({ en: { title: 'Hello' } })
      expect((await set({ key: 'title', language: 'pl', text: 'Cześć' })).status).toBe(200)
      expect((await set({ key: 'title', language: 'pl', text: 'Witaj' })).body).toMatchObject({
        msg: 'OK',
        status: 200,
      })
      expect(await query('language=pl')).toEqual([
        {
          key: 'title',
          namespace: '',
          language: 'pl',
          text: 'Witaj',
          reviewStatus: 'NOT_REVIEWED',
          lastModifiedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ])
    })

    test('every character of a text and a key comes back exactly', async () => {
      const { project, query } = await setUp()
      const codes = [...Array(0x3000).keys(), 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xffff, 0x1f389].slice(1)
      const all = String.fromCodePoint(...codes)
      const texts = { 'a "key" \\ of {"key":': all, ',{"key":"no"},': '"', '\u0001\u007f\u2028': '\\' }
      await project.import({ en: texts })
      const rows: { key: string; text: string }[] = await query('size=500')
      expect(Object.fromEntries(rows.map(({ key, text }) => [key, text]))).toEqual(texts)
      const pages = await Promise.all([0, 1, 2].map((page) => query(`size=1&page=${page}`)))
      expect(pages.flat()).toEqual(rows)
    })

    test('namespace: a key is meant within its namespace, the default one when omitted', async () => {
      const { project, set, query } = await setUp()
      await project.api('POST', '/api/v1/translation-keys', { key: 'a', namespace: 'home' })
      expect((await set({ key: 'a', language: 'en', text: 'x' })).status).toBe(404)
      expect((await set({ key: 'a', namespace: 'home', language: 'en', text: 'x' })).status).toBe(200)
      expect(await query('')).toMatchObject([{ key: 'a', namespace: 'home', text: 'x' }])
    })

    test('reviewStatus: REVIEWED or NOT_REVIEWED; a PATCH without it resets it', async () => {
      const { set, query } = await setUp({ en: { a: 'A' } })
      const status = async () => (await query('key=a'))[0].reviewStatus
      await set({ key: 'a', language: 'en', text: 'A', reviewStatus: 'REVIEWED' })
      expect(await status()).toBe('REVIEWED')
      await set({ key: 'a', language: 'en', text: 'A' })
      expect(await status()).toBe('NOT_REVIEWED')
    })

    test('customerId: a text of its own beside the general one', async () => {
      const { set, query } = await setUp({ en: { a: 'general' } })
      expect((await set({ key: 'a', language: 'en', text: 'special', customerId: 'acme' })).status).toBe(200)
      expect(await query('')).toMatchObject([{ text: 'general' }])
      expect(await query('customerId=acme')).toMatchObject([{ text: 'special', customerId: 'acme' }])
      expect(await query('customerId=globex')).toEqual([])
    })

    test.each([
      ['the key', { key: 'absent', language: 'en', text: 'x' }, 'KEY_NOT_FOUND'],
      ['the language', { key: 'a', language: 'xx', text: 'x' }, 'LANGUAGE_NOT_FOUND'],
      ['the customer', { key: 'a', language: 'en', text: 'x', customerId: 'nobody' }, 'CUSTOMER_NOT_FOUND'],
    ])('fails when %s does not exist', async (_what, body, code) => {
      const { set, project } = await setUp({ en: { a: 'A' } })
      expect(await set(body)).toMatchObject({ status: 404, body: { status: 404, code } })
      expect(await project.export()).toEqual({ en: { a: 'A' }, pl: {} })
    })

    test.each([
      ['key', { language: 'en', text: 'x' }],
      ['language', { key: 'a', text: 'x' }],
      ['text', { key: 'a', language: 'en' }],
    ])('%s is required', async (name, body) => {
      const { set } = await setUp({ en: { a: 'A' } })
      const answer = await set(body)
      expect(answer.status).toBe(400)
      expect(answer.body.errors).toEqual([expect.stringMatching(new RegExp(`^${name}: `))])
    })

    test('lastModifiedAt moves with each write', async () => {
      let now = Date.parse('2026-01-01T00:00:00Z')
      const service = await startService({ driver, now: () => now })
      const project = await createProject(service)
      await project.import({ en: { a: 'A', b: 'B' } })
      now += 5000
      await project.api('PATCH', PATH, { key: 'a', language: 'en', text: 'A2' })
      expect((await project.get(PATH)).body.data).toMatchObject([
        { key: 'a', lastModifiedAt: '2026-01-01T00:00:05.000Z' },
        { key: 'b', lastModifiedAt: '2026-01-01T00:00:00.000Z' },
      ])
    })

    test('any text and any key come back as they were sent', async () => {
      const texts = [
        '',
        ' ',
        '\b',
        '\u2028\u2029',
        '</script>',
        '`$' + '{x}`',
        '\\n',
        '"\'',
        '😀',
        'e\u0301',
        '\r\n\t',
        '\ufeff',
        '\u001f',
      ]
      const odd = [
        '__proto__',
        'constructor',
        'toString',
        'a.b',
        '0',
        '%',
        "'; DROP TABLE x",
        '\b',
        'key with spaces',
        '\u2028',
      ]
      const { project, set, query } = await setUp()
      for (const key of odd) expect((await project.api('POST', '/api/v1/translation-keys', { key })).status).toBe(200)
      for (const text of texts) {
        expect((await set({ key: '__proto__', language: 'en', text })).status).toBe(200)
        expect(await query('key=__proto__')).toMatchObject([{ key: '__proto__', text }])
      }
      for (const key of odd) {
        expect((await set({ key, language: 'en', text: key })).status).toBe(200)
        expect(await query(`key=${encodeURIComponent(key)}`)).toMatchObject([{ key, text: key }])
      }
    })
  })

  describe('Query translations', () => {
    const CATALOG = {
      en: { apple: 'An Apple', banana: 'A BANANA', empty: '', zebra: 'Zebra' },
      pl: { apple: 'Jabłko', banana: 'ŻÓŁTY banan' },
    }

    test('text: contains, case-insensitive, beyond ASCII too', async () => {
      const { keys } = await setUp(CATALOG)
      expect(await keys('text=aPPle')).toEqual(['apple'])
      expect(await keys(`text=${encodeURIComponent('żółty')}`)).toEqual(['banana'])
      expect(await keys(`text=${encodeURIComponent('JABŁKO')}`)).toEqual(['apple'])
      expect(await keys('text=%25')).toEqual([])
      expect(await keys('text=_')).toEqual([])
      expect(await keys('text=an')).toEqual(['apple', 'banana', 'banana'])
    })

    test('text: a final sigma is the same letter', async () => {
      const { keys } = await setUp({ en: { greek: 'ΟΔΟΣΗΜΑΝΣΗ και οδός' } })
      for (const text of ['ΟΔΟΣ', 'οδοσ', 'ΟΔΌΣ', 'οδός', 'μανσ']) {
        expect(await keys(`text=${encodeURIComponent(text)}`), text).toEqual(['greek'])
      }
    })

    test('textStatus: EMPTY also finds what is not translated yet, NOT_EMPTY the rest', async () => {
      const { query } = await setUp(CATALOG)
      expect(await query('textStatus=EMPTY&language=en')).toMatchObject([{ key: 'empty', text: '' }])
      const missing = await query('textStatus=EMPTY&language=pl')
      expect(missing).toMatchObject([
        { key: 'empty', language: 'pl', text: '', reviewStatus: 'NOT_REVIEWED' },
        { key: 'zebra', language: 'pl', text: '', lastModifiedAt: expect.any(String) },
      ])
      expect(await query('textStatus=NOT_EMPTY')).toHaveLength(5)
      expect(await query('')).toHaveLength(6)
    })

    test("reviewsStatus: the contract's spelling, and the newer one", async () => {
      const { set, keys } = await setUp(CATALOG)
      await set({ key: 'apple', language: 'en', text: 'An Apple', reviewStatus: 'REVIEWED' })
      expect(await keys('reviewsStatus=REVIEWED')).toEqual(['apple'])
      expect(await keys('reviewStatus=REVIEWED')).toEqual(['apple'])
      expect(await keys('reviewsStatus=NOT_REVIEWED&language=en')).toEqual(['banana', 'empty', 'zebra'])
    })

    test('key, namespace, language: equal, and together', async () => {
      const { project, query } = await setUp(CATALOG)
      await project.import({ apple: 'other' }, 'uploadFormat=single-language-json&languageKey=en&namespace=fruit')
      expect(await query('key=apple')).toHaveLength(3)
      expect(await query('key=appl')).toEqual([])
      expect(await query('key=apple&language=en')).toMatchObject([{ namespace: '' }, { namespace: 'fruit' }])
      expect(await query('namespace=fruit')).toMatchObject([{ key: 'apple', text: 'other' }])
      expect(await query('namespace=')).toHaveLength(6)
      expect(await query('key=apple&language=en&namespace=')).toMatchObject([{ text: 'An Apple' }])
      expect(await query('language=xx')).toEqual([])
    })

    test('page and size: first page 0, default size 100, maximum 500, each text once', async () => {
      const texts = Object.fromEntries(Array.from({ length: 1203 }, (_, i) => [`key${i}`, `text ${i}`]))
      const { project, query } = await setUp({ en: texts })
      expect(await query('')).toHaveLength(100)
      expect(await query('page=0')).toEqual(await query(''))
      const seen = new Map<string, string>()
      for (let page = 0; page < 4; page++) {
        const rows = await query(`size=500&page=${page}`)
        expect(rows).toHaveLength([500, 500, 203, 0][page] as number)
        for (const { key, text } of rows) {
          expect(seen.has(key)).toBe(false)
          seen.set(key, text)
        }
      }
      expect(Object.fromEntries(seen)).toEqual(texts)
      // A page asked for by itself is the page that comes after the others.
      const fresh = await query('size=7&page=60')
      const all = [...seen.keys()]
      expect(fresh.map(({ key }: { key: string }) => key)).toEqual(all.slice(420, 427))
      for (const wrong of ['size=501', 'size=0', 'size=-1', 'size=x', 'size=1.5', 'page=-1', 'page=x', 'page=1e3']) {
        expect((await project.get(`${PATH}?${wrong}`)).status, wrong).toBe(400)
      }
    })

    test('pages stay right when texts come and go between them', async () => {
      const { project, set, keys } = await setUp({ en: { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' } })
      expect(await keys('size=2&page=0')).toEqual(['a', 'b'])
      await project.api('DELETE', '/api/v1/translation-keys?key=a')
      expect(await keys('size=2&page=1')).toEqual(['d', 'e'])
      await set({ key: 'd', language: 'pl', text: 'x' })
      expect(await keys('size=2&page=1')).toEqual(['d', 'd'])
      expect(await keys('size=2&page=2')).toEqual(['e', 'f'])
    })

    test('values that no filter has are 400', async () => {
      const { project } = await setUp()
      for (const wrong of ['textStatus=FULL', 'reviewsStatus=YES', 'sortBy=size', 'sortOrder=up']) {
        expect((await project.get(`${PATH}?${wrong}`)).status, wrong).toBe(400)
      }
    })

    test('facts: pageDetails, and sorting by lastModifiedAt', async () => {
      let now = 0
      const service = await startService({ driver, now: () => now++ * 1000 })
      const project = await createProject(service)
      await project.import({ en: { a: 'A', b: 'B', c: 'C' } })
      await project.api('PATCH', PATH, { key: 'b', language: 'en', text: 'B2' })
      await project.api('PATCH', PATH, { key: 'a', language: 'en', text: 'A2' })
      const page = await project.get(`${PATH}?size=2&sortBy=lastModifiedAt&sortOrder=desc`)
      expect(page.body.data.map(({ key }: { key: string }) => key)).toEqual(['a', 'b'])
      expect(page.body.pageDetails).toEqual({
        totalElements: 3,
        totalPages: 2,
        currentPage: 0,
        hasNext: true,
        first: true,
        last: false,
      })
      const last = await project.get(`${PATH}?size=2&sortBy=lastModifiedAt&sortOrder=desc&page=1`)
      expect(last.body.data).toMatchObject([{ key: 'c' }])
      expect(last.body.pageDetails).toMatchObject({ hasNext: false, last: true })
      const plain = await createProject(await startService({ driver, features: { pageDetails: false } }))
      expect((await plain.get(PATH)).body).toEqual({ msg: 'OK', status: 200, data: [] })
    })
  })

  describe('Update translations (older version)', () => {
    const OLD = '/api/v1/translations'

    test('an item that cannot be is its own failure: the others are carried out', async () => {
      const { project, query } = await setUp({ en: { a: 'A', b: 'B' } })
      const item = { key: 'a', language: 'en' }
      const answer = await project.api('PATCH', OLD, {
        content: [
          { ...item, text: 'A2' },
          item,
          { ...item, text: null },
          { ...item, text: 5 },
          { ...item, text: 'x'.repeat(65_536) },
          { ...item, text: 'x\0' },
          { key: 7, language: 'en', text: 'x' },
          { key: '\ud83d', language: 'en', text: 'x' },
          { key: 'a', language: ['en'], text: 'x' },
          { ...item, namespace: {}, text: 'x' },
          { ...item, customerId: 1, text: 'x' },
          { text: 'x' },
          'a',
          null,
          [],
          { key: 'b', language: 'pl', text: 'B2', __proto__: null, constructor: 1 },
        ],
      })
      expect(answer).toMatchObject({
        status: 200,
        body: {
          data: {
            numberOfUpdates: 1,
            numberOfInserts: 1,
            numberOfFailures: 14,
            failures: [
              'The text of key "a" is missing.',
              'The text of key "a" is missing.',
              'Field text of key "a" is not a string.',
              'The text of key "a" has more than 65535 characters.',
              'Field text of key "a" contains NUL or an unpaired surrogate.',
              'Field key is not a string.',
              'Field key of key "\\ud83d" contains NUL or an unpaired surrogate.',
              'Field language of key "a" is not a string.',
              'Field namespace of key "a" is not a string.',
              'Field customerId of key "a" is not a string.',
              'Translation key is empty.',
              'An item is not an object.',
              'An item is not an object.',
              'An item is not an object.',
            ],
          },
        },
      })
      expect(await query('key=a&language=en')).toMatchObject([{ text: 'A2' }])
      expect(await query('key=b&language=pl')).toMatchObject([{ text: 'B2' }])
      for (const body of [{}, { content: 'x' }, { content: { length: 1 } }]) {
        expect((await project.api('PATCH', OLD, body)).status).toBe(400)
      }
    })

    test('updates, inserts and failures are counted; problems are reported per item', async () => {
      const { project } = await setUp({ en: { a: 'A', b: 'B' } })
      const answer = await project.api('PATCH', OLD, {
        content: [
          { key: 'a', language: 'en', text: 'A2' },
          { key: 'a', language: 'pl', text: 'Ą' },
          { key: '', language: 'en', text: 'x' },
          { key: 'a', language: '', text: 'x' },
          { key: 'a', language: 'xx', text: 'x' },
          { key: 'absent', language: 'en', text: 'x' },
          { key: 'a', language: 'en', text: 'x', customerId: 'nobody' },
          { key: 'b', language: 'en', text: 'for acme', customerId: 'acme' },
        ],
      })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({
        msg: 'OK',
        status: 200,
        data: {
          numberOfUpdates: 1,
          numberOfInserts: 2,
          numberOfFailures: 5,
          failures: [
            expect.stringMatching(/key is empty/),
            expect.stringMatching(/Language is empty for key "a"/),
            expect.stringMatching(/Language "xx" does not exist in the project/),
            expect.stringMatching(/Translation key "absent" does not exist in the project/),
            expect.stringMatching(/Customer "nobody" does not exist/),
          ],
        },
      })
      expect(await project.export()).toEqual({ en: { a: 'A2', b: 'B' }, pl: { a: 'Ą' } })
    })

    test('updateOptions CREATE_KEY_IF_NOT_FOUND creates keys, and may be given more than once', async () => {
      const { project } = await setUp()
      const content = [
        { key: 'new', language: 'en', text: 'N', namespace: 'home' },
        { key: 'new', language: 'pl', text: 'P', namespace: 'home' },
        { key: 'k'.repeat(501), language: 'en', text: 'x' },
      ]
      const option = 'updateOptions=CREATE_KEY_IF_NOT_FOUND'
      const { body } = await project.api('PATCH', `${OLD}?${option}&${option}`, { content })
      expect(body.data).toMatchObject({ numberOfInserts: 2, numberOfUpdates: 0, numberOfFailures: 1 })
      expect((await project.get(`${PATH}?namespace=home`)).body.data).toHaveLength(2)
      expect((await project.api('PATCH', `${OLD}?updateOptions=SOMETHING`, { content })).status).toBe(400)
    })
  })

  test('facts: bulk set answers what it refused, item by item, and does the rest', async () => {
    const { project } = await setUp({ en: { a: 'A', b: 'B' } })
    const answer = await project.api('PATCH', `${PATH}/bulk`, {
      translations: [
        { key: 'a', language: 'en', text: 'A2', reviewStatus: 'REVIEWED' },
        { key: 'absent', language: 'en', text: 'x' },
        { key: 'b', language: 'en' },
        { key: 'b', language: 'pl', text: 'B pl' },
      ],
    })
    expect(answer.body.data.failures).toEqual([
      { entry: { key: 'absent', language: 'en', text: 'x' }, message: expect.stringContaining('does not exist') },
      { entry: { key: 'b', language: 'en' }, message: expect.stringContaining('text') },
    ])
    expect(await project.export()).toEqual({ en: { a: 'A2', b: 'B' }, pl: { b: 'B pl' } })
    const many = Array.from({ length: 101 }, () => ({ key: 'a', language: 'en', text: 'x' }))
    expect((await project.api('PATCH', `${PATH}/bulk`, { translations: many })).status).toBe(400)
  })
})
