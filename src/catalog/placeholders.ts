/** The placeholders of one text: `{x}`, `{{x}}` and ICU arguments. Sole owner of reading them. Pure. */
import {
  isPluralElement,
  isSelectElement,
  isTagElement,
  type MessageFormatElement,
  parse,
  TYPE,
} from '@formatjs/icu-messageformat-parser'

/** `double`: `{{x}}`; `single`: `{x}` and nothing more; `icu`: ICU messages; `none`: texts have no placeholders. */
export type Syntax = 'double' | 'single' | 'icu' | 'none'

export interface Placeholders {
  readonly names: ReadonlySet<string>
  /** What is wrong with the ICU message. */
  readonly problem?: string
}

/** What a placeholder is filled with. `any`: a format of the app's own. */
export type PlaceholderKind =
  | { readonly type: 'text' | 'number' | 'date' | 'list' | 'any' }
  | { readonly type: 'select'; readonly options: readonly string[] }

/** One occurrence; a name may have several, of different kinds. */
export interface Placeholder {
  readonly name: string
  readonly kind: PlaceholderKind
}

/** `{{ name }}`, `{{- name }}`, `{{value, number}}`. */
const DOUBLE = /\{\{-?\s*([^{}\s,]+)\s*(?:,\s*([^{}]*))?\}\}/g
const SINGLE = /\{\s*([\p{L}_$][\p{L}\p{N}_$.-]*|\d+)\s*\}/gu
/** `{count, plural, ...` and the other formats: no text that is not ICU looks like this, but for `{{value, number}}`. */
const ICU_FORMAT = /(?<!\{)\{\s*[^\s{},']+\s*,\s*(?:plural|select|selectordinal|number|date|time)\b/

/** What a text looks like by itself. */
export function guessSyntax(text: string): Syntax {
  if (!text.includes('{')) return 'none'
  if (ICU_FORMAT.test(text)) return 'icu'
  if (/\{\{[^{}]+\}\}/.test(text)) return 'double'
  return 'single'
}

export function placeholdersOf(text: string, syntax: Syntax): Placeholders {
  try {
    return { names: new Set(listPlaceholders(text, syntax).map(({ name }) => name)) }
  } catch (error) {
    return { names: new Set(), problem: describeProblem(error) }
  }
}

/** Every occurrence, in no promised order. Throws what the ICU parser throws. */
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

/** Tags are left in the literals: they are the app's markup, not part of every ICU dialect. Places count in UTF-16 code units. */
export function parseIcu(text: string): MessageFormatElement[] {
  return parse(text, { ignoreTag: true, captureLocation: true })
}

/** The formats that i18next brings along. */
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

/** `missing other clause at character 20`. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { start } = (error as ParserError).location ?? {}
  const what = error.message.toLowerCase().replaceAll('_', ' ')
  if (!start) return what
  return `${what} at ${start.line > 1 ? `line ${start.line}, ` : ''}character ${start.column}`
}
