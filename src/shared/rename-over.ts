/** Renaming onto a file that others may have open: antivirus, indexers, editors and bundlers read what was just written. */
import { rename } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** What Windows says while somebody has one of the two files open. Elsewhere none of it passes by itself. */
const PASSING: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY'])
const LONGEST_MS = 2_000
const FIRST_WAIT_MS = 10
const LONGEST_WAIT_MS = 200

/** As `rename`; on Windows it is tried again for two seconds while one of the files is in use. Rejects with the last error. */
export async function renameOver(from: string, to: string): Promise<void> {
  const endsAt = performance.now() + LONGEST_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await rename(from, to)
    } catch (error) {
      const passes = process.platform === 'win32' && PASSING.has((error as NodeJS.ErrnoException).code)
      if (!passes || performance.now() + waitMs > endsAt) throw error
    }
    await sleep(waitMs)
  }
}
