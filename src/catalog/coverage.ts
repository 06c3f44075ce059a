/** How much of the default language's texts each language has. Fallbacks do not count. */
import { percent } from '../shared/figures.ts'
import type { Finding } from './finding.ts'
import type { Catalog } from './model.ts'

export interface LanguageCoverage {
  readonly language: string
  /** Texts that the language has itself. */
  readonly translated: number
  /** Texts that the default language has. */
  readonly expected: number
  /** `translated / expected`, counting only keys that the default language has; 1 if nothing is expected. */
  readonly share: number
}

export function measureCoverage(catalog: Catalog, defaultLanguage: string): readonly LanguageCoverage[] {
  return catalog.languages.map(({ key: language }) => {
    let expected = 0
    let translated = 0
    for (const { isTranslated } of expectedTexts(catalog, defaultLanguage, language)) {
      expected++
      if (isTranslated) translated++
    }
    return { language, translated, expected, share: expected === 0 ? 1 : translated / expected }
  })
}

function* expectedTexts(catalog: Catalog, defaultLanguage: string, language: string) {
  for (const namespace of catalog.namespaces) {
    const own = catalog.messages(language, namespace)
    for (const [key, text] of catalog.messages(defaultLanguage, namespace) ?? [])
      if (text !== '') yield { namespace, key, isTranslated: Boolean(own?.get(key)) }
  }
}

export interface CoverageCheckOptions {
  readonly defaultLanguage: string
  /** The least share of translated texts by language, 0 to 1. */
  readonly minimum: Readonly<Record<string, number>>
  readonly severity: Finding['severity']
}

/** One finding for each language below its minimum, with the first texts that are missing. */
export function checkCoverage(
  catalog: Catalog,
  { defaultLanguage, minimum, severity }: CoverageCheckOptions,
): Finding[] {
  const coverages = measureCoverage(catalog, defaultLanguage)
  return Object.entries(minimum).flatMap(([language, least]): Finding[] => {
    const found = coverages.find((coverage) => coverage.language === language)
    if (found && found.share >= least) return []
    const message = found
      ? describeGap(catalog, defaultLanguage, found, least)
      : `${language} has no texts at all, ${percent(least)} are asked for`
    return [{ rule: 'coverage', severity, message, place: { language } }]
  })
}

function describeGap(catalog: Catalog, defaultLanguage: string, coverage: LanguageCoverage, least: number): string {
  const { language, translated, expected, share } = coverage
  const missing = [...expectedTexts(catalog, defaultLanguage, language)].filter(({ isTranslated }) => !isTranslated)
  const shown = missing.slice(0, 5).map(({ namespace, key }) => `${namespace} ${JSON.stringify(key)}`)
  const rest = missing.length > shown.length ? ` and ${missing.length - shown.length} more` : ''
  const figures = `${translated} of ${expected} texts (${percent(share)}, asked for ${percent(least)})`
  return `${language} has ${figures}; missing: ${shown.join(', ')}${rest}`
}
