/** Loads the catalog from the service or its fallback, and from the files. */
import type { Client } from '../api/client.ts'
import { isTemporary } from '../api/errors.ts'
import { checkArrays, withArrays } from '../catalog/arrays.ts'
import { checkLanguages } from '../catalog/check-languages.ts'
import { type ChangedText, fillGaps, withoutGaps, withTexts } from '../catalog/merge.ts'
import type { Catalog } from '../catalog/model.ts'
import { isLiteral, languageFilter, relevantLanguages, toAppCatalog } from '../catalog/names.ts'
import { createTranslations } from '../catalog/translations.ts'
import type { ResolvedConfig, ServiceErrorPolicy } from '../config/types.ts'
import { type Diagnostic, formatFindings, LocalizationError, messageOf } from '../errors.ts'
import { searchedPlaces } from '../files/patterns.ts'
import type { Logger } from '../logger.ts'
import { count } from '../shared/figures.ts'
import { suggestName } from '../shared/nearest.ts'
import { type FilesResult, loadFromFiles } from './files.ts'
import { createLocator } from './locate.ts'
import type { ResourceCache } from './resource-cache.ts'
import { SERVICE_SOURCES, withClient } from './service-sources.ts'
import type { Snapshot } from './snapshot.ts'
import type { ServiceSource, SourceContext, SourceResult } from './source.ts'
import { type InputDigests, type Inputs, isUnchanged, type StoredValidator, storableValidator } from './validator.ts'

/** The maximum number of findings with a place. To find a place, a file is read again. */
const LOCATED = 20

/** Warns about names that are arrays in one language but not in the default language. */
async function differentArrays(config: ResolvedConfig, files: FilesResult): Promise<Diagnostic[]> {
  const { catalog } = files
  if (catalog.parts.every(({ values }) => values === undefined)) return []
  const { defaultLanguage } = createTranslations(catalog, { ...config, defaultLanguage: undefined })
  const { keySeparator, defaultLanguage: configured = defaultLanguage } = config
  const findings = checkArrays(catalog, configured, keySeparator, false)
  const locate = createLocator(config, files)
  const located = await Promise.all(findings.map((finding, i) => (i < LOCATED ? locate(finding) : finding)))
  return located.map(({ severity, message, place }) => ({ severity, code: 'FILE_VALUE', message, place }))
}

/** Imported only if there is a service. Other projects have no snapshot and need not load zod. */
const importSnapshot = () => import('./snapshot.ts')

export interface LoadOptions {
  readonly config: ResolvedConfig
  /** In a build, files fill the gaps in the service's texts. In dev, the service's texts fill the gaps in the files. */
  readonly mode: 'build' | 'dev'
  /** Called only if the source needs the service. This module closes the client. */
  readonly openClient: () => Promise<Client>
  readonly resourceCache: ResourceCache
  readonly logger: Logger
  readonly now: () => Date
  readonly signal?: AbortSignal | undefined
  /** Dev only: texts from the service that replace the files' texts (see sync). */
  readonly overlay?: Catalog | undefined
  /** Dev only: texts from the service that have changed since the `previous` load. */
  readonly serviceChanges?: Iterable<ChangedText> | undefined
  /** Dev only: returns the files from the index. By default, they are read here. */
  readonly readFiles?: (() => Promise<FilesResult>) | undefined
  /** An earlier load with the same configuration. If it is set, only the files are read again. */
  readonly previous?: LoadedCatalog | undefined
  /** False if nothing may be written to disk. Default true. */
  readonly saveSnapshot?: boolean | undefined
  /** True to keep the last good texts of broken files in a build that has a `previous` load. */
  readonly keepLastGood?: boolean | undefined
  /** True if the result needs `inputs`. */
  readonly withInputs?: boolean | undefined
  /** The namespaces to read. The others are listed without texts. Default: all. */
  readonly only?: ReadonlySet<string> | undefined
}

