/** One plugin instance's life: its configuration, its loads, and the code of its modules. Knows no bundler. */
import { join } from 'node:path'
import { catalogDigest } from '../catalog/digest.ts'
import { configDigest } from '../config/digest.ts'
import { headerSecrets } from '../config/headers.ts'
import { missingVariablesError } from '../config/missing-variables.ts'
import type { LocalizationOptions } from '../config/options.ts'
import { loadConfig } from '../config/resolve.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { formatFinding, messageOf } from '../errors.ts'
import type { FileIndex } from '../files/file-index.ts'
import { type Logger, silentLogger } from '../logger.ts'
import type { ChunkExtension } from '../output/prebuilt-chunks.ts'
import { type FilesResult, filesOfIndex } from '../sources/files.ts'
import { loadCatalog } from '../sources/load.ts'
import { createResourceCache } from '../sources/resource-cache.ts'
import type { SyncEngine } from '../sync/engine/engine.ts'
import type { ModuleUsage } from '../usage/model.ts'
import type { CodeChunk } from '../usage/parts.ts'
import type { UsedKeys } from '../usage/used-keys.ts'
import { createBuildReport, tellBuildReport } from './build-report.ts'
import { type Derived, deriveTranslations, writeDeclarations } from './derive.ts'
import { type DevSync, startDevSync } from './dev-sync.ts'
import { connectLocalService, type LocalConnection } from './local-service.ts'
import { createPrebuiltGenerator } from './prebuilt-chunks.ts'
import { createPruner, type ModuleUsages, type Pruner, pruneTranslations } from './prune.ts'
import { reportChanges, reportLoad } from './report.ts'
import { createLoadShares } from './shared-loads.ts'
import type { LoadedState, StateChange } from './state.ts'

/** What the plugin takes: every option of the configuration, and where to find its file. */
export interface PluginOptions extends LocalizationOptions {
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
  /** The folder of the `.env` files, where it is not the root; `false`: none are read. */
  readonly envDir?: string | false | undefined
  /** Beginnings of variables that the bundler puts into the page by its configuration. */
  readonly clientPrefixes?: readonly string[] | undefined
}

export interface BeginOptions {
  /** For watch modes that a failure would end: a file that broke keeps its last good texts, and is in `loaded.diagnostics`. */
  readonly keepLastGood?: boolean
}

export interface Session {
  /** The first call counts; without one, the fallback's root is used. */
  configure(context: HostContext): void
  readonly command: 'build' | 'dev'
  /** A build begins: the first one loads, or shares a load; later ones read the files anew. */
  begin(options?: BeginOptions): Promise<LoadedState>
  /** The state of the running build; begins one where the bundler did not say so (a Vite server that does not listen). */
  ready(): Promise<LoadedState>
  /** What a module uses, for `prune`; `undefined`: nothing that can be told, or nothing is pruned. */
  analyze(code: string, id: string): Promise<ModuleUsage | undefined>
  /** The state with the texts that the modules use, where `prune` is on; with chunks, those that come with each of them apart. */
  prune(modules: ModuleUsages, chunks?: Iterable<CodeChunk>): Promise<LoadedState>
  /** The build is over. */
  end(): void
  /** Dev: reads the files anew after an event that somebody saw. */
  refresh(): Promise<StateChange>
  /** Dev: pushes what is edited to the service and brings in what changes there, until `close`. The first call counts. */
  startSync(): void
  /** Dev: called with changes that no event of the bundler's told. */
  onChange(listener: (change: StateChange) => unknown): void
  /** Dev: the engine behind `startSync`, once it runs. */
  engine(): SyncEngine | undefined
  /** Dev: called when the texts, or what sync has to say of them, may be others. Returns what ends that. */
  onStatus(listener: () => void): () => void
  /** Secrets that no output may hold. Empty before the configuration is known. */
  secrets(): readonly string[]
  /** Called when the session ends, before what it holds is closed. */
  onClose(listener: () => Promise<void> | void): void
  close(): Promise<void>
}

