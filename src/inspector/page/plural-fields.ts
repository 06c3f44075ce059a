/** Splits an ICU message with a single plural into parts that are edited separately, and joins them again. Pure. */
import type { PluralType } from '../../catalog/plurals.ts'

export interface PluralText {
  /** The parts of the message before the first form and after the last one. */
  readonly before: string
  readonly after: string
  readonly name: string
  readonly type: PluralType
  /** The whitespace between two forms. */
  readonly gap: string
  /** The keys are selectors, such as `one` or `=0`. */
  readonly forms: ReadonlyMap<string, string>
}

const HEAD = /\{\s*([^\s{},]+)\s*,\s*(plural|selectordinal)\s*,\s*(?:offset:\s*\d+\s*)?/y
const SELECTOR = /(\s*)([^\s{}]+)\s*(?=\{)/y

/** `undefined` if the message contains no plural, several plurals or an error. */
export function readPlural(text: string): PluralText | undefined {
  let found: PluralText | undefined
  for (let at = 0; at < text.length; at++) {
    const skipped = quotedEnd(text, at)
    if (skipped !== undefined) at = skipped
    else if (text[at] === '}') return undefined
    else if (text[at] === '{') {
      const head = matchAt(HEAD, text, at)
      const end = closing(text, at)
      if (end === undefined || (head && found)) return undefined
      if (head) found = readForms(text, head, at + head[0].length, end)
      if (head && !found) return undefined
      at = end
    }
  }
  return found
}

export function writePlural({ before, after, gap, forms }: PluralText): string {
  const written = Array.from(forms, ([selector, text]) => `${selector} {${text}}`)
  return before + written.join(gap) + after
}

/** Returns the plural with this form changed. Empty forms are removed, except `other`, which every message requires. */
export function withForm(plural: PluralText, selector: string, text: string, order: readonly string[]): PluralText {
  const forms = new Map(plural.forms)
  if (text === '' && selector !== 'other') forms.delete(selector)
  else forms.set(selector, text)
  const rank = (name: string) => (name.startsWith('=') ? -1 : order.indexOf(name))
  const sorted = [...forms].sort(([a], [b]) => rank(a) - rank(b))
  return { ...plural, forms: plural.forms.has(selector) ? forms : new Map(sorted) }
}

/** The same plural with empty forms, for a language that has no text yet. */
export function emptied(plural: PluralText): PluralText {
  const head = plural.before.slice(plural.before.lastIndexOf('{', plural.before.search(/,\s*(?:plural|selectordinal)/)))
  return { ...plural, before: head, after: '}', forms: new Map([['other', '']]) }
}

function readForms(text: string, head: RegExpExecArray, start: number, end: number): PluralText | undefined {
  const forms = new Map<string, string>()
  const gaps: string[] = []
  let at = start
  while (text.slice(at, end).trim() !== '') {
    const [whole, gap = '', selector = ''] = matchAt(SELECTOR, text, at) ?? []
    const close = whole === undefined ? undefined : closing(text, at + whole.length)
    if (whole === undefined || close === undefined || close >= end || forms.has(selector)) return undefined
    gaps.push(gap)
    forms.set(selector, text.slice(at + whole.length + 1, close))
    at = close + 1
  }
  if (forms.size === 0) return undefined
  return {
    before: text.slice(0, start) + (gaps[0] ?? ''),
    after: text.slice(at),
    name: head[1] ?? '',
    type: head[2] === 'plural' ? 'cardinal' : 'ordinal',
    gap: gaps[1] || ' ',
    forms,
  }
}

/** The index of the brace that closes the brace at index `open`. */
function closing(text: string, open: number): number | undefined {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    const skipped = quotedEnd(text, at)
    if (skipped !== undefined) at = skipped
    else if (text[at] === '{') depth++
    else if (text[at] === '}' && --depth === 0) return at
  }
  return undefined
}

/** The index at which the text quoted by an apostrophe ends; `undefined` if the apostrophe quotes nothing. */
function quotedEnd(text: string, at: number): number | undefined {
  if (text[at] !== "'") return undefined
  if (text[at + 1] === "'") return at + 1
  if (!/[{}#|]/.test(text[at + 1] ?? '')) return undefined
  for (let end = at + 2; end < text.length; end++) {
    if (text[end] !== "'") continue
    if (text[end + 1] !== "'") return end
    end++
  }
  return text.length - 1
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
