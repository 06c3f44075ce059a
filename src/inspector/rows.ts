/** The table's rows: searched and filtered here, so that a page never holds more than it shows. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { PartView, Snapshot } from './port.ts'
import type { RowsQuery } from './requests.ts'
import type { Cell, Row, RowFilter, RowsAnswer } from './wire.ts'

interface Place {
  readonly namespace: string
  readonly key: string
}

export interface RowIndex {
  answer(snapshot: Snapshot, query: RowsQuery): Promise<RowsAnswer>
}

/** The dev server answers others between so many rows. */
const SLICE = 2_000
const KEPT_ANSWERS = 6

/** Remembers the last selections, so that scrolling does not search again. */
export function createRowIndex(): RowIndex {
  const selections = new Map<string, Promise<readonly Place[]>>()

  return {
    async answer(snapshot, query) {
      const { from, count, ...filters } = query
      const id = JSON.stringify([snapshot.version, filters])
      const known = selections.get(id) ?? select(snapshot, filters)
      selections.delete(id)
      selections.set(id, known)
      for (const old of selections.keys()) if (selections.size > KEPT_ANSWERS) selections.delete(old)
      const places = await known
      return {
        version: snapshot.version,
        total: places.length,
        from,
        rows: places.slice(from, from + count).map((place) => rowOf(snapshot, place, query.customer)),
      }
    },
  }
}

function rowOf(snapshot: Snapshot, { namespace, key }: Place, customer: string | undefined): Row {
  const part = snapshot.part(namespace, customer)
  return { namespace, key, cells: snapshot.languages.map((_, language) => part.cell(language, key)) }
}

async function select(
  snapshot: Snapshot,
  { search, namespace, language, customer, filter }: Omit<RowsQuery, 'from' | 'count'>,
): Promise<readonly Place[]> {
  const found: Place[] = []
  const words = search.toLowerCase().trim()
  const namespaces =
    namespace === undefined ? snapshot.namespaces : snapshot.namespaces.filter((one) => one === namespace)
  const all = snapshot.languages.map((_, at) => at)
  const looked = language === undefined ? all : all.filter((at) => snapshot.languages[at]?.key === language)
  const asked = looked.filter((at) => !snapshot.languages[at]?.isPseudo)
  let slice = 0
  for (const name of namespaces) {
    const part = snapshot.part(name, customer)
    for (const key of part.keys) {
      if (++slice % SLICE === 0) await breathe()
      if (words !== '' && !matches(part, key, looked, words)) continue
      if (filter !== 'all' && !asked.some((at) => passes(part.cell(at, key), filter))) continue
      found.push({ namespace: name, key })
    }
  }
  return found
}

function matches(part: PartView, key: string, languages: readonly number[], words: string): boolean {
  if (key.toLowerCase().includes(words)) return true
  return languages.some((at) => part.own(at, key).toLowerCase().includes(words))
}

function passes({ origin, state, isReviewed }: Cell, filter: Exclude<RowFilter, 'all'>): boolean {
  switch (filter) {
    case 'missing':
      return origin === 'none' || origin === 'fallback'
    case 'fallback':
      return origin === 'fallback'
    case 'differing':
      return state !== undefined
    case 'waiting':
      return state === 'waiting' || state === 'refused'
    case 'unreviewed':
      return isReviewed === false
    default:
      return state === filter
  }
}
