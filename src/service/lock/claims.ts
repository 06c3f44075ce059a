/**
 * Claims to a data folder. Each claim is a `service.lock.*` entry in the folder itself, so all processes that can reach
 * the data see it, even from other containers. No name is used twice, so removing the claim of a dead process never
 * removes a newer one.
 */
import { randomBytes } from 'node:crypto'
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { folderId } from '../../shared/folder-id.ts'
import { hashOf } from '../../shared/hash.ts'

const isWindows = process.platform === 'win32'

/** The maximum length of a socket path. Some Node versions truncate longer ones without an error. */
const MAX_ADDRESS_BYTES = 100

interface Claim {
  end(): Promise<unknown>
  /** True if other processes are waiting for the end of the claim; `undefined` if that is not known. */
  isAwaited(): boolean | undefined
}

/** Creates a socket claim. Returns `undefined` if the file system does not support sockets. */
async function makeSocketClaim(entry: string): Promise<Claim | undefined> {
  const waiting = new Set<Socket>()
  const server = createServer((socket) => {
    waiting.add(socket)
    socket.unref()
    socket.on('error', () => {})
    socket.once('close', () => waiting.delete(socket))
    // No data is sent: waiting processes only need to see that the connection closes.
    socket.resume()
  })
  const end = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of waiting) socket.destroy()
    })
  const isUp = await withAddress(entry, (address) => {
    return new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(address, () => resolve(true))
    })
  })
  if (!isUp) return undefined
  server.unref()
  if (isWindows) writeFileSync(entry, '', { flag: 'wx' })
  return { end, isAwaited: () => waiting.size > 0 }
}

/** True if a process is listening, even if it is suspended or no longer accepts connections. */
function isListening(entry: string): Promise<boolean> {
  return withAddress(entry, (address) => {
    return new Promise<boolean>((resolve) => {
      const socket = connect(address)
      const end = (isUp: boolean) => {
        socket.destroy()
        resolve(isUp)
      }
      socket.once('connect', () => end(true))
      socket.on('error', ({ code }: NodeJS.ErrnoException) => end(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
    })
  })
}

/** Resolves when the listener is gone or `signal` is aborted. */
function whenClosed(entry: string, signal: AbortSignal): Promise<void> {
  return withAddress(entry, (address) => {
    return new Promise<void>((resolve) => {
      const socket = connect({ path: address, signal })
      socket.unref()
      socket.on('error', () => {})
      socket.resume()
      socket.once('close', () => resolve())
    })
  })
}

/** Calls `use` with the socket's path. If it is too long for a socket, uses a shorter path through a symbolic link. */
async function withAddress<T>(entry: string, use: (address: string) => Promise<T>): Promise<T> {
  const { dir: folder, base: name } = path.parse(entry)
  if (isWindows) return use(`\\\\.\\pipe\\localization-service-${hashOf(folderId(folder), 16)}-${name}`)
  if (Buffer.byteLength(entry) <= MAX_ADDRESS_BYTES) return use(entry)
  const link = mkdtempSync(path.join(tmpdir(), 'loc-'))
  try {
    symlinkSync(folder, path.join(link, 'f'))
    return await use(path.join(link, 'f', name))
  } finally {
    rmSync(link, { recursive: true, force: true })
  }
}

const BEAT_MS = 200
const LOOK_MS = 100
/**
 * A process counts as dead after this many checks without a heartbeat. Measuring time would be wrong: after the machine
 * has been suspended, all processes would look dead.
 */
const SILENT_LOOKS = 30

/**
 * Writes the heartbeat. Runs in its own thread, because a long transaction on the main thread must not stop the
 * heartbeat. `r+` never creates the file.
 */
const BEAT = `
  const { writeFileSync } = require('node:fs')
  const { entry, everyMs } = require('node:worker_threads').workerData
  let beats = 0
  setInterval(() => {
    try { writeFileSync(entry, String(++beats), { flag: 'r+' }) } catch {}
  }, everyMs)`

function makeHeartbeatClaim(entry: string): Claim {
  // Some file systems (exFAT) refuse the socket, but leave a file behind.
  rmSync(entry, { force: true })
  writeFileSync(entry, '0', { flag: 'wx', mode: 0o600 })
  const worker = new Worker(BEAT, { eval: true, workerData: { entry, everyMs: BEAT_MS }, execArgv: [] })
  worker.on('error', () => {})
  worker.unref()
  // Waiting processes only read the file.
  return { end: () => worker.terminate(), isAwaited: () => undefined }
}

async function isBeating(entry: string): Promise<boolean> {
  const first = readBeat(entry)
  for (let look = 0; look < SILENT_LOOKS; look++) {
    await sleep(LOOK_MS)
    const beat = readBeat(entry)
    if (beat === undefined) return false
    if (beat !== first) return true
  }
  return false
}

/** Resolves when the heartbeat has stopped or `signal` is aborted. */
async function whenSilent(entry: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await isBeating(entry))) await sleep(BEAT_MS, undefined, { ref: false })
}

