/** Formats numbers, quotes, changes, findings, lists, tables, diffs and colors for a terminal. */
import { randomUUID } from 'node:crypto'
import { stripVTControlCharacters, styleText } from 'node:util'
import { formatPlace, LocalizationError, messageOf } from '../errors.ts'
import { printable, printableLines } from '../shared/escape.ts'
import { count, grouped } from '../shared/figures.ts'
import { type Piece, wordDiff } from '../shared/word-diff.ts'

/**
 * Used in the command line's own output instead of the escape character, which `toTerminal` inserts at the end. Real
 * escape characters come from names and texts, and are made visible. No text can contain this value.
 */
export const OWN_ESCAPE = `\uE01B${randomUUID()}\uE01B`

/** Makes control characters in names and texts visible, then restores the escape characters of our own colors. */
export function toTerminal(text: string): string {
  return text.split(OWN_ESCAPE).map(printableLines).join('\u001b')
}

export type Tone = 'bold' | 'dim' | 'inverse' | 'red' | 'green' | 'yellow' | 'cyan'

export type Paint = (tone: Tone, text: string) => string

export const plain: Paint = (_tone, text) => text

/** Always adds colors: the caller decides which streams get them. */
export const coloured: Paint = (tone, text) =>
  styleText(tone, '\0', { validateStream: false })
    .replaceAll('\u001b', OWN_ESCAPE)
    .replace('\0', () => text)

/** Formats a duration, such as `8 s`, `3 min` or `2 h 05 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** Quotes a text on one line. After `most` characters, it is cut and ends in an ellipsis. */
export function quoted(text: string, most = 60): string {
  const characters = [...text]
  const shown = characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text
  return printable(JSON.stringify(shown))
}

/** For longer texts, only the changed words and some context are shown. */
export const MAX_CHARACTERS = 400
/** The number of characters shown on each side of a change. */
const CONTEXT = 60

/**
 * Quotes both texts and marks the changed words: in inverse video, or if there are no colors, as `[-removed-]` and
 * `{+added+}`, like `git diff --word-diff`. Texts that have no word in common get no marks.
 */
export function quotedChange(before: string, after: string, language: string, paint: Paint): [string, string] {
  const pieces = wordDiff(before, after, language)
  if (!pieces.some(({ kind, text }) => kind === 'same' && /[\p{L}\p{N}]/u.test(text)))
    return [quoted(before, MAX_CHARACTERS), quoted(after, MAX_CHARACTERS)]
  return [show(pieces, 'removed', paint), show(pieces, 'added', paint)]
}

const MARKS = { removed: ['[-', '-]'], added: ['{+', '+}'] } as const

