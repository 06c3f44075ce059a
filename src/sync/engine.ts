/**
 * The dev server's sync. Only the process that holds the lock on the folder syncs. When it exits, another process
 * takes over.
 */
import type { ChangedText } from '../catalog/merge.ts'
import { type Catalog, createCatalog } from '../catalog/model.ts'
import { partOf, type TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError, messageOf, type Place } from '../errors.ts'
import type { TextEdit } from '../files/edit.ts'
import type { WriteOutcome } from '../files/file-index.ts'
import type { Values } from './decide.ts'
import { journalStamp } from './journal.ts'
import { createSyncLock, type LockOwner, type SyncLock } from './lock.ts'
import { SyncLoop } from './loop.ts'
import type { OutboxEntry } from './outbox.ts'
import { type SyncEngineOptions, SyncProject } from './project.ts'
import type { SyncClient } from './remote.ts'
import { type Resolution, type ResolutionOutcome, resolveConflicts } from './resolve.ts'
import type { StaleText } from './stale.ts'
import type { HoldReason } from './store.ts'

/** True if the engine sends or reads texts. It watches the files in either case. */
export function isSynced({ service, push, pull }: ResolvedConfig): boolean {
  return service.apiKey !== undefined && (push !== false || pull !== false)
}

/**
 * The role of this process.
 *
 * - `watching`: nothing is sent or read, because there is no API key, this is CI, or `push` and `pull` are both off.
 * - `writer`: this process syncs. It pauses while a command syncs.
 * - `reader`: another process syncs. This process shows edits, and takes over when the other one exits.
 */
export type SyncRole = 'starting' | 'watching' | 'writer' | 'reader' | 'closed'

export interface SyncStatus {
  readonly role: SyncRole
  readonly owner: LockOwner | undefined
  /** Texts that the service has not acknowledged yet, including refused texts and conflicts. */
  readonly outbox: readonly OutboxEntry[]
  readonly holds: readonly { readonly ref: TextRef; readonly text: string; readonly reason: HoldReason }[]
  readonly conflicts: readonly (Values & { readonly ref: TextRef })[]
  /** Texts that were deleted on one side only. Sync does not delete them on the other side. */
  readonly deletions: readonly { readonly ref: TextRef; readonly state: 'deleted-here' | 'deleted-there' }[]
  /** The error from the last exchange with the service; `undefined` if that exchange succeeded. */
  readonly failure: unknown
  /** The time of the last successful exchange, in milliseconds since 1970; `undefined` if there was none. */
  readonly contactAt: number | undefined
}

export class SyncEngine {
  #role: SyncRole = 'starting'
  #owner: LockOwner | undefined
  readonly #lock: SyncLock
  readonly #loop: SyncLoop
  #client: SyncClient | undefined
  #closing: Promise<void> | undefined

  constructor(private readonly options: SyncEngineOptions) {
    this.#lock = createSyncLock(options.config.root, (lendLock) => this.#lend(lendLock))
    this.#loop = new SyncLoop(options, this.#lock)
  }

  /**
   * Resolves when the files have been read and are watched, and the role is known. Calls to the service may still be
   * running.
   */
  async start(): Promise<void> {
    await this.#loop.start()
    await this.#takeRole(this.options.remote)
    this.#loop.run()
  }

  status(): SyncStatus {
    const { records, outbox } = this.#loop.project ?? {}
    return {
      role: this.#role,
      owner: this.#owner,
      outbox: outbox?.entries() ?? [],
      holds: Array.from(records?.holds() ?? [], ({ ref, ours, hold }) => ({ ref, text: ours, reason: hold })),
      conflicts: Array.from(records?.differences('ask') ?? [], ({ ref, base, ours, theirs }) => ({
        ref,
        base,
        ours,
        theirs,
      })),
      deletions: Array.from(records?.differences('keep') ?? [], ({ ref, state }) => ({
        ref,
        state: state === 'deleted-here' ? state : 'deleted-there',
      })),
      failure: this.#loop.failure,
      contactAt: this.#loop.contactAt,
    }
  }

