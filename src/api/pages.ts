import { ApiError } from './errors.ts'
import { LIMITS, type PageDetails, type Translation } from './schemas.ts'

/** If the data keeps changing, the call fails after reading all pages this many times. */
const MAX_READINGS = 3
/** The number of pages to prefetch while a page is being processed, once the total is known. */
const PAGES_AHEAD = 3

export interface TranslationPage {
  readonly translations: Translation[]
  /** `undefined` if the service does not send paging details. */
  readonly pageDetails: PageDetails | undefined
}

type FetchPage = (page: number, size: number) => Promise<TranslationPage>

/**
 * Iterates over the rows of all pages of a query. The last page has `hasNext: false`. If the service does not send
 * `hasNext`, the first page that is not full is the last one.
 *
 * An edit between two pages shifts the rows after it, so rows are repeated or skipped. A reading is accepted as
 * complete if it contains as many rows as the service's total, or if two consecutive readings found the same rows.
 * Repeated rows are yielded once. If there is a total, an addition and a deletion between the same two pages go
 * unnoticed.
 */
export async function* queryAll(
  fetchPage: FetchPage,
  size: number = LIMITS.pageSize,
): AsyncGenerator<Translation, void, undefined> {
  for await (const { rows } of queryPages(fetchPage, size)) yield* rows
}

interface NewRows {
  /** The page's rows that were not on an earlier page. */
  readonly rows: readonly Translation[]
  /** The total number of rows; `undefined` if the service does not send it. */
  readonly total: number | undefined
}

/** Like `queryAll`, but yields pages, because yielding 100,000 rows one by one takes longer than parsing them. */
export async function* queryPages(fetchPage: FetchPage, size: number): AsyncGenerator<NewRows> {
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
      const total = pageDetails?.totalElements
      totals.add(total)
      isLast = !(pageDetails?.hasNext ?? translations.length >= size)
      const known = seen.size
      const rows: Translation[] = []
      for (const translation of translations) {
        const id = identityOf(translation)
        received.push(id)
        const givenBefore = given.size
        given.add(id)
        if (given.size > givenBefore) rows.push(translation)
        if (seen !== given) seen.add(id)
      }
      yield { rows, total }
      // Without this check, a service that ignores `page` would be read forever.
      if (!isLast && seen.size === known) throw pagingError(`page ${pages} contains no new rows`)
    }
    const [total] = totals
    const isOnce = seen.size === received.length
    const isWhole = total === undefined ? pages === 1 : totals.size === 1 && received.length === total
    // A matching total is not enough: a row may be repeated because it moved, while another row is skipped.
    if (isOnce && isWhole) return
    // Two equal readings are accepted too, because a service may count or repeat rows in its own way.
    const found = (isOnce ? received.sort() : received).join('\n')
    if (found === before) return
    before = found
    if (reading === MAX_READINGS) throw pagingError(`the data changed during each of ${MAX_READINGS} attempts`)
  }
}

/** Returns pages in order, and prefetches the next ones. */
function readAhead(fetchPage: FetchPage, size: number): (page: number) => Promise<TranslationPage> {
  const underWay = new Map<number, Promise<TranslationPage>>()
  const start = (page: number) => {
    const answer = underWay.get(page) ?? fetchPage(page, size)
    underWay.set(page, answer)
    // After a failure or an early end, prefetched pages are never read. Their errors must not be unhandled rejections.
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

/** The same for all versions of a translation, and different for different translations. */
export function identityOf({ language, namespace, key, customerId }: Translation): string {
  return JSON.stringify([language, namespace, key, customerId])
}

function pagingError(message: string): ApiError {
  return new ApiError(`cannot read all translations: ${message}`, {
    code: 'API_UNEXPECTED_ANSWER',
    hint: 'Try again when no one is editing, or use another source.',
    method: 'GET',
    address: 'api/v2/translations',
  })
}