export interface LoadedCatalog {
  /** All texts, in the app's names. */
  readonly catalog: Catalog
  /**
   * The result from the service or the snapshot; `'files'` if the service failed and the files replace it; `undefined`
   * if the service was not needed.
   */
  readonly remote: Remote | 'files' | undefined
  readonly files: FilesResult
  /** Where the texts come from, for the summary line. */
  readonly detail: string
  readonly diagnostics: readonly Diagnostic[]
  /** The inputs that were read; `undefined` if the source cannot tell whether they have changed. */
  readonly inputs?: Inputs | undefined
  /** `undefined` if all namespaces were read. */
  readonly only?: ReadonlySet<string> | undefined
}

/**
 * Throws if the service fails and no policy in `onServiceError` helps, if a build's files are broken, or if there are
 * no texts.
 */
export async function loadCatalog(options: LoadOptions): Promise<LoadedCatalog> {
  const { config, mode, previous, keepLastGood = false, only, withInputs } = options
  const importSource = SERVICE_SOURCES[config.source]
  const [files, remote] = await Promise.all([
    options.readFiles?.() ?? loadFromFiles(config, previous?.files, only, withInputs),
    previous ? previous.remote : importSource && loadRemote(options, await importSource()),
  ])
  const broken = files.diagnostics.filter(({ severity }) => severity === 'error')
  if (mode === 'build' && broken[0] && !(previous && keepLastGood))
    throw brokenFiles(broken as [Diagnostic, ...Diagnostic[]])
  if (remote === 'files' && files.catalog.textCount === 0) {
    throw new LocalizationError(`the service failed, and no file matches ${searchedPlaces(config)}`, {
      code: 'SOURCE_FAILED',
      hint: "Add files, or remove 'files' from onServiceError.",
    })
  }
  const service = remote === undefined || remote === 'files' ? undefined : withChanges(remote, options.serviceChanges)
  const catalog = combine(service?.catalog, files.catalog, options)
  if (catalog.languages.length === 0 || (mode === 'build' && !only && catalog.textCount === 0))
    throw nothingFound(config, service?.detail)
  const wrong = wrongLanguages(config, catalog)
  const isInApp = languageFilter(config)
  if (mode === 'build' && wrong[0] && !catalog.languages.some(isInApp))
    throw new LocalizationError(`no language to build: ${wrong[0].message}`, wrong[0])
  return {
    catalog,
    remote: service ?? remote,
    files,
    detail: `${service ? service.detail : count(files.list.length, 'file')}${only ? `, ${only.size} changed` : ''}`,
    only,
    ...(withInputs && { inputs: inputsOf(files.inputs, remote) }),
    diagnostics: [
      ...files.diagnostics,
      ...(mode === 'build' ? await differentArrays(config, files) : []),
      ...(service?.diagnostics ?? []),
      ...unmatchedNames(config, catalog),
      ...wrong,
      ...(remote === 'files' ? [] : unmatchedKeys(config, knownLanguages(files, service))),
    ],
  }
}

function withChanges(remote: Remote, changes: Iterable<ChangedText> = []): Remote {
  return { ...remote, catalog: withTexts(remote.catalog, changes) }
}

/** Warns about configured names that do not exist. Otherwise, a language with a typo would silently be missing. */
function unmatchedNames(config: ResolvedConfig, catalog: Catalog): Diagnostic[] {
  const check = (option: 'languages' | 'namespaces', known: readonly string[]) =>
    (config[option] ?? [])
      .filter((name) => isLiteral(name) && !known.includes(name))
      .map((name): Diagnostic => {
        const hint = suggestName(name, known)
        return {
          severity: 'warning',
          code: option === 'languages' ? 'UNKNOWN_LANGUAGE' : 'UNKNOWN_NAMESPACE',
          message: `option "${option}": ${JSON.stringify(name)} does not exist`,
          ...(hint !== undefined && { hint }),
        }
      })
  const languages = catalog.languages.map(({ key }) => key)
  return [...check('languages', languages), ...check('namespaces', catalog.namespaces)]
}

function wrongLanguages(config: ResolvedConfig, { languages }: Catalog): Diagnostic[] {
  return checkLanguages(languages, config).map(({ message, place }) => {
    return { severity: 'warning', code: 'UNKNOWN_LANGUAGE', message, place }
  })
}

