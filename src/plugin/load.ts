/** Loads the catalog for a session, and reloads it after edits. */

import { join } from 'node:path'
import { catalogDigest, isSameTexts } from '../catalog/digest.ts'
import { assertPrefix, createTranslations, type Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, LocalizationError, messageOf } from '../errors.ts'
import type { FileIndex, FilesSnapshot } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import { writeDeclarationMap, writeGenerated } from '../shared/generated-file.ts'
import { displayPath } from '../shared/paths.ts'
import { type FilesResult, filesOf } from '../sources/files.ts'
import { type LoadedCatalog, type LoadOptions, loadCatalog } from '../sources/load.ts'
import { readKeyPlaces } from '../sources/locate.ts'
import { createResourceCache } from '../sources/resource-cache.ts'
import { readInputs } from '../sources/service-sources.ts'
import type { Inputs } from '../sources/validator.ts'
import { reportBuild } from './build-report.ts'
import { connectLocalService } from './local-service.ts'
import { createPrebuiltGenerator } from './prebuilt-chunks.ts'
import { reportChanges, reportLoad, reportTexts } from './report.ts'
import type { LoadedState } from './state.ts'

export type Command = 'build' | 'dev'

/** The result of the first load of a configuration. Several sessions may share it. */
export type FirstLoad = Awaited<ReturnType<typeof loadFirst>>

/** @param isOnDemand dev only: true if files are read on demand */
export async function loadFirst(
  own: ResolvedConfig,
  given: Pick<LoadOptions, 'mode' | 'logger' | 'only' | 'saveSnapshot'>,
  isOnDemand: boolean,
) {
  const { mode: command, logger } = given
  const startedAt = performance.now()
  const local = own.service.baseUrl === 'local' ? await connectLocalService(own, command, logger) : undefined
  try {
    const config = local?.config ?? own
    // The index is not needed in builds.
    const files = command === 'dev' ? new (await import('../files/file-index.ts')).FileIndex(config) : undefined
    const readFiles = files && (async () => filesOf(await files.scan({ isOnDemand, isHasty: true }), files.patterns))
    const stamp = files ? await (await import('../sync/journal.ts')).journalStamp(config) : ''
    const state = await load({ ...given, config, readFiles })
    const report = async ({ loaded, translations }: LoadedState, tookMs: number) => {
      reportLoad(config, loaded, tookMs, logger)
      await reportTexts(config, loaded, logger)
      if (given.saveSnapshot)
        await writeDeclarations(config, translations, command === 'dev' ? loaded.files : undefined, logger)
    }
    const listMs = performance.now() - startedAt
    let reported: Promise<void> | undefined
    const reportWhole = (whole: LoadedState, readMs: number) => {
      reported ??= report(whole, listMs + readMs)
      return reported
    }
    if (!isOnDemand) await reportWhole(state, 0)
    // A build needs the local service only during the load.
    if (command === 'build') await local?.close()
    return {
      state,
      /** Dev only: the local service. It runs while any session uses it. */
      local: command === 'dev' ? local : undefined,
      /** Dev only: the index of the project's files. */
      files,
      /** Dev only: the stamp of sync's journal before the load. */
      stamp,
      /** The local service's token. Still set after a build has closed the service. */
      localToken: local?.personalToken,
      /**
       * Reports the load. Only the first call has an effect, and it must come after all files have been read. Set only
       * if files are read on demand.
       */
      reportWhole: isOnDemand ? reportWhole : undefined,
    }
  } catch (error) {
    await local?.close()
    throw error
  }
}

export interface ReloadOptions {
  /**
   * If true, the last good texts of a broken file are kept, and the error is added to `loaded.diagnostics`. If false,
   * the error is thrown, which would end a bundler's watch mode.
   */
  readonly keepLastGood?: boolean | undefined
  /** Dev only: the current files. If omitted, the files are scanned. */
  readonly snapshot?: FilesSnapshot | undefined
  /** True if the caller reports the load. */
  readonly isReported?: boolean | undefined
}

/** Loads the texts again. `overlay` contains texts from the service, which replace those in the files. */
export async function reload(
  { config, loaded: before }: LoadedState,
  files: FileIndex | undefined,
  {
    snapshot,
    isReported = false,
    ...given
  }: ReloadOptions & Pick<LoadOptions, 'mode' | 'logger' | 'overlay' | 'serviceChanges'>,
): Promise<LoadedState> {
  const { mode, logger } = given
  const readFiles = files && (async () => filesOf(snapshot ?? (await files.scan({ isHasty: true })), files.patterns))
  const state = await load({ ...given, config, readFiles, previous: before })
  if (isReported) return state
  reportChanges(before.diagnostics, state.loaded.diagnostics, logger)
  if (!isSameTexts(state.loaded.catalog, before.catalog))
    await writeDeclarations(config, state.translations, mode === 'dev' ? state.loaded.files : undefined, logger)
  return state
}

