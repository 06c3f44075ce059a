/**
 * Where the service of a data folder answers, for other processes of the same person. The file lies beside the lock and counts only
 * while that is held: who takes the lock removes what an earlier holder left over, and a service that ends removes its own first.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { writeFileAtomic } from '../shared/atomic-write.ts'

export const ANNOUNCEMENT_FILE = 'service.json'

const announcementSchema = z.object({
  pid: z.number(),
  baseUrl: z.string(),
  cdnUrl: z.string(),
  filesUrl: z.string(),
  personalToken: z.string(),
})
export type Announcement = z.infer<typeof announcementSchema>

/** Readable by its owner only, as the data file is. */
export async function announce(folder: string, announcement: Announcement): Promise<void> {
  await writeFileAtomic(path.join(folder, ANNOUNCEMENT_FILE), `${JSON.stringify(announcement)}\n`, {
    mode: 0o600,
    durable: false,
  })
}

/** `undefined`: nothing is announced, or the process that did it is gone. */
export async function readAnnouncement(folder: string): Promise<Announcement | undefined> {
  try {
    const found = announcementSchema.parse(JSON.parse(await readFile(path.join(folder, ANNOUNCEMENT_FILE), 'utf8')))
    return isRunning(found.pid) ? found : undefined
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
