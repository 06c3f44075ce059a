/** Vite's dev server: decides which modules an edit updates, and when. */
import { existsSync } from 'node:fs'
import type { EnvironmentModuleNode, HotUpdateOptions, ViteDevServer } from 'vite'
import { formatFinding, messageOf } from '../../../errors.ts'
import type { Logger } from '../../../logger.ts'
import { FILE_EVENTS, isVersion } from '../../../output/hot.ts'
import { type ModuleId, NULL_SPELLING } from '../../../output/ids.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { AdapterInput, Dependencies, HookContext } from '../../bundler-adapter.ts'
import { tone } from '../../inspector.ts'
import type { Session } from '../../session.ts'
import type { LoadedState, StateChange } from '../../state.ts'
import {
  changedModules,
  clientOf,
  codeOf,
  consumerOf,
  type Environment,
  environmentsOf,
  isBundled,
  isImportedElsewhere,
} from './environments.ts'

/** The server counts as idle if it receives no request for this long. */
const IDLE_MS = 500
/** Sync starts after this time at the latest, even if a page keeps polling the server. */
const LATEST_MS = 5_000

function startWhenIdle({ httpServer }: ViteDevServer, session: Session, logger: Logger, start: () => void): void {
  const lastDelayAt = performance.now() + LATEST_MS - IDLE_MS
  const timer = setTimeout(() => {
    end()
    session.ready().then(start, (error: unknown) => {
      logger.error(messageOf(error))
      // Sync then starts after the next successful load.
      session.onLoad(start)
    })
  }, IDLE_MS)
  const delay = () => {
    if (performance.now() < lastDelayAt) timer.refresh()
  }
  const end = () => {
    clearTimeout(timer)
    httpServer?.off('request', delay)
  }
  httpServer?.on('request', delay)
  session.onClose(end)
}

type FileEvent = Pick<HotUpdateOptions, 'server' | 'file' | 'modules' | 'timestamp'>

export class ViteDevServerUpdates {
  #server: ViteDevServer | undefined
  /**
   * Set if the server has Nuxt's `vite-node` plugin. Nuxt's rendering process reloads a module only after an event from
   * the server's watcher.
   */
  #nuxt: ViteDevServer | undefined
  /**
   * The last state that each environment received. It is compared with the new state, because several events may share
   * one reload, and several servers may share this plugin.
   */
  readonly #stateOf = new WeakMap<Environment, LoadedState>()

  constructor(
    private readonly session: Session,
    private readonly logger: Logger,
  ) {}

  /** True if HMR is off, as in Vitest. Vite then never calls `hotUpdate` and reloads nothing. */
  get isHmrDisabled(): boolean {
    return this.#server?.config.server.hmr === false
  }

  /** True in tests that run in Vite, where no page receives the modules. */
  get isTest(): boolean {
    return process.env.VITEST !== undefined && this.#server?.httpServer === null
  }

