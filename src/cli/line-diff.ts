/** Unified diffs. */
import { printable } from '../shared/printable.ts'
import type { Paint } from './text.ts'

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** The lines of all hunks; empty if the texts are equal. Ignores differences in line endings. */
export function unifiedDiff(before: string, after: string, context = 3): string[] {
  const lines = compare(linesOf(before), linesOf(after))
  const result: string[] = []
  let [oldLine, newLine] = [1, 1]
  let shownTo = 0
  for (const [at, { mark }] of lines.entries()) {
    if (mark !== ' ' && at >= shownTo) {
      const from = Math.max(shownTo, at - context)
      const to = hunkEnd(lines, at, context)
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

const TONES = { '+': 'green', '-': 'red', '@': 'dim' } as const

/** Colors the lines of `unifiedDiff` and cuts each after `most` characters. */
export function coloredDiff(lines: readonly string[], paint: Paint, most = Number.POSITIVE_INFINITY): string[] {
  return lines.map((line) => {
    const shown = printable(line.length > most ? `${line.slice(0, most)}…` : line)
    const tone = TONES[line[0] as keyof typeof TONES]
    return tone ? paint(tone, shown) : shown
  })
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return text.replace(/\r?\n$/, '').split(/\r?\n/)
}

/** Returns the end of the hunk. Changes whose contexts overlap share a hunk. */
function hunkEnd(lines: readonly Line[], first: number, context: number): number {
  let last = first
  for (let at = first; at < lines.length && at - last <= context * 2 + 1; at++) if (lines[at]?.mark !== ' ') last = at
  return Math.min(lines.length, last + context + 1)
}

/** Not a minimal diff, but good enough for texts with few insertions and removals. */
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

/** The number of lines on each side before the next pair of equal lines. */
function nearestMatch(before: readonly string[], after: readonly string[]): [removed: number, added: number] {
  for (let sum = 1; sum < before.length + after.length; sum++) {
    for (let removed = Math.max(0, sum - after.length + 1); removed <= Math.min(sum, before.length - 1); removed++)
      if (before[removed] === after[sum - removed]) return [removed, sum - removed]
  }
  return [before.length, after.length]
}
