/** What became of a text, as two quoted texts with the changed words marked. */
import { printable } from '../shared/printable.ts'
import { type Piece, wordDiff } from '../shared/word-diff.ts'
import { type Paint, plain, quoted } from './text.ts'

/** Longer texts are shown in part: the changed words, with the words around them. */
export const MOST_CHARACTERS = 400
/** Characters that are shown beside a change in such a text. */
const CONTEXT = 60

/**
 * With colours, the changed words are inverse. Without, their marks are those of `git diff --word-diff`: `[-removed-]`
 * and `{+added+}`. Texts without a common word have no marks.
 */
export function quotedChange(before: string, after: string, language: string, paint: Paint): [string, string] {
  const pieces = wordDiff(before, after, language)
  if (!pieces.some(({ kind, text }) => kind === 'same' && /[\p{L}\p{N}]/u.test(text)))
    return [quoted(before, MOST_CHARACTERS), quoted(after, MOST_CHARACTERS)]
  return [show(pieces, 'removed', paint), show(pieces, 'added', paint)]
}

const MARKS = { removed: ['[-', '-]'], added: ['{+', '+}'] } as const

function show(pieces: readonly Piece[], side: 'removed' | 'added', paint: Paint): string {
  const isOwn = ({ kind }: Piece) => kind === 'same' || kind === side
  const isLong = pieces.filter(isOwn).reduce((sum, { text }) => sum + text.length, 0) > MOST_CHARACTERS
  let left = MOST_CHARACTERS
  const shown = pieces.map((piece, at) => {
    if (!isOwn(piece)) return ''
    const isSame = piece.kind === 'same'
    const [head, tail] = isSame ? [at > 0 ? CONTEXT : 0, at < pieces.length - 1 ? CONTEXT : 0] : [left, 0]
    const text = isLong ? excerpt(piece.text, head, tail) : piece.text
    left = Math.max(CONTEXT, left - text.length)
    const escaped = printable(JSON.stringify(text).slice(1, -1))
    if (isSame) return escaped
    return paint === plain ? MARKS[side].join(escaped) : paint('inverse', escaped)
  })
  return `"${shown.join('')}"`
}

/** So many characters of the beginning and of the end, with an ellipsis for the characters between. */
function excerpt(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text
  const characters = Array.from(new Intl.Segmenter('und').segment(text), ({ segment }) => segment)
  if (characters.length <= head + tail) return text
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - tail).join('')}`
}
