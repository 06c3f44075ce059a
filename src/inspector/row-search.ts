/** Searches and filters the rows of the texts table on the server. A page receives only the rows that it shows. */
import * as z from 'zod'
import { get, keyName, MOST_REFS, post } from './endpoint.ts'
import { type Cell, isMissing, type KeyName, type Row } from './protocol.ts'
import type { NamespaceTexts, Snapshot } from './snapshot.ts'

const filters = z.object({
  search: z.string().max(1_000).default(''),
  namespace: z.string().optional(),
  language: z.string().optional(),
  customer: z.string().optional(),
  filter: z
    .enum(['all', 'missing', 'fallback', 'differing', 'conflict', 'held', 'waiting', 'stale', 'unreviewed'])
    .default('all'),
  /** `key`, `state`, or `text:` and a language. A leading `-` reverses the order. */
  sort: z.string().max(600).optional(),
})
type Filters = z.output<typeof filters>

const from = z.coerce.number<number>().int().min(0).default(0)
const rowsRequest = filters.extend({
  from,
  count: z.coerce.number<number>().int().min(0).max(500).default(100),
  /**
   * `yes` keeps the last response's rows even if their texts no longer match, because the user is editing one of them.
   */
  stays: z.literal('yes').optional(),
})

/** Returns only the keys, for a selection. */
const foundRequest = filters.extend({
  from,
  count: z.coerce.number<number>().int().min(0).max(MOST_REFS).default(MOST_REFS),
})

/** Allows up to `MOST_REFS` keys, because they are only counted. */
const missingRequest = z.strictObject({ keys: z.array(keyName).max(MOST_REFS) })

export function createRowEndpoints() {
  const search = new RowSearch()
  return {
    rows: get(rowsRequest, async (project, request) => search.rows(await project.snapshot(), request, project.id)),
    found: get(foundRequest, async (project, request) => search.names(await project.snapshot(), request, project.id)),
    missing: post(missingRequest, async (project, { keys }) => missingOf(await project.snapshot(), keys)),
  }
}

type FoundKey = readonly [texts: NamespaceTexts, namespace: string, key: string]

/** The most urgent states come first. */
const STATES = ['conflict', 'refused', 'held', 'waiting', 'newer', 'deleted-here', 'deleted-there'] as const
const RANKS: readonly ((cell: Cell) => boolean)[] = [
  ...STATES.map((state) => (cell: Cell) => cell.state === state),
  ({ isStale }) => isStale === true,
  isMissing,
  ({ isReviewed }) => isReviewed === false,
]

/** For `sort`, see the request. Equal rows stay in key order. Gaps come last in both directions. */
function sorted(snapshot: Snapshot, found: readonly FoundKey[], sort = 'key'): readonly FoundKey[] {
  const isReverse = sort.startsWith('-')
  const by = isReverse ? sort.slice(1) : sort
  if (by === 'state') {
    const languages = snapshot.languages.filter(({ isPseudo }) => !isPseudo)
    const rankOf = ([texts, , key]: FoundKey) =>
      Math.min(...languages.map((language) => rank(texts.cell(language.key, key))))
    const ranked = found.map((row) => ({ row, rank: rankOf(row) }))
    return ranked.sort((a, b) => (isReverse ? b.rank - a.rank : a.rank - b.rank)).map(({ row }) => row)
  }
  const language = snapshot.languages.find(({ key }) => by === `text:${key}`)?.key
  if (language === undefined) return isReverse ? [...found].reverse() : found
  const { compare } = new Intl.Collator(collationOf(language))
  const texts = found.map((row) => ({ row, text: row[0].own(language, row[2]) }))
  const [full, gaps] = [texts.filter(({ text }) => text !== ''), texts.filter(({ text }) => text === '')]
  full.sort((a, b) => (isReverse ? compare(b.text, a.text) : compare(a.text, b.text)))
  return [...full, ...gaps].map(({ row }) => row)
}

function rank(cell: Cell): number {
  const at = RANKS.findIndex((is) => is(cell))
  return at < 0 ? RANKS.length : at
}

/** `undefined` if the language's name is not a valid tag, which a project may use. */
function collationOf(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language.replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}

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
  /** Kept so that scrolling does not repeat the search. */
  #last: { readonly snapshot: Snapshot; readonly id: string; readonly found: readonly FoundKey[] } | undefined

  rows(snapshot: Snapshot, { from, count, stays, ...filters }: z.output<typeof rowsRequest>, project = '') {
    const found = this.#found(snapshot, filters, project, stays === 'yes')
    const rows = found.slice(from, from + count).map(([, namespace, key]): Row => {
      const texts = snapshot.namespaceTexts(namespace, filters.customer)
      return { namespace, key, cells: snapshot.languages.map((language) => texts.cell(language.key, key)) }
    })
    return { total: found.length, from, rows }
  }

  names(snapshot: Snapshot, { from, count, ...filters }: z.output<typeof foundRequest>, project: string) {
    const found = this.#found(snapshot, filters, project, false)
    const keys = found.slice(from, from + count).map(([, namespace, key]): KeyName => ({ namespace, key }))
    return { total: found.length, keys }
  }

  #found(snapshot: Snapshot, filters: Filters, project: string, stays: boolean): readonly FoundKey[] {
    const id = JSON.stringify([project, filters])
    const last = this.#last?.id === id && (stays || this.#last.snapshot === snapshot) ? this.#last.found : undefined
    const found = last ?? sorted(snapshot, search(snapshot, filters), filters.sort)
    // If rows were kept for an editor, the next request without `stays` searches again.
    if (!last) this.#last = { snapshot, id, found }
    return found
  }
}

function search({ languages, namespaces, namespaceTexts }: Snapshot, filters: Filters): readonly FoundKey[] {
  const { filter, namespace: wanted, language, customer } = filters
  const words = filters.search.toLowerCase().trim()
  const searched = languages.filter(({ key }) => language === undefined || key === language)
  const filtered = searched.filter(({ isPseudo }) => !isPseudo)
  return namespaces
    .filter((namespace) => wanted === undefined || namespace === wanted)
    .flatMap((namespace) => {
      const texts = namespaceTexts(namespace, customer)
      const hasWords = (text: string) => text.toLowerCase().includes(words)
      return texts.keys
        .filter((key) => words === '' || hasWords(key) || searched.some((own) => hasWords(texts.own(own.key, key))))
        .filter((key) => filter === 'all' || filtered.some((own) => PASSES[filter](texts.cell(own.key, key))))
        .map((key): FoundKey => [texts, namespace, key])
    })
}

/** The number of keys for which each language lacks its own text. */
export function missingOf({ languages, namespaceTexts }: Snapshot, keys: readonly KeyName[]) {
  const counts = languages.map(({ key: language }) => {
    const gaps = keys.filter(({ namespace, key }) => {
      const texts = namespaceTexts(namespace)
      return texts.own(language, key) === '' && isMissing(texts.cell(language, key))
    })
    return [language, gaps.length] as const
  })
  return { languages: counts }
}
