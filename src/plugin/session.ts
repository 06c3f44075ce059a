/** One plugin instance's life: its configuration, its loads, and the code of its modules. Knows no bundler. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../api/client.ts'
import { measureCoverage } from '../catalog/coverage.ts'
import { catalogDigest } from '../catalog/digest.ts'
import { createTranslations, type Translations } from '../catalog/translations.ts'
import { configDigest } from '../config/digest.ts'
import { loadConfig } from '../config/resolve.ts'
import type { LocalizationOptions } from '../config/schema.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, formatFinding, LocalizationError, messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { type LoadedCatalog, loadCatalog } from '../sources/load.ts'
import { createResourceCache } from '../sources/resource-cache.ts'
import { connectLocalService, type LocalConnection } from './local-service.ts'
import { createLoadShares } from './shared-loads.ts'

/** What the plugin takes: every option of the configuration, and where to find its file. */
export type PluginOptions = LocalizationOptions & {
  /** The project's folder. Default: the bundler's root or context. */
  readonly root?: string
  /** The configuration file, instead of looking for `localization.config.*` in the root; `false`: none. */
  readonly configFile?: string | false
}

/** What a bundler tells before the first load. */
export interface HostContext {
  readonly root: string
  /** `dev`: a server that updates a running page; `build`: everything else, watch modes included. */
  readonly command: 'build' | 'dev'
  /** The bundler's mode, for `.env.<mode>`. */
  readonly mode?: string | undefined
}

export interface BeginOptions {
  /** For watch modes that a failure would end: a file that broke keeps its last good texts, and is in `loaded.diagnostics`. */
  readonly keepLastGood?: boolean
}

export interface LoadedState {
  readonly config: ResolvedConfig
  readonly translations: Translations
  readonly loaded: LoadedCatalog
  /** A hash of every text: equal ones generate equal modules. */
  digest(): string
}

export interface StateChange {
  readonly before: LoadedState
  readonly after: LoadedState
}

export interface Session {
  /** The first call counts; without one, the fallback's root is used. */
  configure(context: HostContext): void
  readonly command: 'build' | 'dev'
  /** A build begins: the first one loads, or shares a load; later ones read the files anew. */
  begin(options?: BeginOptions): Promise<LoadedState>
  /** The state of the running build; begins one where the bundler did not say so (a Vite server that does not listen). */
  ready(): Promise<LoadedState>
  /** The build is over. */
  end(): void
  /** Dev: reads the files anew after an event that somebody saw. */
  refresh(): Promise<StateChange>
  /** Dev: called with changes that no event of the bundler's told. */
  onChange(listener: (change: StateChange) => unknown): void
  /** Secrets that no output may hold. Empty before the configuration is known. */
  secrets(): readonly string[]
  close(): Promise<void>
}

interface SharedState {
  readonly config: ResolvedConfig
  readonly loaded: LoadedCatalog
  readonly local: LocalConnection | undefined
}

/** The one thing that instances of one process share: loads of equal configurations. Nothing else crosses between them. */
const loadShares = createLoadShares<SharedState>()

export interface SessionInput {
  readonly options: PluginOptions
  readonly logger: Logger
  /** Where the project is, when the bundler does not tell. */
  readonly fallbackRoot: string
}

