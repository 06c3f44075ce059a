/**
 * One process per data folder. A process that wants the folder puts down a claim and looks at all others: it has the
 * folder when every other claim is dead. Of two that look, the later one sees the earlier one's claim, so both cannot
 * have it. Process numbers and clocks decide nothing: the other process may be in another container.
 *
 * Not covered: two machines, or a virtual machine and its host, on one shared folder that holds sockets (NFS). Only
 * processes of the same machine can connect to a socket file.
 */
import { realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalizationError } from '../../errors.ts'
import { printable } from '../../shared/printable.ts'
import { ANNOUNCEMENT_FILE } from '../announcement.ts'
import { writingData } from '../store/open.ts'
import { type Claim, describeHolder, findClaims, isAlive, makeClaim, setAside, sweepAside, whenGone } from './claims.ts'

export interface FolderLock {
  /** Changes with each holder. */
  readonly id: string
  /** False: another process may have the folder by now, or the folder was removed. This process must write no more. */
  isHeld(): boolean
  /** Removes what killed processes left. To be called when the data is open. */
  settle(): void
  release(): Promise<void>
}

/** Of several that start at once, how long the first waits for the others to give way. */
const PATIENCE_MS = 1000
const LOOK_AGAIN_MS = 20

/** Takes the lock of `folder`, which exists. Throws `SERVICE_LOCKED` naming the process that has it. */
export async function lockFolder(given: string): Promise<FolderLock> {
  const folder = realpathSync(given)
  const claim = await writingData(folder, () => makeClaim(folder))
  const putBack: (() => void)[] = []
  const withdraw = async () => {
    // The database refused: the process that was taken for dead has it still.
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
  return {
    id: claim.name,
    isHeld: claim.exists,
    settle() {
      // The announcement of a holder that was killed: another program may have its port by now.
      removeAnnouncement()
      putBack.length = 0
      sweepAside(folder)
    },
    async release() {
      if (claim.exists()) removeAnnouncement()
      await withdraw()
    },
  }
}

/** Resolves when nobody holds or wants the folder's lock; when `signal` aborts too. Throws when the folder is gone. */
export async function lockReleased(given: string, signal: AbortSignal): Promise<void> {
  const folder = realpathSync(given)
  while (!signal.aborted) {
    const { living } = await findClaims(folder)
    if (living.length === 0) return
    await Promise.race(living.map((name) => whenGone(folder, name, signal)))
    await sleep(LOOK_AGAIN_MS, undefined, { ref: false })
  }
}

/** Whether the holder that has this id still has the folder. */
export function isHolder(folder: string, id: string): Promise<boolean> {
  return isAlive(realpathSync(folder), id)
}

async function waitUntilAlone(folder: string, claim: Claim, bury: (name: string) => void): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const { living, dead } = await findClaims(folder, claim.name)
    for (const name of dead) bury(name)
    const [first] = living
    // The other processes took this one for dead, because it was stopped or did not listen yet.
    if (first === undefined && claim.exists()) return
    // Several start at once: the first by name goes on when the others have given way.
    if (first === undefined || first < claim.name || performance.now() > until) throw locked(folder, first)
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
