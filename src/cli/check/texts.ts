/** The options of `localization check`, and its checks of texts, both existing and proposed. */
import { InvalidArgumentError } from 'commander'
import { checkArrays } from '../../catalog/arrays.ts'
import { checkEmptyLanguages, checkLanguages } from '../../catalog/check-languages.ts'
import { createReferenceCheck } from '../../catalog/check-references.ts'
import { checkTexts } from '../../catalog/check-texts.ts'
import { checkCoverage } from '../../catalog/coverage.ts'
import type { Finding } from '../../catalog/finding.ts'
import { fillGaps } from '../../catalog/merge.ts'
import { type Catalog, createCatalog } from '../../catalog/model.ts'
import { checkNotInDefault } from '../../catalog/not-in-default.ts'
import { parsePluralKey } from '../../catalog/plurals.ts'
import { partId, type TextRef } from '../../catalog/text-id.ts'
import { assertPrefix, createTranslations } from '../../catalog/translations.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError, type Place } from '../../errors.ts'
import type { TextEdit } from '../../files/edit.ts'
import { searchedPlaces } from '../../files/patterns.ts'
import { textCheckSettings } from '../../files/text-check-settings.ts'
import { loadFromFiles } from '../../sources/files.ts'
import { type CommandContext, choice, flag, type Given, list, pair, wholeNumber } from '../command.ts'
import { FILTERS, scopeOf } from '../filters.ts'
import { readServiceCatalog } from '../project.ts'
import type { Checked } from './report.ts'

export const CHECK_OPTIONS = {
  reporter: choice('<name>', 'output format for findings', ['text', 'github'], 'text'),
  service: flag("check the texts that a build uses (the service's texts, then the files) instead of the files"),
  coverage: list(
    '<language=share>',
    'minimum share of translated texts, such as pl=0.95; adds to the option "coverage" (repeatable)',
    pair(share),
  ),
  charactersLimit: list(
    '<pattern=number>',
    'maximum length of texts by key, such as "button.*=24" (repeatable)',
    // The pattern may contain `=`.
    pair(wholeNumber, 'lastIndexOf'),
  ),
  syntax: choice(
    '<name>',
    'syntax of placeholders: {x}, {{x}} or ICU messages',
    ['auto', 'single', 'double', 'icu', 'none'],
    'auto',
  ),
  strict: flag('count warnings as errors'),
  unused: flag('check the sources instead: report keys that no source uses'),
  missingInCode: flag('check the sources instead: report used keys that no language has'),
  remove: flag('with --unused: delete these keys from the files; shows what would change and asks'),
  force: flag('with --remove: delete the keys even if they are more than half of all keys'),
  yes: flag('do not ask'),
  dryRun: flag('only show what would be removed'),
  source: list('<glob>', 'sources to read instead of "usage.files"; "!" excludes (repeatable)'),
  function: list('<name>', 'a translation function of your own, or a hook that returns one (repeatable)'),
  keep: list('<pattern>', 'keys that count as used, such as "errors.*" (repeatable)'),
  ignoreIn: list(
    '<glob>',
    'sources in which calls with unknown keys are ignored, such as your own runtime (repeatable)',
  ),
  ...FILTERS,
}
export type CheckOptions = Given<typeof CHECK_OPTIONS>

function share(value: string): number {
  const number = Number(value)
  if (!(number >= 0 && number <= 1)) throw new InvalidArgumentError('The share must be a number from 0 to 1.')
  return number
}

/** True if the command compares keys with the sources instead of checking texts. */
export function checksKeys({ unused, missingInCode, remove }: Partial<CheckOptions>): boolean {
  return Boolean(unused || missingInCode || remove)
}

/**
 * Loads the texts from the files. With `--service`, or if there are no files, loads them from the service and fills
 * gaps from the files, as a build does.
 */
export async function loadChecked(
  context: CommandContext,
  config: ResolvedConfig,
  options: Partial<CheckOptions>,
): Promise<Checked> {
  const files = await loadFromFiles(config)
  const isFromService = options.service || (files.list.length === 0 && config.service.baseUrl !== undefined)
  const catalog = isFromService
    ? fillGaps(
        await readServiceCatalog(await context.client(), config, context.signal),
        files.catalog,
        config.keySeparator,
      )
    : files.catalog
  if (catalog.languages.length === 0 && (checksKeys(options) || files.diagnostics.length === 0))
    throw new LocalizationError(`nothing to check: no file matches ${searchedPlaces(config)}`, {
      code: 'CATALOG_EMPTY',
      hint: 'Check the option "files", or use --service.',
    })
  return { config, scope: scopeOf(options), files, catalog }
}

export function isInScope({ scope }: Pick<Checked, 'scope'>): (finding: { readonly place: Place }) => boolean {
  return ({ place: { language = '', namespace = '', customer } }) => scope.has({ language, namespace, customer })
}

