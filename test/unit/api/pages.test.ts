import { expect, test } from 'vitest'
import { queryAll, queryPages } from '../../../src/api/pages.ts'
import type { PageDetails, Translation } from '../../../src/client.ts'

const text = (key: string): Translation => ({ key, namespace: '', language: 'en', text: key })
const keysOf = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `k${from + index}`)

/** A service whose data may change before each request; writes down the pages it was asked for. */
function createPages(
  keys: () => readonly string[],
  details?: (page: number, size: number, count: number) => PageDetails,
) {
  const asked: number[] = []
  const fetchPage = async (page: number, size: number) => {
    asked.push(page)
    const now = keys()
    const translations = now.slice(page * size, (page + 1) * size).map(text)
    return { translations, pageDetails: details?.(page, size, now.length) }
  }
  return { asked, fetchPage }
}

const totals = (page: number, size: number, count: number): PageDetails => ({
  totalElements: count,
  hasNext: (page + 1) * size < count,
})

async function read(fetchPage: Parameters<typeof queryAll>[0], size: number): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of queryAll(fetchPage, size)) keys.push(key)
  return keys
}

test.each([
  ['no text', 0, [0]],
  ['a short page', 3, [0]],
  ['a full page, then an empty one: read again', 4, [0, 1, 0, 1]],
  ['several pages: read again', 9, [0, 1, 2, 0, 1, 2]],
])('%s, no details told', async (_, count, asked) => {
  const pages = createPages(() => keysOf(count))
  expect(await read(pages.fetchPage, 4)).toEqual(keysOf(count))
  expect(pages.asked).toEqual(asked)
})

test('`hasNext: false` spares the empty page, `hasNext: true` goes on after a short one', async () => {
  const full = createPages(() => keysOf(8), totals)
  expect(await read(full.fetchPage, 4)).toHaveLength(8)
  expect(full.asked).toEqual([0, 1])
  // This service gives two at most, whatever is asked for.
  const small = createPages(
    () => keysOf(5),
    (page, _, count) => totals(page, 2, count),
  )
  const capped = (page: number) => small.fetchPage(page, 2)
  expect(await read(capped, 500)).toEqual(keysOf(5))
})

test('a text added before the rest comes twice and is given once', async () => {
  let request = 0
  const pages = createPages(() => (request++ === 0 ? keysOf(6) : ['new', ...keysOf(6)]))
  const keys = await read(pages.fetchPage, 3)
  expect([...keys].sort()).toEqual([...keysOf(6), 'new'].sort())
  expect(new Set(keys).size).toBe(keys.length)
})

test('a text deleted before the rest would hide another: the total shows it, and it is found', async () => {
  let request = 0
  const pages = createPages(() => (request++ === 0 ? keysOf(6) : keysOf(5, 1)), totals)
  expect((await read(pages.fetchPage, 3)).sort()).toEqual(keysOf(6))
})

test.each([
  ['no details', undefined],
  ['`hasNext`, but no total', (page: number, size: number, count: number) => ({ hasNext: (page + 1) * size < count })],
])('a text deleted before the rest would hide another: %s told, the next reading finds it', async (_, details) => {
  for (const deletedBefore of [1, 2]) {
    let request = 0
    const pages = createPages(() => (request++ < deletedBefore ? keysOf(9) : keysOf(8, 1)), details)
    expect((await read(pages.fetchPage, 3)).sort()).toEqual(keysOf(9))
  }
})

test('without a total, rows that change places but are all there are believed when read twice', async () => {
  let reading = 0
  const pages = createPages(() => (reading === 0 ? keysOf(6) : keysOf(6).reverse()))
  const fetchPage = async (page: number, size: number) => {
    const answer = await pages.fetchPage(page, size)
    if (answer.translations.length === 0) reading++
    return answer
  }
  expect((await read(fetchPage, 3)).sort()).toEqual(keysOf(6))
  expect(pages.asked).toEqual([0, 1, 2, 0, 1, 2])
})

