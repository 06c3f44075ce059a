/**
 * Checks ICU syntax, and that a translation has the same placeholders and tags as the text that it translates. Pure.
 */
import { describeCategory } from './check-plurals.ts'
import { error, type Problem, showNames, warning } from './finding.ts'
import {
  describeProblem,
  guessSyntax,
  type IcuMessage,
  listPlaceholders,
  parseIcu,
  readIcuMessage,
  type Syntax,
} from './placeholders.ts'
import type { PluralKey, PluralRulesOf } from './plurals.ts'

export interface ReadText {
  readonly names: ReadonlySet<string>
  /**
   * The values that the text shows. Excludes arguments that only select a form, because a translation may omit those.
   */
  readonly shown: ReadonlySet<string>
  readonly icu?: IcuMessage
  readonly problem?: string
}

export type ReadTextAs = (text: string, syntax: Syntax) => ReadText

const NO_TEXT: ReadText = { names: new Set(), shown: new Set() }

export function readText(text: string, syntax: Syntax): ReadText {
  if (syntax === 'none' || !hasBraces(text)) return NO_TEXT
  try {
    if (syntax === 'icu') {
      const icu = readIcuMessage(parseIcu(text))
      return { names: icu.names, shown: icu.shown, icu }
    }
    const names = new Set(listPlaceholders(text, syntax).map(({ name }) => name))
    return { names, shown: names }
  } catch (cause) {
    return { ...NO_TEXT, problem: describeProblem(cause) }
  }
}

function hasBraces(text: string): boolean {
  return text.includes('{') || text.includes('}')
}

/** Returns a reader that parses each ICU message only once, even if the message is compared with many languages. */
export function createReader(): ReadTextAs {
  const known = new Map<string, ReadText>()
  return (text, syntax) => {
    if (syntax !== 'icu' || !hasBraces(text)) return readText(text, syntax)
    const read = known.get(text) ?? readText(text, syntax)
    known.set(text, read)
    return read
  }
}

/** The syntax of one message's texts in all languages: ICU if any of these texts can only be ICU. */
export function commonSyntax(texts: readonly (string | undefined)[]): Syntax {
  const guesses = texts.map((text) => (text === undefined ? 'none' : guessSyntax(text)))
  return (['icu', 'double', 'single'] as const).find((each) => guesses.includes(each)) ?? 'none'
}

export interface PlaceholderCheck {
  readonly language: string
  readonly own: ReadText
  /** The default language's text for the same key. */
  readonly reference: ReadText | undefined
  /** The default language's text for `other`. */
  readonly general: ReadText | undefined
  /** The plural form of a key such as `item_one`. */
  readonly form: PluralKey | undefined
  /** Names that every text may show. */
  readonly always?: readonly string[]
}

export function checkPlaceholders(check: PlaceholderCheck, rulesOf: PluralRulesOf): Problem[] {
  const { language, own, reference, general, form, always = [] } = check
  if (own.problem !== undefined) return [error('icu', `is not a valid ICU message: ${own.problem}`)]
  // If a text of the default language has a problem, the problem is reported for that text.
  const others = [reference, general].filter((text) => text !== undefined && text.problem === undefined)
  if (others.length === 0) return []
  const numbers = form && manyNumbers(language, form, rulesOf)
  const expected = expectedText(check, numbers)
  const isOptional = (name: string) => name === 'count' && form !== undefined && !numbers
  const missing = [...expected.shown].filter((name) => !own.names.has(name) && !isOptional(name))
  const allowed = new Set([
    ...others.flatMap((text) => [...(text?.names ?? [])]),
    ...always,
    ...(form ? ['count'] : []),
  ])
  const unknown = [...own.names].filter((name) => !allowed.has(name))
  const isSurprise = numbers && missing.includes('count') && reference && !reference.names.has('count')
  const why = isSurprise ? ` (the form ${describeCategory(form?.category ?? '', numbers)})` : ''
  const parts = [
    ...(missing.length > 0 ? [`lacks ${showNames(missing)}${why}`] : []),
    ...(unknown.length > 0 ? [`has ${showNames(unknown)}, which the default language does not`] : []),
  ]
  return parts.length === 0 ? [] : [error('placeholders', parts.join(' and '))]
}

