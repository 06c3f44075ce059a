/** The dev server's sync. Only the process with the folder's lock syncs; others take over when it ends. */
import type { ChangedText } from '../../catalog/merge.ts'
import { type Catalog, createCatalog } from '../../catalog/model.ts'
import { partOf, type TextRef } from '../../catalog/text-id.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError, messageOf, type Place } from '../../errors.ts'
import type { TextEdit } from '../../files/edit.ts'
import type { WriteOutcome } from '../../files/file-index.ts'
import type { LockOwner } from '../lock.ts'
import { SyncProject } from '../project.ts'
import type { SyncClient } from '../remote.ts'
import type { Resolution, ResolutionOutcome } from '../resolve.ts'
import type { StaleText } from '../stale.ts'
import { Exchange } from './exchange.ts'
import { Intake } from './intake.ts'
import { EngineState, type SyncEngineOptions, type SyncStatus } from './state.ts'

/** Whether the engine exchanges texts with the service. It watches the files in any case. */
export function isSynced({ service, push, pull }: ResolvedConfig): boolean {
  return service.apiKey !== undefined && (push !== false || pull !== false)
}

export class SyncEngine {
  readonly #state: EngineState
  readonly #intake: Intake
  readonly #exchange: Exchange
  #client: SyncClient | undefined
  #closing: Promise<void> | undefined
  #handBack: () => void = () => {}

  constructor(options: SyncEngineOptions) {
    this.#state = new EngineState(options, { standBy: () => this.#standBy(), resume: (isHeld) => this.#resume(isHeld) })
    this.#intake = new Intake(this.#state)
    this.#exchange = new Exchange(this.#state, this.#intake)
  }

  /** Resolves when the files are read and watched and the role is known. Calls to the service continue after that. */
  async start(): Promise<void> {
    await this.#intake.start()
    await this.#takeRole(this.#state.options.remote)
    this.#intake.rescanForEver()
  }

  status(): SyncStatus {
    const { writer, owner, role } = this.#state
    const { records, outbox } = writer ?? {}
    return {
      role,
      owner,
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
      failure: this.#exchange.failure,
    }
  }