interface Timed extends Derived {
  readonly loadMs: number
}

interface SharedState extends Timed {
  readonly config: ResolvedConfig
  readonly local: LocalConnection | undefined
  /** In dev: the files as the load has seen them. */
  readonly files: FileIndex | undefined
  /** Of the local service, also when a build has closed it. */
  readonly localToken: string | undefined
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
  const pruner = createPruner()
  let host: HostContext | undefined
  let running: Promise<LoadedState> | undefined
  let last: LoadedState | undefined
  let shareKey: string | undefined
  let config: Promise<ResolvedConfig> | undefined
  let secrets: readonly string[] = []
  let local: LocalConnection | undefined
  let refreshing: Promise<unknown> = Promise.resolve()
  let nextRefresh: Promise<StateChange> | undefined
  let isLookWaiting = false
  /** In dev: this session's own reader of the shared index. */
  let files: FileIndex | undefined
  let sync: Promise<DevSync | undefined> | undefined
  let activeSync: DevSync | undefined
  let closed = false
  const closeListeners: (() => Promise<void> | void)[] = []
  const statusListeners = new Set<() => void>()
  const tellStatus = () => {
    for (const listener of statusListeners) listener()
  }
  const listeners: ((change: StateChange) => unknown)[] = []

  const context = (): HostContext => host ?? { root: fallbackRoot, command: 'build' }

  const configOf = async (): Promise<ResolvedConfig> => {
    const { root, configFile, ...inline } = options
    const { root: hostRoot, mode, envDir, clientPrefixes } = context()
    const environment = { mode, envDir, clientPrefixes, warn: logger.warn }
    const resolved = await loadConfig({ root: root ?? hostRoot, options: inline, configFile, ...environment })
    secrets = secretsOf(resolved)
    return resolved
  }

  const firstLoad = async (): Promise<LoadedState> => {
    config ??= configOf()
    const own = await config
    const { command, mode = process.env.NODE_ENV } = context()
    const missing = missingVariablesError(own.service.missingVariables)
    if (missing && command === 'build' && mode !== 'development') throw missing
    shareKey = `${command}:${configDigest(own)}`
    const shared = await ticket.acquire(shareKey, () => {
      if (missing) logger.warn(missing.message)
      return loadShared(own, command, logger)
    })
    // Every environment of a Vite server begins a build; the session is one user all the same.
    if (local !== shared.local) {
      local = shared.local
      local?.retain()
      if (closed) await closeLocal()
    }
    if (!files) {
      files = shared.files?.reader()
      if (!closed) files?.onChange(lookAgainInTurn)
    }
    const token = shared.localToken === undefined ? [] : [shared.localToken]
    secrets = [...new Set([...secretsOf(own), ...secretsOf(shared.config), ...token])]
    return stateOf(shared.config, shared, logger)
  }

  const reload = async (previous: LoadedState, { keepLastGood, isScanned }: ReloadOptions): Promise<LoadedState> => {
    const startedAt = performance.now()
    const index = files
    const loaded = await loadCatalog({
      ...loadOptions(previous.config, context().command, logger),
      ...(index && { readFiles: () => readIndex(index, isScanned) }),
      previous: previous.loaded,
      keepLastGood,
      overlay: activeSync?.serviceCatalog(),
    })
    const strict = context().command === 'build' && !keepLastGood
    const derived = await deriveTranslations(previous.config, loaded, { strict })
    const state = stateOf(previous.config, { ...derived, loadMs: performance.now() - startedAt }, logger)
    reportChanges(previous.loaded.diagnostics, state.loaded.diagnostics, logger)
    if (state.digest() !== previous.digest()) await writeDeclarations(state.config, state.translations, logger)
    return state
  }

  /** Events come in an order, and so must the readings they cause. One that has not begun yet serves every event until it does. */
  const refresh = (): Promise<StateChange> => {
    if (!nextRefresh) {
      nextRefresh = refreshing.then(async () => {
        nextRefresh = undefined
        const before = await ready()
        return { before, after: closed ? before : await begin() }
      })
      refreshing = nextRefresh.catch(() => {})
    }
    // Watchers drop events that come quickly one after another.
    files?.lookSoon()
    return nextRefresh
  }

