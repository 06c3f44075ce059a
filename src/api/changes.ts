/**
 * Finds what has changed on the service since all texts were last read. The contract has no request for this, but some
 * services can sort texts by their last change, newest first. A probe finds out whether the service can.
 */
import type { Client } from './client.ts'
import type { Translation } from './schemas.ts'

/** The page size for the newest changes. One page covers most edits, and a page without changes is cheap. */
const NEWEST_PAGE = 50

/** Parses a time from the service. These times are UTC, but `Date.parse` would treat a time without a zone as local. */
export function parseServiceTime(time = ''): number {
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`)
}

/** The time of the last change, in milliseconds since 1970; `undefined` if the service does not report it. */
export function modifiedAt({ lastModifiedAt }: Translation): number | undefined {
  const time = parseServiceTime(lastModifiedAt)
  return Number.isNaN(time) ? undefined : time
}

/** One customer's texts, or the general texts. */
interface Layer {
  readonly newest: number
  /** The first page of the newest texts, as JSON. */
  readonly firstPage?: string | undefined
  readonly total?: number | undefined
}

export class ServiceChanges {
  readonly #layers = new Map<string | undefined, Layer>()
  #canSort = false

  constructor(
    private readonly client: { readonly translations: Pick<Client['translations'], 'query'> },
    private readonly customers: readonly (string | undefined)[],
  ) {}

  /** Records that all texts of a layer were read. `newest` is the time of the last change among them. */
  noteAllRead(customer: string | undefined, newest: number): void {
    this.#layers.set(customer, { newest })
  }

  /**
   * The texts that changed since everything was read, by customer. `undefined` if the service cannot tell, so
   * everything must be read again.
   */
  async read(signal: AbortSignal): Promise<ReadonlyMap<string | undefined, readonly Translation[]> | undefined> {
    if (this.customers.some((customer) => !this.#layers.has(customer))) return undefined
    this.#canSort ||= await this.#probeSorting(signal)
    if (!this.#canSort) return undefined
    const found = new Map<string | undefined, readonly Translation[]>()
    for (const customer of this.customers) {
      const rows = await this.#readLayer(customer, signal)
      if (!rows) return undefined
      found.set(customer, rows)
    }
    return found
  }

  async #newestPage(customer: string | undefined, page: number, sortOrder: 'asc' | 'desc', signal: AbortSignal) {
    const filter = customer === undefined ? {} : { customerId: customer }
    const query = { ...filter, sortBy: 'lastModifiedAt', sortOrder, page, size: NEWEST_PAGE } as const
    const { translations, pageDetails } = await this.client.translations.query(query, { signal })
    return { translations, total: pageDetails?.totalElements }
  }

  /**
   * Requests the texts in ascending and in descending order. True only if both responses are sorted as requested and
   * differ.
   */
  async #probeSorting(signal: AbortSignal): Promise<boolean> {
    const timesOf = async (order: 'asc' | 'desc') =>
      (await this.#newestPage(undefined, 0, order, signal)).translations.map((row) => modifiedAt(row) ?? Number.NaN)
    const newest = await timesOf('desc')
    const oldest = (await timesOf('asc')).reverse()
    const isFalling = (times: readonly number[]) =>
      times.every((time, i) => i === 0 || time <= (times[i - 1] ?? Number.NaN))
    const [first, last] = [newest[0], oldest.at(-1)]
    return first !== undefined && last !== undefined && first > last && isFalling(newest) && isFalling(oldest)
  }

  async #readLayer(customer: string | undefined, signal: AbortSignal): Promise<Translation[] | undefined> {
    const before = this.#layers.get(customer) ?? { newest: Number.NEGATIVE_INFINITY }
    const found: Translation[] = []
    let after: Layer = before
    for (let page = 0; ; page++) {
      const { translations, total } = await this.#newestPage(customer, page, 'desc', signal)
      if (page === 0) {
        const firstPage = JSON.stringify(translations)
        // A smaller total means that texts were deleted. To find out which, everything must be read again.
        if (before.total !== undefined && total !== undefined && total < before.total) return undefined
        if (firstPage === before.firstPage && total === before.total) return []
        after = { newest: before.newest, firstPage, total }
      }
      let isKnown = translations.length < NEWEST_PAGE
      for (const row of translations) {
        const time = modifiedAt(row)
        if (time === undefined) return undefined
        isKnown ||= time < before.newest
        if (time < before.newest) break
        after = { ...after, newest: Math.max(after.newest, time) }
        found.push(row)
      }
      if (isKnown) break
    }
    this.#layers.set(customer, after)
    return found
  }
}
