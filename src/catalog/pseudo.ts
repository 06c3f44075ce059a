/** The pseudo-language: the default language's texts, visibly changed but with the same syntax. Pure. */
import { isPluralElement, isSelectElement, type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser'
import { LocalizationError } from '../errors.ts'
import type { Messages } from './model.ts'
import { guessSyntax, parseIcu } from './placeholders.ts'
import type { Translations } from './translations.ts'

/**
 * Adds the pseudo-language. Its texts are created on demand. It is not in the catalog, so it is never written or sent.
 * Throws CONFIG_INVALID if a real language has the same code.
 */
export function withPseudoLanguage(translations: Translations, pseudo: string): Translations {
  const { languages, defaultLanguage, namespaces } = translations
  if (pseudo === defaultLanguage || languages.some(({ key }) => key === pseudo)) {
    throw new LocalizationError(`the option "pseudo" names ${JSON.stringify(pseudo)}, a language that has texts`, {
      code: 'CONFIG_INVALID',
      hint: 'Choose a code that no language uses.',
    })
  }
  const language = Object.freeze({ key: pseudo, name: `Pseudo (${pseudo})`, isDefault: false })
  return {
    ...translations,
    languages: Object.freeze([...languages, language]),
    has: (key, namespace) => (key === pseudo ? namespaces.includes(namespace) : translations.has(key, namespace)),
    chain: (key) => translations.chain(key === pseudo ? defaultLanguage : key),
    values: (key, namespace, customer) =>
      key === pseudo ? translations.defaultValues(namespace, customer) : translations.values(key, namespace, customer),
    messages(key, namespace, customer): Messages {
      if (key !== pseudo) return translations.messages(key, namespace, customer)
      const texts = translations.defaultMessages(namespace, customer)
      return new Map([...texts].map(([name, text]) => [name, pseudoLocalize(text)]))
    },
  }
}

/**
 * Turns a text into `[Ĥééļļö, {name}!]`: with accents, about a third more letters, and brackets that reveal cut-off or
 * joined texts. Placeholders, ICU syntax, tags, entities, printf formats, escapes and URLs do not change.
 * Deterministic.
 */
export function pseudoLocalize(text: string): string {
  if (text.trim() === '' || ADDRESS_ALONE.test(text)) return text
  const kept = keptSpans(text)
  const changed = changeIcu(text, kept) ?? change(text, 0, text.length, [...kept, ...braceSpans(text)])
  return `[${changed}]`
}

type Span = readonly [start: number, end: number]

const ADDRESS = String.raw`(?:\b[a-z][a-z0-9+.-]{0,30}:\/\/|\bmailto:|\btel:|\bwww\.)(?:[^\s<>"'{}]|\{[^{}]*\})+`
const ADDRESS_ALONE = new RegExp(`^\\s*${ADDRESS}\\s*$`, 'i')

/** Matches the parts of a text that are not words, in any syntax. */
const KEPT = new RegExp(
  [
    ADDRESS,
    String.raw`[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+`,
    '<!--.*?-->',
    String.raw`<\/?[a-z0-9](?:[^<>"']|"[^"]*"|'[^']*')*>`,
    String.raw`&(?:#\d+|#x[0-9a-f]+|[a-z][a-z0-9]*);`,
    String.raw`\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|.)`,
    // i18next's nesting and vue-i18n's links.
    String.raw`\$t\((?:[^()]|\([^()]*\))*\)`,
    String.raw`@(?:\.\w+)?:(?:\{[^{}]*\}|\([^()]*\)|[\w.-]+)`,
    // `%name%`, but not the beginning of `%s%s` or `%dx%1$s`.
    String.raw`%(?!(?:hh?|ll?|[jzt])?[a-z]%)[a-z_]\w*%(?!\d+\$)`,
    String.raw`%(?:\d+\$|\(\w+\)|<\w+>)?[-+#0]*(?:[1-9]\d*|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[jzt])?[@a-z%]`,
    String.raw`__\w+?__`,
  ].join('|'),
  'gis',
)

function keptSpans(text: string): Span[] {
  return [...text.matchAll(KEPT)].map(({ 0: found, index }) => [index, index + found.length])
}

/** The ranges of the outermost braces. An unclosed brace extends to the end. */
function braceSpans(text: string): Span[] {
  const spans: Span[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{' && depth++ === 0) start = i
    else if (text[i] === '}' && depth > 0 && --depth === 0) spans.push([start, i + 1])
  }
  if (depth > 0) spans.push([start, text.length])
  return spans
}

/** Changes an ICU message's literals and keeps its syntax; `undefined` if the text is not an ICU message. */
function changeIcu(text: string, kept: readonly Span[]): string | undefined {
  if (guessSyntax(text) !== 'icu') return undefined
  let elements: readonly MessageFormatElement[]
  try {
    elements = parseIcu(text)
  } catch {
    return undefined
  }
  const spans = [
    ...kept,
    ...[...text.matchAll(ICU_QUOTED)].map(({ 0: { length }, index }): Span => [index, index + length]),
  ]
  let result = ''
  let copied = 0
  for (const [start, end] of literalSpans(elements)) {
    result += text.slice(copied, start) + change(text, start, end, spans)
    copied = end
  }
  return result + text.slice(copied)
}

/** Matches `''` and quoted text such as `'{...}'`. Quoted text is kept, because it may be a name. */
const ICU_QUOTED = /''|'[{}<>#|](?:[^']|'')*'?/g

/** The ranges of the message's literals, in order. */
function literalSpans(elements: readonly MessageFormatElement[]): Span[] {
  const spans: Span[] = []
  const pending = [...elements]
  for (let element = pending.pop(); element; element = pending.pop()) {
    if (element.type === TYPE.literal && element.location)
      spans.push([element.location.start.offset, element.location.end.offset])
    if (isPluralElement(element) || isSelectElement(element))
      for (const { value } of Object.values(element.options)) pending.push(...value)
  }
  return spans.sort(([a], [b]) => a - b)
}

/** The number of letters to add per letter. */
const EXPANSION = 0.35

/**
 * Changes a range of the text, except for the `kept` ranges in it. Doubles vowels, and also other letters if there are
 * too few vowels.
 */
function change(text: string, start: number, end: number, kept: readonly Span[]): string {
  const spans = kept.filter(([from, to]) => from < end && to > start).sort(([a], [b]) => a - b)
  let result = ''
  let next = 0
  let owed = 0.5
  for (let i = start; i < end; ) {
    while ((spans[next]?.[1] ?? end) <= i && next < spans.length) next++
    const span = spans[next]
    if (span && span[0] <= i) {
      const stop = Math.min(span[1], end)
      result += text.slice(i, stop)
      i = stop
      continue
    }
    const character = String.fromCodePoint(text.codePointAt(i) as number)
    i += character.length
    const changed = LETTERS.get(character) ?? character
    result += changed
    if (!LETTER.test(character)) continue
    owed += EXPANSION
    if (owed < (VOWEL.test(character) ? 0.5 : 1.5)) continue
    result += changed
    owed--
  }
  return result
}

const LETTER = /^\p{L}$/u
const VOWEL = /^[aeiouy]$/i

const LETTERS: ReadonlyMap<string, string> = new Map(
  [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter, i) => [
    letter,
    [...'áƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ'][i] as string,
  ]),
)
