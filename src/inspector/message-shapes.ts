/**
 * The texts that a page can show for a message with placeholders. Supports `{x}`, `{{x}}`, ICU, tags, i18next's `$t()`,
 * vue-i18n's `@:` links and `a | b` plurals, and printf. Pure.
 */
import { isPluralElement, isSelectElement, type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser'
import { guessSyntax, parseIcu } from '../catalog/placeholders.ts'

/** Literal pieces in order, with any text between them. A single piece is the whole text. */
export type Shape = readonly string[]

const ANY_TEXT: Shape = ['', '']

/** Nested plurals multiply the number of shapes. */
const MOST_SHAPES = 24

const PLACEHOLDER = new RegExp(
  [
    /\{\{[^{}]*\}\}/,
    /%\{\w+\}/,
    /\$\{\w+\}/,
    /\{[^{}]*\}/,
    /\$t\((?:[^()]|\([^()]*\))*\)/,
    /@(?:\.\w+)?:(?:\([^()]*\)|\{[^{}]*\}|[\w.-]+)/,
    /%(?:\d+\$)?[-+0#]*\d*(?:\.\d+)?[sdifu@]/,
    /__\w+__/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)
const TAG = /<\/?[A-Za-z0-9][^<>]*>/g
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  copy: '©',
}

/** Without shapes that match nearly every text, such as a single placeholder. */
export function shapesOf(message: string): readonly Shape[] {
  return rawShapes(message).map(asShown).filter(isSpecific)
}

/** True if a text of the page, on one line, has this shape. Takes linear time. */
export function hasShape(text: string, shape: Shape): boolean {
  const [first = '', ...middle] = shape
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

/** Collapses whitespace like a page. */
export function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function rawShapes(message: string): readonly Shape[] {
  if (!/[{<%$@&|_]/.test(message)) return [[message]]
  if (guessSyntax(message) === 'icu') {
    try {
      return icuShapes(parseIcu(message))
    } catch {
      return [message.split(PLACEHOLDER)]
    }
  }
  const forms = message.split(/\s\|\s/)
  return [message, ...(forms.length > 1 ? forms : [])].map((form) => form.split(PLACEHOLDER))
}

function icuShapes(elements: readonly MessageFormatElement[]): readonly Shape[] {
  let shapes: readonly Shape[] = [['']]
  for (const element of elements) {
    const next = elementShapes(element)
    shapes = shapes.flatMap((shape) => next.map((more) => joined(shape, more))).slice(0, MOST_SHAPES)
  }
  return shapes
}

function elementShapes(element: MessageFormatElement): readonly Shape[] {
  if (element.type === TYPE.literal) return [[element.value]]
  if (isPluralElement(element) || isSelectElement(element)) {
    return Object.values(element.options).flatMap(({ value }) => icuShapes(value))
  }
  return [ANY_TEXT]
}

function joined(left: Shape, right: Shape): Shape {
  return [...left.slice(0, -1), `${left.at(-1) ?? ''}${right[0] ?? ''}`, ...right.slice(1)]
}

function asShown(shape: Shape): Shape {
  const pieces = shape.map((piece) => withoutEntities(piece.replace(TAG, '')).replace(/\s+/g, ' '))
  return pieces.map((piece, at) => {
    const left = at === 0 ? piece.trimStart() : piece
    return at === pieces.length - 1 ? left.trimEnd() : left
  })
}

function withoutEntities(text: string): string {
  return text.replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole
    const code = Number(name.replace(/^#x/i, '0x').replace('#', ''))
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** A single letter between placeholders would match everywhere. */
function isSpecific(shape: Shape): boolean {
  const letters = shape.join('').match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return shape.length === 1 ? shape[0] !== '' : letters >= 2
}