  /** The files, or the service's texts, are others, and no event of the bundler's has told. */
  const lookAgainInTurn = (): void => {
    if (isLookWaiting) return
    isLookWaiting = true
    refreshing = refreshing.then(lookAgain).catch((error: unknown) => logger.error(messageOf(error)))
  }

  const openSync = async (): Promise<DevSync | undefined> => {
    const { config, loaded } = await ready()
    const { remote } = loaded
    if (!files) return undefined
    // What is filtered by review state is not all that the service has.
    const isWhole = config.source === 'export' || (config.source === 'query' && !config.reviewed)
    const opened = await startDevSync({
      key: shareKey ?? config.root,
      config,
      logger,
      files,
      remote: isWhole && typeof remote === 'object' && remote.isLive ? remote.catalog : undefined,
      onUpdate: lookAgainInTurn,
      onStatus: tellStatus,
    })
    // Where the engine is another instance's, it may read another index.
    await files.watch()
    return opened
  }

  const lookAgain = async (): Promise<void> => {
    isLookWaiting = false
    if (closed) return
    const change = { before: await ready(), after: await begin({ isScanned: true }) }
    if (change.before.digest() === change.after.digest() && sameFindings(change)) return
    for (const listener of listeners) await listener(change)
  }

  const closeLocal = async (): Promise<void> => {
    const used = local
    local = undefined
    await used?.close()
  }

  const ready = (): Promise<LoadedState> => running ?? begin()

