/** One plugin instance's life: its configuration, its loads, and the code of its modules. Knows no bundler. */
import { join } from 'node:path'
import { createClient } from '../api/client.ts'
import { measureCoverage } from '../catalog/coverage.ts'
import { catalogDigest } from '../catalog/digest.ts'
import { createTranslations, type Translations } from '../catalog/translations.ts'
import { configDigest } from '../config/digest.ts'
import { loadConfig } from '../config/resolve.ts'
import type { LocalizationOptions } from '../config/schema.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { formatFinding, LocalizationError } from '../errors.ts'
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

export interface LoadedState {
  readonly config: ResolvedConfig
  readonly translations: Translations
  readonly loaded: LoadedCatalog
  /** A hash of every text: equal ones generate equal modules. */
  digest(): string
}

export interface Session {
  /** The first call counts; without one, the fallback's root is used. */
  configure(context: HostContext): void
  readonly command: 'build' | 'dev'
  /** A build begins: the first one loads, or shares a load; later ones read the files anew. */
  begin(): Promise<LoadedState>
  /** The state of the running build; begins one where the bundler did not say so (a Vite server that does not listen). */
  ready(): Promise<LoadedState>
  /** The build is over. */
  end(): void
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

  const reload = async (previous: LoadedState): Promise<LoadedState> => {
    const loaded = await loadCatalog({
      ...loadOptions(previous.config, context().command, logger),
      previous: previous.loaded,
    })
    return stateOf(previous.config, loaded)
  }

  const begin = (): Promise<LoadedState> => {
    const attempt = last ? reload(last) : firstLoad()
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
    ready: () => running ?? begin(),
    end() {
      if (shareKey !== undefined) ticket.release(shareKey)
    },
    secrets: () => secrets,
    async close() {
      await local?.close()
      local = undefined
    },
  }
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
  for (const diagnostic of diagnostics) {
    if (diagnostic.severity === 'error') logger.error(formatFinding(diagnostic))
    else logger.warn(formatFinding(diagnostic))
  }
  checkCoverage(config, loaded, logger)
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
