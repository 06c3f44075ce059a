/** What sync takes and tells. */
import type { Clock } from '../../api/clock.ts'
import type { Catalog } from '../../catalog/model.ts'
import type { PartRef, TextRef } from '../../catalog/text-id.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import type { Diagnostic, Place } from '../../errors.ts'
import type { TextEdit } from '../../files/edit.ts'
import type { FileIndex, WriteOutcome } from '../../files/file-index.ts'
import type { Logger } from '../../logger.ts'
import type { LockOwner, SyncLock } from '../lock.ts'
import type { OutboxEntry } from '../outbox.ts'
import type { ServiceSide } from '../project.ts'
import type { SyncClient } from '../remote.ts'
import type { Resolution, ResolutionOutcome } from '../resolve.ts'
import type { HoldReason } from '../text-record.ts'

/** A text that both sides changed. `undefined`: that side has none. */
export interface Conflict {
  readonly ref: TextRef
  readonly base: string | undefined
  readonly ours: string | undefined
  readonly theirs: string | undefined
}

/** A text that differs in its file and waits for a person. */
export interface Hold {
  readonly ref: TextRef
  readonly text: string
  readonly reason: HoldReason
}

/** What the page has to take in. */
export interface SyncUpdate {
  /** `files`: somebody edited; `service`: its texts won, or no longer do. */
  readonly origin: 'files' | 'service'
  /** Each once. */
  readonly parts: readonly PartRef[]
  readonly texts: readonly TextRef[]
  /** Absolute paths of files that are new, gone or otherwise changed. */
  readonly files: readonly string[]
}

/**
 * - `watching`: nothing is sent or asked for (no API key, CI, or both options off).
 * - `writer`: this process syncs.
 * - `reader`: another process does; this one shows edits and takes over when the other ends.
 */
export type SyncRole = 'starting' | 'watching' | 'writer' | 'reader' | 'closed'

export interface SyncStatus {
  readonly role: SyncRole
  /** Who syncs, where that is another process. `pid` 0: it does not say. */
  readonly owner: LockOwner | undefined
  /** Accepted and not yet acknowledged, refused ones and conflicts included. */
  readonly outbox: readonly OutboxEntry[]
  readonly holds: readonly Hold[]
  readonly conflicts: readonly Conflict[]
  readonly findings: readonly Diagnostic[]
  /** The last call to the service failed with this. */
  readonly failure: unknown
}

export interface SyncEngineOptions {
  readonly config: ResolvedConfig
  /** Called once this process is to sync; the engine closes it. */
  readonly openClient: () => SyncClient
  readonly logger: Logger
  /** The project's files, where others use them too: the engine is one more reader. Default: an index of its own. */
  readonly files?: FileIndex | undefined
  /**
   * What the service has, read just now, in the app's names: saves reading it once more. Only for the sources `export` and `query`
   * without `reviewed`; never a snapshot.
   */
  readonly remote?: Catalog | undefined
  readonly onUpdate?: ((update: SyncUpdate) => void) | undefined
  /** Called after anything that `status` may show. */
  readonly onStatus?: (() => void) | undefined
  /** Everything that is wrong with the files now; told when it changes. */
  readonly onFindings?: ((findings: readonly Diagnostic[]) => void) | undefined
  /** Default: the real one. Monotonic time decides everything. */
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
  /** Default true. False: only `rescan` and the timer look at the files. */
  readonly watch?: boolean | undefined
  /** For tests. */
  readonly lock?: SyncLock | undefined
}

export interface SyncEngine {
  /** Resolves when the files are read and watched and the role is known; calls to the service go on behind it. */
  start(): Promise<void>
  status(): SyncStatus
  /** Texts of the files, the last good ones where a file is broken. */
  localCatalog(): Catalog
  /** Texts of the service that the page is to show instead of what the files have. */
  serviceCatalog(): Catalog
  /** Looks at the files now. `everything`: reads them all, whatever their times say. */
  rescan(options?: { readonly everything?: boolean }): Promise<void>
  /** Asks the service what changed, all of it. Rejects with the call's error. */
  refresh(): Promise<void>
  /** Sends what the outbox holds now, waiting for no backoff. Resolves with what is left. */
  push(): Promise<number>
  /** Accepts what is held for sending; without names, all of it. Resolves with how many texts those are. */
  release(refs?: readonly TextRef[]): Promise<number>
  /**
   * Puts texts into their files, as an editor would: the layout stays, the page is told, and the push goes its ordinary way. An outcome
   * for each: `changed`: the file has another text than was expected, or was saved meanwhile; `broken`: it cannot be read; `homeless`:
   * no pattern names a file for it. Errors: FILE_WRITE, FILE_KEY_COLLISION and the like.
   */
  edit(edits: readonly TextEdit[]): Promise<readonly WriteOutcome[]>
  /**
   * Carries out what a person decided about conflicts: `ours` is sent, `theirs` is written into the file. Where a side is not what the person
   * saw, nothing is done and the outcome is `changed`. One outcome for each, in order.
   */
  resolve(resolutions: readonly Resolution[]): Promise<readonly ResolutionOutcome[]>
  /** What the service has, as far as it was read. */
  serviceText(ref: TextRef): ServiceSide
  /** Where a text stands, read anew from its file. */
  placeOf(ref: TextRef): Promise<Place>
  close(): Promise<void>
}
