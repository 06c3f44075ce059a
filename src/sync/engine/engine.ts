/**
 * Puts the dev server's sync together: it takes in edits of files, sends them, and brings in what the service changed.
 * Knows no bundler.
 */
import { type Catalog, createCatalog } from '../../catalog/model.ts'
import type { TextRef } from '../../catalog/text-id.ts'
import type { Place } from '../../errors.ts'
import type { TextEdit } from '../../files/edit.ts'
import type { WriteOutcome } from '../../files/file-index.ts'
import type { ServiceSide } from '../project.ts'
import type { Resolution, ResolutionOutcome } from '../resolve.ts'
import { Exchange } from './exchange.ts'
import { Intake } from './intake.ts'
import { Role } from './role.ts'
import { EngineState } from './state.ts'
import type { SyncEngineOptions, SyncStatus } from './types.ts'

export type { SyncEngineOptions, SyncRole, SyncStatus, SyncUpdate } from './types.ts'

export class SyncEngine {
  readonly #state: EngineState
  readonly #intake: Intake
  readonly #exchange: Exchange
  readonly #role: Role
  #closing: Promise<void> | undefined

  constructor(options: SyncEngineOptions) {
    this.#state = new EngineState(options, () => this.#exchange.refresh())
    this.#intake = new Intake(this.#state)
    this.#exchange = new Exchange(this.#state, this.#intake)
    this.#role = new Role(this.#state, this.#intake, this.#exchange)
  }

  /** Resolves when the files are read and watched and the role is known; calls to the service go on behind it. */
  async start(): Promise<void> {
    await this.#intake.start()
    await this.#role.take(this.#state.options.remote)
    this.#intake.rescanForEver()
  }

  status(): SyncStatus {
    const { writer, owner, role, files } = this.#state
    const { records, outbox } = writer ?? {}
    return {
      role,
      owner,
      outbox: outbox?.entries() ?? [],
      holds: Array.from(records?.holds() ?? [], ({ ref, ours, hold }) => ({ ref, text: ours, reason: hold })),
      conflicts: Array.from(records?.conflicts() ?? [], ({ ref, base, ours, theirs }) => ({ ref, base, ours, theirs })),
      findings: files.findings(),
      failure: this.#exchange.failure,
    }
  }

  /** Texts of the files, the last good ones where a file is broken. */
  localCatalog(): Catalog {
    return this.#state.files.catalog()
  }

  /** Texts of the service that the page is to show instead of what the files have. */
  serviceCatalog(): Catalog {
    const parts = Array.from(this.#state.writer?.records.shown() ?? [], ({ ref: { key, ...part }, text }) => ({
      ...part,
      messages: [[key, text] as const],
    }))
    return createCatalog({ parts })
  }

  /** Looks at the files now. `everything`: reads them all, whatever their times say. */
  rescan(options?: { readonly everything?: boolean }): Promise<void> {
    return this.#intake.rescan(options)
  }

  /** Asks the service what changed, all of it. Rejects with the call's error. */
  refresh(): Promise<void> {
    return this.#exchange.read(true)
  }

  /** Sends what the outbox holds now, waiting for no backoff. Resolves with what is left. */
  push(): Promise<number> {
    return this.#exchange.send()
  }

  /** Accepts what is held for sending; without names, all of it. Resolves with how many texts those are. */
  async release(refs?: readonly TextRef[]): Promise<number> {
    const released = (await this.#state.writer?.release(refs)) ?? 0
    await this.#state.changed()
    return released
  }

  /**
   * Puts texts into their files, as an editor would: the layout stays, the page is told, and the push goes its ordinary
   * way. An outcome for each: `changed`: the file has another text than was expected, or was saved meanwhile; `broken`:
   * it cannot be read; `unmatched`: no pattern names a file for it. Errors: FILE_WRITE, FILE_KEY_COLLISION and the
   * like.
   */
  edit(edits: readonly TextEdit[]): Promise<readonly WriteOutcome[]> {
    return this.#intake.edit(edits)
  }

  /**
   * Carries out what a person decided about conflicts: `ours` is sent, `theirs` is written into the file. Where a side
   * is not what the person saw, nothing is done and the outcome is `changed`. One outcome for each, in order.
   */
  async resolve(resolutions: readonly Resolution[]): Promise<readonly ResolutionOutcome[]> {
    const { writer, tasks } = this.#state
    if (!writer) return resolutions.map(() => ({ outcome: 'left', reason: 'this process does not sync' }))
    const scan = () => this.#intake.rescan()
    const outcomes = await writer.resolve(resolutions, { signal: tasks.signal, scan })
    await this.#state.changed()
    return outcomes
  }

  /** What the service has, as far as it was read. */
  serviceText(ref: TextRef): ServiceSide {
    return this.#state.writer?.serviceText(ref) ?? { text: undefined, isReviewed: undefined }
  }

  /** Where a text stands, read anew from its file. */
  placeOf(ref: TextRef): Promise<Place> {
    return this.#state.files.placeOf(ref)
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    await this.#state.tasks.close(new Error('sync is closed'))
    await this.#exchange.idle()
    await this.#state.files.close()
    await this.#role.close()
  }
}

export function createSyncEngine(options: SyncEngineOptions): SyncEngine {
  return new SyncEngine(options)
}