/** The languages, as spelled by the files and by the service. */
function knownLanguages({ list }: FilesResult, service: Remote | undefined): readonly string[] {
  return [...new Set([...list.map(({ languageInPath }) => languageInPath), ...(service?.languageKeys ?? [])])]
}

/** Warns about keys in `languageMap` that neither the service nor a file has. */
function unmatchedKeys({ languageMap, ...config }: ResolvedConfig, known: readonly string[]): Diagnostic[] {
  const isRelevant = relevantLanguages(config)
  const keys = Object.keys(languageMap).filter((key) => isRelevant(languageMap[key] as string) && !known.includes(key))
  return keys.map((key): Diagnostic => {
    const hint = suggestName(key, known)
    const message = `option "languageMap": neither the service nor any file has the language ${JSON.stringify(key)}`
    return { severity: 'warning', code: 'UNKNOWN_LANGUAGE', message, ...(hint !== undefined && { hint }) }
  })
}

function combine(given: Catalog | undefined, files: Catalog, { overlay, mode, config }: LoadOptions): Catalog {
  const { keySeparator, emptyTexts, shape } = config
  // The service has an empty text for each missing translation.
  const dropEmpty = (catalog: Catalog) => (emptyTexts === 'keep' ? withoutGaps(catalog) : catalog)
  const shown = overlay && overlay.parts.length > 0 ? fillGaps(dropEmpty(overlay), files, keySeparator) : files
  if (!given) return shown
  const remote = withArrays(dropEmpty(given), files, { keySeparator, infers: shape === 'nested' })
  // The service determines the languages' names and the default language.
  if (mode === 'build') return fillGaps(remote, shown, keySeparator)
  const { languages } = fillGaps(remote, shown, keySeparator)
  return Object.freeze({ ...fillGaps(shown, remote, keySeparator), languages })
}

interface Remote {
  /** The catalog, in the app's names. */
  readonly catalog: Catalog
  /** True if the texts come from the service; false if they come from a snapshot. */
  readonly isLive: boolean
  /** The point in time that the texts reflect. */
  readonly asOf: Date
  /** True if the catalog contains all texts in the service. */
  readonly isComplete: boolean
  /** The languages, in the service's names. */
  readonly languageKeys: readonly string[]
  readonly detail: string
  readonly diagnostics: readonly Diagnostic[]
  readonly inputs?: InputDigests | undefined
  readonly validator?: StoredValidator | undefined
}

async function loadRemote(options: LoadOptions, source: ServiceSource): Promise<Remote | 'files'> {
  const { config, mode, logger, now, only } = options
  // A snapshot does not contain the inputs, so the texts are downloaded if the inputs are needed.
  const revalidate = mode === 'build' && !options.withInputs ? createRevalidate(config) : undefined
  let loaded: SourceResult
  try {
    loaded = await withClient(options, (client) => source.load({ ...options, client, revalidate }))
  } catch (error) {
    if (only || options.signal?.aborted || isConfigurationError(error)) throw error
    return loadFallback(options, config.onServiceError[mode], error)
  }
  const { catalog, detail, diagnostics, inputs } = loaded
  const validator = storableValidator(loaded.validator, loaded.staleMs)
  if (options.saveSnapshot !== false && !only && !loaded.isUnchanged)
    await saveSnapshot(config, { catalog, savedAt: now(), validator }, logger)
  const read = { isComplete: source.isComplete(config), detail, diagnostics, inputs, validator }
  return { ...inAppNames(catalog, config), isLive: true, asOf: now(), ...read }
}

function inAppNames(catalog: Catalog, config: ResolvedConfig): Pick<Remote, 'catalog' | 'languageKeys'> {
  return { catalog: toAppCatalog(catalog, config), languageKeys: catalog.languages.map(({ key }) => key) }
}

/**
 * Returns a function that returns the snapshot's texts if the validator proves that a download would return the same
 * texts. If anything fails, the texts are downloaded.
 */