  const begin = (options: ReloadOptions = {}): Promise<LoadedState> => {
    const attempt = last ? reload(last, options) : firstLoad()
    running = attempt
    attempt.then(
      (state) => {
        last = state
        tellStatus()
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
    begin: (options) => begin(options),
    ready,
    refresh,
    onChange(listener) {
      listeners.push(listener)
    },
    engine: () => activeSync?.engine,
    onStatus(listener) {
      statusListeners.add(listener)
      return () => statusListeners.delete(listener)
    },
    async analyze(code, id) {
      return pruner.analyze(await ready(), code, id)
    },
    async prune(modules, chunks) {
      const state = await ready()
      return state.config.prune === false
        ? state
        : prunedState(state, [...modules], { pruner, logger, mode: context().mode, chunks })
    },
    end() {
      if (shareKey !== undefined) ticket.release(shareKey)
    },
    secrets: () => secrets,
    startSync() {
      if (closed) return
      // A load that fails is reported by the first module that needs it.
      sync ??= openSync().then(
        (opened) => {
          activeSync = opened
          tellStatus()
          return opened
        },
        () => undefined,
      )
    },
    onClose(listener) {
      closeListeners.push(listener)
    },
    async close() {
      closed = true
      for (let listener = closeListeners.pop(); listener; listener = closeListeners.pop()) await listener()
      await (await sync)?.close()
      await files?.close()
      await refreshing
      await closeLocal()
    },
  }
}

interface ReloadOptions extends BeginOptions {
  /** Somebody has looked at the files just now. */
  readonly isScanned?: boolean
}

/** A build does not load it. */
async function openIndex(config: ResolvedConfig): Promise<FileIndex> {
  return (await import('../files/file-index.ts')).createFileIndex(config)
}

async function readIndex(index: FileIndex, isScanned = false): Promise<FilesResult> {
  if (isScanned) index.take()
  else await index.scan({ settle: true })
  return filesOfIndex(index)
}

function sameFindings({ before, after }: StateChange): boolean {
  const lines = ({ loaded }: LoadedState) => loaded.diagnostics.map(formatFinding).join('\n')
  return lines(before) === lines(after)
}

async function loadShared(own: ResolvedConfig, command: 'build' | 'dev', logger: Logger): Promise<SharedState> {
  const startedAt = performance.now()
  const local = own.service.baseUrl === 'local' ? await connectLocalService(own, command, logger) : undefined
  try {
    const config = local?.config ?? own
    const files = command === 'dev' ? await openIndex(config) : undefined
    const loaded = await loadCatalog({
      ...loadOptions(config, command, logger),
      ...(files && { readFiles: () => readIndex(files) }),
    })
    const derived = await deriveTranslations(config, loaded, { strict: command === 'build' })
    reportLoad(config, derived.loaded, performance.now() - startedAt, logger)
    await writeDeclarations(config, derived.translations, logger)
    // A build needs the service only while it loads.
    if (command === 'build') await local?.close()
    const loadMs = performance.now() - startedAt
    return {
      config,
      ...derived,
      loadMs,
      local: command === 'dev' ? local : undefined,
      files,
      localToken: local?.personalToken,
    }
  } catch (error) {
    await local?.close()
    throw error
  }
}

function loadOptions(config: ResolvedConfig, mode: 'build' | 'dev', logger: Logger) {
  return {
    config,
    mode,
    forPage: true,
    logger,
    now: () => new Date(),
    // A project of files alone never loads what it takes to call a service.
    openClient: async () => (await import('../api/client.ts')).createClient(config.service),
    resourceCache: createResourceCache(join(config.root, '.localization', 'hosting')),
  }
}

function stateOf(config: ResolvedConfig, derived: Timed, logger: Logger): LoadedState {
  const { loaded, translations, loadMs } = derived
  let digest: string | undefined
  const state: LoadedState = {
    config,
    loaded,
    translations,
    loadMs,
    digest: () => {
      digest ??= catalogDigest(loaded.catalog)
      return digest
    },
    prebuilt: (extension) => prebuilt(extension),
  }
  const prebuilt = createPrebuiltGenerator(state, logger, (files, tookMs) => {
    // A pruned build tells of what is left.
    if (config.prune === false)
      return tellBuildReport(createBuildReport(state, files, tookMs, undefined), state, logger)
  })
  return state
}

interface PruneInput {
  readonly pruner: Pruner
  readonly logger: Logger
  readonly mode: string | undefined
  readonly chunks: Iterable<CodeChunk> | undefined
}

/** The same load with fewer texts. */
async function prunedState(
  full: LoadedState,
  modules: readonly (readonly [string, ModuleUsage])[],
  { pruner, logger, mode, chunks: given }: PruneInput,
): Promise<LoadedState> {
  const chunks = given && [...given]
  const labels = chunks && new Map(chunks.map(({ name, label = name }) => [name, label]))
  const perChunk = chunks && (await pruner.perChunkKeys(full, modules, chunks))
  const used = perChunk?.used ?? (await pruner.usedKeys(full, modules))
  const withKeys = (keys: UsedKeys) => ({
    ...full,
    translations: pruneTranslations(full.translations, keys, full.config),
  })
  const bytesWith = async (of: LoadedState, extension: ChunkExtension) =>
    (await createPrebuiltGenerator(of, silentLogger)(extension)).namespaceBytes
  const state: LoadedState = {
    ...withKeys(used),
    ...(mode === 'development' && { unpruned: full.translations }),
    ...(perChunk && {
      perChunk: { base: pruneTranslations(full.translations, perChunk.base, full.config), chunks: perChunk.chunks },
    }),
    prebuilt: (extension) => prebuilt(extension),
  }
  const prebuilt = createPrebuiltGenerator(state, logger, async (files, tookMs) => {
    const whole = await bytesWith(full, '.js')
    const named =
      used.unknownCalls.length === 0
        ? files.namespaceBytes
        : await bytesWith(withKeys(await pruner.usedKeys(full, modules, 'named')), '.js')
    await tellBuildReport(createBuildReport(state, files, tookMs, { used, whole, named, labels }), state, logger)
  })
  return state
}

function secretsOf({ service }: ResolvedConfig): string[] {
  const { apiKey, personalToken, headers } = service
  return [apiKey, personalToken, ...headerSecrets(headers)].filter((secret) => secret !== undefined)
}
