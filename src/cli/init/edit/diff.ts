/** A unified diff of two texts with three lines of context. Pure. */

const CONTEXT = 3

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** The lines of the hunks; none where the texts are the same. Line ends do not show. */
export function unifiedDiff(before: string, after: string): string[] {
  const lines = compare(linesOf(before), linesOf(after))
  const result: string[] = []
  let [oldLine, newLine] = [1, 1]
  let shownTo = 0
  for (const [at, { mark }] of lines.entries()) {
    if (mark !== ' ' && at >= shownTo) {
      const from = Math.max(shownTo, at - CONTEXT)
      const to = hunkEnd(lines, at)
      const part = lines.slice(from, to)
      const back = at - from
      const size = (side: '-' | '+') => part.filter((line) => line.mark === ' ' || line.mark === side).length
      const range = (start: number, lines: number) => `${lines === 0 ? start - 1 : start},${lines}`
      result.push(`@@ -${range(oldLine - back, size('-'))} +${range(newLine - back, size('+'))} @@`)
      result.push(...part.map((line) => `${line.mark}${line.text}`))
      shownTo = to
    }
    if (mark !== '+') oldLine++
    if (mark !== '-') newLine++
  }
  return result
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return text.replace(/\r?\n$/, '').split(/\r?\n/)
}

/** Behind the last change that is not farther from the one before than their contexts. */
function hunkEnd(lines: readonly Line[], first: number): number {
  let last = first
  for (let at = first; at < lines.length && at - last <= CONTEXT * 2; at++) if (lines[at]?.mark !== ' ') last = at
  return Math.min(lines.length, last + CONTEXT + 1)
}

/** The changes of `init` are insertions: each line of `before` is searched from where the last one was found. */
function compare(before: readonly string[], after: readonly string[]): Line[] {
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) {
      lines.push({ mark: ' ', text: before[i] as string })
      i++
      j++
      continue
    }
    const [removed, added] = nearestMatch(before.slice(i), after.slice(j))
    for (const text of before.slice(i, i + removed)) lines.push({ mark: '-', text })
    for (const text of after.slice(j, j + added)) lines.push({ mark: '+', text })
    i += removed
    j += added
  }
  return lines
}

/** How many lines of each side come before the next pair of equal lines. */
function nearestMatch(before: readonly string[], after: readonly string[]): [removed: number, added: number] {
  for (let sum = 1; sum < before.length + after.length; sum++) {
    for (let removed = Math.max(0, sum - after.length + 1); removed <= Math.min(sum, before.length - 1); removed++)
      if (before[removed] === after[sum - removed]) return [removed, sum - removed]
  }
  return [before.length, after.length]
}