  start(server: ViteDevServer): void {
    this.#server = server
    if (server.config.plugins.some(({ name }) => name === 'nuxt:vite-node-server')) this.#nuxt = server
    const session = this.session
    const { httpServer } = server
    httpServer?.on('close', () => void session.close())
    session.onLoad((state) => {
      for (const environment of environmentsOf(server)) this.#stateOf.set(environment, state)
      this.#watchOutsideRoot(server, state)
    })
    session.onConfigDependency((path) => watchConfigFile(server, path))
    // If this fails, the error is reported when the server starts, or by the first module.
    session.config().catch(() => {})
    session.dev.onChange((change) => this.#pushChange(server, change))
    // Tests must not contact the service. Waiting for `listening` also helps after a restart, because the new server
    // listens only after the old one has closed.
    if (httpServer) httpServer.once('listening', () => this.#startSync(server))
    else if (!this.isTest) this.#startSync(server)
    const { hot } = clientOf(server)
    hot.on(FILE_EVENTS.hello, async (_data, client) => {
      const state = await session.ready().catch(() => undefined)
      const message = state && brokenFile(state)
      if (message !== undefined) client.send(FILE_EVENTS.broken, { message })
    })
    for (const environment of environmentsOf(server))
      environment.hot.on(FILE_EVENTS.shown, (shown: ShownModule) => this.#updateOutdated(server, environment, shown))
  }

  #startSync(server: ViteDevServer): void {
    const session = this.session
    const begin = () => session.dev.startSync({ isWatching: server.config.server.watch !== null })
    session.readsOnDemand().then(
      (isOnDemand) => (isOnDemand ? startWhenIdle(server, session, this.logger, begin) : begin()),
      () => {},
    )
  }

  /** Returns the modules that an event updates, or `undefined` if Vite should decide. */
  async updatedModules(environment: Environment, { server, file, modules, timestamp }: FileEvent) {
    if (!(await isTranslationFile(this.session, file))) return undefined
    const change = this.#changeSinceLastUpdate(environment, await this.#readChange(environment, server, file))
    notifyBroken(environment, change)
    const changed = await invalidateChanged(environment, change)
    if (environment !== clientOf(server) && changed.length > 0) {
      this.#tellNuxt(environment, changed)
      // Runs after the plugins of frameworks, which may also update the page.
      setImmediate(() => void this.#tellPage(server, change, timestamp))
    }
    return [...modules.filter(isImportedElsewhere), ...changed]
  }

  /**
   * Handles a change for which Vite does not call `hotUpdate`. If HMR is off, changed modules are only invalidated,
   * because pages and tests request them again. If the server bundles, Vite reloads the modules that watch the file.
   */
  async fileChanged(context: object, file: string): Promise<void> {
    const server = this.#server
    if (!server || !(this.isHmrDisabled || isBundled(context)) || !(await isTranslationFile(this.session, file))) return
    // Every environment reports the event. Calls that are waiting share one scan of the files, which starts after all
    // of their events.
    await this.#pushChange(server, await this.session.dev.refresh(file))
  }

  /**
   * Watches a module's files only if necessary, because Vite treats a watched file as an import of the module. While an
   * editor replaces the file, the module would be broken, and the page would reload. It is necessary if HMR is
   * off, if the server bundles, or for modules on the server. Otherwise, Vite watches translation files anyway, and
   * `hotUpdate` finds their modules.
   */
  watchFiles(context: HookContext, { files }: Dependencies): void {
    if (!this.isHmrDisabled && !isBundled(context) && consumerOf(context) !== 'server') return
    for (const file of files) if (existsSync(file)) context.addWatchFile(file)
  }

  /**
   * Reads a change once for all environments. Vite reports an event first to the client environment, and later to the
   * others, possibly after newer events. The others therefore use the change that was read for the client. If they read
   * the files again, they might find a newer change first, and the page would show old texts until the next edit.
   */
  async #readChange(environment: Environment, server: ViteDevServer, file: string): Promise<StateChange> {
    const client = clientOf(server)
    if (environment === client) return this.session.dev.refresh(file)
    const after = this.#stateOf.get(client) ?? (await this.session.ready())
    return { before: after, after }
  }

  #changeSinceLastUpdate(environment: Environment, { before, after }: StateChange): StateChange {
    const last = this.#stateOf.get(environment) ?? before
    this.#stateOf.set(environment, after)
    return { before: last, after }
  }

  /** Updates every environment after a change that Vite did not report. */
  async #pushChange(server: ViteDevServer, given: StateChange): Promise<void> {
    for (const environment of environmentsOf(server)) {
      const change = this.#changeSinceLastUpdate(environment, given)
      notifyBroken(environment, change)
      const changed = await invalidateChanged(environment, change)
      if (!this.isHmrDisabled) for (const module of changed) await environment.reloadModule(module)
      if (environment === clientOf(server) || changed.length === 0) continue
      this.#tellNuxt(environment, changed)
      await this.#tellPage(server, change)
    }
  }

