/**
 * The keys that each language should have: the default language's keys, without plural forms that the language does not
 * use. For example, Japanese needs no `item_one`. Pure.
 */
import type { Messages } from './model.ts'
import { isPluralGroup, parsePluralKey } from './plural-keys.ts'
import { createPluralRules, PLURAL_CATEGORIES } from './plural-rules.ts'

/** The expected keys of one namespace. `reference` contains the default language's texts. */
export interface ExpectedKeys {
  of(reference: Messages | undefined): (language: string) => readonly string[]
  /** True if the key is a plural form that the language does not use. */
  isUnusedForm(reference: Messages | undefined, language: string, key: string): boolean
}

export function createExpectedKeys(defaultLanguage: string, pluralSeparator = '_'): ExpectedKeys {
  const rulesOf = createPluralRules()

  function isUnusedForm(reference: Messages | undefined, language: string, key: string): boolean {
    const form = parsePluralKey(key, pluralSeparator)
    // i18next accepts `zero` in every language.
    if (!form || form.category === 'zero') return false
    const rules = rulesOf(language, form.type)
    if (!rules || rules.categories.has(form.category)) return false
    const categories = new Set(PLURAL_CATEGORIES.filter((category) => reference?.get(form.prefix + category)))
    return isPluralGroup({ key: form, categories, firstKey: key }, rulesOf(defaultLanguage, form.type))
  }

  return {
    of(reference) {
      const keys = [...(reference ?? [])].flatMap(([key, text]) => (text === '' ? [] : [key]))
      const forms = keys.filter((key) => parsePluralKey(key, pluralSeparator))
      return (language) => {
        const unused = new Set(forms.filter((key) => isUnusedForm(reference, language, key)))
        return unused.size === 0 ? keys : keys.filter((key) => !unused.has(key))
      }
    },
    isUnusedForm,
  }
}
