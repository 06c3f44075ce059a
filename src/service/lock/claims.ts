/**
 * Claims to a data folder: entries `service.lock.<id>` in the folder itself, so that every process that can reach the data sees
 * them, whatever container or network namespace it runs in. An id is used once: removing the claim of a dead process never hits
 * anybody else's.
 */
import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, renameSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import { isBeating, makeHeartbeatClaim, whenSilent } from './heartbeat-claim.ts'
import { addressOf, isListening, makeSocketClaim, PENDING, PIPE_MARK, whenClosed } from './socket-claim.ts'

export interface Claim {
  readonly name: string
  /** False: somebody took this process for dead, or the folder is gone. It must write no more. */
  exists(): boolean
  withdraw(): Promise<void>
}

const PREFIX = 'service.lock.'

/** A socket, whose end the system itself tells at once; a heartbeat where the file system holds no sockets. */
export async function makeClaim(folder: string): Promise<Claim> {
  const name = `${PREFIX}${randomBytes(8).toString('hex')}`
  const entry = path.join(folder, name)
  const claimed = (await makeSocketClaim(folder, name)) ?? makeHeartbeatClaim(entry)
  return {
    name,
    exists: () => lstatSync(entry, { throwIfNoEntry: false }) !== undefined,
    async withdraw() {
      await claimed.end()
      remove(entry)
    },
  }
}

export interface FoundClaims {
  readonly living: readonly string[]
  readonly dead: readonly string[]
}

/** Every claim in the folder but `own`. */
export async function findClaims(folder: string, own?: string): Promise<FoundClaims> {
  const names = readdirSync(folder).filter((name) => name.startsWith(PREFIX) && name !== own)
  const alive = await Promise.all(names.map((name) => isAlive(folder, name)))
  return { living: names.filter((_, at) => alive[at]), dead: names.filter((_, at) => !alive[at]) }
}

export async function isAlive(folder: string, name: string): Promise<boolean> {
  const kind = kindOf(path.join(folder, name))
  if (kind === undefined) return false
  return kind === 'socket' ? isListening(addressOf(folder, name)) : isBeating(path.join(folder, name))
}

/** Resolves when the claim's process is gone, or `signal` aborts; may resolve early. */
export async function whenGone(folder: string, name: string, signal: AbortSignal): Promise<void> {
  const kind = kindOf(path.join(folder, name))
  if (kind === 'socket') await whenClosed(addressOf(folder, name), signal)
  else if (kind === 'heartbeat') await whenSilent(path.join(folder, name), signal)
}

/**
 * Takes a dead claim away; its process, should it only have been stopped, notices before it writes again. The returned function puts
 * it back.
 */
export function setAside(folder: string, name: string): () => void {
  const [entry, aside] = [path.join(folder, name), path.join(folder, `${PENDING}${name}`)]
  rename(entry, aside)
  return () => rename(aside, entry)
}

/** Removes what was set aside, and what a process left that was killed before its socket was a claim. */
export async function sweepPending(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(PENDING)) continue
    if (!(await isListening(addressOf(folder, name)))) remove(path.join(folder, name))
  }
}

function kindOf(entry: string): 'socket' | 'heartbeat' | undefined {
  try {
    if (lstatSync(entry).isSocket()) return 'socket'
    return readFileSync(entry, 'utf8') === PIPE_MARK ? 'socket' : 'heartbeat'
  } catch (error) {
    // What cannot be looked at is somebody's.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'heartbeat'
  }
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function remove(entry: string): void {
  try {
    unlinkSync(entry)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