function show(pieces: readonly Piece[], side: 'removed' | 'added', paint: Paint): string {
  const isOwn = ({ kind }: Piece) => kind === 'same' || kind === side
  const isLong = pieces.filter(isOwn).reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARACTERS
  let left = MAX_CHARACTERS
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

function excerpt(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text
  const characters = Array.from(new Intl.Segmenter('und').segment(text), ({ segment }) => segment)
  if (characters.length <= head + tail) return text
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - tail).join('')}`
}

/** Formats the first `most` items. If there are more, `restLine` formats their number. */
export function listOf<Item>(
  items: readonly Item[],
  most: number,
  linesOf: (item: Item) => string | readonly string[],
  restLine: (rest: number) => string,
): string[] {
  const lines = items.slice(0, most).flatMap(linesOf)
  return items.length > most ? [...lines, restLine(items.length - most)] : lines
}

/** Removes our own colors. Other escape characters belong to the text. */
export function withoutColours(text: string): string {
  const [first = '', ...rest] = text.split(OWN_ESCAPE)
  return first + rest.map((part) => stripVTControlCharacters(`\u001b${part}`)).join('')
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u

/** The width in terminal columns. Wide characters take two columns, combining characters none. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of withoutColours(text).replace(/[\p{Mark}\p{Cf}]/gu, ''))
    width += WIDE.test(character) || /\p{Emoji_Presentation}/u.test(character) ? 2 : 1
  return width
}

/** Columns of numbers are right-aligned. */
export type Column<Row> = readonly [title: string, value: (row: Row) => string | number | null, align?: 'right']

/** Formats rows as aligned columns below a dim header, without trailing spaces. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], paint: Paint = plain): string {
  const cells = columns.map(([title, value, align]) => {
    const values = rows.map(value)
    const texts = values.map((cell) => (typeof cell === 'number' ? grouped(cell) : printable(cell ?? '')))
    const isRight = align === 'right' || values.some((cell) => typeof cell === 'number')
    const width = texts.reduce((most, cell) => Math.max(most, widthOf(cell)), widthOf(title))
    return [title, ...texts].map((cell) => {
      const space = ' '.repeat(width - widthOf(cell))
      return isRight ? space + cell : cell + space
    })
  })
  const line = (at: number) =>
    cells
      .map((column) => column[at] ?? '')
      .join('  ')
      .trimEnd()
  return [paint('dim', line(0)), ...rows.map((_, at) => line(at + 1))].join('\n')
}

/** A position in a file, as `--json` prints it. */
interface Position {
  readonly file?: string | null | undefined
  readonly line?: number | null | undefined
  readonly column?: number | null | undefined
}

interface ShownFinding extends Position {
  readonly rule: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly language?: string | null
  readonly namespace: string | null
}

/** Formats a position as `file:line:column`. Unknown parts are omitted. */
export function positionText({ file, line, column }: Position): string {
  return [file, line, column].filter((part) => part !== null && part !== undefined).join(':')
}

export function findingLine(finding: ShownFinding, paint: Paint): string {
  const { severity, rule, message, file } = finding
  const where = file === null ? partName(finding) : positionText(finding)
  const tone = severity === 'error' ? 'red' : 'yellow'
  const text = `${paint(tone, severity)} ${printable(message)} ${paint('dim', `(${rule})`)}`
  return where === '' ? text : `${printable(where)}: ${text}`
}

/** Lists the first findings of one rule. `where` follows the rule in the line about the others. */
export function findingLines(group: readonly ShownFinding[], most: number, paint: Paint, where = ''): string[] {
  const restLine = (rest: number) =>
    paint('dim', `  and ${count(rest, 'more finding')} of the rule ${group[0]?.rule}${where}`)
  return listOf(group, most, (finding) => findingLine(finding, paint), restLine)
}

/** Formats a language and namespace as `en/common`. Unknown parts are omitted. */
export function partName({ language = null, namespace }: Pick<ShownFinding, 'language' | 'namespace'>): string {
  return [language, namespace].filter((part) => part !== null).join('/')
}

/** The error's message, for output that shows the error's place separately. */
export function messageWithoutPlace(error: unknown): string {
  const message = messageOf(error)
  const place = error instanceof LocalizationError ? formatPlace(error.place) : ''
  return place !== '' && message.startsWith(`${place}: `) ? message.slice(place.length + 2) : message
}

/** The lines of all hunks; empty if the texts are equal. Ignores differences in line endings. */
export function unifiedDiff(before: string, after: string, context = 3): string[] {
  const lines = compare(linesOf(before), linesOf(after))
  const result: string[] = []
  let [oldLine, newLine] = [1, 1]
  let shownTo = 0
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith(' ') && at >= shownTo) {
      const from = Math.max(shownTo, at - context)
      shownTo = hunkEnd(lines, at, context)
      const hunk = lines.slice(from, shownTo)
      const range = (start: number, other: '-' | '+') => {
        const size = hunk.filter((each) => !each.startsWith(other)).length
        return `${size === 0 ? start - 1 : start},${size}`
      }
      const back = at - from
      result.push(`@@ -${range(oldLine - back, '+')} +${range(newLine - back, '-')} @@`, ...hunk)
    }
    if (!line.startsWith('+')) oldLine++
    if (!line.startsWith('-')) newLine++
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
function hunkEnd(lines: readonly string[], first: number, context: number): number {
  let last = first
  for (let at = first; at < lines.length && at - last <= context * 2 + 1; at++)
    if (!lines[at]?.startsWith(' ')) last = at
  return Math.min(lines.length, last + context + 1)
}

/**
 * The lines of both texts, marked with ` `, `-` or `+`. Not a minimal diff, but good enough for texts with few
 * insertions and removals.
 */
function compare(before: readonly string[], after: readonly string[]): string[] {
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [k, l] = nextMatch(before, i, after, j)
    for (const text of before.slice(i, k)) lines.push(`-${text}`)
    for (const text of after.slice(j, l)) lines.push(`+${text}`)
    if (k < before.length) lines.push(` ${before[k]}`)
    i = k + 1
    j = l + 1
  }
  return lines
}

/** The positions of the next equal lines. Of several, the pair with the fewest lines before it. */
function nextMatch(before: readonly string[], i: number, after: readonly string[], j: number): [number, number] {
  const [most, mostAdded] = [before.length - i, after.length - j]
  for (let sum = 0; sum < most + mostAdded; sum++) {
    for (let removed = Math.max(0, sum - mostAdded + 1); removed <= Math.min(sum, most - 1); removed++)
      if (before[i + removed] === after[j + sum - removed]) return [i + removed, j + sum - removed]
  }
  return [before.length, after.length]
}
