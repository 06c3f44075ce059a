/** The known name with the smallest edit distance; `undefined` if none is similar. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Returns `Did you mean "x"?` or a list of the known names; `undefined` if no names are known. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  const nearest = nearestName(name, known)
  if (nearest !== undefined) return `Did you mean ${JSON.stringify(nearest)}?`
  if (known.length === 0) return undefined
  const shown = known.slice(0, 12).map((item) => JSON.stringify(item))
  return `Known: ${shown.join(', ')}${known.length > shown.length ? `, and ${known.length - shown.length} more` : ''}.`
}

/**
 * The optimal string alignment distance. Inserting, deleting or replacing a character or swapping two adjacent ones
 * costs 1.
 */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let value = Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, (last[j - 1] as number) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, (beforeLast[j - 2] as number) + 1)
      }
      row.push(value)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] as number
}
