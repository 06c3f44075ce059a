/**
 * Ensures that only one process uses a data folder. A process that wants the folder creates a claim and checks all
 * other claims. It has the folder when every other claim is dead. Of two processes, the later one always sees the
 * earlier one's claim, so they cannot both have the folder. Process IDs and clocks are not used, because the other
 * process may be in another container.
 *
 * Not covered: two machines, or a virtual machine and its host, that share a folder with sockets (NFS). A socket file
 * accepts connections only from its own machine.
 */
import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { LocalizationError } from '../../errors.ts'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import { printable } from '../../shared/escape.ts'
import { realFolder } from '../../shared/folder-id.ts'
import { writingData } from '../store/open.ts'
import { describeHolder, findClaims, isAlive, makeClaim, setAside, sweepAside, whenGone } from './claims.ts'

const ANNOUNCEMENT_FILE = 'service.json'

const announcementSchema = z.object({
  /** The lock's `id` in the process that has the folder. */
  lock: z.string(),
  baseUrl: z.url(),
  cdnUrl: z.string(),
  filesUrl: z.string(),
  personalToken: z.string(),
})

/** The service's URLs, for other processes of the same user. */
export type Announcement = z.infer<typeof announcementSchema>

/**
 * If several processes start at the same time, the first one waits for the others to withdraw. This is the maximum
 * number of checks in that wait. It is not a time limit, because checks are slow on a busy system.
 */
const PATIENT_LOOKS = 50
const LOOK_AGAIN_MS = 20

/** Locks an existing folder. Throws `SERVICE_LOCKED`, naming the process that has it. */
export async function lockFolder(given: string) {
  const folder = realFolder(given)
  const claim = await writingData(folder, () => makeClaim(folder))
  const putBack: (() => void)[] = []
  const withdraw = async () => {
    // Restores the claims that this process considered dead, because their processes may still be using the database.
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
    /** Unique for each process that takes the lock. */
    id: claim.name,
    /** The announcement of the last holder, if it was killed, or if other processes were waiting for its end. */
    left: await readAnnouncementFile(folder).catch(() => undefined),
    /** If it is false, another process may have the folder, or the folder was removed. */
    isHeld: claim.exists,
    /** Writes the announcement file. Like the data file, only its owner can read it. */
    async announce(addresses: Omit<Announcement, 'lock'>) {
      const json = JSON.stringify({ lock: claim.name, ...addresses } satisfies Announcement)
      await writeFileAtomic(path.join(folder, ANNOUNCEMENT_FILE), `${json}\n`, { mode: 0o600, durable: false })
      isAnnounced = true
    },
    /** Removes the claims of killed processes. Must be called once the data is open. */
    settle() {
      // This announcement is from a killed process. Another program may already be using its port.
      removeAnnouncement()
      putBack.length = 0
      sweepAside(folder)
    },
    /**
     * Processes that wait for the lock keep using the announced URL, so the announcement is left for the next holder.
     * @param mayBeAwaited decides if it is not known whether processes are waiting
     */
    async release(mayBeAwaited = false) {
      const isAwaited = claim.isAwaited() ?? mayBeAwaited
      if (isAnnounced && claim.exists() && !isAwaited) removeAnnouncement()
      await withdraw()
    },
  }
}

/** Resolves when no process has or wants the lock, or when `signal` is aborted. Throws if the folder is gone. */
export async function lockReleased(given: string, signal: AbortSignal): Promise<void> {
  const folder = realFolder(given)
  while (!signal.aborted) {
    const { living } = await findClaims(folder)
    if (living.length === 0) return
    await Promise.race(living.map((name) => whenGone(folder, name, signal)))
    await sleep(LOOK_AGAIN_MS, undefined, { ref: false })
  }
}

/** Returns `undefined` if the process that has the folder has not announced its URLs yet. */
export async function readAnnouncement(given: string): Promise<Announcement | undefined> {
  const folder = realFolder(given)
  try {
    const found = await readAnnouncementFile(folder)
    return (await isHolder(folder, found.lock)) ? found : undefined
  } catch {
    return undefined
  }
}

async function readAnnouncementFile(folder: string): Promise<Announcement> {
  return announcementSchema.parse(JSON.parse(await readFile(path.join(folder, ANNOUNCEMENT_FILE), 'utf8')))
}

export function isHolder(folder: string, id: string): Promise<boolean> {
  return isAlive(realFolder(folder), id)
}

async function waitUntilAlone(
  folder: string,
  claim: Awaited<ReturnType<typeof makeClaim>>,
  bury: (name: string) => void,
): Promise<void> {
  for (let look = 0; ; look++) {
    const { living, dead } = await findClaims(folder, claim.name)
    for (const name of dead) bury(name)
    const [first] = living
    // If the claim is gone, other processes considered this one dead, because it was suspended or not listening yet.
    if (first === undefined && claim.exists()) return
    // Of several processes that start at the same time, the first by name waits until the others have withdrawn.
    if (first === undefined || first < claim.name || look === PATIENT_LOOKS) throw locked(folder, first)
    await sleep(LOOK_AGAIN_MS)
  }
}

function locked(folder: string, holder = ''): LocalizationError {
  const process = printable(describeHolder(holder))
  return new LocalizationError(`the data in ${folder} is in use by a local service in ${process}`, {
    code: 'SERVICE_LOCKED',
    hint: 'Stop that service, use its URL, or choose another folder.',
  })
}
