/** What `localization check` finds in texts. */
import { checkArrays } from '../../catalog/check-arrays.ts'
import { checkEmptyLanguages, checkLanguages } from '../../catalog/check-languages.ts'
import { checkTexts } from '../../catalog/check-texts.ts'
import { checkCoverage } from '../../catalog/coverage.ts'
import type { Finding } from '../../catalog/finding.ts'
import { createCatalog } from '../../catalog/model.ts'
import { checkNotInDefault } from '../../catalog/not-in-default.ts'
import { assertPrefix, createTranslations } from '../../catalog/translations.ts'
import type { TextCheckSettings } from '../../files/text-check-settings.ts'
import type { CheckOptions } from './load.ts'
import type { Checked } from './report.ts'

export function findInTexts(
  { catalog, config, scope }: Pick<Checked, 'catalog' | 'config' | 'scope'>,
  options: Pick<CheckOptions, 'syntax' | 'charactersLimit' | 'coverage'>,
  settings: TextCheckSettings,
): Finding[] {
  if (catalog.languages.length === 0) return []
  const { defaultLanguage } = assertPrefix(createTranslations(catalog, config))
  const texts = checkTexts(catalog, {
    ...settings,
    isChecked: scope.language,
    defaultLanguage,
    syntax: options.syntax,
    limits: options.charactersLimit ?? [],
    nested: config.shape === 'nested' && config.keySeparator,
  }).filter(({ place: { language = '', namespace = '', customer } }) => scope.has({ language, namespace, customer }))
  const { keySeparator } = config
  const languages = catalog.languages.filter(({ key }) => scope.language(key))
  const empty = checkEmptyLanguages(catalog, config).filter(({ place: { language = '' } }) => scope.language(language))
  const names = [...checkLanguages(languages, config), ...empty]
  const settingsOfDefault = { ...config, defaultLanguage }
  const extra = checkNotInDefault(catalog, settingsOfDefault).filter(
    ({ place: { language = '', namespace = '', customer } }) =>
      scope.has({ language, namespace, customer }) || scope.has({ language: defaultLanguage, namespace, customer }),
  )
  const arrays = checkArrays(catalog, { defaultLanguage, keySeparator }).filter(
    ({ place: { language = '', namespace = '', customer } }) => scope.has({ language, namespace, customer }),
  )
  const { onMissing } = config.coverage
  if (onMissing === 'ignore' && !options.coverage) return [...names, ...texts, ...arrays, ...extra]
  const minimum = Object.entries({ ...config.coverage.minimum, ...Object.fromEntries(options.coverage ?? []) })
  const inScope = createCatalog({
    languages: catalog.languages,
    parts: catalog.parts.filter(({ namespace }) => scope.namespace(namespace)),
  })
  const coverage = checkCoverage(inScope, {
    ...settingsOfDefault,
    minimum: Object.fromEntries(minimum.filter(([language]) => scope.language(language))),
    // A minimum on the command line is meant for the exit code.
    severity: onMissing === 'error' || options.coverage ? 'error' : 'warning',
  })
  return [...names, ...texts, ...arrays, ...extra, ...coverage]
}
