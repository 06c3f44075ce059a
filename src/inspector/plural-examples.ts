/** Example numbers for a language's plural categories. Pure. */
import { PLURAL_CATEGORIES, type PluralType } from '../catalog/plurals.ts'

const LARGEST = 1000
const MOST = 4

/** The first whole numbers in each category, in CLDR's order. Empty if `Intl` does not know the language. */
export function pluralExamples(language: string, type: PluralType): ReadonlyMap<string, readonly number[]> {
  const numbers = new Map(PLURAL_CATEGORIES.map((category) => [category, [] as number[]]))
  try {
    const tag = language.replaceAll('_', '-')
    const rules = Intl.PluralRules.supportedLocalesOf(tag).length > 0 && new Intl.PluralRules(tag, { type })
    for (let number = 0; rules && number <= LARGEST; number++) {
      const known = numbers.get(rules.select(number))
      if (known && known.length < MOST) known.push(number)
    }
  } catch {
    // Language keys need not be valid tags.
  }
  return new Map([...numbers].filter(([, known]) => known.length > 0))
}
