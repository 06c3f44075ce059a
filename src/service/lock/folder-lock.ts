/**
 * One process per data folder. Whoever wants the folder puts down a claim and looks at all others: it has the folder when every
 * other claim is dead. Of two that look, the later one sees the earlier one's claim, so both cannot have it. Process numbers and
 * clocks are never compared: the other process may be in another container.
 *
 * Not covered: two machines, or a virtual machine and its host, on one shared folder that holds sockets (NFS). A socket can be
 * asked on its own machine only.
 */
import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { LocalizationError, messageOf } from '../../errors.ts'
import { printable } from '../../shared/printable.ts'
import { ANNOUNCEMENT_FILE } from '../announcement.ts'
import { type Claim, findClaims, isAlive, makeClaim, setAside, sweepPending, whenGone } from './claims.ts'

export interface FolderLock {
  /** Changes with each holder. */
  readonly id: string
  /** False: somebody else may have the folder by now, or it was removed. Nothing may be written any more. */
  isHeld(): boolean
  /** Names this process to whoever is refused, and removes what killed ones left. To be called when the data is open. */
  settle(): Promise<void>
  release(): Promise<void>
}

/** Names the holder for whoever is refused; the claims alone decide. */
const OWNER_FILE = 'service.pid'

/** Of several that start at once, how long the first waits for the others to give way. */
const PATIENCE_MS = 1000
const LOOK_AGAIN_MS = 20

/** Takes the lock of `folder`, which exists. Throws `SERVICE_LOCKED` naming the process that has it. */
export async function lockFolder(given: string): Promise<FolderLock> {
  const folder = realpathSync(given)
  const claim = await startClaim(folder)
  const putBack: (() => void)[] = []
  const withdraw = async () => {
    // The database refused: who was taken for dead has it still.
    for (const work of putBack.splice(0)) work()
    await claim.withdraw()
  }
  try {
    await waitUntilAlone(folder, claim, (name) => putBack.push(setAside(folder, name)))
  } catch (error) {
    await withdraw()
    throw error
  }
  const owned = [OWNER_FILE, ANNOUNCEMENT_FILE].map((name) => path.join(folder, name))
  const isHeld = () => claim.exists()
  return {
    id: claim.name,
    isHeld,
    async settle() {
      // Of a holder that was killed: its port may be anybody's by now.
      rmSync(path.join(folder, ANNOUNCEMENT_FILE), { force: true })
      const owner: Owner = { pid: process.pid, host: hostname(), claim: claim.name }
      writeFileSync(path.join(folder, OWNER_FILE), `${JSON.stringify(owner)}\n`, { mode: 0o600 })
      putBack.length = 0
      await sweepPending(folder)
    },
    async release() {
      if (isHeld() && readOwner(folder)?.claim === claim.name) for (const file of owned) rmSync(file, { force: true })
      await withdraw()
    },
  }
}

/** Resolves when nobody holds or wants the folder's lock, however that came; when `signal` aborts too. */
export async function lockReleased(given: string, signal: AbortSignal): Promise<void> {
  const folder = realpathSync(given)
  while (!signal.aborted) {
    const { living } = await findClaims(folder)
    if (living.length === 0) return
    await Promise.race(living.map((name) => whenGone(folder, name, signal)))
    await sleep(LOOK_AGAIN_MS, undefined, { ref: false })
  }
}

/** Whether the holder that has this id has the folder still. */
export function isHolder(folder: string, id: string): Promise<boolean> {
  return isAlive(realpathSync(folder), id)
}

async function startClaim(folder: string): Promise<Claim> {
  try {
    return await makeClaim(folder)
  } catch (cause) {
    throw new LocalizationError(`the service cannot write its data to ${folder}: ${messageOf(cause)}`, {
      code: 'SERVICE_START',
      hint: 'Give a folder that can be written.',
      cause,
    })
  }
}

async function waitUntilAlone(folder: string, claim: Claim, bury: (name: string) => void): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const { living, dead } = await findClaims(folder, claim.name)
    for (const name of dead) bury(name)
    if (living.length === 0) break
    const owner = readOwner(folder)
    const isTaken = owner !== undefined && living.includes(owner.claim)
    // Several start at once: the first by name goes on when the others have given way.
    if (isTaken || living.some((name) => name < claim.name) || performance.now() > until) {
      throw locked(folder, isTaken ? owner : undefined)
    }
    await sleep(LOOK_AGAIN_MS)
  }
  // This process was stopped for so long that another one took it for dead.
  if (!claim.exists()) throw locked(folder, undefined)
}

const ownerSchema = z.object({ pid: z.number(), host: z.string(), claim: z.string() })
type Owner = z.infer<typeof ownerSchema>

function readOwner(folder: string): Owner | undefined {
  try {
    return ownerSchema.parse(JSON.parse(readFileSync(path.join(folder, OWNER_FILE), 'utf8')))
  } catch {
    // Nobody has settled there, or a write of it was cut.
    return undefined
  }
}

function locked(folder: string, owner: Owner | undefined): LocalizationError {
  const elsewhere = owner && owner.host !== hostname() ? ` on ${printable(owner.host)}` : ''
  const who = owner ? `process ${owner.pid}${elsewhere}` : 'another process'
  return new LocalizationError(`the data in ${folder} is in use by a local service in ${who}`, {
    code: 'SERVICE_LOCKED',
    hint: 'Stop that one, use its address, or choose another folder.',
  })
}