  /** Updates a module if the version that a page or a module runner has received is outdated. */
  async #updateOutdated(server: ViteDevServer, environment: Environment, shown: ShownModule): Promise<void> {
    const { language, namespace, customer, version } = shown
    const id: ModuleId =
      typeof language === 'string' && typeof namespace === 'string'
        ? { kind: 'namespace', language, namespace, ...(typeof customer === 'string' && { customer }) }
        : { kind: 'manifest' }
    const module = environment.moduleGraph.getModuleById(NULL_SPELLING.format(id))
    if (!module || typeof version !== 'string') return
    // If the load fails, the first module that needs the texts reports the error.
    const state = await this.session.ready().catch(() => undefined)
    const code = state && (await codeOf(state, id))
    if (code === undefined || isVersion(code, version)) return
    await environment.reloadModule(module)
    if (environment !== clientOf(server)) await this.#updateManifest(server)
  }

  /**
   * Notifies the page of a change in texts that only the server has loaded. It does so by updating the page's manifest,
   * which calls the `onUpdate` listeners. Does nothing if the manifest was updated at or after the time `since`.
   */
  async #tellPage(server: ViteDevServer, change: StateChange, since = Number.POSITIVE_INFINITY): Promise<void> {
    const client = clientOf(this.#nuxt ?? server)
    if ((await changedModules(client, change)).length === 0) await this.#updateManifest(server, since)
  }

  async #updateManifest(server: ViteDevServer, since = Number.POSITIVE_INFINITY): Promise<void> {
    const client = clientOf(this.#nuxt ?? server)
    const manifest = client.moduleGraph.getModuleById(NULL_SPELLING.format({ kind: 'manifest' }))
    if (manifest && manifest.lastHMRTimestamp < since) await client.reloadModule(manifest)
  }

  /**
   * Reports changed modules to Nuxt. Up to Nuxt 4.4, its rendering process keeps a module until a watcher event
   * contains the module's id.
   */
  #tellNuxt({ moduleGraph }: Environment, modules: readonly EnvironmentModuleNode[]): void {
    if (!this.#nuxt) return
    for (const module of modules) {
      // The module is invalidated first, because Nuxt's process may request it immediately.
      moduleGraph.invalidateModule(module)
      this.#nuxt.watcher.emit('all', 'change', module.id)
    }
  }

  /** Watches the folders of all patterns, because they may be outside the root. Vite watches only its root. */
  #watchOutsideRoot(server: ViteDevServer, { loaded }: LoadedState): void {
    for (const folder of loaded.files.patterns.bases) server.watcher.add(folder)
  }
}

/** Makes Vite restart the server after an edit or the creation of the file. */
function watchConfigFile({ config, watcher }: ViteDevServer, file: string): void {
  const name = toPosix(file)
  if (config.configFileDependencies.includes(name)) return
  config.configFileDependencies.push(name)
  watcher.add(file)
}

/** A page's report about a module. It is untrusted, because anyone who can reach the server can send it. */
type ShownModule = Readonly<Partial<Record<'language' | 'namespace' | 'customer' | 'version', unknown>>>

/**
 * Invalidates changed modules and returns them. A hot update alone is not enough: if a request is transforming a module
 * at that time, the module would keep its old code, even in Vite's cache.
 */
async function invalidateChanged(environment: Environment, change: StateChange): Promise<EnvironmentModuleNode[]> {
  const changed = await changedModules(environment, change)
  for (const module of changed) environment.moduleGraph.invalidateModule(module)
  return changed
}

async function isTranslationFile(session: Session, file: string): Promise<boolean> {
  // If the load fails, the module that needs the texts reports the error.
  const state = await session.ready().catch(() => undefined)
  return state?.loaded.files.patterns.match(file) !== undefined
}

function notifyBroken({ name, hot }: Environment, { before, after }: StateChange): void {
  if (name !== 'client') return
  const message = brokenFile(after)
  if (message !== undefined) hot.send(FILE_EVENTS.broken, { message })
  else if (brokenFile(before) !== undefined) hot.send(FILE_EVENTS.mended)
}

function brokenFile({ loaded }: LoadedState): string | undefined {
  const broken = loaded.diagnostics.find(({ severity }) => severity === 'error')
  return broken && formatFinding(broken)
}

/**
 * Prints the inspector's URL after Vite's own URLs. Vite prints those when it starts listening, and when the user
 * presses `u`.
 */
export function announceWithUrls(server: ViteDevServer, inspector: AdapterInput['inspector']): void {
  const print = server.printUrls.bind(server)
  server.printUrls = () => {
    print()
    const [local] = server.resolvedUrls?.local ?? []
    if (local === undefined) return
    const colored = (address: string) =>
      tone(
        'cyan',
        address.replace(/:(\d+)\//, (_, port) => `:${tone('bold', port)}/`),
      )
    inspector.announce(local, (address) =>
      server.config.logger.info(`  ${tone('green', '➜')}  ${tone('bold', 'Inspector')}: ${colored(address)}`),
    )
  }
}