export function findInTexts(
  checked: Pick<Checked, 'catalog' | 'config' | 'scope'>,
  options: Partial<Pick<CheckOptions, 'syntax' | 'charactersLimit' | 'coverage'>>,
  settings: Awaited<ReturnType<typeof textCheckSettings>>,
): Finding[] {
  const { catalog, config, scope } = checked
  if (catalog.languages.length === 0) return []
  const { defaultLanguage } = assertPrefix(createTranslations(catalog, config))
  const isShown = isInScope(checked)
  const { keySeparator } = config
  const texts = checkTexts(catalog, {
    ...settings,
    isChecked: scope.language,
    defaultLanguage,
    syntax: options.syntax ?? 'auto',
    limits: options.charactersLimit ?? [],
    nested: config.shape === 'nested' && keySeparator,
  })
  const empty = checkEmptyLanguages(catalog, config).filter(({ place: { language = '' } }) => scope.language(language))
  const settingsOfDefault = { ...config, defaultLanguage }
  const isInDefault = ({ place }: Finding) => isShown({ place: { ...place, language: defaultLanguage } })
  const found = [
    ...checkLanguages(
      catalog.languages.filter(({ key }) => scope.language(key)),
      config,
    ),
    ...empty,
    ...texts.filter(isShown),
    ...checkArrays(catalog, defaultLanguage, keySeparator).filter(isShown),
    ...checkNotInDefault(catalog, settingsOfDefault).filter((each) => isShown(each) || isInDefault(each)),
  ]
  const { onMissing } = config.coverage
  if (onMissing === 'ignore' && !options.coverage) return found
  const minimum = Object.entries({ ...config.coverage.minimum, ...Object.fromEntries(options.coverage ?? []) })
  const inScope = createCatalog({
    languages: catalog.languages,
    parts: catalog.parts.filter(({ namespace }) => scope.namespace(namespace)),
  })
  const coverage = checkCoverage(
    inScope,
    settingsOfDefault,
    Object.fromEntries(minimum.filter(([language]) => scope.language(language))),
    // A minimum set on the command line must change the exit code, so its finding is an error.
    onMissing === 'error' || options.coverage ? 'error' : 'warning',
  )
  return [...found, ...coverage]
}

type Edit = Pick<TextEdit, 'ref' | 'text'>

/** Returns findings about the edited texts and their plurals, and new findings elsewhere in their namespaces. */
export async function checkEdits(catalog: Catalog, config: ResolvedConfig, edits: readonly Edit[]) {
  const namespaces = new Set(edits.map(({ ref }) => ref.namespace))
  const [before, after] = [[], edits].map((some) => withTexts(catalog, namespaces, some)) as [Catalog, Catalog]
  const settings = await textCheckSettings(config)
  const findings = (checked: Catalog) =>
    findInTexts({ catalog: checked, config, scope: scopeOf({}) }, {}, settings).filter(
      // The excluded rules need all texts of a language, but these catalogs contain only some.
      ({ rule }) => rule !== 'coverage' && rule !== 'language',
    )
  const isTouched = touches(edits, config.pluralSeparator)
  const known = new Set(findings(before).map(idOf))
  const others = catalog.parts.filter(({ namespace }) => !namespaces.has(namespace))
  const checkReference = createReferenceCheck(createCatalog({ parts: [...others, ...after.parts] }), {
    ...settings,
    keySeparator: config.keySeparator,
  })
  const found = [
    ...findings(after).filter((finding) => isTouched(finding) || !known.has(idOf(finding))),
    ...edits.flatMap(({ ref, text = '' }) => checkReference(ref, text)),
  ]
  return { findings: found, after }
}

/** The texts of these namespaces, with the edits applied. */
function withTexts(catalog: Catalog, namespaces: ReadonlySet<string>, edits: readonly Edit[]): Catalog {
  const parts = new Map(
    catalog.parts
      .filter(({ namespace }) => namespaces.has(namespace))
      .map(({ lazy: _, ...part }) => [partId(part), { ...part, messages: new Map(part.messages) }]),
  )
  for (const { ref, text } of edits) {
    const { key, ...part } = ref
    const own = parts.get(partId(part)) ?? { ...part, messages: new Map<string, string>() }
    if (text !== undefined) own.messages.set(key, text)
    parts.set(partId(part), own as never)
  }
  return createCatalog({ languages: catalog.languages, parts: [...parts.values()] })
}

/** Matches findings about an edited text, or about a plural with an edited form. */
function touches(edits: readonly Edit[], separator: string): (finding: Finding) => boolean {
  const stem = (key: string) => parsePluralKey(key, separator)?.prefix ?? key
  const id = ({ language, namespace, key }: Partial<TextRef>) => JSON.stringify([language, namespace, stem(key ?? '')])
  const ids = new Set(edits.map(({ ref }) => id(ref)))
  return ({ place }) => ids.has(id(place))
}

function idOf({ rule, message, place }: Finding): string {
  return JSON.stringify([rule, message, place.language, place.namespace, place.key, place.customer])
}
