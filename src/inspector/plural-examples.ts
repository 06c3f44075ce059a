/** Example numbers for a language's plural categories. Pure. */
import { PLURAL_CATEGORIES, type PluralType } from '../catalog/plurals.ts'

const LARGEST = 1000
const MOST = 4

/** The first whole numbers in each category, in CLDR's order. Empty if `Intl` does not know the language. */
export function pluralExamples(language: string, type: PluralType): ReadonlyMap<string, readonly number[]> {
  const numbers = new Map<string, number[]>()
  try {
    const tag = language.replaceAll('_', '-')
    if (Intl.PluralRules.supportedLocalesOf(tag).length === 0) return numbers
    const rules = new Intl.PluralRules(tag, { type })
    for (let number = 0; number <= LARGEST; number++) {
      const category = rules.select(number)
      const known = numbers.get(category) ?? []
      if (known.length < MOST) numbers.set(category, [...known, number])
    }
  } catch {
    return numbers
  }
  return new Map(
    PLURAL_CATEGORIES.flatMap((category) => {
      const known = numbers.get(category)
      return known ? [[category, known] as const] : []
    }),
  )
}
