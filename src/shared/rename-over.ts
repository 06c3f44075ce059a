/**
 * Renames a file over one that another program may have open, for example an antivirus program, an indexer, an editor
 * or a bundler.
 */
import { rename } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * On Windows, these errors occur while another program has one of the files open. On other systems, they are permanent.
 */
const PASSING: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY'])
const MAX_TOTAL_MS = 2_000
const FIRST_WAIT_MS = 10
const MAX_WAIT_MS = 200

/** Like `rename`, but retries for two seconds if one of the files is in use on Windows. Rejects with the last error. */
export async function renameOver(from: string, to: string): Promise<void> {
  const endsAt = performance.now() + MAX_TOTAL_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      return await rename(from, to)
    } catch (error) {
      const passes = process.platform === 'win32' && PASSING.has((error as NodeJS.ErrnoException).code)
      if (!passes || performance.now() + waitMs > endsAt) throw error
    }
    await sleep(waitMs)
  }
}
