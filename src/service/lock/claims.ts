/**
 * Claims to a data folder: entries `service.lock.<...>` in the folder itself, so that every process that can reach the
 * data sees them, in any container or network namespace. A name is used once: removing the claim of a dead process
 * never hits another one.
 */
import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, renameSync, unlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { isBeating, makeHeartbeatClaim, whenSilent } from './heartbeat-claim.ts'
import { isListening, makeSocketClaim, whenClosed } from './socket-claim.ts'

export interface Claim {
  readonly name: string
  /** False: another process took this one for dead, or the folder is gone. This process must write no more. */
  exists(): boolean
  withdraw(): Promise<void>
}

const PREFIX = 'service.lock.'
/** Dead claims that are set aside until the data has been opened. */
const ASIDE = `.${PREFIX}`

/** A socket, whose end the system itself reports at once; a heartbeat where the file system holds no sockets. */
export async function makeClaim(folder: string): Promise<Claim> {
  // The time orders claims for those that start at once. Correctness does not depend on it.
  const time = Date.now().toString(36).padStart(9, '0')
  const host = hostname().replaceAll(/[^\w.-]/g, '_')
  const name = `${PREFIX}${time}-${process.pid}-${randomBytes(6).toString('hex')}-${host}`
  const entry = path.join(folder, name)
  const end = (await makeSocketClaim(entry)) ?? makeHeartbeatClaim(entry)
  return {
    name,
    exists: () => lstatSync(entry, { throwIfNoEntry: false }) !== undefined,
    async withdraw() {
      await end()
      ignoreMissing(() => unlinkSync(entry))
    },
  }
}

/** Names of all claims in the folder but `own`, the first one first. */
export async function findClaims(folder: string, own?: string) {
  const names = readdirSync(folder).filter((name) => name.startsWith(PREFIX) && name !== own)
  const alive = await Promise.all(names.map((name) => isAlive(folder, name)))
  return { living: names.filter((_, at) => alive[at]).sort(), dead: names.filter((_, at) => !alive[at]) }
}

export async function isAlive(folder: string, name: string): Promise<boolean> {
  const entry = path.join(folder, name)
  const kind = kindOf(entry)
  if (kind === undefined) return false
  return kind === 'socket' ? isListening(entry) : isBeating(entry)
}

/** Resolves when the claim's process is gone, or `signal` aborts; may resolve early. */
export async function whenGone(folder: string, name: string, signal: AbortSignal): Promise<void> {
  const entry = path.join(folder, name)
  const kind = kindOf(entry)
  if (kind === 'socket') await whenClosed(entry, signal)
  else if (kind === 'heartbeat') await whenSilent(entry, signal)
}

/**
 * Takes a dead claim away; its process, should it only have been stopped, notices before it writes again. The returned
 * function puts it back.
 */
export function setAside(folder: string, name: string): () => void {
  const [entry, aside] = [path.join(folder, name), path.join(folder, `${ASIDE}${name}`)]
  ignoreMissing(() => renameSync(entry, aside))
  return () => ignoreMissing(() => renameSync(aside, entry))
}

/** Removes every claim that was set aside. */
export function sweepAside(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(ASIDE)) ignoreMissing(() => unlinkSync(path.join(folder, name)))
  }
}

/** The process of a claim, for messages. */
export function describeHolder(name: string): string {
  const [, pid, host] = /-(\d+)-[0-9a-f]+-(.*)$/.exec(name) ?? []
  if (pid === undefined) return 'another process'
  return host === hostname().replaceAll(/[^\w.-]/g, '_') ? `process ${pid}` : `process ${pid} on ${host}`
}

function kindOf(entry: string): 'socket' | 'heartbeat' | undefined {
  try {
    const found = lstatSync(entry)
    // On Windows sockets are named pipes, outside the file system.
    return found.isSocket() || process.platform === 'win32' ? 'socket' : 'heartbeat'
  } catch (error) {
    // An entry that cannot be looked at counts as a living claim.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'heartbeat'
  }
}

function ignoreMissing(work: () => void): void {
  try {
    work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
