/**
 * What a message can look like on a page once its placeholders are filled in: literal pieces in order, with anything between them.
 * Knows `{x}`, `{{x}}`, ICU, tags, i18next's `$t()`, vue-i18n's `@:` links and `a | b` plurals, printf. Pure.
 */
import { isPluralElement, isSelectElement, type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser'
import { guessSyntax, parseIcu } from '../catalog/placeholders.ts'

/** One piece alone is the whole text. Between two of them, anything. */
export type Shape = readonly string[]

/** Plurals in plurals multiply; of more shapes the rest counts as anything. */
const MOST_SHAPES = 24
const FILLED =
  /\{\{[^{}]*\}\}|%\{\w+\}|\$\{\w+\}|\{[^{}]*\}|\$t\((?:[^()]|\([^()]*\))*\)|@(?:\.\w+)?:(?:\([^()]*\)|\{[^{}]*\}|[\w.-]+)|%(?:\d+\$)?[-+0#]*\d*(?:\.\d+)?[sdifu@]|__\w+__/g
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

/** Empty where the text on a page would tell nothing: a placeholder alone, for one. */
export function shapesOf(message: string): readonly Shape[] {
  return rawShapes(message).map(normalized).filter(isTelling)
}

/** Does a text of the page, in one line, have this shape? In time linear to the text. */
export function hasShape(text: string, shape: Shape): boolean {
  const [first = '', ...rest] = shape
  const last = rest.pop()
  if (last === undefined) return text === first
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

/** White space as a page shows it. */
export function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function rawShapes(message: string): readonly Shape[] {
  if (!/[{<%$@&|_]/.test(message)) return [[message]]
  if (guessSyntax(message) === 'icu') {
    try {
      return icuShapes(parseIcu(message))
    } catch {
      return [cut(message)]
    }
  }
  const forms = message.split(/\s\|\s/)
  return forms.length === 1 ? [cut(message)] : [cut(message), ...forms.map(cut)]
}

function cut(text: string): Shape {
  return text.split(FILLED)
}

function icuShapes(elements: readonly MessageFormatElement[]): readonly Shape[] {
  let shapes: Shape[] = [['']]
  for (const element of elements) {
    const next = elementShapes(element)
    shapes = shapes.flatMap((shape) => next.map((more) => joined(shape, more))).slice(0, MOST_SHAPES)
  }
  return shapes
}

const ANYTHING: Shape = ['', '']

function elementShapes(element: MessageFormatElement): readonly Shape[] {
  if (element.type === TYPE.literal) return [[element.value]]
  if (isPluralElement(element) || isSelectElement(element)) {
    return Object.values(element.options).flatMap(({ value }) => icuShapes(value))
  }
  return [ANYTHING]
}

function joined(left: Shape, right: Shape): Shape {
  return [...left.slice(0, -1), `${left.at(-1) ?? ''}${right[0] ?? ''}`, ...right.slice(1)]
}

function normalized(shape: Shape): Shape {
  const pieces = shape.map((piece) => decoded(piece.replace(TAG, '')).replace(/\s+/g, ' '))
  return pieces.map((piece, at) => {
    const left = at === 0 ? piece.trimStart() : piece
    return at === pieces.length - 1 ? left.trimEnd() : left
  })
}

function decoded(text: string): string {
  return text.replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** One letter between placeholders is found everywhere. */
function isTelling(shape: Shape): boolean {
  const letters = shape.join('').match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return shape.length === 1 ? shape[0] !== '' : letters >= 2
}
