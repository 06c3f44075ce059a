import type { Clock } from '../api/clock.ts'
import type { TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { TextEdit } from '../files/edit.ts'
import type { FileIndex } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import type { BaseStore } from './base.ts'
import type { Outbox } from './outbox.ts'
import type { TextRecords } from './records.ts'
import type { Remote } from './remote.ts'

/** Both sides of a project, its base and its outbox, as the parts of sync share them. */
export interface SyncContext {
  readonly config: ResolvedConfig
  /** Where base and outbox are. */
  readonly folder: string
  readonly files: FileIndex
  readonly logger: Logger
  readonly clock: Clock
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number
  readonly base: BaseStore
  readonly outbox: Outbox
  readonly records: TextRecords
  readonly remote: Remote
  /** Writes what changed to the disk. Resolves with the texts that the page has to show otherwise. */
  readonly commit: () => Promise<readonly TextRef[]>
  /**
   * Takes in what commands have appended to the base. To be called before a reading is applied or a conflict is
   * reported: what the service has by now may have replaced what a command found.
   */
  readonly takeAppended: () => Promise<void>
}

export interface FileWriteResult {
  readonly written: readonly TextEdit[]
  /** Relative to the root. */
  readonly files: readonly string[]
  readonly skipped: readonly { readonly edit: TextEdit; readonly file: string; readonly reason: string }[]
}
