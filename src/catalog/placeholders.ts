/** Reads a text's placeholders: `{x}`, `{{x}}` and ICU arguments. Pure. */

import {
  isPluralElement,
  isSelectElement,
  isTagElement,
  type MessageFormatElement,
  parse,
  TYPE,
} from '@formatjs/icu-messageformat-parser'
import { messageOf } from '../errors.ts'

/**
 * The syntax of placeholders. `double`: `{{x}}`. `single`: only `{x}`. `icu`: ICU messages. `none`: texts have no
 * placeholders.
 */
export type Syntax = 'double' | 'single' | 'icu' | 'none'

/** The kind of value that a placeholder takes. `any` is for formats that the app defines. */
type PlaceholderKind =
  | { readonly type: 'text' | 'number' | 'date' | 'list' | 'any' }
  | { readonly type: 'select'; readonly options: readonly string[] }

/** One occurrence of a placeholder. A name may occur several times, with different kinds. */
export interface Placeholder {
  readonly name: string
  readonly kind: PlaceholderKind
}

/** Matches `{{ name }}`, `{{- name }}` and `{{value, number}}`. */
const DOUBLE = /\{\{-?\s*([^{}\s,]+)\s*(?:,\s*([^{}]*))?\}\}/g
const SINGLE = /\{\s*([\p{L}_$][\p{L}\p{N}_$.-]*|\d+)\s*\}/gu
/**
 * Matches `{count, plural, ...` and other ICU formats, but not `{{value, number}}`. Only ICU messages look like this.
 */
const ICU_FORMAT = /(?<!\{)\{\s*[^\s{},']+\s*,\s*(?:plural|select|selectordinal|number|date|time)\b/

/** Guesses the syntax from the text alone. */
export function guessSyntax(text: string): Syntax {
  if (!text.includes('{')) return 'none'
  if (ICU_FORMAT.test(text)) return 'icu'
  if (/\{\{[^{}]+\}\}/.test(text)) return 'double'
  return 'single'
}

/** All placeholders, in any order. Throws the ICU parser's errors. */
export function listPlaceholders(text: string, syntax: Syntax): readonly Placeholder[] {
  switch (syntax) {
    case 'none':
      return []
    case 'double':
      return [...text.matchAll(DOUBLE)].map(([, name = '', format]) => ({ name, kind: formattedKind(format) }))
    case 'single':
      return [...text.matchAll(SINGLE)].map(([, name = '']) => ({ name, kind: { type: 'text' } }))
    case 'icu':
      return icuPlaceholders(parseIcu(text))
  }
}

/**
 * Parses an ICU message. Tags remain in the literals, because not all ICU dialects have tags. Offsets count UTF-16 code
 * units.
 */
export function parseIcu(text: string): MessageFormatElement[] {
  return parse(text, { ignoreTag: true, captureLocation: true })
}

function formattedKind(format: string | undefined): PlaceholderKind {
  switch (/^\w+/.exec(format ?? '')?.[0]) {
    case undefined:
      return { type: format === undefined || format.trim() === '' ? 'text' : 'any' }
    case 'number':
    case 'currency':
    case 'relativetime':
      return { type: 'number' }
    case 'datetime':
      return { type: 'date' }
    case 'list':
      return { type: 'list' }
    default:
      return { type: 'any' }
  }
}

function icuPlaceholders(elements: readonly MessageFormatElement[]): Placeholder[] {
  const found: Placeholder[] = []
  const pending = [...elements]
  for (let element = pending.pop(); element; element = pending.pop()) {
    if (element.type === TYPE.literal || element.type === TYPE.pound) continue
    if (isTagElement(element)) {
      pending.push(...element.children)
      continue
    }
    found.push({ name: element.value, kind: icuKind(element) })
    if (isPluralElement(element) || isSelectElement(element))
      for (const { value } of Object.values(element.options)) pending.push(...value)
  }
  return found
}

function icuKind(element: MessageFormatElement): PlaceholderKind {
  switch (element.type) {
    case TYPE.number:
    case TYPE.plural:
      return { type: 'number' }
    case TYPE.date:
    case TYPE.time:
      return { type: 'date' }
    case TYPE.select:
      return { type: 'select', options: Object.keys(element.options) }
    default:
      return { type: 'text' }
  }
}

interface ParserError extends Error {
  readonly location?: { readonly start: { readonly line: number; readonly column: number } }
}

/** Describes the parser's error, such as `missing other clause at character 20`. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error)
  const { start } = (error as ParserError).location ?? {}
  const what = error.message.toLowerCase().replaceAll('_', ' ')
  if (!start) return what
  return `${what} at ${start.line > 1 ? `line ${start.line}, ` : ''}character ${start.column}`
}
