/** The word-by-word difference between two texts. */
export interface Piece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Limits time and memory. For longer texts, only the common beginning and end are found. */
const MAX_CELLS = 4_000_000

/** `language` determines the word boundaries in languages without spaces. Accents stay with their characters. */
export function wordDiff(before: string, after: string, language: string): readonly Piece[] {
  const words = segmenterOf(language)
  const wordsOf = (text: string) => Array.from(words.segment(text), ({ segment }) => segment)
  const [a, b] = [wordsOf(before), wordsOf(after)]
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const same = (words: readonly string[]) => words.map((text): Piece => ({ kind: 'same', text }))
  return joined([
    ...same(a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ])
}

/** Cached, because creating a segmenter takes longer than comparing two short texts. */
const segmenters = new Map<string, Intl.Segmenter>()

function segmenterOf(language: string): Intl.Segmenter {
  const segmenter = segmenters.get(language) ?? createSegmenter(language)
  segmenters.set(language, segmenter)
  return segmenter
}

/** Falls back to a neutral segmenter if `language` is not a valid tag. */
function createSegmenter(language: string): Intl.Segmenter {
  try {
    return new Intl.Segmenter(language.replaceAll('_', '-'), { granularity: 'word' })
  } catch {
    return new Intl.Segmenter('und', { granularity: 'word' })
  }
}

/** Keeps the longest common sequence of words. */
function middle(a: readonly string[], b: readonly string[]): Piece[] {
  const width = b.length + 1
  const isTooLong = a.length * b.length > MAX_CELLS
  const lengths = new Uint16Array(isTooLong ? 0 : (a.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0 && !isTooLong; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pieces: Piece[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [removed, added] = [a[i], b[j]]
    if (removed !== undefined && removed === added && !isTooLong) {
      pieces.push({ kind: 'same', text: removed })
      i++
      j++
    } else if (removed !== undefined && (added === undefined || at(i + 1, j) >= at(i, j + 1))) {
      pieces.push({ kind: 'removed', text: removed })
      i++
    } else {
      pieces.push({ kind: 'added', text: added ?? '' })
      j++
    }
  }
  return pieces
}

/**
 * Merges adjacent pieces of the same kind, and puts removed pieces before added ones. A space between two replaced
 * words is replaced too.
 */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const found: Piece[] = []
  let [removed, added, space] = ['', '', '']
  const keep = (text: string) => {
    const last = found.at(-1)
    if (last?.kind === 'same') found[found.length - 1] = { kind: 'same', text: last.text + text }
    else if (text !== '') found.push({ kind: 'same', text })
  }
  const flush = () => {
    if (removed !== '') found.push({ kind: 'removed', text: removed })
    if (added !== '') found.push({ kind: 'added', text: added })
    keep(space)
    removed = added = space = ''
  }
  for (const { kind, text } of pieces) {
    if (kind === 'same' && removed !== '' && added !== '' && text.trim() === '') space += text
    else if (kind === 'same') {
      flush()
      keep(text)
    } else {
      const [before, after] = kind === 'removed' ? [text, ''] : ['', text]
      removed += space + before
      added += space + after
      space = ''
    }
  }
  flush()
  return found
}