/** Imports the client only if it is needed, because many projects do not use a service. */
function serviceAccess(config: ResolvedConfig): Pick<LoadOptions, 'openClient' | 'resourceCache'> {
  return {
    openClient: async () => (await import('../api/client.ts')).createClient(config.service),
    resourceCache: createResourceCache(join(config.root, '.localization', 'downloads')),
  }
}

/** Returns the inputs that a load would have now: see `readInputs`. */
export async function readCurrentInputs(config: ResolvedConfig, known: Inputs): Promise<Inputs | undefined> {
  // During a build, the local service runs only for the load.
  const isStopped = config.service.baseUrl === 'local' && config.source !== 'files'
  return isStopped ? undefined : readInputs({ config, ...serviceAccess(config) }, known)
}

async function load(
  given: Omit<LoadOptions, 'now' | 'openClient' | 'resourceCache' | 'withInputs'>,
): Promise<LoadedState> {
  const { config, mode, logger, keepLastGood } = given
  const startedAt = performance.now()
  const loaded = await loadCatalog({
    ...given,
    now: () => new Date(),
    ...serviceAccess(config),
    withInputs: mode === 'build' && config.delivery === 'live',
  })
  const resolved = await resolveTexts(config, loaded, mode === 'build' && !keepLastGood)
  const state = { config, ...resolved, loadMs: performance.now() - startedAt }
  return {
    ...state,
    digest: () => catalogDigest(loaded.catalog),
    prebuilt: createPrebuiltGenerator(state, logger, async (files, writeMs) => {
      // If `prune` is on, `pruneState` reports the remaining texts instead.
      if (config.prune === false) await reportBuild(state, files, writeMs, logger)
    }),
  }
}

/**
 * Returns the texts of a load as the app gets them. They may conflict with the option `namespacePrefix` or `pseudo`. A
 * build then fails (`strict`), but dev servers and watch modes only add a diagnostic. If the pseudo-language has the
 * code of a real language, the real language keeps its texts.
 */
async function resolveTexts(
  config: ResolvedConfig,
  loaded: LoadedCatalog,
  strict: boolean,
): Promise<Pick<LoadedState, 'loaded' | 'translations'>> {
  const diagnostics: Diagnostic[] = []
  const attempt = (derive: () => Translations, otherwise: Translations): Translations => {
    try {
      return derive()
    } catch (error) {
      if (strict || !(error instanceof LocalizationError)) throw error
      diagnostics.push({ severity: 'error', code: error.code, message: error.message })
      return otherwise
    }
  }
  const { pseudo } = config
  let translations = createTranslations(loaded.catalog, config)
  translations = attempt(() => assertPrefix(translations), translations)
  if (pseudo !== false) {
    const { withPseudoLanguage } = await import('../catalog/pseudo.ts')
    translations = attempt(() => withPseudoLanguage(translations, pseudo), translations)
  }
  if (diagnostics.length === 0) return { translations, loaded }
  return { translations, loaded: { ...loaded, diagnostics: [...loaded.diagnostics, ...diagnostics] } }
}

/**
 * Updates the declarations. Logs a warning if they cannot be written.
 *
 * @param files dev only: the files to which declaration maps point
 */
async function writeDeclarations(
  config: ResolvedConfig,
  translations: Translations,
  files: FilesResult | undefined,
  logger: Logger,
): Promise<void> {
  if (config.types === false) return
  const [{ generateDeclarations }, { GENERATED_MARK }, maps] = await Promise.all([
    import('../output/declarations.ts'),
    import('../output/types.ts'),
    import('../output/declared-keys.ts'),
  ])
  const placeOf = files && (await readKeyPlaces(config, translations, files))
  for (const { path, content, keys } of generateDeclarations(translations, config)) {
    try {
      if (await writeGenerated(path, content, GENERATED_MARK)) logger.info(`wrote ${displayPath(config.root, path)}`)
      const map = placeOf && maps.generateDeclarationMap(path, keys, placeOf)
      await writeDeclarationMap(maps.declarationMapPath(path), map)
    } catch (error) {
      logger.warn(messageOf(error))
    }
  }
}
