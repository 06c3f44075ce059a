/** A language's plural categories, from `Intl.PluralRules`. Pure. */

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