test('data that never stops changing is an error', async () => {
  let request = 0
  const pages = createPages(() => keysOf(10 + request++), totals)
  await expect(read(pages.fetchPage, 3)).rejects.toMatchObject({ code: 'API_UNEXPECTED_ANSWER' })
  const untold = createPages(() => keysOf(10 + request++))
  await expect(read(untold.fetchPage, 3)).rejects.toMatchObject({ code: 'API_UNEXPECTED_ANSWER' })
})

test('a service that counts in its own way is believed when it says the same twice', async () => {
  const pages = createPages(
    () => ['a', 'b', 'a'],
    (page, size) => totals(page, size, 7),
  )
  expect(await read(async (page, size) => ({ ...(await pages.fetchPage(page, size)) }), 10)).toEqual(['a', 'b'])
  expect(pages.asked.filter((page) => page === 0)).toHaveLength(2)
})

test('a service that ignores the page is not read for ever', async () => {
  const pages = createPages(() => keysOf(4))
  await expect(read((_, size) => pages.fetchPage(0, size), 4)).rejects.toMatchObject({ code: 'API_UNEXPECTED_ANSWER' })
  expect(pages.asked).toHaveLength(2)
})

test('the same key in another namespace, language or for a customer is another text', async () => {
  const four: Translation[] = [
    text('a'),
    { ...text('a'), namespace: 'n' },
    { ...text('a'), language: 'pl' },
    { ...text('a'), customerId: 'acme' },
  ]
  const seen: Translation[] = []
  for await (const one of queryAll(async () => ({ translations: four, pageDetails: undefined }))) seen.push(one)
  expect(seen).toEqual(four)
})

test('a reader that stops early asks for no more pages', async () => {
  const pages = createPages(() => keysOf(100))
  for await (const { key } of queryAll(pages.fetchPage, 10)) if (key === 'k5') break
  expect(pages.asked).toEqual([0])
})

test('where the total is known, the next pages are on their way before they are asked for', async () => {
  const pages = createPages(() => keysOf(60), totals)
  const rows = queryAll(pages.fetchPage, 10)
  expect((await rows.next()).value).toMatchObject({ key: 'k0' })
  expect(pages.asked).toEqual([0, 1, 2, 3])
  const keys: string[] = []
  for await (const { key } of rows) keys.push(key)
  expect(keys).toEqual(keysOf(59, 1))
  expect(pages.asked).toEqual([0, 1, 2, 3, 4, 5])
})

test('a page that fails ahead of its turn is an error only when its turn comes', async () => {
  const pages = createPages(() => keysOf(30), totals)
  const failing = async (page: number, size: number) => {
    if (page === 2) throw new Error('page 2 failed')
    return pages.fetchPage(page, size)
  }
  const keys: string[] = []
  const reading = async () => {
    for await (const { key } of queryAll(failing, 10)) keys.push(key)
  }
  await expect(reading()).rejects.toThrow('page 2 failed')
  expect(keys).toEqual(keysOf(20))
})

test('in pages: the rows of each request, and the total', async () => {
  const pages = createPages(() => keysOf(25), totals)
  const found: unknown[] = []
  for await (const { rows, total } of queryPages(pages.fetchPage, 10)) found.push([rows.length, total])
  expect(found).toEqual([
    [10, 25],
    [10, 25],
    [5, 25],
  ])
})

test('names with digits, colons and quotes are other names', async () => {
  const names = ['', '1', '1:', 'a"b', '0:a', '\u0000']
  const all = names.flatMap((language) =>
    names.flatMap((namespace) =>
      [undefined, ...names].map((customerId) => ({
        ...text('k'),
        language,
        namespace,
        ...(customerId !== undefined && { customerId }),
      })),
    ),
  )
  const seen: Translation[] = []
  for await (const one of queryAll(async () => ({ translations: all, pageDetails: undefined }))) seen.push(one)
  expect(seen).toEqual(all)
})

test('a service that says there is more, and sends none, is not believed', async () => {
  const pages = createPages(
    () => keysOf(4),
    () => ({ hasNext: true }),
  )
  await expect(read(pages.fetchPage, 4)).rejects.toMatchObject({ code: 'API_UNEXPECTED_ANSWER' })
})
