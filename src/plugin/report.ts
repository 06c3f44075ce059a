/** Logs the figures and findings of a load. */
import { checkEmptyLanguages } from '../catalog/check-languages.ts'
import { checkCoverage } from '../catalog/coverage.ts'
import type { Finding } from '../catalog/finding.ts'
import { countTexts } from '../catalog/model.ts'
import { nameFilter } from '../catalog/names.ts'
import { createTranslations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, formatFinding, formatFindings, LocalizationError } from '../errors.ts'
import { textCheckSettings } from '../files/text-check-settings.ts'
import type { Logger } from '../logger.ts'
import { count, listed } from '../shared/figures.ts'
import { groupBy } from '../shared/split.ts'
import type { LoadedCatalog } from '../sources/load.ts'

export function reportLoad(config: ResolvedConfig, loaded: LoadedCatalog, tookMs: number, logger: Logger): void {
  const { catalog, detail, diagnostics, only } = loaded
  const { languages, texts } = offered(config, loaded)
  const counts = [count(languages, 'language'), count(catalog.namespaces.length, 'namespace'), count(texts, 'text')]
  logger.info(`${counts.join(', ')} in ${(tookMs / 1000).toFixed(1)} s (${detail})`)
  reportChanges([], diagnostics, logger)
  // The following checks need all texts.
  if (only) return
  for (const { message } of checkEmptyLanguages(catalog, config)) logger.warn(message)
  assertCoverage(config, loaded, logger)
}

/** Reports findings that are new, and files whose findings have all been fixed. */
export function reportChanges(before: readonly Diagnostic[], after: readonly Diagnostic[], logger: Logger): void {
  const known = new Set(before.map(formatFinding))
  const fresh = after.filter((diagnostic) => !known.has(formatFinding(diagnostic)))
  for (const line of formatFindings(fresh.filter(({ severity }) => severity === 'error'))) logger.error(line)
  for (const line of formatFindings(fresh.filter(({ severity }) => severity !== 'error'))) logger.warn(line)
  const broken = new Set(after.map(({ place }) => place?.file))
  const fixed = new Set(
    before.map(({ place }) => place?.file).filter((file) => file !== undefined && !broken.has(file)),
  )
  for (const file of fixed) logger.info(`${file}: fixed`)
}

/** Counts the languages and texts in the app. A source may also have languages that the option `languages` excludes. */
function offered(config: ResolvedConfig, { catalog }: LoadedCatalog): { languages: number; texts: number } {
  if (config.languages === undefined) return { languages: catalog.languages.length, texts: catalog.textCount }
  const languages = new Set(createTranslations(catalog, config).languages.map(({ key }) => key))
  const texts = countTexts(catalog.parts.filter(({ language }) => languages.has(language)))
  return { languages: languages.size, texts }
}

/** The rules of `localization check` that a build reports. */
const REPORTED: readonly Finding['rule'][] = ['syntax', 'icu', 'plurals', 'select', 'tags']

/** The rules that apply to every language of the build. The page throws on texts that break them. */
const ALWAYS_REPORTED: readonly Finding['rule'][] = ['syntax', 'icu']

/**
 * Warns about faulty texts. All rules apply to the languages in `coverage.minimum`. For other languages, only some do.
 */
export async function reportTexts(config: ResolvedConfig, { catalog }: LoadedCatalog, logger: Logger): Promise<void> {
  const { minimum, onMissing } = config.coverage
  const hasMinimum = Object.keys(minimum).length > 0 && onMissing !== 'ignore'
  const settings = await textCheckSettings(config)
  if (!hasMinimum && !settings.library) return
  const { checkReferences } = await import('../catalog/check-references.ts')
  const { checkTexts } = await import('../catalog/check-texts.ts')
  const { defaultLanguage, languages } = createTranslations(catalog, config)
  const built = new Set(languages.map(({ key }) => key))
  const isChecked = (language: string) => hasMinimum && Object.hasOwn(minimum, language)
  const isOther = (language: string) => settings.library !== undefined && built.has(language) && !isChecked(language)
  const findings = [
    ...checkTexts(catalog, { ...settings, defaultLanguage, isChecked, rules: REPORTED }),
    ...checkTexts(catalog, { ...settings, defaultLanguage, isChecked: isOther, rules: ALWAYS_REPORTED }),
    ...checkReferences(catalog, { ...settings, keySeparator: config.keySeparator, isChecked }),
  ].filter(({ rule, severity, place }) => severity === 'error' || rule !== 'syntax' || isChecked(place.language ?? ''))
  for (const group of groupBy(findings, ({ rule, place }) => `${rule} ${place.language}`)) {
    const [first] = group
    const examples = group.map(({ message, place }) => `${place.namespace} ${message}`)
    const what = `${first?.place.language}: ${count(group.length, 'finding')} of the rule ${first?.rule}`
    logger.warn(`${what}: ${listed(examples, '; ')}. "localization check" shows all`)
  }
}

function assertCoverage(config: ResolvedConfig, { catalog }: LoadedCatalog, logger: Logger): void {
  const { minimum, onMissing } = config.coverage
  if (Object.keys(minimum).length === 0 || onMissing === 'ignore') return
  const { defaultLanguage } = createTranslations(catalog, config)
  const isBuilt = nameFilter(config.languages)
  const asked = Object.fromEntries(Object.entries(minimum).filter(([language]) => isBuilt(language)))
  const findings = checkCoverage(catalog, { ...config, defaultLanguage }, asked, 'error')
  if (findings.length === 0) return
  const message = `too few translations: ${findings.map((finding) => finding.message).join('. ')}`
  if (onMissing === 'warn') logger.warn(message)
  else {
    throw new LocalizationError(message, {
      code: 'COVERAGE_TOO_LOW',
      hint: "Add the missing translations, lower coverage.minimum, or set coverage.onMissing to 'warn'.",
    })
  }
}
