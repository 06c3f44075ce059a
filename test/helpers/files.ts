/** The project's files as a writer of texts sees them, who takes over what a scan finds. */
import type { ResolvedConfig } from '../../src/config/types.ts'
import { FileIndex, type FilesChange, type ScanOptions, type SeenFiles } from '../../src/files/file-index.ts'
import { compareSnapshots } from '../../src/files/snapshot.ts'
import type { Clock } from '../../src/shared/clock.ts'

export interface ScannedFiles extends SeenFiles {
  /** Scans, or takes the last snapshot, and gives what changed since the last call. */
  scan(options?: ScanOptions): Promise<FilesChange>
  take(): FilesChange
}

/** Another one who reads the same index, and has seen nothing yet, or what is given. */
export function readerOf(index: FileIndex, seen = index.snapshot): ScannedFiles {
  const files: ScannedFiles = {
    index,
    seen,
    async scan(options) {
      await index.scan(options)
      return files.take()
    },
    take() {
      const change = compareSnapshots(files.seen, index.snapshot)
      files.seen = change.after
      return change
    },
  }
  return files
}

export async function scanFiles(config: ResolvedConfig, options?: ScanOptions & { readonly clock?: Clock }) {
  const files = readerOf(new FileIndex(config, options?.clock))
  await files.scan(options)
  return files
}
