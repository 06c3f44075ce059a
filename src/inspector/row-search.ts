/** The rows of the texts table, searched and filtered on the server: a page holds only what it shows. */
import type { Cell, Row } from './protocol.ts'
import type { RowsRequest } from './requests.ts'
import type { NamespaceTexts, Snapshot } from './snapshot.ts'

type Filters = Omit<RowsRequest, 'from' | 'count'>
type FoundKey = readonly [texts: NamespaceTexts, namespace: string, key: string]

const PASSES: Readonly<Record<Filters['filter'], (cell: Cell) => boolean>> = {
  all: () => true,
  missing: ({ origin }) => origin === 'none' || origin === 'fallback',
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

  rows(snapshot: Snapshot, { from, count, ...filters }: RowsRequest) {
    const id = JSON.stringify(filters)
    const isLast = this.#last?.snapshot === snapshot && this.#last.id === id
    const found = (isLast && this.#last?.found) || search(snapshot, filters)
    this.#last = { snapshot, id, found }
    const rows = found.slice(from, from + count).map(([texts, namespace, key]): Row => {
      return { namespace, key, cells: snapshot.languages.map((_, at) => texts.cell(at, key)) }
    })
    return { total: found.length, from, rows }
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