export function createSession({ options, logger, fallbackRoot }: SessionInput): Session {
  const ticket = loadShares.register()
  let host: HostContext | undefined
  let running: Promise<LoadedState> | undefined
  let last: LoadedState | undefined
  let shareKey: string | undefined
  let config: Promise<ResolvedConfig> | undefined
  let secrets: readonly string[] = []
  let local: LocalConnection | undefined
  let refreshing: Promise<unknown> = Promise.resolve()
  let recheck: NodeJS.Timeout | undefined
  const listeners: ((change: StateChange) => unknown)[] = []

  const context = (): HostContext => host ?? { root: fallbackRoot, command: 'build' }

  const configOf = async (): Promise<ResolvedConfig> => {
    const { root, configFile, ...inline } = options
    const { mode, root: hostRoot } = context()
    const resolved = await loadConfig({ root: root ?? hostRoot, options: inline, configFile, mode })
    secrets = secretsOf(resolved)
    return resolved
  }

  const firstLoad = async (): Promise<LoadedState> => {
    config ??= configOf()
    const own = await config
    const { command } = context()
    shareKey = `${command}:${configDigest(own)}`
    const shared = await ticket.acquire(shareKey, () => loadShared(own, command, logger))
    local = shared.local
    secrets = [...new Set([...secretsOf(own), ...secretsOf(shared.config)])]
    return stateOf(shared.config, shared.loaded)
  }

  const reload = async (previous: LoadedState, { keepLastGood }: BeginOptions): Promise<LoadedState> => {
    const options = {
      ...loadOptions(previous.config, context().command, logger),
      previous: previous.loaded,
      keepLastGood,
    }
    let loaded = await loadCatalog(options)
    // Editors empty a file before they write it: what is broken now may be whole in a moment, and no further event may tell.
    for (
      let tries = 0;
      context().command === 'dev' && tries < SETTLE_TRIES && hasNewErrors(previous.loaded, loaded);
      tries++
    ) {
      await sleep(SETTLE_MS)
      loaded = await loadCatalog(options)
    }
    reportChanges(previous.loaded.diagnostics, loaded.diagnostics, logger)
    return stateOf(previous.config, loaded)
  }

  /** Events come in an order, and so must the readings they cause. */
  const refresh = (): Promise<StateChange> => {
    const turn = refreshing.then(async () => {
      const before = await ready()
      return { before, after: await begin() }
    })
    refreshing = turn.catch(() => {})
    recheckSoon()
    return turn
  }

  /** Watchers drop events that come quickly one after another: look once more when it is quiet. */
  const recheckSoon = (): void => {
    clearTimeout(recheck)
    recheck = setTimeout(() => {
      refreshing = refreshing.then(lookAgain).catch((error: unknown) => logger.error(messageOf(error)))
    }, RECHECK_MS).unref()
  }

  const lookAgain = async (): Promise<void> => {
    const change = { before: await ready(), after: await begin() }
    if (change.before.digest() === change.after.digest() && sameFindings(change)) return
    recheckSoon()
    for (const listener of listeners) await listener(change)
  }

  const ready = (): Promise<LoadedState> => running ?? begin()

  const begin = (options: BeginOptions = {}): Promise<LoadedState> => {
    const attempt = last ? reload(last, options) : firstLoad()
    running = attempt
    attempt.then(
      (state) => {
        last = state
      },
      () => {
        // A rejected load must not be what the next build gets.
        if (running === attempt) running = undefined
      },
    )
    return attempt
  }

  return {
    configure(given) {
      host ??= given
    },
    get command() {
      return context().command
    },
    begin,
    ready,
    refresh,
    onChange(listener) {
      listeners.push(listener)
    },
    end() {
      if (shareKey !== undefined) ticket.release(shareKey)
    },
    secrets: () => secrets,
    async close() {
      clearTimeout(recheck)
      await local?.close()
      local = undefined
    },
  }
}

const RECHECK_MS = 120
const SETTLE_MS = 40
const SETTLE_TRIES = 4

function sameFindings({ before, after }: StateChange): boolean {
  const lines = ({ loaded }: LoadedState) => loaded.diagnostics.map(formatFinding).join('\n')
  return lines(before) === lines(after)
}

function hasNewErrors(before: LoadedCatalog, after: LoadedCatalog): boolean {
  const errorsOf = ({ diagnostics }: LoadedCatalog) =>
    diagnostics.filter(({ severity }) => severity === 'error').map(formatFinding)
  const known = new Set(errorsOf(before))
  return errorsOf(after).some((line) => !known.has(line))
}

async function loadShared(own: ResolvedConfig, command: 'build' | 'dev', logger: Logger): Promise<SharedState> {
  const startedAt = performance.now()
  warnAboutIdleOptions(own, logger)
  const local = own.service.baseUrl === 'local' ? await connectLocalService(own, logger) : undefined
  try {
    const config = local?.config ?? own
    const loaded = await loadCatalog(loadOptions(config, command, logger))
    report(config, loaded, performance.now() - startedAt, logger)
    return { config, loaded, local: command === 'dev' ? local : undefined }
  } finally {
    // A build needs the service only while it loads.
    if (command === 'build') await local?.close()
  }
}

