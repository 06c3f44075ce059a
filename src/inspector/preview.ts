/** Previews of a message, with example values for its placeholders. Pure. */
import {
  isPluralElement,
  isSelectElement,
  isTagElement,
  type MessageFormatElement,
  TYPE,
} from '@formatjs/icu-messageformat-parser'
import { guessSyntax, listPlaceholders, parseIcu } from '../catalog/placeholders.ts'
import type { PluralType } from '../catalog/plurals.ts'
import { pluralExamples } from './plural-examples.ts'

type Values = Readonly<Record<string, string | number>>

const MOST_PREVIEWS = 8
const DATE = new Date(2026, 0, 31, 15, 30)
const PLACEHOLDERS = /\{\{-?\s*([^{}\s,]+)(?:[\s,][^{}]*)?\}\}|\{\s*([^{}\s,]+)\s*\}/g

/**
 * Empty if the text has no placeholders or contains an error. `isIcu` treats the text as ICU even if only other
 * languages' texts show that it is. `form` is the text's i18next plural form.
 */
export function previewsOf(
  text: string,
  language: string,
  isIcu = false,
  form?: { readonly category: string; readonly type: PluralType },
) {
  const syntax = isIcu && text.includes('{') ? 'icu' : guessSyntax(text)
  if (syntax === 'none') return []
  if (syntax === 'icu') return icuPreviews(text, language)
  const names = listPlaceholders(text, syntax).map(({ name }) => name)
  if (names.length === 0) return []
  const number = form && pluralExamples(language, form.type).get(form.category)?.at(-1)
  const filled = text.replace(PLACEHOLDERS, (whole, double: string | undefined, single: string | undefined) => {
    const name = double ?? (syntax === 'single' ? single : undefined)
    if (name === undefined) return whole
    return name === 'count' && number !== undefined ? numberIn(number, language) : String(exampleOf(name, language))
  })
  // An example is empty if the text is the same for every value.
  return [{ example: number === undefined ? '' : `count = ${number}`, text: filled }]
}

function icuPreviews(text: string, language: string) {
  try {
    const elements = parseIcu(text)
    return casesOf(elements, language).map((values) => ({
      example: Object.entries(values)
        .map(([name, value]) => `${name} = ${value}`)
        .join(', '),
      text: shown(elements, values, language),
    }))
  } catch {
    return []
  }
}

/** One set of values for each branch of the first plural or select. */
function casesOf(elements: readonly MessageFormatElement[], language: string): readonly Values[] {
  const choice = elements.find((element) => isPluralElement(element) || isSelectElement(element))
  if (choice && isPluralElement(choice)) {
    const exact = Object.keys(choice.options).flatMap((selector) => /^=(\d+)$/.exec(selector)?.[1] ?? [])
    const examples = pluralExamples(language, choice.pluralType ?? 'cardinal')
    const numbers = Array.from(examples.values(), ([first = 0, second]) =>
      exact.includes(`${first}`) ? second : first,
    )
    const all = new Set([...exact.map(Number), ...numbers.filter((number) => number !== undefined)])
    return [...all].slice(0, MOST_PREVIEWS).map((number) => ({ [choice.value]: number }))
  }
  if (!choice || !isSelectElement(choice)) return elements.every(({ type }) => type === TYPE.literal) ? [] : [{}]
  const options = Object.keys(choice.options).slice(0, MOST_PREVIEWS)
  return options.map((option) => ({ [choice.value]: option }))
}

function shown(
  elements: readonly MessageFormatElement[],
  values: Values,
  language: string,
  counted: number | undefined = undefined,
): string {
  const textOf = (element: MessageFormatElement): string => {
    if (element.type === TYPE.literal) return element.value
    if (element.type === TYPE.pound) return counted === undefined ? '#' : numberIn(counted, language)
    if (isTagElement(element)) return shown(element.children, values, language, counted)
    const value = Object.hasOwn(values, element.value) ? values[element.value] : undefined
    if (isPluralElement(element)) {
      const number = typeof value === 'number' ? value : 5
      const type = element.pluralType ?? 'cardinal'
      const category = pluralIn(number - element.offset, language, type)
      const option = element.options[`=${number}`] ?? element.options[category] ?? element.options.other
      return shown(option?.value ?? [], values, language, number - element.offset)
    }
    if (isSelectElement(element)) {
      const option = element.options[String(value ?? 'other')] ?? element.options.other
      return shown(option?.value ?? Object.values(element.options)[0]?.value ?? [], values, language, counted)
    }
    if (element.type === TYPE.date) return inLanguage(language, (tag) => DATE.toLocaleDateString(tag))
    if (element.type === TYPE.time) return inLanguage(language, (tag) => DATE.toLocaleTimeString(tag))
    if (element.type === TYPE.number) return numberIn(typeof value === 'number' ? value : 5, language)
    return typeof value === 'number' ? numberIn(value, language) : String(value ?? exampleOf(element.value, language))
  }
  return elements.map(textOf).join('')
}

function pluralIn(number: number, language: string, type: PluralType): string {
  return inLanguage(language, (tag) => new Intl.PluralRules(tag, { type }).select(number))
}

function numberIn(number: number, language: string): string {
  return inLanguage(language, (tag) => number.toLocaleString(tag))
}

/** Calls `act` with the language, or with a tag that `Intl` accepts: language keys need not be valid tags. */
function inLanguage<Result>(language: string, act: (tag: string) => Result): Result {
  try {
    return act(language.replaceAll('_', '-'))
  } catch {
    return act('en')
  }
}

function exampleOf(name: string, language: string): string {
  if (/count|number|total|amount|^n$|^\d+$/i.test(name)) return numberIn(5, language)
  if (/name|user|author|person/i.test(name)) return 'Ada'
  if (/date|when|day/i.test(name)) return inLanguage(language, (tag) => DATE.toLocaleDateString(tag))
  return `‹${name}›`
}
