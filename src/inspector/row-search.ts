/** The rows of the texts table, searched and filtered on the server: a page holds only what it shows. */
import { type Cell, isMissing, type KeyName, type Row } from './protocol.ts'
import type { FoundRequest, RowsRequest } from './requests.ts'
import { type FoundKey, sorted } from './row-order.ts'
import type { Snapshot } from './snapshot.ts'

type Filters = Omit<RowsRequest, 'from' | 'count' | 'stays'>

const PASSES: Readonly<Record<Filters['filter'], (cell: Cell) => boolean>> = {
  all: () => true,
  missing: isMissing,
  fallback: ({ origin }) => origin === 'fallback',
  differing: ({ state }) => state !== undefined,
  conflict: ({ state }) => state === 'conflict',
  held: ({ state }) => state === 'held',
  waiting: ({ state }) => state === 'waiting' || state === 'refused',
  stale: ({ isStale }) => isStale === true,
  unreviewed: ({ isReviewed }) => isReviewed === false,
}

export class RowSearch {
  /** The last search: scrolling does not search again. */
  #last: { readonly snapshot: Snapshot; readonly id: string; readonly found: readonly FoundKey[] } | undefined

  rows(snapshot: Snapshot, { from, count, stays, ...filters }: RowsRequest) {
    const found = this.#found(snapshot, filters, stays === 'yes')
    const rows = found.slice(from, from + count).map(([, namespace, key]): Row => {
      const texts = snapshot.namespaceTexts(namespace, filters.customer)
      return { namespace, key, cells: snapshot.languages.map((_, at) => texts.cell(at, key)) }
    })
    return { total: found.length, from, rows }
  }

  names(snapshot: Snapshot, { from, count, ...filters }: FoundRequest) {
    const found = this.#found(snapshot, filters, false)
    const keys = found.slice(from, from + count).map(([, namespace, key]): KeyName => ({ namespace, key }))
    return { total: found.length, keys }
  }

  #found(snapshot: Snapshot, filters: Filters, stays: boolean): readonly FoundKey[] {
    const id = JSON.stringify(filters)
    const last = this.#last?.id === id && (stays || this.#last.snapshot === snapshot) ? this.#last.found : undefined
    const found = last ?? sorted(snapshot, search(snapshot, filters), filters.sort)
    // Rows that stay are searched anew when they no longer have to.
    if (!last) this.#last = { snapshot, id, found }
    return found
  }
}

function search({ languages, namespaces, namespaceTexts }: Snapshot, filters: Filters): readonly FoundKey[] {
  const { filter, namespace: wanted, language, customer } = filters
  const words = filters.search.toLowerCase().trim()
  const searched = [...languages.keys()].filter((at) => language === undefined || languages[at]?.key === language)
  const filtered = searched.filter((at) => !languages[at]?.isPseudo)
  return namespaces
    .filter((namespace) => wanted === undefined || namespace === wanted)
    .flatMap((namespace) => {
      const texts = namespaceTexts(namespace, customer)
      const hasWords = (text: string) => text.toLowerCase().includes(words)
      return texts.keys
        .filter((key) => words === '' || hasWords(key) || searched.some((at) => hasWords(texts.own(at, key))))
        .filter((key) => filter === 'all' || filtered.some((at) => PASSES[filter](texts.cell(at, key))))
        .map((key): FoundKey => [texts, namespace, key])
    })
}

/** How many of the keys each language has no text of its own for. */
export function missingOf({ languages, namespaceTexts }: Snapshot, keys: readonly KeyName[]) {
  const counts = languages.map(({ key: language }, at) => {
    const gaps = keys.filter(({ namespace, key }) => {
      const texts = namespaceTexts(namespace)
      return texts.own(at, key) === '' && isMissing(texts.cell(at, key))
    })
    return [language, gaps.length] as const
  })
  return { languages: counts }
}
