import type { Clock } from '../api/clock.ts'
import type { TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { TextEdit } from '../files/edit.ts'
import type { SeenFiles } from '../files/file-index.ts'
import type { Logger } from '../logger.ts'
import type { TextRecords } from './records.ts'
import type { Remote } from './remote.ts'
import type { SyncStore } from './store.ts'

/** Both sides of a project and what sync remembers of it, as the parts of sync share them. */
export interface SyncContext {
  readonly config: ResolvedConfig
  readonly files: SeenFiles
  readonly logger: Logger
  readonly clock: Clock
  readonly random: () => number
  readonly store: SyncStore
  readonly records: TextRecords
  readonly remote: Remote
  /** Writes the changes to the disk. Resolves to the texts that change in the page. */
  readonly commit: () => Promise<readonly TextRef[]>
}

export interface FileWriteResult {
  readonly written: readonly TextEdit[]
  readonly files: readonly string[]
  readonly skipped: readonly { readonly edit: TextEdit; readonly file: string; readonly reason: string }[]
}
