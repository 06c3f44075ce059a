/** Figures, quotes, colours and tables for a terminal. Pure. */
import { randomUUID } from 'node:crypto'
import { stripVTControlCharacters, styleText } from 'node:util'
import { printable } from '../shared/printable.ts'

/**
 * Stands for the escape character in this package's own output until it is written. Nobody can guess it, so an escape
 * character in a name or a text is shown and has no effect.
 */
export const OWN_ESCAPE = `\uE01B${randomUUID()}\uE01B`

/** The text as it is written: this package's own escape sequences work, all other control characters are shown. */
export function toTerminal(text: string): string {
  return text
    .split(OWN_ESCAPE)
    .map((part) => part.split('\n').map(printable).join('\n'))
    .join('\u001b')
}

export type Tone = 'bold' | 'dim' | 'inverse' | 'red' | 'green' | 'yellow' | 'cyan'

/** Colours a text, or gives it back as it is where there are no colours. */
export type Paint = (tone: Tone, text: string) => string

export const plain: Paint = (_tone, text) => text

/** Without a look at the streams: standard error may have colours while standard output is a pipe. */
export const coloured: Paint = (tone, text) =>
  styleText(tone, '\0', { validateStream: false })
    .replaceAll('\u001b', OWN_ESCAPE)
    .replace('\0', () => text)

/** `8 s`, `3 min`, `2 h 05 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** A text in quotes, on one line, cut with an ellipsis if it has more than `most` characters. */
export function quoted(text: string, most = 60): string {
  const characters = [...text]
  const shown = characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text
  return printable(JSON.stringify(shown))
}

/** Without this package's own colours. Other escape characters are text. */
export function withoutColours(text: string): string {
  const [first = '', ...rest] = text.split(OWN_ESCAPE)
  return first + rest.map((part) => stripVTControlCharacters(`\u001b${part}`)).join('')
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u

/** Columns that a text takes on a terminal: wide characters two, combining ones none. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of withoutColours(text).replace(/[\p{Mark}\p{Cf}]/gu, ''))
    width += WIDE.test(character) || /\p{Emoji_Presentation}/u.test(character) ? 2 : 1
  return width
}

export interface Column<Row> {
  readonly title: string
  readonly align?: 'left' | 'right'
  readonly value: (row: Row) => string
}

/** Aligned columns under a dim head, two spaces between; no trailing space. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], paint: Paint = plain): string {
  const head = columns.map(({ title }) => title)
  const cells = rows.map((row) => columns.map(({ value }) => value(row)))
  const widthAt = (at: number) =>
    cells.reduce((most, line) => Math.max(most, widthOf(line[at] ?? '')), widthOf(head[at] ?? ''))
  const widths = columns.map((_, at) => widthAt(at))
  const line = (values: readonly string[]) => {
    const padded = values.map((value, at) => {
      const space = ' '.repeat((widths[at] ?? 0) - widthOf(value))
      return columns[at]?.align === 'right' ? space + value : value + space
    })
    return padded.join('  ').trimEnd()
  }
  return [paint('dim', line(head)), ...cells.map(line)].join('\n')
}
