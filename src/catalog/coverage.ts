import type { Catalog } from './model.ts'

export interface LanguageCoverage {
  readonly language: string
  /** Texts the language has itself, fallbacks not counted. */
  readonly translated: number
  /** Texts the default language has. */
  readonly expected: number
  /** `translated / expected`, counting only keys the default language has; 1 where nothing is expected. */
  readonly share: number
}

/** How much of the default language's texts each language has. */
export function measureCoverage(catalog: Catalog, defaultLanguage: string): readonly LanguageCoverage[] {
  return catalog.languages.map(({ key: language }) => {
    let expected = 0
    let translated = 0
    for (const namespace of catalog.namespaces) {
      const own = catalog.messages(language, namespace)
      for (const [key, text] of catalog.messages(defaultLanguage, namespace) ?? []) {
        if (text === '') continue
        expected++
        if (own?.get(key)) translated++
      }
    }
    return { language, translated, expected, share: expected === 0 ? 1 : translated / expected }
  })
}
