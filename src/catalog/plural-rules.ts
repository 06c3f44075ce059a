/** The plural categories of a language, from `Intl.PluralRules`. Pure. */

export const PLURAL_CATEGORIES: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other']

/** `cardinal`: 1 file, 2 files; `ordinal`: 1st, 2nd. */
export type PluralType = 'cardinal' | 'ordinal'

/**
 * The whole numbers that decide which categories a language needs. Larger numbers and fractions do not need a separate
 * form.
 */
const LARGEST = 1000

export interface LanguagePlurals {
  /** The categories that any number selects. */
  readonly categories: ReadonlySet<string>
  /**
   * The categories that whole numbers select, in CLDR's order. `many` of French (1,000,000) and `other` of Polish
   * (fractions) are not required.
   * @param isExact true for numbers with a separate form, such as ICU's `=0`
   * @param offset ICU's `offset:1`: the category is that of the number less the offset
   */
  required(isExact?: (number: number) => boolean, offset?: number): readonly string[]
  /**
   * The first four numbers above 0 of a category that covers several; otherwise `undefined`. A form for 0 and 1, such
   * as `one` of French, counts as a form for 1: apps rarely count to 0, and then with a separate form.
   */
  manyNumbers(category: string): readonly number[] | undefined
}

/** By language and type. `undefined`: `Intl` does not support the language. */
export type PluralRulesOf = (language: string, type: PluralType) => LanguagePlurals | undefined

/** Calls `Intl` once for each language and type. */
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
      // Only large numbers or fractions select the category, such as `many` of French and `other` of Polish.
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
