/** The options and the status of the sync engine, and what its parts share. */

import { setMaxListeners } from 'node:events'
import { type Clock, systemClock } from '../../api/clock.ts'
import type { Catalog } from '../../catalog/model.ts'
import type { TextRef } from '../../catalog/text-id.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { messageOf } from '../../errors.ts'
import { createFileIndex, type SeenFiles } from '../../files/file-index.ts'
import { FilesSnapshot } from '../../files/snapshot.ts'
import type { Logger } from '../../logger.ts'
import type { Values } from '../decide.ts'
import { createSyncLock, type Lender, type LockOwner, type SyncLock } from '../lock.ts'
import type { OutboxEntry } from '../outbox.ts'
import type { SyncProject } from '../project.ts'
import type { HoldReason } from '../records.ts'
import type { SyncClient } from '../remote.ts'

class Tasks {
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly clock: Clock,
    private readonly onError: (error: unknown) => void,
  ) {
    // Every running call adds a listener, so their number has no limit that Node should warn about.
    setMaxListeners(0, this.signal)
  }

  get signal(): AbortSignal {
    return this.#closing.signal
  }

  /** Runs `work` after that time, unless the tasks end before. */
  after(ms: number, work: () => Promise<void> | void): void {
    if (this.signal.aborted) return
    const promise = this.clock
      .sleep(ms, this.signal)
      .then(() => (this.signal.aborted ? undefined : work()))
      .catch((error: unknown) => this.signal.aborted || this.onError(error))
    this.#running.add(promise)
    promise.finally(() => this.#running.delete(promise))
  }

  readonly exclusive = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => undefined)
    return mine
  }

  /** Ends the waiting and resolves when what runs has ended. */
  async close(reason: Error): Promise<void> {
    this.#closing.abort(reason)
    await Promise.all(this.#running)
    await this.#last
  }
}

/**
 * - `watching`: nothing is sent or read (no API key, CI, or both options off).
 * - `writer`: this process syncs. It stands by while a command does.
 * - `reader`: another process does; this one shows edits and takes over when the other ends.
 */
export type SyncRole = 'starting' | 'watching' | 'writer' | 'reader' | 'closed'

export interface SyncStatus {
  readonly role: SyncRole
  readonly owner: LockOwner | undefined
  /** The texts in the outbox: not yet acknowledged, including refused texts and conflicts. */
  readonly outbox: readonly OutboxEntry[]
  readonly holds: readonly { readonly ref: TextRef; readonly text: string; readonly reason: HoldReason }[]
  readonly conflicts: readonly (Values & { readonly ref: TextRef })[]
  /** Texts that one side deleted and the other still has: they stay where they are. */
  readonly deletions: readonly { readonly ref: TextRef; readonly state: 'deleted-here' | 'deleted-there' }[]
  readonly failure: unknown
}

export interface SyncEngineOptions {
  readonly config: ResolvedConfig
  /** Called when this process begins to sync: given where `isSynced`. The engine closes the client. */
  readonly openClient: (() => SyncClient) | undefined
  readonly logger: Logger
  /**
   * The project's files, where others use them too, and what they had when they were first read. Later changes are
   * edits. Default: an index of its own.
   */
  readonly files?: SeenFiles | undefined
  /** The service's texts, read just now: saves the first reading. Never a snapshot, and never reviewed texts only. */
  readonly remote?: Catalog | undefined
  /** Called when other texts of the service must appear in the page. */
  readonly onShown?: ((refs: readonly TextRef[]) => void) | undefined
  /** Called after anything that `status` may show. */
  readonly onStatus?: (() => void) | undefined
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
  /** Default true. False: only `rescan` and the timer look at the files. */
  readonly watch?: boolean | undefined
}

export class EngineState {
  role: SyncRole = 'starting'
  owner: LockOwner | undefined
  writer: SyncProject | undefined
  readonly config: ResolvedConfig
  readonly logger: Logger
  readonly clock: Clock
  readonly random: () => number
  /** The files as sync has processed them. While it starts: as they were first read. */
  readonly files: SeenFiles
  readonly tasks: Tasks
  readonly lock: SyncLock
  sendSoon: () => void = () => {}

  constructor(
    readonly options: SyncEngineOptions,
    lender: Lender,
  ) {
    const { config, logger, clock = systemClock, random = Math.random } = options
    this.config = config
    this.logger = logger
    this.clock = clock
    this.random = random
    const { index, seen } = options.files ?? { index: createFileIndex(config, { clock }), seen: new FilesSnapshot() }
    this.files = { index, seen }
    this.tasks = new Tasks(clock, (error) => logger.error(`sync: ${messageOf(error)}`))
    this.lock = createSyncLock(config.root, lender)
  }

  async changed(): Promise<void> {
    await this.writer?.waiting.report()
    this.sendSoon()
    this.options.onStatus?.()
  }
}
