/**
 * Reloads the texts of a dev session when files or texts in the service change. Also syncs the files with the service.
 */
import { isSameTexts } from '../catalog/digest.ts'
import { formatFinding, messageOf } from '../errors.ts'
import type { FileIndex } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import type { SyncEngine } from '../sync/engine.ts'
import type { SyncEngineOptions } from '../sync/project.ts'
import type { FirstLoad, ReloadOptions } from './load.ts'
import type { LoadedState, StateChange } from './state.ts'

export class DevUpdates {
  /** The last job in the queue. Each job waits for the previous one, so that reloads have the order of their events. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #listeners: ((change: StateChange) => unknown)[] = []
  readonly #statusListeners = new Set<() => void>()
  #files: FileIndex | undefined
  #unfollow: (() => Promise<void>) | undefined
  /** Paths from watcher events since the last reload. */
  #changed: string[] = []
  /** True if texts in the service have changed since the last reload. */
  #isServiceNew = false
  /** The time that it took to read the files that no page had requested. Set until it is reported. */
  #restMs: number | undefined
  /** Sessions that share a load have the same key. */
  #shareKey = ''
  #stamp = ''
  #reportWhole: FirstLoad['reportWhole']
  #starting: Promise<void> | undefined
  #shared: SharedEngine | undefined
  #engine: SyncEngine | undefined
  #isClosed = false

  constructor(
    private readonly logger: Logger,
    private readonly ready: () => Promise<LoadedState>,
    private readonly reload: (options?: ReloadOptions) => Promise<LoadedState>,
  ) {}

  get files(): FileIndex | undefined {
    return this.#files
  }

  /** The sync engine; `undefined` until `startSync` has started it. */
  get engine(): SyncEngine | undefined {
    return this.#engine
  }

  /**
   * Starts to follow the file index of the load. Only the first call has an effect, because all environments of a
   * server use the same session.
   */
  follow({ files: index, stamp, reportWhole }: FirstLoad, shareKey: string): void {
    if (this.#files || this.#isClosed || !index) return
    this.#reportWhole = reportWhole
    this.#files = index
    this.#shareKey = shareKey
    this.#stamp = stamp
    this.#unfollow = index.follow({ onSnapshot: () => this.#lookAgain() })
    // Another session may have scanned the files after the load.
    this.#lookAgain()
  }

  /** Returns a function that adds the job to the queue. While the job is waiting, further calls return the same run. */
  #coalesce<T>(job: () => Promise<T>): () => Promise<T> {
    let waiting: Promise<T> | undefined
    const run = () => {
      waiting = undefined
      return job()
    }
    return () => {
      if (!waiting) {
        waiting = this.#last.then(run)
        this.#last = waiting.catch(() => {})
      }
      return waiting
    }
  }

  /** Adds a listener for changes that the bundler's watcher did not report. */
  onChange(listener: (change: StateChange) => unknown): void {
    this.#listeners.push(listener)
  }

  /**
   * Calls the listener when the texts or the sync status may have changed. Returns a function that removes the
   * listener.
   */
  onStatus(listener: () => void): () => void {
    this.#statusListeners.add(listener)
    return () => this.#statusListeners.delete(listener)
  }

  notifyStatus(): void {
    for (const listener of this.#statusListeners) listener()
  }

  /** Reloads the texts after an event from the bundler's watcher. */
  refresh(file: string): Promise<StateChange> {
    this.#changed.push(file)
    return this.#refresh()
  }

  readonly #refresh = this.#coalesce(async (): Promise<StateChange> => {
    const before = await this.ready()
    const changed = this.#changed.splice(0)
    if (this.#isClosed) return { before, after: before }
    const snapshot = await this.#files?.scan({ changed, isHasty: true })
    return { before, after: await this.reload({ snapshot }) }
  })