  /** Texts of the service that the page is to show instead of what the files have. */
  serviceCatalog(): Catalog {
    const shown = [...(this.#state.writer?.records.shown() ?? [])]
    return createCatalog({ parts: shown.map(({ ref, text }) => ({ ...partOf(ref), messages: [[ref.key, text]] })) })
  }

  /** The texts of the service that changed while this process syncs, as they are now. */
  serviceChanges(): Iterable<ChangedText> {
    return this.#state.writer?.records.changedThere() ?? []
  }

  /** Scans the files now. `everything`: reads all files, even if their times are unchanged. */
  rescan(options?: { readonly everything?: boolean }): Promise<void> {
    return this.#intake.rescan(options)
  }

  /** Reads all texts of the service. Rejects with the call's error. */
  refresh(): Promise<void> {
    return this.#exchange.readAnew()
  }

  /** Sends the outbox now, without waiting for a backoff. Resolves to the number of texts that are left. */
  push(): Promise<number> {
    return this.#exchange.send()
  }

  /** Queues held texts for sending; without `refs`, all of them. Resolves to their number. */
  async release(refs?: readonly TextRef[]): Promise<number> {
    await this.#exchange.resumed()
    const released = (await this.#state.writer?.release(refs)) ?? 0
    await this.#state.changed()
    return released
  }

  /**
   * Writes texts into their files, as an editor would: the layout stays, and the texts are sent like any other edit. An
   * outcome for each: `changed`: the file has another text than was expected, or was saved meanwhile; `broken`: it
   * cannot be read; `unmatched`: no pattern names a file for it. Errors: FILE_WRITE, FILE_KEY_COLLISION and the like.
   */
  edit(edits: readonly TextEdit[]): Promise<readonly WriteOutcome[]> {
    return this.#intake.edit(edits)
  }

  /** Carries out decisions, one outcome each, in order. Where a side is not what the person saw: `changed`. */
  async resolve(resolutions: readonly Resolution[]): Promise<readonly ResolutionOutcome[]> {
    await this.#exchange.resumed()
    const { writer, tasks } = this.#state
    if (!writer) return resolutions.map(() => ({ outcome: 'left', reason: 'this process does not sync' }))
    const scan = () => this.#intake.rescan()
    const outcomes = await this.#exchange.busy(writer.resolve(resolutions, { signal: tasks.signal, scan }))
    await this.#state.changed()
    return outcomes
  }

  staleTexts(defaultLanguage: string): readonly StaleText[] {
    return this.#state.writer?.stale.texts(defaultLanguage) ?? []
  }

  /** Marks stale translations as correct. Resolves to those that have changed since the person saw them. */
  async confirmStale(seen: readonly StaleText[]): Promise<readonly StaleText[]> {
    await this.#exchange.resumed()
    const { writer } = this.#state
    const changed = writer ? await this.#exchange.busy(writer.confirmStale(seen)) : seen
    this.#state.options.onStatus?.()
    return changed
  }

  serviceText(ref: TextRef): ReturnType<SyncProject['serviceText']> {
    return this.#state.writer?.serviceText(ref) ?? { text: undefined, isReviewed: undefined }
  }

  /** The service has taken these review states. */
  noteReviews(refs: readonly TextRef[], isReviewed: boolean): void {
    this.#state.writer?.noteReviews(refs, isReviewed)
    this.#state.options.onStatus?.()
  }

  placeOf(ref: TextRef): Promise<Place> {
    return this.#state.files.index.placeOf(ref)
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    const { tasks, writer, lock } = this.#state
    await tasks.close(new Error('sync is closed'))
    await this.#exchange.idle()
    await this.#intake.stop()
    await writer?.close()
    await this.#client?.close()
    await lock.release()
    this.#state.role = 'closed'
  }

  /** Resolves when everything is on the disk, and nothing changes before `#resume`. */
  async #standBy(): Promise<void> {
    const { tasks } = this.#state
    await this.#exchange.pause()
    await new Promise<void>((resolve) => {
      void tasks.exclusive(async () => {
        await this.#state.writer?.standBy()
        resolve()
        await new Promise<void>((handBack) => {
          this.#handBack = handBack
          tasks.signal.addEventListener('abort', () => handBack(), { once: true })
        })
        if (!tasks.signal.aborted && this.#state.lock.held) await this.#takeBack()
      })
    })
  }

  /** Reads what the command wrote. What cannot be read is not built upon. */
  async #takeBack(): Promise<void> {
    const state = this.#state
    try {
      await state.writer?.resume(() => this.#intake.scanInTurn())
    } catch (error) {
      state.logger.error(`nothing is synced any more: ${messageOf(error)}`)
      state.writer = undefined
      state.role = 'watching'
      await state.lock.release()
    }
  }

  async #resume(isHeld: boolean): Promise<void> {
    const state = this.#state
    this.#handBack()
    await state.tasks.exclusive(async () => {})
    if (!isHeld) {
      await state.writer?.close()
      await this.#client?.close()
      state.writer = undefined
    }
    this.#exchange.resume()
    await state.changed()
    if (isHeld) state.tasks.after(0, () => this.#exchange.readAnew())
    else await this.#takeRole(undefined)
  }

  async #takeRole(remote: Catalog | undefined): Promise<void> {
    const state = this.#state
    const { config, logger, lock, options } = state
    const { openClient } = options
    const answer =
      openClient && isSynced(config)
        ? await lock.acquire().catch((error: unknown) => {
            logger.warn(`nothing is synced: the lock of ${config.root} cannot be taken. ${messageOf(error)}`)
          })
        : undefined
    if (answer && answer !== 'held') return this.#becomeReader(answer)
    if (openClient && answer === 'held') {
      try {
        return await this.#becomeWriter(remote, openClient)
      } catch (error) {
        if (!(error instanceof LocalizationError)) throw error
        logger.warn(`nothing is synced: ${messageOf(error)}`)
        await lock.release()
      }
    }
    state.role = 'watching'
  }

  async #becomeWriter(remote: Catalog | undefined, openClient: () => SyncClient): Promise<void> {
    const state = this.#state
    const { config, files, clock, random, logger, options } = state
    const { exclusive } = state.tasks
    const client = openClient()
    this.#client = client
    const { onShown } = options
    const project = new SyncProject({ config, files, client, clock, random, logger, exclusive, onShown })
    await exclusive(async () => {
      // The first comparison reads every text at once. The files are parsed before, in turns with other work.
      const early = this.#intake.takeEarly()
      const parsed = await files.seen.parseAll()
      await project.open()
      // A command may have replaced a text whose edit was still queued when the last server ended.
      await project.records.followFiles(true)
      await this.#intake.acceptEarly(early, project)
      await project.settleAll(remote)
      parsed.length = 0
      state.writer = project
      state.role = 'writer'
      state.owner = undefined
    })
    await state.changed()
    // A catalog that was given counts as the first reading.
    if (!remote) this.#exchange.readForEver(0)
    else if (config.pull !== false) this.#exchange.readForEver(config.pull.intervalMs)
  }

  #becomeReader(owner: LockOwner): void {
    const state = this.#state
    const { config, logger, lock, tasks, options } = state
    // A command ends soon.
    if (state.owner?.pid !== owner.pid && !owner.isCommand) {
      const who = owner.pid === 0 ? 'another process' : `process ${owner.pid}`
      logger.warn(`read-only: ${who} syncs ${config.root}. This one shows edits and takes over when that one ends`)
    }
    state.role = 'reader'
    state.owner = owner
    options.onStatus?.()
    tasks.after(0, async () => {
      await lock.waitForRelease(tasks.signal)
      await this.#intake.rescan()
      await this.#takeRole(undefined)
      if (state.writer) logger.info('this process syncs now')
    })
  }
}
