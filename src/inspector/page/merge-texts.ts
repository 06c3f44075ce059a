/** Joins two changes of one text, word by word. Pure. */
import { wordDiff } from '../../shared/word-diff.ts'

interface Change {
  /** The part of the base that is replaced, in characters. */
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Where both changed the same words, both versions stand one after the other. */
export function mergeTexts(base: string, mine: string, other: string, language: string): string {
  const [own, others] = [changesOf(base, mine, language), changesOf(base, other, language)]
  let [merged, at] = ['', 0]
  while (own.length + others.length > 0) {
    const start = Math.min(own[0]?.start ?? Infinity, others[0]?.start ?? Infinity)
    let end = start
    const [left, right]: [Change[], Change[]] = [[], []]
    // Everything that touches: a change may overlap with several ones of the other side.
    const take = (from: Change[], to: Change[]) => {
      while (from[0] && (from[0].start < end || from[0].start === start)) {
        end = Math.max(end, from[0].end)
        to.push(from.shift() as Change)
      }
    }
    for (let taken = -1; taken !== left.length + right.length; ) {
      taken = left.length + right.length
      take(own, left)
      take(others, right)
    }
    const versions = [left, right].filter((changes) => changes.length > 0)
    const texts = new Set(versions.map((changes) => applied(base, changes, start, end)))
    merged += base.slice(at, start) + [...texts].filter((text) => text !== '').join(' ')
    at = end
  }
  return merged + base.slice(at)
}

function changesOf(base: string, text: string, language: string): Change[] {
  const changes: Change[] = []
  let at = 0
  for (const piece of wordDiff(base, text, language)) {
    const last = changes.at(-1)
    const isGoingOn = last?.end === at
    if (piece.kind === 'same') at += piece.text.length
    else if (piece.kind === 'removed') {
      changes.push({ start: at, end: at + piece.text.length, text: '' })
      at += piece.text.length
    } else if (last && isGoingOn && last.text === '') changes[changes.length - 1] = { ...last, text: piece.text }
    else changes.push({ start: at, end: at, text: piece.text })
  }
  return changes
}

function applied(base: string, changes: readonly Change[], start: number, end: number): string {
  let [text, at] = ['', start]
  for (const change of changes) {
    text += base.slice(at, change.start) + change.text
    at = change.end
  }
  return text + base.slice(at, end)
}
