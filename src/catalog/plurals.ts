/** A language's plural categories, from `Intl.PluralRules`, and i18next's plural forms, such as `item_one`. Pure. */
import type { Messages } from './model.ts'

export const PLURAL_CATEGORIES: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other']

/** `cardinal` as in 1 file and 2 files; `ordinal` as in 1st and 2nd. */
export type PluralType = 'cardinal' | 'ordinal'

/**
 * Only whole numbers up to this one determine which categories a language needs. Larger numbers and fractions need no
 * separate form.
 */
const LARGEST = 1000

export interface LanguagePlurals {
  /** The categories that any number can select. */
  readonly categories: ReadonlySet<string>
  /**
   * The categories that whole numbers select, in CLDR's order. `many` in French (1,000,000) and `other` in Polish
   * (fractions) are not required.
   * @param isExact true for numbers with their own form, such as ICU's `=0`
   * @param offset the value of ICU's `offset:1`, which is subtracted from the number before the category is selected
   */
  required(isExact?: (number: number) => boolean, offset?: number): readonly string[]
  /**
   * The category's first four numbers above 0; `undefined` if it covers only one. A form for 0 and 1, such as `one` in
   * French, counts as a form for 1: apps that show a count of 0 usually have a separate form for it.
   */
  manyNumbers(category: string): readonly number[] | undefined
}

/** The plural rules, by language and type; `undefined` if `Intl` does not support the language. */
export type PluralRulesOf = (language: string, type: PluralType) => LanguagePlurals | undefined

/** Returns a function that calls `Intl` only once per language and type. */
export function createPluralRules(): PluralRulesOf {
  const known = new Map<string, LanguagePlurals | undefined>()
  return (language, type) => {
    const id = `${type} ${language}`
    if (!known.has(id)) known.set(id, readPlurals(language, type))
    return known.get(id)
  }
}

function readPlurals(language: string, type: PluralType): LanguagePlurals | undefined {
  const rules = intlRules(language.replaceAll('_', '-'), type)
  if (!rules) return undefined
  const categories = new Set<string>(rules.resolvedOptions().pluralCategories)
  let known: readonly string[] | undefined
  const selected = () => {
    known ??= Array.from({ length: LARGEST + 1 }, (_, number) => rules.select(number) as string)
    return known
  }
  let withoutExact: readonly string[] | undefined
  return {
    categories,
    required(isExact, offset = 0) {
      if (isExact || offset !== 0)
        return inOrder(selected().filter((_, number) => number + offset <= LARGEST && !isExact?.(number + offset)))
      withoutExact ??= inOrder(selected())
      return withoutExact
    },
    manyNumbers(category) {
      const numbers = selected().flatMap((each, number) => (each === category && number > 0 ? number : []))
      // Only large numbers or fractions select this category, as with `many` in French and `other` in Polish.
      if (numbers.length === 0) return categories.has(category) && !selected().includes(category) ? [] : undefined
      return numbers.length === 1 ? undefined : numbers.slice(0, 4)
    },
  }
}

function intlRules(tag: string, type: PluralType): Intl.PluralRules | undefined {
  try {
    return Intl.PluralRules.supportedLocalesOf(tag).length > 0 ? new Intl.PluralRules(tag, { type }) : undefined
  } catch {
    return undefined
  }
}

function inOrder(categories: readonly string[]): readonly string[] {
  const unique = new Set(categories)
  return PLURAL_CATEGORIES.filter((category) => unique.has(category))
}

export interface PluralKey {
  /** For example `item`. */
  readonly base: string
  readonly type: PluralType
  readonly category: string
  /** The part before the category, such as `item_` or `item_ordinal_`. */
  readonly prefix: string
}

const CATEGORIES: ReadonlySet<string> = new Set(PLURAL_CATEGORIES)

/**
 * Splits a key; returns `undefined` if it does not end like a plural form. Unrelated keys may also match: see
 * `isPluralGroup`.
 */
export function parsePluralKey(key: string, separator: string): PluralKey | undefined {
  const at = key.lastIndexOf(separator)
  const category = key.slice(at + separator.length)
  if (at <= 0 || !CATEGORIES.has(category)) return undefined
  const stem = key.slice(0, at)
  const isOrdinal = stem.endsWith(`${separator}ordinal`) && stem.length > separator.length + 'ordinal'.length
  return {
    base: isOrdinal ? stem.slice(0, -`${separator}ordinal`.length) : stem,
    type: isOrdinal ? 'ordinal' : 'cardinal',
    category,
    prefix: `${stem}${separator}`,
  }
}

/** The base itself, and every key that one of its forms can have. */
export function pluralKeysOf({ base, prefix }: PluralKey): readonly string[] {
  return [base, ...PLURAL_CATEGORIES.map((category) => prefix + category)]
}

/** The forms of a base, without empty texts. */
export interface PluralGroup {
  readonly key: PluralKey
  readonly categories: ReadonlySet<string>
  /** The key of the first form in the file. */
  readonly firstKey: string
}

/** The groups of forms, by prefix. */
export function pluralGroups(messages: Messages, separator: string): ReadonlyMap<string, PluralGroup> {
  const groups = new Map<string, PluralGroup & { readonly categories: Set<string> }>()
  for (const [name, text] of messages) {
    const key = text === '' ? undefined : parsePluralKey(name, separator)
    if (!key) continue
    const known = groups.get(key.prefix)
    if (known) known.categories.add(key.category)
    else groups.set(key.prefix, { key, categories: new Set([key.category]), firstKey: name })
  }
  return groups
}

/**
 * True if these forms are certainly a plural. These are not plurals: `size_one` and `size_many` alone,
 * `gender_male` and `gender_other`, or in English `step_one`, `step_two` and `step_other`.
 * @param plurals the rules of the group's language
 */
export function isPluralGroup(group: PluralGroup | undefined, plurals: LanguagePlurals | undefined): boolean {
  if (!group || !plurals) return false
  const { categories, key } = group
  // i18next accepts `zero` in every language.
  if (![...categories].every((category) => category === 'zero' || plurals.categories.has(category))) return false
  if (key.type === 'ordinal') return categories.has('other')
  const required = plurals.required()
  const isWhole = required.length > 1 && required.every((category) => categories.has(category))
  return isWhole || (categories.has('one') && categories.has('other'))
}
