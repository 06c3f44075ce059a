/** How much of the default language's texts each language has. Fallbacks do not count. */
import { percent } from '../shared/figures.ts'
import { createExpectedKeys } from './expected-keys.ts'
import type { Finding } from './finding.ts'
import type { Catalog } from './model.ts'

export interface LanguageCoverage {
  readonly language: string
  /** Texts that the language has itself. */
  readonly translated: number
  /** Texts that the default language has, without plural forms that the language does not use. */
  readonly expected: number
  /** `translated / expected`; 1 if nothing is expected. */
  readonly share: number
}

export interface CoverageOptions {
  readonly defaultLanguage: string
  /** Between a key and its plural form. Default `_`. */
  readonly pluralSeparator?: string | undefined
}

export function measureCoverage(catalog: Catalog, options: CoverageOptions): readonly LanguageCoverage[] {
  const parts = expectedParts(catalog, options)
  return catalog.languages.map(({ key: language }) => {
    let expected = 0
    let translated = 0
    for (const { isTranslated } of expectedTexts(catalog, parts, language)) {
      expected++
      if (isTranslated) translated++
    }
    return { language, translated, expected, share: expected === 0 ? 1 : translated / expected }
  })
}

function expectedParts(catalog: Catalog, { defaultLanguage, pluralSeparator }: CoverageOptions) {
  const expected = createExpectedKeys(defaultLanguage, pluralSeparator)
  return catalog.namespaces.map((namespace) => ({
    namespace,
    keysOf: expected.of(catalog.messages(defaultLanguage, namespace)),
  }))
}

function* expectedTexts(catalog: Catalog, parts: ReturnType<typeof expectedParts>, language: string) {
  for (const { namespace, keysOf } of parts) {
    const own = catalog.messages(language, namespace)
    for (const key of keysOf(language)) yield { namespace, key, isTranslated: Boolean(own?.get(key)) }
  }
}

export interface CoverageCheckOptions extends CoverageOptions {
  /** The least share of translated texts by language, 0 to 1. */
  readonly minimum: Readonly<Record<string, number>>
  readonly severity: Finding['severity']
}

/** One finding for each language below its minimum, with the first texts that are missing. */
export function checkCoverage(catalog: Catalog, { minimum, severity, ...options }: CoverageCheckOptions): Finding[] {
  const coverages = measureCoverage(catalog, options)
  return Object.entries(minimum).flatMap(([language, least]): Finding[] => {
    const found = coverages.find((coverage) => coverage.language === language)
    if (found && found.share >= least) return []
    const message = found
      ? describeGap(catalog, options, found, least)
      : `${language} has no texts at all, ${percent(least)} are asked for`
    return [{ rule: 'coverage', severity, message, place: { language } }]
  })
}

function describeGap(catalog: Catalog, options: CoverageOptions, coverage: LanguageCoverage, least: number): string {
  const { language, translated, expected, share } = coverage
  const texts = expectedTexts(catalog, expectedParts(catalog, options), language)
  const missing = [...texts].filter(({ isTranslated }) => !isTranslated)
  const shown = missing.slice(0, 5).map(({ namespace, key }) => `${namespace} ${JSON.stringify(key)}`)
  const rest = missing.length > shown.length ? ` and ${missing.length - shown.length} more` : ''
  const figures = `${translated} of ${expected} texts (${percent(share)}, asked for ${percent(least)})`
  return `${language} has ${figures}; missing: ${shown.join(', ')}${rest}`
}
