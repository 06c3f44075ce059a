/**
 * The addresses of the service of a data folder, for other processes of the same user. The file is valid only while the
 * process that wrote it holds the folder's lock.
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

/** Writes the file, readable only by its owner like the data file. */
export async function announce(folder: string, announcement: Announcement): Promise<void> {
  await writeFileAtomic(path.join(folder, ANNOUNCEMENT_FILE), `${JSON.stringify(announcement)}\n`, {
    mode: 0o600,
    durable: false,
  })
}

/** `undefined`: no announcement, or that of an earlier holder. */
export async function readAnnouncement(folder: string): Promise<Announcement | undefined> {
  try {
    return announcementSchema.parse(JSON.parse(await readFile(path.join(folder, ANNOUNCEMENT_FILE), 'utf8')))
  } catch {
    return undefined
  }
}
