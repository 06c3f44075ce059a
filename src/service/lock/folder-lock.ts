/**
 * Ensures that only one process uses a data folder. A process that wants the folder creates a claim and checks all
 * others. It has the folder when every other claim is dead. Of two processes, the later one sees the claim of the
 * earlier one, so they cannot both have the folder. Process ids and clocks are not used, because the other process may
 * be in a different container.
 *
 * Not covered: two machines, or a virtual machine and its host, that share a folder with sockets (NFS). Only processes
 * of the same machine can connect to a socket file.
 */
import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { LocalizationError } from '../../errors.ts'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import { realFolder } from '../../shared/folder-id.ts'
import { printable } from '../../shared/printable.ts'
import { writingData } from '../store/open.ts'
import { type Claim, describeHolder, findClaims, isAlive, makeClaim, setAside, sweepAside, whenGone } from './claims.ts'

const ANNOUNCEMENT_FILE = 'service.json'

const announcementSchema = z.object({
  /** The holder's `FolderLock.id`. */
  lock: z.string(),
  baseUrl: z.string(),
  cdnUrl: z.string(),
  filesUrl: z.string(),
  personalToken: z.string(),
})

/** The addresses of the holder's service, for other processes of the same user. */
export type Announcement = z.infer<typeof announcementSchema>

export interface FolderLock {
  /** The id, which changes with each holder. */
  readonly id: string
  /**
   * True while this process has the folder. If false, another process may have it, or the folder was removed, and this
   * process must stop writing.
   */
  isHeld(): boolean
  /** Writes the announcement. Like the data file, it is readable only by its owner. */
  announce(addresses: Omit<Announcement, 'lock'>): Promise<void>
  /** Removes the claims of killed processes. Must be called when the data is open. */
  settle(): void
  release(): Promise<void>
}

/**
 * The number of checks after which the first of several concurrent starts no longer waits for the others to withdraw.
 * It is not a time, because checks are slow on a busy system.
 */
const PATIENT_LOOKS = 50
const LOOK_AGAIN_MS = 20

/** Takes the lock of an existing folder. Throws `SERVICE_LOCKED`, naming the process that has it. */
export async function lockFolder(given: string): Promise<FolderLock> {
  const folder = realFolder(given)
  const claim = await writingData(folder, () => makeClaim(folder))
  const putBack: (() => void)[] = []
  const withdraw = async () => {
    // The database refused because the process that this one took for dead still has it.
    for (const work of putBack.splice(0)) work()
    await claim.withdraw()
  }
  try {
    await waitUntilAlone(folder, claim, (name) => putBack.push(setAside(folder, name)))
  } catch (error) {
    await withdraw()
    throw error
  }
  const removeAnnouncement = () => rmSync(path.join(folder, ANNOUNCEMENT_FILE), { force: true })
  let isAnnounced = false
  return {
    id: claim.name,
    isHeld: claim.exists,
    async announce(addresses) {
      const json = JSON.stringify({ lock: claim.name, ...addresses } satisfies Announcement)
      await writeFileAtomic(path.join(folder, ANNOUNCEMENT_FILE), `${json}\n`, { mode: 0o600, durable: false })
      isAnnounced = true
    },
    settle() {
      // This is the announcement of a killed process. Another program may already use its port.
      removeAnnouncement()
      putBack.length = 0
      sweepAside(folder)
    },
    async release() {
      if (isAnnounced && claim.exists()) removeAnnouncement()
      await withdraw()
    },
  }
}

/**
 * Resolves when no process holds or wants the folder's lock, or when `signal` aborts. Throws when the folder is gone.
 */
export async function lockReleased(given: string, signal: AbortSignal): Promise<void> {
  const folder = realFolder(given)
  while (!signal.aborted) {
    const { living } = await findClaims(folder)
    if (living.length === 0) return
    await Promise.race(living.map((name) => whenGone(folder, name, signal)))
    await sleep(LOOK_AGAIN_MS, undefined, { ref: false })
  }
}

/**
 * The announcement; `undefined` if the holder has not announced its addresses, or if the announcement is that of an
 * earlier holder.
 */
export async function readAnnouncement(given: string): Promise<Announcement | undefined> {
  const folder = realFolder(given)
  try {
    const found = announcementSchema.parse(JSON.parse(await readFile(path.join(folder, ANNOUNCEMENT_FILE), 'utf8')))
    return (await isHolder(folder, found.lock)) ? found : undefined
  } catch {
    return undefined
  }
}

/** True if the holder with this id still has the folder. */
export function isHolder(folder: string, id: string): Promise<boolean> {
  return isAlive(realFolder(folder), id)
}

async function waitUntilAlone(folder: string, claim: Claim, bury: (name: string) => void): Promise<void> {
  for (let look = 0; ; look++) {
    const { living, dead } = await findClaims(folder, claim.name)
    for (const name of dead) bury(name)
    const [first] = living
    // The other processes took this one for dead, because it was suspended or not listening yet.
    if (first === undefined && claim.exists()) return
    // Among concurrent starts, the first one by name continues when the others have withdrawn.
    if (first === undefined || first < claim.name || look === PATIENT_LOOKS) throw locked(folder, first)
    await sleep(LOOK_AGAIN_MS)
  }
}

function locked(folder: string, holder = ''): LocalizationError {
  const process = printable(describeHolder(holder))
  return new LocalizationError(`the data in ${folder} is in use by a local service in ${process}`, {
    code: 'SERVICE_LOCKED',
    hint: 'Stop that one, use its address, or choose another folder.',
  })
}
