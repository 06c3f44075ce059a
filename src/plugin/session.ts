/** One plugin instance, independent of bundlers: its configuration, its loads and its pruned texts. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { configDigest } from '../config/digest.ts'
import { findRoot } from '../config/find.ts'
import { headerSecrets } from '../config/headers.ts'
import { missingVariablesError } from '../config/problems.ts'
import type { ConfigDependencies, OnDependency, ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'
import { createWarnOnce, type Logger } from '../logger.ts'
import { normalDrive } from '../shared/paths.ts'
import type { ModuleUsage } from '../usage/model.ts'
import type { CodePlan } from '../usage/parts.ts'
import type { ListedFiles } from '../usage/sources/list.ts'
import type { ReadFile } from './analyzed-code.ts'
import { DevUpdates } from './dev-updates.ts'
import type { Command, FirstLoad, ReloadOptions } from './load.ts'
import type { createAnalyze, ModuleUsages } from './pruned-state.ts'
import type { PluginOptions } from './public.ts'
import { SharedLoads } from './shared-loads.ts'
import type { LoadedState } from './state.ts'

/** The settings that the bundler knows before the first load. */
export interface BuildContext {
  /** The bundler's root. The project's root may be a parent of this folder: see `findRoot`. */
  readonly root: string
  /** `dev` for a server that updates a running page; `build` for everything else, including watch modes. */
  readonly command: Command
  /** The bundler's mode, for `.env.<mode>` files. */
  readonly mode?: string | undefined
  /** The folder with the `.env` files, if it is not the root; `false` if none are read. */
  readonly envDir?: string | false | undefined
  /** Prefixes of environment variables that the bundler exposes to the page. */
  readonly clientPrefixes?: readonly string[] | undefined
  /**
   * Dev only: if true, files are read when pages request their modules, provided that the configuration allows it. The
   * caller must then call `dev.startSync`, which reads the remaining files.
   */
  readonly isOnDemand?: boolean | undefined
}

export interface SessionInput {
  readonly options: PluginOptions
  /** The configuration, if it has already been read. It replaces the options and the configuration file. */
  readonly config?: ResolvedConfig | undefined
  readonly logger: Logger
  /** If true, loads change nothing on disk. Default false. */
  readonly dryRun?: boolean | undefined
  /** Builds only: see `LoadOptions.only`. */
  readonly only?: ReadonlySet<string> | undefined
  /** The root if the bundler does not report its own. */
  readonly fallbackRoot: string
}

/** Imported when needed, so that a dev server starts listening sooner. */
const importLoad = () => import('./load.ts')
const importPrune = () => import('./pruned-state.ts')

/** The loads in this process. Plugin instances share a load only if their configurations are equal. */
const loadShares = new SharedLoads<FirstLoad>()

export class Session {
  /** For dev servers only. */
  readonly dev: DevUpdates
  /** Logs each warning once, even if several outputs or modules cause it. */
  readonly warnOnce: (message: string) => void
  /** The files that the configuration depends on, with their hashes. Filled while the configuration is read. */
  readonly #configDependencies = new Map<string, string | undefined>()
  readonly #dependencyListeners: ((path: string) => void)[] = []
  readonly #ticket = loadShares.register()
  #analyzer: { readonly state: LoadedState; readonly analyze: ReturnType<typeof createAnalyze> } | undefined
  #named: { readonly state: LoadedState; readonly listed: Promise<ListedFiles> } | undefined
  readonly #closeListeners: (() => Promise<void> | void)[] = []
  readonly #loadListeners: ((state: LoadedState) => void)[] = []
  #given: BuildContext | undefined
  /** The bundler's root in the last build, if the same plugin is used for several. */
  #latestRoot: string | undefined
  #root: Promise<string> | undefined
  #config: Promise<ResolvedConfig> | undefined
  #share: { readonly key: string; readonly loading: Promise<FirstLoad> } | undefined
  /** The load that `ready` returns. */
  #loading: Promise<LoadedState> | undefined
  /** The state after the last successful load. */
  #current: LoadedState | undefined
  #secrets: readonly string[] = []
  #releaseLocal: (() => Promise<void>) | undefined
  #isClosed = false

  constructor(private readonly input: SessionInput) {
    this.warnOnce = createWarnOnce(input.logger)
    this.dev = new DevUpdates(
      input.logger,
      () => this.ready(),
      (options) => this.begin(options),
    )
  }

  /**
   * Passes the bundler's settings to the session. Only the first call has an effect, so a build of another project
   * fails. If there is no call, the session uses `fallbackRoot`.
   */
  configure(context: BuildContext): void {
    this.#given ??= context
    this.#latestRoot = context.root
  }

  get command(): Command {
    return this.#context.command
  }

