/** What sync takes and tells. */
import type { Clock } from '../../api/clock.ts'
import type { Catalog } from '../../catalog/model.ts'
import type { PartRef, TextRef } from '../../catalog/text-id.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import type { Diagnostic } from '../../errors.ts'
import type { FileIndex } from '../../files/file-index.ts'
import type { Logger } from '../../logger.ts'
import type { LockOwner, SyncLock } from '../lock.ts'
import type { OutboxEntry } from '../outbox.ts'
import type { SyncClient } from '../remote.ts'
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
   * What the service has, read just now, in the app's names: saves reading it once more. Only for the sources `export`
   * and `query` without `reviewed`; never a snapshot.
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
