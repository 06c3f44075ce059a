/** Splits items into those that pass the test and those that do not. */
export function split<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const passing: T[] = []
  const others: T[] = []
  for (const item of items) (test(item) ? passing : others).push(item)
  return [passing, others]
}

/** Groups items with the same key. Items and groups stay in order. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): T[][] {
  return [...groupsByKey(items, keyOf).values()]
}

/** Like `groupBy`, but returns the keys too. */
export function groupsByKey<T, K = string>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** True if the text consists of these pieces in order, with any text between them. Takes linear time. */
export function hasPieces(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...middle] = pieces
  const last = middle.pop()
  if (last === undefined) return text === first
  const end = text.length - last.length
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const piece of middle) {
    const found = text.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}

/** Compares UTF-16 code units, so that the order is the same on every machine, whatever its locale. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
