/**
 * Reloads the texts of a dev session when files or texts in the service change. Also syncs the files with the service.
 */
import { isSameTexts } from '../catalog/digest.ts'
import { formatFinding, messageOf } from '../errors.ts'
import type { FileIndex } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import type { SyncEngine } from '../sync/engine.ts'
import { type DevSync, startDevSync } from './dev-sync.ts'
import type { ReloadOptions } from './load.ts'
import type { LoadedState, StateChange } from './state.ts'

interface DevUpdatesInput {
  readonly logger: Logger
  ready(): Promise<LoadedState>
  reload(options?: ReloadOptions): Promise<LoadedState>
  /**
   * Logs the figures and findings of a load whose files were read on demand, and writes the types. Called once, when
   * all files have been read.
   */
  reportWhole(state: LoadedState, readMs: number): Promise<void>
  notifyStatus(): void
}

export class DevUpdates {
  /** The last job in the queue. Each job waits for the previous one, so that reloads have the order of their events. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #input: DevUpdatesInput
  readonly #listeners: ((change: StateChange) => unknown)[] = []
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
  #isOnDemand = false
  #starting: Promise<DevSync | undefined> | undefined
  #sync: DevSync | undefined
  #isClosed = false

  constructor(input: DevUpdatesInput) {
    this.#input = input
  }

  get files(): FileIndex | undefined {
    return this.#files
  }

  /** The sync engine; `undefined` until `startSync` has started it. */
  get engine(): SyncEngine | undefined {
    return this.#sync?.engine
  }

  /**
   * Starts to follow the file index. Only the first call has an effect, because all environments of a server use the
   * same session.
   */
  follow(
    index: FileIndex | undefined,
    { shareKey, isOnDemand }: { readonly shareKey: string; readonly isOnDemand: boolean },
  ): void {
    if (this.#files || this.#isClosed || !index) return
    this.#isOnDemand = isOnDemand
    this.#files = index
    this.#shareKey = shareKey
    this.#unfollow = index.follow({ onSnapshot: () => this.#lookAgain(false) })
    // Another session may have scanned the files after the load.
    this.#lookAgain(false)
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

  /** Reloads the texts after an event from the bundler's watcher. */
  refresh(file: string): Promise<StateChange> {
    this.#changed.push(file)
    return this.#refresh()
  }

  readonly #refresh = this.#coalesce(async (): Promise<StateChange> => {
    const before = await this.#input.ready()
    const changed = this.#changed.splice(0)
    if (this.#isClosed) return { before, after: before }
    const snapshot = await this.#files?.scan({ changed, isHasty: true })
    return { before, after: await this.#input.reload({ snapshot }) }
  })

  /**
   * Reloads the texts after a change in the files or in the service. The bundler's watcher may not have reported it.
   */
  #lookAgain(isServiceNew: boolean): void {
    this.#isServiceNew ||= isServiceNew
    this.#reportChange().catch((error: unknown) => this.#input.logger.error(messageOf(error)))
  }

  readonly #reportChange = this.#coalesce(async (): Promise<void> => {
    if (this.#isClosed) return
    const before = await this.#input.ready()
    const snapshot = this.#files?.snapshot
    const restMs = this.#restMs
    if (!this.#isServiceNew && restMs === undefined && before.loaded.files.snapshot === snapshot) return
    this.#isServiceNew = false
    this.#restMs = undefined
    const change = { before, after: await this.#input.reload({ snapshot, isReported: restMs !== undefined }) }
    if (restMs !== undefined) await this.#input.reportWhole(change.after, restMs)
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
    this.#starting ??= this.#openSync(isWatching).then(
      (sync) => {
        this.#sync = sync
        this.#input.notifyStatus()
        return sync
      },
      // If the load fails, the first module that needs the texts reports the error.
      () => undefined,
    )
  }

  async #openSync(isWatching: boolean): Promise<DevSync | undefined> {
    const { config, loaded } = await this.#input.ready()
    const { remote } = loaded
    if (!this.#files) return undefined
    if (this.#isOnDemand) await this.#readRest(this.#files)
    const sync = await startDevSync({
      key: this.#shareKey,
      config,
      logger: this.#input.logger,
      files: { index: this.#files, seen: loaded.files.snapshot ?? this.#files.snapshot },
      isWatching,
      remote: typeof remote === 'object' && remote.isLive && remote.isComplete ? remote.catalog : undefined,
      onUpdate: () => this.#lookAgain(true),
      onStatus: () => this.#input.notifyStatus(),
    })
    // A shared engine watches the files for the session that created it, so this session needs its own watcher.
    if (isWatching) await this.#files.watch()
    return sync
  }

  /** Pending and later reloads do nothing after this call. */
  stop(): void {
    this.#isClosed = true
  }

  async close(): Promise<void> {
    await (await this.#starting)?.close()
    await this.#unfollow?.()
    await this.#last
  }
}

function isSame({ before, after }: StateChange): boolean {
  return isSameTexts(before.loaded.catalog, after.loaded.catalog) && findingsOf(before) === findingsOf(after)
}

function findingsOf({ loaded }: LoadedState): string {
  return loaded.diagnostics.map(formatFinding).join('\n')
}