/**
 * Returns the last heartbeat, or `undefined` if the entry is gone. An unreadable entry gives a new value each time,
 * so it looks alive.
 */
function readBeat(entry: string): string | symbol | undefined {
  try {
    return readFileSync(entry, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : Symbol('unreadable')
  }
}

const PREFIX = 'service.lock.'
/** The prefix for renamed claims of dead processes. These claims are deleted once the data is open. */
const ASIDE = `.${PREFIX}`

/**
 * Creates a socket claim, because the system reports immediately when a socket closes. If the file system does not
 * support sockets, creates a heartbeat claim.
 */
export async function makeClaim(folder: string) {
  // The time only orders the claims of processes that start at the same time. Correctness does not depend on it.
  const time = Date.now().toString(36).padStart(9, '0')
  const host = hostname().replaceAll(/[^\w.-]/g, '_')
  const name = `${PREFIX}${time}-${process.pid}-${randomBytes(6).toString('hex')}-${host}`
  const entry = path.join(folder, name)
  const { end, isAwaited } = (await makeSocketClaim(entry)) ?? makeHeartbeatClaim(entry)
  return {
    name,
    isAwaited,
    /**
     * True while the claim exists. If it is false, another process considered this one dead, or the folder is gone.
     * This process must then stop writing.
     */
    exists: () => lstatSync(entry, { throwIfNoEntry: false }) !== undefined,
    async withdraw() {
      await end()
      ignoreMissing(() => unlinkSync(entry))
    },
  }
}

/** Finds all claims in the folder except `own`. The living ones are sorted by name. */
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

/** Resolves when the claim's process is gone or `signal` is aborted. May resolve early. */
export async function whenGone(folder: string, name: string, signal: AbortSignal): Promise<void> {
  const entry = path.join(folder, name)
  const kind = kindOf(entry)
  if (kind === 'socket') await whenClosed(entry, signal)
  else if (kind === 'heartbeat') await whenSilent(entry, signal)
}

/**
 * Renames a dead claim. If its process was only suspended, that process notices that its claim is gone before it writes
 * again. The returned function restores the claim.
 */
export function setAside(folder: string, name: string): () => void {
  const [entry, aside] = [path.join(folder, name), path.join(folder, `${ASIDE}${name}`)]
  ignoreMissing(() => renameSync(entry, aside))
  return () => ignoreMissing(() => renameSync(aside, entry))
}

export function sweepAside(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(ASIDE)) ignoreMissing(() => unlinkSync(path.join(folder, name)))
  }
}

/** Names the claim's process, for messages. */
export function describeHolder(name: string): string {
  const [, pid, host] = /-(\d+)-[0-9a-f]+-(.*)$/.exec(name) ?? []
  if (pid === undefined) return 'another process'
  return host === hostname().replaceAll(/[^\w.-]/g, '_') ? `process ${pid}` : `process ${pid} on ${host}`
}

function kindOf(entry: string): 'socket' | 'heartbeat' | undefined {
  try {
    const found = lstatSync(entry)
    // On Windows, sockets are named pipes outside the file system.
    return found.isSocket() || process.platform === 'win32' ? 'socket' : 'heartbeat'
  } catch (error) {
    // A claim that cannot be read is treated as alive.
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
