/** The order of the rows of the texts table. */
import { type Cell, isMissing } from './protocol.ts'
import type { NamespaceTexts, Snapshot } from './snapshot.ts'

export type FoundKey = readonly [texts: NamespaceTexts, namespace: string, key: string]

/** What needs somebody's attention comes first. */
const STATES = ['conflict', 'refused', 'held', 'waiting', 'newer'] as const
const RANKS: readonly ((cell: Cell) => boolean)[] = [
  ...STATES.map((state) => (cell: Cell) => cell.state === state),
  ({ isStale }) => isStale === true,
  isMissing,
  ({ isReviewed }) => isReviewed === false,
]

/** `sort`: see the request. Rows that are equal stay in the order of their keys; gaps are last in both directions. */
export function sorted(snapshot: Snapshot, found: readonly FoundKey[], sort = 'key'): readonly FoundKey[] {
  const isReverse = sort.startsWith('-')
  const by = isReverse ? sort.slice(1) : sort
  if (by === 'state') {
    const at = snapshot.languages.flatMap(({ isPseudo }, position) => (isPseudo ? [] : [position]))
    const rankOf = ([texts, , key]: FoundKey) => Math.min(...at.map((position) => rank(texts.cell(position, key))))
    const ranked = found.map((row) => ({ row, rank: rankOf(row) }))
    return ranked.sort((a, b) => (isReverse ? b.rank - a.rank : a.rank - b.rank)).map(({ row }) => row)
  }
  const language = by.startsWith('text:') ? by.slice('text:'.length) : undefined
  const position = snapshot.languages.findIndex(({ key }) => key === language)
  if (language === undefined || position < 0) return isReverse ? [...found].reverse() : found
  const { compare } = new Intl.Collator(collationOf(language))
  const texts = found.map((row) => ({ row, text: row[0].own(position, row[2]) }))
  const [full, gaps] = [texts.filter(({ text }) => text !== ''), texts.filter(({ text }) => text === '')]
  full.sort((a, b) => (isReverse ? compare(b.text, a.text) : compare(a.text, b.text)))
  return [...full, ...gaps].map(({ row }) => row)
}

function rank(cell: Cell): number {
  const at = RANKS.findIndex((is) => is(cell))
  return at < 0 ? RANKS.length : at
}

/** A project may name a language as no standard does. */
function collationOf(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language.replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}