function createRevalidate(config: ResolvedConfig): NonNullable<SourceContext['revalidate']> {
  return async (current) => {
    if (!current) return undefined
    const { readSnapshot } = await importSnapshot()
    const snapshot = await readSnapshot(config).catch(() => undefined)
    if (!snapshot?.validator || !isUnchanged(snapshot.validator, current)) return undefined
    const { catalog, savedAt } = snapshot
    const detail = `${config.source}, unchanged since ${savedAt.toISOString()}`
    return { catalog, detail, diagnostics: [], isUnchanged: true }
  }
}

/** True for configuration errors, which no fallback can fix. */
function isConfigurationError(error: unknown): boolean {
  return error instanceof LocalizationError && (error.code === 'CONFIG_INVALID' || error.code === 'SOURCE_NAMESPACES')
}

/** Tries the policies in order, and warns about the one that works. If none does, the error lists all attempts. */
async function loadFallback(
  options: LoadOptions,
  policies: readonly ServiceErrorPolicy[],
  error: unknown,
): Promise<Remote | 'files'> {
  const { config, logger, now } = options
  const tried: string[] = []
  for (const policy of policies) {
    if (policy === 'files') {
      logger.warn(`using local files only, because the service failed: ${messageOf(error)}`)
      return 'files'
    }
    if (policy === 'fail') break
    try {
      const { readSnapshot } = await importSnapshot()
      const { catalog, savedAt } = await readSnapshot(config)
      const age = formatAge(now().getTime() - savedAt.getTime())
      logger.warn(
        `using the snapshot from ${savedAt.toISOString()} (${age} old), because the service failed: ${messageOf(error)}`,
      )
      const detail = `snapshot, ${age} old`
      return {
        ...inAppNames(catalog, config),
        isLive: false,
        asOf: savedAt,
        isComplete: false,
        detail,
        diagnostics: [],
      }
    } catch (snapshotError) {
      tried.push(messageOf(snapshotError))
    }
  }
  throw new LocalizationError(`cannot load translations: ${[messageOf(error), ...tried].join(' And ')}`, {
    code: 'SOURCE_FAILED',
    // For other errors, using a snapshot would hide the problem.
    hint:
      policies.includes('snapshot') || !isTemporary(error)
        ? undefined
        : "Set onServiceError: 'snapshot' to build from the last successful download.",
    cause: error,
  })
}

async function saveSnapshot(config: ResolvedConfig, snapshot: Snapshot, logger: Logger): Promise<void> {
  try {
    const { writeSnapshot } = await importSnapshot()
    await writeSnapshot(config, snapshot)
  } catch (error) {
    logger.warn(`cannot write the snapshot: ${messageOf(error)}`)
  }
}

function brokenFiles(broken: readonly [Diagnostic, ...Diagnostic[]]): LocalizationError {
  const [first, ...rest] = broken
  if (rest.length === 0) return new LocalizationError(first.message, first)
  return new LocalizationError(
    `found ${broken.length} problems in translation files:\n${formatFindings(broken)
      .map((line) => `  ${line}`)
      .join('\n')}`,
    { code: first.code },
  )
}

function nothingFound(config: ResolvedConfig, detail: string | undefined): LocalizationError {
  const where =
    detail === undefined ? `no file matches ${searchedPlaces(config)}` : `the service has no texts (${detail})`
  return new LocalizationError(`no translations found: ${where}`, {
    code: 'CATALOG_EMPTY',
    hint: 'Check the options "files", "source", "languages" and "namespaces".',
  })
}

/** Such as `3 minutes`, `5 hours` or `12 days`. `0 minutes` if the clock went backwards. */
function formatAge(ageMs: number): string {
  const minutes = Math.max(0, Math.floor(ageMs / 60_000))
  if (minutes < 60) return count(minutes, 'minute')
  return minutes < 48 * 60 ? count(Math.floor(minutes / 60), 'hour') : count(Math.floor(minutes / 1440), 'day')
}

/** The inputs of a load; `undefined` if the service failed, or cannot tell whether its texts have changed. */
function inputsOf(files: InputDigests = new Map(), remote: Remote | 'files' | undefined): Inputs | undefined {
  if (remote === undefined) return { files }
  if (remote === 'files' || !remote.inputs) return undefined
  return { files, service: remote.inputs, validator: remote.validator }
}