  /**
   * Reloads the texts after a change in the files or in the service. The bundler's watcher may not have reported it.
   */
  #lookAgain(): void {
    this.#reportChange().catch((error: unknown) => this.logger.error(messageOf(error)))
  }

  /** Reloads the texts after a change in the service. */
  showServiceTexts(): void {
    this.#isServiceNew = true
    this.#lookAgain()
  }

  readonly #reportChange = this.#coalesce(async (): Promise<void> => {
    if (this.#isClosed) return
    const before = await this.ready()
    const snapshot = this.#files?.snapshot
    const restMs = this.#restMs
    if (!this.#isServiceNew && restMs === undefined && before.loaded.files.snapshot === snapshot) return
    this.#isServiceNew = false
    this.#restMs = undefined
    const change = { before, after: await this.reload({ snapshot, isReported: restMs !== undefined }) }
    if (restMs !== undefined) await this.#reportWhole?.(change.after, restMs)
    if (isSame(change)) return
    for (const listener of this.#listeners) await listener(change)
  })

  /** Reads the files that no page has requested yet, and reports their findings. */
  async #readRest(files: FileIndex): Promise<void> {
    const startedAt = performance.now()
    await files.snapshot.readAll()
    this.#restMs = performance.now() - startedAt
    await this.#reportChange()
  }

  /**
   * Pushes edits to the service and pulls changes from it until `close` is called. Only the first call has an effect.
   * If the bundler does not watch files, set `isWatching` to false, so that the plugin does not watch them either.
   */
  startSync({ isWatching = true }: { readonly isWatching?: boolean } = {}): void {
    if (this.#isClosed) return
    // If the load fails, the first module that needs the texts reports the error.
    this.#starting ??= this.#openSync(isWatching).catch(() => {})
  }

  async #openSync(isWatching: boolean): Promise<void> {
    const { config, loaded } = await this.ready()
    const { remote } = loaded
    if (!this.#files) return
    if (this.#reportWhole) await this.#readRest(this.#files)
    const given = {
      config,
      logger: this.logger,
      files: { index: this.#files, seen: loaded.files.snapshot ?? this.#files.snapshot },
      watch: isWatching,
      remote:
        typeof remote === 'object' && remote.isLive && remote.isComplete
          ? { ...remote, stamp: this.#stamp }
          : undefined,
    }
    this.#shared = engines.get(this.#shareKey) ?? shareEngine(this.#shareKey, given)
    this.#shared.users.add(this)
    const engine = await this.#shared.engine
    // A shared engine watches the files for the session that created it, so this session needs its own watcher.
    if (isWatching) await this.#files.watch()
    this.#engine = engine
    // A shared engine may have seen changes that the shared load does not have.
    if (this.#shared.users.size > 1) this.showServiceTexts()
    this.notifyStatus()
  }

  /** Pending and later reloads do nothing after this call. */
  stop(): void {
    this.#isClosed = true
  }

  async close(): Promise<void> {
    await this.#starting
    await this.#leaveEngine()
    await this.#unfollow?.()
    await this.#last
  }

  async #leaveEngine(): Promise<void> {
    const shared = this.#shared
    shared?.users.delete(this)
    if (!shared || shared.users.size > 0) return
    if (engines.get(this.#shareKey) === shared) engines.delete(this.#shareKey)
    await (await shared.engine)?.close()
  }
}

function isSame({ before, after }: StateChange): boolean {
  return isSameTexts(before.loaded.catalog, after.loaded.catalog) && findingsOf(before) === findingsOf(after)
}

function findingsOf({ loaded }: LoadedState): string {
  return loaded.diagnostics.map(formatFinding).join('\n')
}

interface SharedEngine {
  /** Never rejects. `undefined` if the engine could not be started. */
  readonly engine: Promise<SyncEngine | undefined>
  readonly users: Set<DevUpdates>
}

/**
 * The engines in this process, by key. Plugin instances with equal configurations share an engine, because two engines
 * would compete for the lock. An engine closes when its last user closes.
 */
const engines = new Map<string, SharedEngine>()

type EngineInput = Pick<SyncEngineOptions, 'config' | 'logger' | 'files' | 'watch' | 'remote'>

/**
 * Starts an engine. If it cannot start, the reason is logged, and the dev server shows the texts without syncing them.
 */
function shareEngine(key: string, given: EngineInput): SharedEngine {
  const users: SharedEngine['users'] = new Set()
  const engine = startEngine(given, users).catch((error: unknown) => {
    given.logger.error(`not syncing: ${messageOf(error)}`)
    return undefined
  })
  const shared = { engine, users }
  engines.set(key, shared)
  return shared
}

async function startEngine(given: EngineInput, users: SharedEngine['users']): Promise<SyncEngine> {
  const { config } = given
  // Imported dynamically, because builds never sync.
  const { SyncEngine, isSynced } = await import('../sync/engine.ts')
  // The client is imported only if there is a service.
  const { createClient } = isSynced(config) ? await import('../api/client.ts') : {}
  const engine = new SyncEngine({
    ...given,
    openClient: createClient && (() => createClient(config.service)),
    onShown: () => {
      for (const user of users) user.showServiceTexts()
    },
    onStatus: () => {
      for (const user of users) user.notifyStatus()
    },
  })
  await engine.start()
  return engine
}