  get #context(): BuildContext {
    return this.#given ?? { root: this.input.fallbackRoot, command: 'build' }
  }

  /** Begins a build. The first build loads the texts, or shares a load. Later builds read the files again. */
  begin(options: ReloadOptions = {}): Promise<LoadedState> {
    const attempt = this.#assertRoot().then(() =>
      this.#current ? this.#reload(this.#current, options) : this.#firstLoad(),
    )
    this.#loading = attempt
    attempt.then(
      (state) => {
        this.#current = state
        for (const listener of this.#loadListeners.splice(0)) listener(state)
        this.dev.notifyStatus()
      },
      () => {
        // After a failed load, the next build loads again. A dev server keeps its last good state.
        const kept = this.command === 'dev' ? this.#current : undefined
        if (this.#loading === attempt) this.#loading = kept && Promise.resolve(kept)
      },
    )
    return attempt
  }

  /** Resolves to true if files are read on demand: `ready` then loads the texts at the first request. */
  async readsOnDemand(): Promise<boolean> {
    const { command, isOnDemand = false } = this.#context
    return command === 'dev' && isOnDemand && canReadOnDemand(await this.config())
  }

  /** Returns the project's root. Does not read the configuration. */
  root(): Promise<string> {
    this.#root ??= this.#findRoot(this.#context.root)
    return this.#root
  }

  async #findRoot(bundlerRoot: string): Promise<string> {
    const { config, options } = this.input
    const { root, configFile } = options
    if (config) return config.root
    if (root !== undefined || configFile !== undefined) return normalDrive(resolve(root ?? bundlerRoot))
    return findRoot(bundlerRoot, this.#noteDependency)
  }

  /** Throws CONFIG_INVALID if this build is of another project, which would get the first project's texts. */
  async #assertRoot(): Promise<void> {
    if (this.#latestRoot === undefined || this.#latestRoot === this.#given?.root) return
    const [root, other] = [await this.root(), await this.#findRoot(this.#latestRoot)]
    if (other === root) return
    throw new LocalizationError(`the plugin for ${root} is used for another project, ${other}`, {
      code: 'CONFIG_INVALID',
      hint: 'Create a plugin for each project, or set its option "root" if both have the same texts.',
    })
  }

  /** Returns the configuration. It does not contain the URLs of a running local service. */
  config(): Promise<ResolvedConfig> {
    this.#config ??= this.#loadConfig()
    return this.#config
  }

  readonly #noteDependency: OnDependency = (path, hash) => {
    this.#configDependencies.set(path, hash)
    for (const listener of this.#dependencyListeners) listener(path)
  }

  /** Calls the listener for each file in `configDependencies`, including files that are added later. */
  onConfigDependency(listener: (path: string) => void): void {
    for (const path of this.configDependencies.keys()) listener(path)
    this.#dependencyListeners.push(listener)
  }

  /** The files that were used when the configuration was last read, even if that failed. */
  get configDependencies(): ConfigDependencies {
    return this.input.config?.configDependencies ?? this.#configDependencies
  }

  /** Calls the listener once, after the next successful load. */
  onLoad(listener: (state: LoadedState) => void): void {
    this.#loadListeners.push(listener)
  }

  /**
   * Returns the state of the current build. Begins a build if there is none, as in a Vite server that does not listen.
   */
  ready(): Promise<LoadedState> {
    return this.#loading ?? this.begin()
  }

  end(): void {
    if (this.#share) this.#ticket.release(this.#share.key)
  }

  async #reload(previous: LoadedState, options: ReloadOptions): Promise<LoadedState> {
    const { reload } = await importLoad()
    const { files, engine } = this.dev
    const service = { overlay: engine?.serviceCatalog(), serviceChanges: engine?.serviceChanges() }
    return reload(previous, files, { ...options, mode: this.command, logger: this.input.logger, ...service })
  }

  async #firstLoad(): Promise<LoadedState> {
    const own = await this.config()
    const { command, mode = process.env.NODE_ENV } = this.#context
    const { logger, dryRun = false, only } = this.input
    const missing = missingVariablesError(own.service.missingVariables)
    if (missing && command === 'build' && mode !== 'development') throw missing
    const isOnDemand = await this.readsOnDemand()
    const part = only ? `${JSON.stringify([...only])}:` : ''
    const shareKey = `${command}:${dryRun ? 'dry:' : ''}${isOnDemand ? 'later:' : ''}${part}${configDigest(own)}`
    const acquire = () => {
      const loading = this.#ticket.acquire(shareKey, () => {
        if (missing) logger.warn(missing.message)
        const given = { mode: command, logger, only, saveSnapshot: !dryRun }
        return importLoad().then(({ loadFirst }) => loadFirst(own, given, isOnDemand))
      })
      this.#share = { key: shareKey, loading }
      return loading
    }
    const loading = acquire()
    let shared = await loading
    // When a dev server restarts, the old session may already have closed the local service of the shared load.
    if (shared.local?.closed) {
      await shared.local.closed
      this.#ticket.forget(shareKey, loading)
      shared = await acquire()
    }
    // Each environment of a Vite server begins a build, but the session counts as one user of the local service.
    this.#releaseLocal ??= shared.local?.retain()
    if (this.#isClosed) await this.#releaseLocal?.()
    this.dev.follow(shared, shareKey)
    const token = shared.localToken === undefined ? [] : [shared.localToken]
    this.#secrets = [...new Set([...secretsOf(own), ...secretsOf(shared.state.config), ...token])]
    return shared.state
  }

  async #loadConfig(): Promise<ResolvedConfig> {
    if (this.input.config) return this.input.config
    const { root: _, configFile, ...options } = this.input.options
    const { root: bundlerRoot, mode, envDir, clientPrefixes } = this.#context
    const [root, { loadConfig }] = await Promise.all([this.root(), import('../config/resolve.ts')])
    const config = await loadConfig({
      root,
      options,
      configFile,
      mode,
      // Vite's default is its own root, which may differ from the project's root. In that case, both folders are read.
      envDir: envDir === bundlerRoot ? [root, bundlerRoot] : envDir,
      clientPrefixes,
      warn: this.input.logger.warn,
      onDependency: this.#noteDependency,
    })
    this.#secrets = secretsOf(config)
    return config
  }

  /**
   * Returns what a module uses, or `undefined` if it uses no texts or `prune` is off.
   *
   * @param readFile reads from the bundler's file system, if it has one
   */
  async analyze(code: string, id: string, readFile: ReadFile = readFromDisk): Promise<ModuleUsage | undefined> {
    const state = await this.ready()
    if (state.config.prune === false) return undefined
    const { createAnalyze } = await importPrune()
    if (this.#analyzer?.state !== state) this.#analyzer = { state, analyze: createAnalyze(state) }
    return this.#analyzer.analyze({ code, id, readFile })
  }

  /** Returns absolute paths of the files that `usage.literalsIn` matches, if a build reads these files. */
  async namedFiles(): Promise<readonly string[]> {
    const state = await this.ready()
    const { root, prune, usage } = state.config
    if (this.command === 'dev' || prune === false || usage.literalsIn.length === 0) return []
    const { listFiles } = await import('../usage/sources/list.ts')
    if (this.#named?.state !== state) this.#named = { state, listed: listFiles(root, usage.literalsIn) }
    return (await this.#named.listed).files.map((file) => resolve(root, file))
  }

  /**
   * Returns the current state. If `prune` is on, it has only the texts that the modules use. If there is a plan, the
   * texts of lazy chunks are separate.
   */
  async prune(modules: ModuleUsages, plan?: CodePlan): Promise<LoadedState> {
    const state = await this.ready()
    if (state.config.prune === false) return state
    const { pruneState } = await importPrune()
    return pruneState(state, modules, plan, { logger: this.input.logger, warnOnce: this.warnOnce })
  }

  /** Returns the secrets that no output may contain. There are none before the configuration has been read. */
  secrets(): readonly string[] {
    return this.#secrets
  }

  /**
   * Calls the listener when the session starts to close, while its file index, its sync and its local service still
   * work.
   */
  onClose(listener: () => Promise<void> | void): void {
    this.#closeListeners.push(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.dev.stop()
    for (let listener = this.#closeListeners.pop(); listener; listener = this.#closeListeners.pop()) await listener()
    await this.dev.close()
    await this.#releaseLocal?.()
    // Last, because a session that begins now must not load while the local service is closing.
    if (this.#share) this.#ticket.forget(this.#share.key, this.#share.loading)
  }
}

const readFromDisk: ReadFile = (path) => readFile(path, 'utf8').catch(() => undefined)

function secretsOf({ service }: ResolvedConfig): string[] {
  const { apiKey, personalToken, headers } = service
  return [apiKey, personalToken, ...headerSecrets(headers)].filter((secret) => secret !== undefined)
}

/**
 * Returns true if a dev server may read files when pages request them. This is not possible if all texts are needed
 * from the start: for a sync with a service, or for a coverage minimum that can fail the load.
 */
function canReadOnDemand({ source, service, coverage }: ResolvedConfig): boolean {
  const { minimum, onMissing } = coverage
  const isStrict = onMissing === 'error' && Object.keys(minimum).length > 0
  return source === 'files' && service.apiKey === undefined && service.baseUrl !== 'local' && !isStrict
}
