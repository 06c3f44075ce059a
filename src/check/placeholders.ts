/** The placeholders of one text: `{x}`, `{{x}}` and ICU arguments. Pure. */
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

/** `{{ name }}`, `{{- name }}`, `{{value, number}}`. */
const DOUBLE = /\{\{-?\s*([^{}\s,]+)\s*(?:,[^{}]*)?\}\}/g
const SINGLE = /\{\s*([\p{L}_$][\p{L}\p{N}_$.-]*|\d+)\s*\}/gu
/** `{count, plural, ...` and the other formats: no text that is not ICU looks like this. */
const ICU_FORMAT = /\{\s*[^\s{},']+\s*,\s*(?:plural|select|selectordinal|number|date|time)\b/

/** What a text looks like by itself. */
export function guessSyntax(text: string): Syntax {
  if (!text.includes('{')) return 'none'
  if (ICU_FORMAT.test(text)) return 'icu'
  if (/\{\{[^{}]+\}\}/.test(text)) return 'double'
  return 'single'
}

export function placeholdersOf(text: string, syntax: Syntax): Placeholders {
  switch (syntax) {
    case 'none':
      return { names: new Set() }
    case 'double':
      return { names: namesIn(text, DOUBLE) }
    case 'single':
      return { names: namesIn(text, SINGLE) }
    case 'icu':
      return icuPlaceholders(text)
  }
}

function namesIn(text: string, pattern: RegExp): ReadonlySet<string> {
  return new Set([...text.matchAll(pattern)].map(([, name]) => name as string))
}

function icuPlaceholders(text: string): Placeholders {
  let elements: MessageFormatElement[]
  try {
    // Tags are markup of the app's, not part of every ICU dialect.
    elements = parse(text, { ignoreTag: true })
  } catch (error) {
    return { names: new Set(), problem: describeProblem(error) }
  }
  const names = new Set<string>()
  const pending = [...elements]
  for (let element = pending.pop(); element; element = pending.pop()) {
    if (element.type === TYPE.literal || element.type === TYPE.pound) continue
    if (isTagElement(element)) {
      pending.push(...element.children)
      continue
    }
    names.add(element.value)
    if (isPluralElement(element) || isSelectElement(element))
      for (const { value } of Object.values(element.options)) pending.push(...value)
  }
  return { names }
}

interface ParserError extends Error {
  readonly location?: { readonly start: { readonly line: number; readonly column: number } }
}

/** `missing other clause at character 20`. */
function describeProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { start } = (error as ParserError).location ?? {}
  const what = error.message.toLowerCase().replaceAll('_', ' ')
  if (!start) return what
  return `${what} at ${start.line > 1 ? `line ${start.line}, ` : ''}character ${start.column}`
}
