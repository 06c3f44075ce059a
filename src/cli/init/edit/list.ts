/** Adds an item to an array or an object in a source text, in the layout of the items that are there. */
import type { ArrayExpression, Node, ObjectExpression } from '@babel/types'
import { endOf, type Insertion, indentAt, type Source, startOf } from './source.ts'

export type List = ArrayExpression | ObjectExpression

const itemsOf = (list: List): Node[] =>
  list.type === 'ArrayExpression' ? list.elements.flatMap((item) => item ?? []) : [...list.properties]

/** `code` may have several lines, each indented as if the item stood at the start of a line. */
export function appendItem({ text, style, ast }: Source, list: List, code: string): Insertion[] {
  const last = itemsOf(list).at(-1)
  if (!last) return fillEmpty({ text, style }, list, code)
  const end = endOf(last)
  const closing = endOf(list) - 1
  const comma = commaBehind(text, end, closing, ast.comments ?? [])
  const behind = comma === undefined ? end : comma + 1
  const lineEnd = endOfLine(text, behind)
  if (lineEnd >= closing) {
    // The bracket is on the line of the last item.
    const space = comma === undefined ? ', ' : ' '
    return [{ at: behind, text: `${space}${oneLine(code)}` }]
  }
  const line = `${style.lineEnd}${indentLines(code, indentAt(text, startOf(last)), style.lineEnd)}`
  if (comma !== undefined) return [{ at: lineEnd, text: `${line},` }]
  return [
    { at: end, text: ',' },
    { at: lineEnd, text: line },
  ]
}

export function prependItem({ text, style }: Source, list: List, code: string): Insertion[] {
  const [first] = itemsOf(list)
  if (!first) return fillEmpty({ text, style }, list, code)
  const isOnOwnLine = text.slice(startOf(list), startOf(first)).includes('\n')
  const space = isOnOwnLine ? `${style.lineEnd}${indentAt(text, startOf(first))}` : ' '
  return [{ at: startOf(first), text: `${oneLine(code)},${space}` }]
}

function fillEmpty({ text, style }: Pick<Source, 'text' | 'style'>, list: List, code: string): Insertion[] {
  const at = startOf(list) + 1
  const inside = text.slice(at, endOf(list) - 1)
  if (list.type === 'ArrayExpression') return [{ at, text: inside.trim() === '' ? code : `${code},` }]
  const base = indentAt(text, startOf(list))
  const item = `${style.lineEnd}${indentLines(code, base + style.indent, style.lineEnd)}`
  return [{ at, text: `${item}${style.trailingComma}${inside.includes('\n') ? '' : `${style.lineEnd}${base}`}` }]
}

interface Comment {
  readonly start?: number | null
  readonly end?: number | null
}

/** The place of the comma behind an item; one in a comment does not count. */
function commaBehind(text: string, from: number, to: number, comments: readonly Comment[]): number | undefined {
  for (let at = from; at < to; at++) {
    const comment = comments.find(({ start, end }) => (start as number) <= at && at < (end as number))
    if (comment) at = (comment.end as number) - 1
    else if (text[at] === ',') return at
  }
  return undefined
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  if (at < 0) return text.length
  return text[at - 1] === '\r' ? at - 1 : at
}

const indentLines = (code: string, indent: string, lineEnd: string) =>
  code
    .split('\n')
    .map((line) => indent + line)
    .join(lineEnd)

const oneLine = (code: string) => code.replace(/\s*\n\s*/g, ' ').replace(/,(?= [}\]])/g, '')
