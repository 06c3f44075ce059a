/**
 * Where the service of a data folder answers, for other processes of the same person. The file counts only while the
 * holder of the folder's lock that wrote it lives.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { writeFileAtomic } from '../shared/atomic-write.ts'

export const ANNOUNCEMENT_FILE = 'service.json'

const announcementSchema = z.object({
  /** The holder's `FolderLock.id`. */
  lock: z.string(),
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

/** `undefined`: nothing is announced, or an earlier holder did it. */
export async function readAnnouncement(folder: string): Promise<Announcement | undefined> {
  try {
    return announcementSchema.parse(JSON.parse(await readFile(path.join(folder, ANNOUNCEMENT_FILE), 'utf8')))
  } catch {
    return undefined
  }
}
