/** The dev side of a session: reloads the texts when files or the service change, and syncs the two. */
import { isSameTexts } from '../catalog/digest.ts'
import { formatFinding, messageOf } from '../errors.ts'
import type { FileIndex } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import type { SyncEngine } from '../sync/engine.ts'
import { type DevSync, startDevSync } from './dev-sync.ts'
import type { ReloadOptions } from './load.ts'
import type { LoadedState, StateChange } from './state.ts'

/** Runs jobs one after another. */
class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Returns the function that enqueues the job. A job that has not begun serves every call until it begins. */
  coalesce<T>(job: () => Promise<T>): () => Promise<T> {
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

  /** Resolves when the jobs enqueued so far have ended. */
  idle(): Promise<unknown> {
    return this.#last
  }
}

interface DevUpdatesInput {
  readonly logger: Logger
  ready(): Promise<LoadedState>
  reload(options?: ReloadOptions): Promise<LoadedState>
  /** Reports a load whose files were read on demand: the figures, the findings and the types. Once for each load. */
  reportWhole(state: LoadedState, readMs: number): Promise<void>
  notifyStatus(): void
}

export class DevUpdates {
  /** Events come in an order, and so must the reloads that they cause. */
  readonly #queue = new SerialQueue()
  readonly #input: DevUpdatesInput
  readonly #listeners: ((change: StateChange) => unknown)[] = []
  #files: FileIndex | undefined
  #unfollow: (() => Promise<void>) | undefined
  /** The paths of events since the last reload. */
  #changed: string[] = []
  /** The service's texts have changed since the last reload for them. */
  #isServiceNew = false
  /** Equal for sessions that share a load. */
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

  /** The engine behind `startSync`, once it runs. */
  get engine(): SyncEngine | undefined {
    return this.#sync?.engine
  }

  /** Follows the index of the first load. Later calls do nothing: other environments of a server share the session. */
  follow(
    index: FileIndex | undefined,
    { shareKey, isOnDemand }: { readonly shareKey: string; readonly isOnDemand: boolean },
  ): void {
    if (this.#files || this.#isClosed || !index) return
    this.#isOnDemand = isOnDemand
    this.#files = index
    this.#shareKey = shareKey
    this.#unfollow = index.follow({ onSnapshot: () => this.#lookAgain(false) })
    // Another session may have scanned since the load.
    this.#lookAgain(false)
  }

  /** Calls the listener with changes that no event of the bundler's watcher announced. */
  onChange(listener: (change: StateChange) => unknown): void {
    this.#listeners.push(listener)
  }

  /** Reloads after an event of the bundler's watcher. */
  refresh(file: string): Promise<StateChange> {
    this.#changed.push(file)
    return this.#refresh()
  }

  readonly #refresh = this.#queue.coalesce(async (): Promise<StateChange> => {
    const before = await this.#input.ready()
    const changed = this.#changed.splice(0)
    if (this.#isClosed) return { before, after: before }
    const snapshot = await this.#files?.scan({ changed, isHasty: true })
    return { before, after: await this.#input.reload({ snapshot }) }
  })

  /** The files or the service's texts may have changed, and no event of the bundler's watcher said so. */
  #lookAgain(isServiceNew: boolean): void {
    this.#isServiceNew ||= isServiceNew
    this.#reportChange().catch((error: unknown) => this.#input.logger.error(messageOf(error)))
  }

  readonly #reportChange = this.#queue.coalesce(async (): Promise<void> => {
    if (this.#isClosed) return
    const before = await this.#input.ready()
    const snapshot = this.#files?.snapshot
    if (!this.#isServiceNew && before.loaded.files.snapshot === snapshot) return
    this.#isServiceNew = false
    const change = { before, after: await this.#input.reload({ snapshot }) }
    if (isSame(change)) return
    for (const listener of this.#listeners) await listener(change)
  })

  /** Reads the files that no page has requested, and reports what is wrong with them. */
  async #readRest(files: FileIndex): Promise<void> {
    const startedAt = performance.now()
    await files.snapshot.readAll()
    const readMs = performance.now() - startedAt
    const report = this.#queue.coalesce(async (): Promise<void> => {
      if (this.#isClosed) return
      const before = await this.#input.ready()
      const after = await this.#input.reload({ snapshot: files.snapshot, isReported: true })
      await this.#input.reportWhole(after, readMs)
      if (findingsOf(before) === findingsOf(after)) return
      for (const listener of this.#listeners) await listener({ before, after })
    })
    await report()
  }

  /**
   * Pushes edits to the service and brings in its changes, until `close`. The first call counts.
   * `isWatching`: false where the bundler watches no files, so that the plugin must not either.
   */
  startSync({ isWatching = true }: { readonly isWatching?: boolean } = {}): void {
    if (this.#isClosed) return
    this.#starting ??= this.#openSync(isWatching).then(
      (sync) => {
        this.#sync = sync
        this.#input.notifyStatus()
        return sync
      },
      // The first module that needs the load reports its error.
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
    // A shared engine reads the index of another session.
    if (isWatching) await this.#files.watch()
    return sync
  }

  /** From now on nothing is reloaded. */
  stop(): void {
    this.#isClosed = true
  }

  async close(): Promise<void> {
    await (await this.#starting)?.close()
    await this.#unfollow?.()
    await this.#queue.idle()
  }
}

function isSame({ before, after }: StateChange): boolean {
  return isSameTexts(before.loaded.catalog, after.loaded.catalog) && findingsOf(before) === findingsOf(after)
}

function findingsOf({ loaded }: LoadedState): string {
  return loaded.diagnostics.map(formatFinding).join('\n')
}
