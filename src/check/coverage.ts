import { measureCoverage } from '../catalog/coverage.ts'
import type { Catalog } from '../catalog/model.ts'
import type { Finding } from './types.ts'

export interface CoverageCheckOptions {
  readonly defaultLanguage: string
  /** Least share of translated texts by language, 0 to 1. */
  readonly minimum: Readonly<Record<string, number>>
  readonly severity: Finding['severity']
}

/** One finding for each language below its minimum, with the first texts that are missing. */
export function checkCoverage(
  catalog: Catalog,
  { defaultLanguage, minimum, severity }: CoverageCheckOptions,
): Finding[] {
  const known = new Set(catalog.languages.map(({ key }) => key))
  const findings: Finding[] = Object.keys(minimum)
    .filter((language) => !known.has(language))
    .map((language) => ({
      rule: 'coverage',
      severity,
      message: `${language} has no texts at all, ${percent(minimum[language] ?? 0)} are asked for`,
      place: { language },
    }))
  for (const { language, translated, expected, share } of measureCoverage(catalog, defaultLanguage)) {
    const least = Object.hasOwn(minimum, language) ? (minimum[language] as number) : undefined
    if (least === undefined || share >= least) continue
    const missing = missingTexts(catalog, defaultLanguage, language)
    const shown = missing.slice(0, 5).map(({ namespace, key }) => `${namespace} ${JSON.stringify(key)}`)
    const rest = missing.length > shown.length ? ` and ${missing.length - shown.length} more` : ''
    findings.push({
      rule: 'coverage',
      severity,
      message: `${language} has ${translated} of ${expected} texts (${percent(share)}, asked for ${percent(least)}); missing: ${shown.join(', ')}${rest}`,
      place: { language },
    })
  }
  return findings
}

/** Texts of the default language that a language has not, fallbacks not counted. */
export function missingTexts(
  catalog: Catalog,
  defaultLanguage: string,
  language: string,
): readonly { readonly namespace: string; readonly key: string }[] {
  return catalog.namespaces.flatMap((namespace) => {
    const own = catalog.messages(language, namespace)
    return [...(catalog.messages(defaultLanguage, namespace) ?? [])]
      .filter(([key, text]) => text !== '' && !own?.get(key))
      .map(([key]) => ({ namespace, key }))
  })
}

function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10}%`
}