/**
 * The text whose placeholders are expected. For a form for a single number, such as "nothing found", this is the
 * default language's same form, or an empty text if it lacks the form. For other forms, it is the form `other`.
 */
function expectedText({ reference, general, form }: PlaceholderCheck, numbers: readonly number[] | undefined) {
  if (form && !numbers) return reference ?? NO_TEXT
  return (general?.problem === undefined ? general : undefined) ?? reference ?? NO_TEXT
}

/** The numbers that the form covers; `undefined` if it covers only one and need not show it, as in "One file". */
function manyNumbers(language: string, form: PluralKey, rulesOf: PluralRulesOf): readonly number[] | undefined {
  const rules = rulesOf(language, form.type)
  if (rules) return rules.manyNumbers(form.category)
  return ['zero', 'one', 'two'].includes(form.category) ? undefined : []
}

interface Tag {
  readonly name: string
  readonly kind: 'start' | 'end' | 'empty'
}

const TAG = /<(\/?)(\p{L}[\p{L}\p{N}._-]*|\d+)(\s[^<>]*|\/)?>/gu
/** HTML elements without an end tag. */
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'wbr'])

/** Tags for emphasis and line breaks. They may differ between languages: Chinese has no italics. */
const TYPOGRAPHY: ReadonlySet<string> = new Set([
  'b',
  'br',
  'em',
  'hr',
  'i',
  'mark',
  'small',
  'strong',
  'sub',
  'sup',
  'u',
  'wbr',
])

/**
 * Compares the tags in two texts. A tag must have an end tag, end with `/>`, or be a void element such as `<br>`. So `a
 * < b`, `<email@example.com>` and `<unknown>` are not tags.
 */
export function checkTags(text: string, reference: string): Problem[] {
  if (!text.includes('<') && !reference.includes('<')) return []
  // In ICU messages, a quoted tag is plain text.
  if (text.includes("'<") || reference.includes("'<")) return []
  const own = readTags(text)
  const others = readTags(reference)
  const expected = tagNames(others)
  const [ownNames, otherNames] = [namesOf(own), namesOf(others)]
  const missing = [...expected].filter((name) => !ownNames.has(name))
  const unknown = [...tagNames(own)].filter((name) => !otherNames.has(name))
  const open = firstUnclosed(others, expected) === undefined ? firstUnclosed(own, expected) : undefined
  const parts = [
    ...(missing.length > 0 ? [`lacks ${missing.map(show).join(', ')}`] : []),
    ...(unknown.length > 0 ? [`has ${unknown.map(show).join(', ')}, which the default language does not`] : []),
    ...(open === undefined ? [] : [`has unbalanced ${show(open)} tags`]),
  ]
  if (parts.length === 0) return []
  const isTypography = [...missing, ...unknown].every((name) => TYPOGRAPHY.has(name))
  const isWarning = isTypography && open === undefined && expected.size > 0 && tagNames(own).size > 0
  return [(isWarning ? warning : error)('tags', parts.join(' and '))]
}

function readTags(text: string): readonly Tag[] {
  return [...text.matchAll(TAG)].map(([, slash, name = '', attributes = '']) => {
    if (slash) return { name, kind: 'end' }
    return { name, kind: attributes.endsWith('/') ? 'empty' : 'start' }
  })
}

function tagNames(tags: readonly Tag[]): ReadonlySet<string> {
  const ended = namesOf(tags, 'end')
  const isTag = ({ name, kind }: Tag) => kind === 'empty' || VOID.has(name) || (kind === 'start' && ended.has(name))
  return new Set(tags.filter(isTag).map(({ name }) => name))
}

function namesOf(tags: readonly Tag[], kind?: Tag['kind']): ReadonlySet<string> {
  return new Set(tags.filter((tag) => kind === undefined || tag.kind === kind).map(({ name }) => name))
}

function firstUnclosed(tags: readonly Tag[], names: ReadonlySet<string>): string | undefined {
  const open: string[] = []
  const ended = namesOf(tags, 'end')
  for (const { name, kind } of tags) {
    if (!names.has(name) || kind === 'empty' || (VOID.has(name) && !ended.has(name))) continue
    if (kind === 'start') open.push(name)
    else if (open.pop() !== name) return name
  }
  return open.pop()
}

function show(name: string): string {
  return `<${name}>`
}