function loadOptions(config: ResolvedConfig, mode: 'build' | 'dev', logger: Logger) {
  const { baseUrl, cdnUrl, apiKey, tokenHeader, timeoutMs, retries, requestsPerMinute, concurrency } = config.service
  return {
    config,
    mode,
    logger,
    now: () => new Date(),
    openClient: () =>
      createClient({ baseUrl, cdnUrl, apiKey, tokenHeader, timeoutMs, retries, requestsPerMinute, concurrency }),
    resourceCache: createResourceCache(join(config.root, '.localization', 'hosting')),
  }
}

function stateOf(config: ResolvedConfig, loaded: LoadedCatalog): LoadedState {
  let digest: string | undefined
  return {
    config,
    loaded,
    translations: createTranslations(loaded.catalog, config),
    digest: () => {
      digest ??= catalogDigest(loaded.catalog)
      return digest
    },
  }
}

/** One line with the figures that matter, and whatever was found on the way. */
function report(config: ResolvedConfig, loaded: LoadedCatalog, tookMs: number, logger: Logger): void {
  const { catalog, detail, diagnostics } = loaded
  const count = (number: number, noun: string) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
  logger.info(
    `${count(catalog.languages.length, 'language')}, ${count(catalog.namespaces.length, 'namespace')}, ${count(catalog.textCount, 'text')} in ${(tookMs / 1000).toFixed(1)} s (${detail})`,
  )
  reportChanges([], diagnostics, logger)
  checkCoverage(config, loaded, logger)
}

/** Says what is new, and which file is whole again; what was said already is not said twice. */
function reportChanges(before: readonly Diagnostic[], after: readonly Diagnostic[], logger: Logger): void {
  const known = new Set(before.map(formatFinding))
  for (const diagnostic of after) {
    const line = formatFinding(diagnostic)
    if (known.has(line)) continue
    if (diagnostic.severity === 'error') logger.error(line)
    else logger.warn(line)
  }
  const broken = new Set(after.map(({ place }) => place?.file))
  const mended = new Set(
    before.map(({ place }) => place?.file).filter((file) => file !== undefined && !broken.has(file)),
  )
  for (const file of mended) logger.info(`${file} is whole again`)
}

function checkCoverage(config: ResolvedConfig, { catalog }: LoadedCatalog, logger: Logger): void {
  const { minimum, onMissing } = config.coverage
  const asked = Object.keys(minimum)
  if (asked.length === 0 || onMissing === 'ignore') return
  const { defaultLanguage } = createTranslations(catalog, config)
  const short = measureCoverage(catalog, defaultLanguage).filter(
    ({ language, share }) => Object.hasOwn(minimum, language) && share < (minimum[language] as number),
  )
  const lines = short.map(
    ({ language, translated, expected, share }) =>
      `${language} has ${translated} of ${expected} texts (${(share * 100).toFixed(1)}%, asked for ${((minimum[language] as number) * 100).toFixed(1)}%)`,
  )
  if (lines.length === 0) return
  const message = `too few translations: ${lines.join('; ')}`
  if (onMissing === 'warn') logger.warn(message)
  else {
    throw new LocalizationError(message, {
      code: 'COVERAGE_TOO_LOW',
      hint: "Translate what is missing, lower coverage.minimum, or set coverage.onMissing to 'warn'.",
    })
  }
}

/** Options whose work is not part of this version yet: silence would look like success. */
function warnAboutIdleOptions(config: ResolvedConfig, logger: Logger): void {
  const idle = [
    config.prune !== false && 'prune',
    config.pseudo !== false && 'pseudo',
    config.types !== false && 'types',
  ].filter((name) => name !== false)
  if (idle.length > 0) logger.warn(`not available in this version, ignored: ${idle.join(', ')}`)
}

function secretsOf({ service }: ResolvedConfig): string[] {
  return [service.apiKey, service.personalToken].filter((secret) => secret !== undefined)
}
