/**
 * The share of the default language's texts that each language has. Fallbacks do not count. The default language itself
 * should also have the texts that only other languages have.
 */
import { percent } from '../shared/figures.ts'
import type { Finding } from './finding.ts'
import type { Catalog, Messages } from './model.ts'
import { type DefaultSettings, type TextNotInDefault, textsNotInDefault } from './not-in-default.ts'
import { createPluralRules, isPluralGroup, PLURAL_CATEGORIES, parsePluralKey } from './plurals.ts'

export interface LanguageCoverage {
  readonly language: string
  /** The number of translated texts, without texts from fallbacks. */
  readonly translated: number
  /**
   * The number of texts in the default language, without plural forms that this language does not use. For the default
   * language, includes the texts that only other languages have.
   */
  readonly expected: number
  /** `translated / expected`; 1 if nothing is expected. */
  readonly share: number
}

export function measureCoverage(catalog: Catalog, options: DefaultSettings): readonly LanguageCoverage[] {
  const expectedTexts = expectedIn(catalog, options)
  return catalog.languages.map(({ key: language }) => {
    let expected = 0
    let translated = 0
    for (const { isTranslated } of expectedTexts(language)) {
      expected++
      if (isTranslated) translated++
    }
    return { language, translated, expected, share: expected === 0 ? 1 : translated / expected }
  })
}

/** Returns a function that lists the texts that a language should have. */
export function expectedIn(catalog: Catalog, options: DefaultSettings) {
  const { defaultLanguage, pluralSeparator } = options
  const expected = createExpectedKeys(defaultLanguage, pluralSeparator)
  const parts = catalog.namespaces.map((namespace) => ({
    namespace,
    keysOf: expected.of(catalog.messages(defaultLanguage, namespace)),
  }))
  const missing = textsNotInDefault(catalog, options)
  return function* (language: string): Iterable<ExpectedText> {
    for (const { namespace, keysOf } of parts) {
      const own = catalog.messages(language, namespace)
      for (const key of keysOf(language)) yield { namespace, key, isTranslated: Boolean(own?.get(key)) }
    }
    if (language === defaultLanguage) for (const text of missing) yield { ...text, isTranslated: false }
  }
}

interface ExpectedText extends Pick<TextNotInDefault, 'namespace' | 'key' | 'customer'> {
  readonly isTranslated: boolean
  /** If the default language lacks the text, the languages that have it. */
  readonly languages?: TextNotInDefault['languages']
}

/**
 * One finding for each language below its minimum, with the first missing texts.
 *
 * @param minimum the minimum share of translated texts, from 0 to 1, by language
 */
export function checkCoverage(
  catalog: Catalog,
  options: DefaultSettings,
  minimum: Readonly<Record<string, number>>,
  severity: Finding['severity'],
): Finding[] {
  const coverages = measureCoverage(catalog, options)
  return Object.entries(minimum).flatMap(([language, least]): Finding[] => {
    const found = coverages.find((coverage) => coverage.language === language)
    if (found && found.share >= least) return []
    const message = found
      ? describeGap(catalog, options, found, least)
      : `${language} has no texts, but ${percent(least)} are required`
    return [{ rule: 'coverage', severity, message, place: { language } }]
  })
}

function describeGap(catalog: Catalog, options: DefaultSettings, coverage: LanguageCoverage, least: number): string {
  const { language, translated, expected, share } = coverage
  const texts = expectedIn(catalog, options)(language)
  const missing = [...texts].filter(({ isTranslated }) => !isTranslated)
  const shown = missing.slice(0, 5).map(({ namespace, key, customer, languages }) => {
    const owner = languages && `${languages[0]}${languages.length > 1 ? ' and others have' : ' has'}`
    const holder = owner && ` (${owner} it${customer === undefined ? '' : `, for ${customer}`})`
    return `${namespace} ${JSON.stringify(key)}${holder ?? ''}`
  })
  const rest = missing.length > shown.length ? ` and ${missing.length - shown.length} more` : ''
  const figures = `${translated} of ${expected} texts (${percent(share)}, required: ${percent(least)})`
  return `${language} has ${figures}; missing: ${shown.join(', ')}${rest}`
}

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