  /** The service's texts that the page must show instead of the files' texts. */
  serviceCatalog(): Catalog {
    const shown = [...(this.#loop.project?.records.page.shown() ?? [])]
    return createCatalog({ parts: shown.map(({ ref, text }) => ({ ...partOf(ref), messages: [[ref.key, text]] })) })
  }

  /** The service's texts that have changed since they were first read. */
  serviceChanges(): Iterable<ChangedText> {
    return this.#loop.project?.records.changedThere() ?? []
  }

  /** Scans the files now. If `everything` is true, reads even files whose modification times are unchanged. */
  rescan(options?: { readonly everything?: boolean }): Promise<void> {
    return this.#loop.rescan(options)
  }

  /** Reads all texts of the service. Rejects with the error from the call. */
  refresh(): Promise<void> {
    return this.#loop.readAll()
  }

  /** Sends the outbox now, without waiting for a backoff. Resolves to the number of unsent texts. */
  push(): Promise<number> {
    return this.#loop.send()
  }

  /** Queues held texts (by default, all of them) for sending. Resolves to the number of queued texts. */
  async release(refs?: readonly TextRef[]): Promise<number> {
    const loop = this.#loop
    const released = await loop.tasks.busy(async () => (await loop.project?.release(refs)) ?? 0)
    await loop.changed()
    return released
  }

  /**
   * Writes texts into their files as an editor would: the layout is kept, and the texts are then sent like any other
   * edit. Resolves to one outcome per text. `changed`: the file does not have the expected text, or was saved in the
   * meantime. `broken`: the file cannot be read. `unmatched`: no pattern names a file for the text. Throws FILE_WRITE,
   * FILE_KEY_COLLISION and others.
   */
  edit(edits: readonly TextEdit[]): Promise<readonly WriteOutcome[]> {
    return this.#loop.edit(edits)
  }

  /**
   * Applies the user's decisions. Resolves to one outcome per decision, in order. `changed` means that a side no longer
   * has the text that the user saw.
   */
  async resolve(resolutions: readonly Resolution[]): Promise<readonly ResolutionOutcome[]> {
    const loop = this.#loop
    const outcomes = await loop.tasks.busy(async () => {
      const { signal } = loop.tasks
      return loop.project && resolveConflicts(loop.project, resolutions, () => loop.rescan(), signal)
    })
    await loop.changed()
    return outcomes ?? resolutions.map(() => ({ outcome: 'left', reason: 'this process is not syncing' }))
  }

  staleTexts(defaultLanguage: string): readonly StaleText[] {
    return this.#loop.project?.stale.texts(defaultLanguage) ?? []
  }

  /**
   * Marks stale translations as correct. Skips those that have changed since the user saw them, and resolves to the
   * skipped ones.
   */
  async confirmStale(seen: readonly StaleText[]): Promise<readonly StaleText[]> {
    const loop = this.#loop
    const changed = await loop.tasks.busy(async () => (await loop.project?.confirmStale(seen)) ?? seen)
    this.options.onStatus?.()
    return changed
  }

  serviceText(ref: TextRef): ReturnType<SyncProject['serviceText']> {
    return this.#loop.project?.serviceText(ref) ?? { text: undefined, isReviewed: undefined }
  }

  /** Records review states that the service has accepted. */
  noteReviews(refs: readonly TextRef[], isReviewed: boolean): void {
    this.#loop.project?.noteReviews(refs, isReviewed)
    this.options.onStatus?.()
  }

  placeOf(ref: TextRef): Promise<Place> {
    return this.#loop.files.index.placeOf(ref)
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    await this.#loop.close()
    await this.#client?.close()
    await this.#lock.release()
    this.#role = 'closed'
  }

  /**
   * Lends the lock to a command, which runs during `lendLock`. First pauses this process and writes all state to disk.
   */
  async #lend(lendLock: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
    const loop = this.#loop
    const { tasks } = loop
    await tasks.pause()
    const isHeld = await tasks.exclusive(async () => {
      await loop.project?.commit()
      const isHeld = await lendLock(tasks.signal)
      if (isHeld && !tasks.signal.aborted) await this.#takeBack()
      return isHeld
    })
    if (tasks.signal.aborted) return
    if (!isHeld) {
      await loop.project?.close()
      await this.#client?.close()
      loop.project = undefined
    }
    tasks.resume()
    await loop.changed()
    if (isHeld) tasks.after(0, () => loop.readAll())
    else await this.#takeRole(undefined)
  }

  /** Resumes syncing after a command. If the state that the command wrote cannot be read, syncing stops. */
  async #takeBack(): Promise<void> {
    try {
      await this.#loop.project?.resume(() => this.#loop.scanInTurn())
    } catch (error) {
      this.options.logger.error(`syncing has stopped: ${messageOf(error)}`)
      await this.#stopSyncing()
    }
  }

  async #stopSyncing(): Promise<void> {
    this.#loop.project = undefined
    this.#role = 'watching'
    await this.#lock.release()
  }

  async #takeRole(remote: SyncEngineOptions['remote']): Promise<void> {
    const { config, logger, openClient } = this.options
    const answer =
      openClient && isSynced(config)
        ? await this.#lock.acquire().catch((error: unknown) => {
            logger.warn(`not syncing: cannot lock ${config.root}. ${messageOf(error)}`)
          })
        : undefined
    if (answer && answer !== 'held') return this.#becomeReader(answer)
    if (!openClient || answer !== 'held') {
      this.#role = 'watching'
      return
    }
    try {
      const isCurrent = remote?.stamp === (await journalStamp(config))
      await this.#becomeWriter(isCurrent ? remote?.catalog : undefined, openClient())
    } catch (error) {
      if (!(error instanceof LocalizationError)) throw error
      logger.warn(`not syncing: ${messageOf(error)}`)
      await this.#stopSyncing()
    }
  }

  async #becomeWriter(remote: Catalog | undefined, client: SyncClient): Promise<void> {
    const loop = this.#loop
    const { config } = this.options
    this.#client = client
    const options = { ...this.options, files: loop.files }
    await loop.open(new SyncProject(options, client, 'own', loop.tasks.exclusive), remote)
    this.#role = 'writer'
    this.#owner = undefined
    await loop.changed()
    // If `remote` is set, the service has just been read, so the first reading is skipped.
    if (!remote) loop.readForEver(0)
    else if (config.pull !== false) loop.readForEver(config.pull.intervalMs)
  }

  #becomeReader(owner: LockOwner): void {
    const { config, logger, onStatus } = this.options
    const { tasks } = this.#loop
    // Commands exit soon, so they are not reported.
    if (this.#owner?.pid !== owner.pid && !owner.isCommand) {
      const who = owner.pid === 0 ? 'another process' : `process ${owner.pid}`
      logger.warn(
        `read-only: ${who} is syncing ${config.root}. This process shows edits, and takes over when the other one exits`,
      )
    }
    this.#role = 'reader'
    this.#owner = owner
    onStatus?.()
    tasks.after(0, async () => {
      await this.#lock.waitForRelease(tasks.signal, { background: true })
      await this.#loop.rescan()
      await this.#takeRole(undefined)
      if (this.#loop.project) logger.info('took over syncing from the other process')
    })
  }
}
