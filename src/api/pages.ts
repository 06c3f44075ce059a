import { ApiError } from './errors.ts'
import { LIMITS, type PageDetails, type Translation } from './schemas.ts'

/** Readings of all pages, when data shifts between them: three, then it is an error. */
const MAX_READINGS = 3
/** Pages that are on their way while one is taken in, once the total tells that they exist. */
const PAGES_AHEAD = 3

export interface TranslationPage {
  readonly translations: Translation[]
  /** `undefined` where the service sends none. */
  readonly pageDetails: PageDetails | undefined
}

type FetchPage = (page: number, size: number) => Promise<TranslationPage>

/**
 * Walks the pages of a query. The last page has `hasNext: false`, or is not full where the service sends no `hasNext`.
 *
 * An edit between two pages shifts the rest: rows come twice or are skipped. Several pages are complete when they hold
 * as many rows as the service's total, else when two readings in a row find the same rows. Rows that come twice are
 * yielded once. Not noticed: with a total, a deletion and an addition between the same two pages.
 */
export function queryAll(
  fetchPage: FetchPage,
  size: number = LIMITS.pageSize,
): AsyncGenerator<Translation, void, undefined> {
  return Object.assign(rowsOf(queryPages(fetchPage, size)), {
    [PAGES]: (onTotal?: OnTotal) => queryPages(fetchPage, size, onTotal),
  })
}

const PAGES = Symbol('pages')
/** Called before each page with the number of all rows; `undefined` where the service sends none. */
type OnTotal = (total: number | undefined) => void
type Rows = AsyncIterable<Translation> & {
  readonly [PAGES]?: (onTotal?: OnTotal) => AsyncIterable<readonly Translation[]>
}

/**
 * What `queryAll` returned, in pages: a hundred thousand rows one by one take longer than their parsing. Take one of
 * the two.
 */
export function inPages(rows: Rows, size: number, onTotal?: OnTotal): AsyncIterable<readonly Translation[]> {
  return rows[PAGES]?.(onTotal) ?? joinRows(rows, size)
}

async function* joinRows(rows: AsyncIterable<Translation>, size: number) {
  let page: Translation[] = []
  for await (const row of rows) {
    if (page.push(row) < size) continue
    yield page
    page = []
  }
  yield page
}

async function* rowsOf(pages: AsyncIterable<readonly Translation[]>): AsyncGenerator<Translation, void, undefined> {
  for await (const page of pages) yield* page
}

/** The rows of each page that no page before it had. */
async function* queryPages(
  fetchPage: FetchPage,
  size: number,
  onTotal?: OnTotal,
): AsyncGenerator<readonly Translation[]> {
  const given = new Set<string>()
  let before: string | undefined
  for (let reading = 1; ; reading++) {
    const received: string[] = []
    const seen = reading === 1 ? given : new Set<string>()
    const totals = new Set<number | undefined>()
    const next = readAhead(fetchPage, size)
    let pages = 0
    for (let isLast = false; !isLast; pages++) {
      const { translations, pageDetails } = await next(pages)
      totals.add(pageDetails?.totalElements)
      onTotal?.(pageDetails?.totalElements)
      isLast = translations.length === 0 || !(pageDetails?.hasNext ?? translations.length >= size)
      const known = seen.size
      const news: Translation[] = []
      for (const translation of translations) {
        const id = identityOf(translation)
        received.push(id)
        const givenBefore = given.size
        given.add(id)
        if (given.size > givenBefore) news.push(translation)
        if (seen !== given) seen.add(id)
      }
      yield news
      // A service that ignores `page` would otherwise be read for ever.
      if (!isLast && seen.size === known) throw pagingError(`page ${pages} brings nothing new`)
    }
    const [total] = totals
    const isOnce = seen.size === received.length
    const isWhole = total === undefined ? pages === 1 : totals.size === 1 && received.length === total
    // As many as there are is not enough: rows that changed places come twice, and push others out.
    if (isOnce && isWhole) return
    // Two readings alike are believed too: a service may count, or repeat, in its own way.
    const found = (isOnce ? received.sort() : received).join('\n')
    if (found === before) return
    before = found
    if (reading === MAX_READINGS) throw pagingError(`the data changed during each of ${MAX_READINGS} readings`)
  }
}

/** Returns one page after the other, and requests those behind it before they are asked for. */
function readAhead(fetchPage: FetchPage, size: number): (page: number) => Promise<TranslationPage> {
  const underWay = new Map<number, Promise<TranslationPage>>()
  const start = (page: number) => {
    const answer = underWay.get(page) ?? fetchPage(page, size)
    underWay.set(page, answer)
    // Pages that nobody takes after a failure, or after an early end, fail in silence.
    answer.catch(() => {})
    return answer
  }
  return async (page) => {
    const answer = await start(page)
    underWay.delete(page)
    const count = Math.ceil((answer.pageDetails?.totalElements ?? 0) / size)
    for (let ahead = page + 1; ahead <= page + PAGES_AHEAD && ahead < count; ahead++) start(ahead)
    return answer
  }
}

/** Unlike JSON this needs no escapes: the lengths tell where each name ends. */
function identityOf({ language, namespace, key, customerId }: Translation): string {
  const customer = typeof customerId === 'string' ? `${customerId.length}:${customerId}` : ''
  return `${language.length}:${language}${namespace.length}:${namespace}${customer}\u0000${key}`
}

function pagingError(message: string): ApiError {
  return new ApiError(`the translations cannot be read whole: ${message}`, {
    code: 'API_UNEXPECTED_ANSWER',
    hint: 'Try again when nobody edits, or take another source.',
    method: 'GET',
    address: 'api/v2/translations',
  })
}
