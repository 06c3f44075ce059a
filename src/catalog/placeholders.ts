/** Reads a text's placeholders, `{x}`, `{{x}}` and ICU arguments, and an ICU message's plurals and selects. Pure. */
import {
  isArgumentElement,
  isLiteralElement,
  isNumberElement,
  isPluralElement,
  isPoundElement,
  isSelectElement,
  isTagElement,
  type MessageFormatElement,
  type PluralElement,
  parse,
  TYPE,
} from '@formatjs/icu-messageformat-parser'
import { messageOf } from '../errors.ts'
import type { PluralType } from './plurals.ts'

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
const DOUBLE = /\{\{-?\s*([^{}\s,]+)\s*(?:,([^{}]*))?\}\}/g
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
      return readIcuMessage(parseIcu(text)).placeholders
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
  switch (/^\w+/.exec(format?.trimStart() ?? '')?.[0]) {
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

export interface IcuPlural {
  readonly name: string
  readonly type: PluralType
  readonly offset: number
  /** The numbers that have their own form, such as `=0`. */
  readonly exact: ReadonlySet<number>
  /** The categories. The value is true if the category's form shows the number. */
  readonly categories: ReadonlyMap<string, boolean>
}

export interface IcuMessage {
  readonly placeholders: readonly Placeholder[]
  readonly names: ReadonlySet<string>
  /** The arguments whose values the text shows. Other arguments only select a form. */
  readonly shown: ReadonlySet<string>
  /** The numbers that the text shows outside their plurals, as in `{n} {n, plural, one {file} other {files}}`. */
  readonly besidePlurals: ReadonlySet<string>
  readonly plurals: readonly IcuPlural[]
  /** The branches of all selects, by argument. */
  readonly selects: ReadonlyMap<string, ReadonlySet<string>>
}

/** @param elements a message that was parsed with `ignoreTag` */
export function readIcuMessage(elements: readonly MessageFormatElement[]): IcuMessage {
  const message = {
    placeholders: [] as Placeholder[],
    names: new Set<string>(),
    shown: new Set<string>(),
    besidePlurals: new Set<string>(),
    plurals: [] as IcuPlural[],
    selects: new Map<string, Set<string>>(),
  }
  const visit = (children: readonly MessageFormatElement[], around: readonly string[]): void => {
    for (const element of children) {
      if (isLiteralElement(element)) continue
      if (isPoundElement(element)) {
        message.shown.add(around.at(-1) ?? '')
        continue
      }
      if (isTagElement(element)) {
        visit(element.children, around)
        continue
      }
      const { value: name } = element
      message.placeholders.push({ name, kind: icuKind(element) })
      message.names.add(name)
      if (isPluralElement(element)) {
        message.plurals.push(readPlural(element))
        for (const { value } of Object.values(element.options)) visit(value, [...around, name])
      } else if (isSelectElement(element)) {
        const branches = message.selects.get(name) ?? new Set()
        message.selects.set(name, branches)
        for (const [branch, { value }] of Object.entries(element.options)) {
          branches.add(branch)
          visit(value, around)
        }
      } else {
        message.shown.add(name)
        if (!around.includes(name)) message.besidePlurals.add(name)
      }
    }
  }
  visit(elements, [])
  return message
}

function readPlural({ value: name, offset, pluralType, options }: PluralElement): IcuPlural {
  const exact = new Set<number>()
  const categories = new Map<string, boolean>()
  for (const [option, { value }] of Object.entries(options)) {
    if (option.startsWith('=')) exact.add(Number(option.slice(1)))
    else categories.set(option, showsNumber(value, name, true))
  }
  return { name, type: pluralType ?? 'cardinal', offset, exact, categories }
}

/** @param isOwn true if `#` is this plural's number, not that of a plural inside it */
function showsNumber(elements: readonly MessageFormatElement[], name: string, isOwn: boolean): boolean {
  return elements.some((element) => {
    if (isPoundElement(element)) return isOwn
    if (isArgumentElement(element) || isNumberElement(element)) return element.value === name
    if (isTagElement(element)) return showsNumber(element.children, name, isOwn)
    if (!isPluralElement(element) && !isSelectElement(element)) return false
    const isSame = isPluralElement(element) ? element.value === name : isOwn
    return Object.values(element.options).some(({ value }) => showsNumber(value, name, isSame))
  })
}
