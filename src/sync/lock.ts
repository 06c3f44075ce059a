/**
 * One writer for each project folder. The lock is a local socket named after the folder: the system frees it with the
 * process, however that ends, and the holder sends its pid to whoever connects. Where sockets are files (neither Linux
 * nor Windows) a socket that nobody answers is left over; an `O_EXCL` claim decides which process removes it.
 */
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'

export interface LockOwner {
  /** 0: the owner does not say. */
  readonly pid: number
}

export type SyncLock = ReturnType<typeof createSyncLock>

/** The longest wait for an answer of another process on the same machine. */
const ANSWER_MS = 2_000
const REFRESH = 'refresh\n'

/** `onRefresh`: another process has changed the base, the files or the service. */
export function createSyncLock(root: string, onRefresh: () => void = () => {}) {
  const address = addressOf(root)
  const sockets = new Set<Socket>()
  let server: Server | undefined

  const greet = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => text.endsWith(REFRESH) && onRefresh())
    socket.unref()
    socket.write(`${JSON.stringify({ pid: process.pid } satisfies LockOwner)}\n`)
  }

  const listen = (): Promise<Server | undefined> =>
    new Promise((resolve, reject) => {
      const candidate = createServer(greet)
      candidate.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') resolve(undefined)
        else reject(error)
      })
      candidate.listen(address, () => {
        candidate.unref()
        resolve(candidate)
      })
    })

  return {
    get held(): boolean {
      return server?.listening === true
    },
    async acquire(): Promise<'held' | LockOwner> {
      server ??= await listen()
      if (server) return 'held'
      const owner = await askOwner(address)
      if (owner) return owner
      // Nobody answers: the holder has just gone, or its socket is left over.
      if (process.platform !== 'win32' && !address.startsWith('\0')) await removeLeftOver(address)
      server = await listen()
      return server ? 'held' : ((await askOwner(address)) ?? { pid: 0 })
    },
    /** Resolves when the holder is gone; rejects with the signal's reason. */
    async waitForRelease(signal: AbortSignal): Promise<void> {
      const socket = connect(address).unref().resume()
      // Without a holder there is an error instead of a connection: the lock is free.
      socket.on('error', () => {})
      await once(socket, 'close', { signal }).catch(() => undefined)
      socket.destroy()
      signal.throwIfAborted()
    },
    async release(): Promise<void> {
      const held = server
      server = undefined
      for (const socket of sockets) socket.destroy()
      if (held) await new Promise<void>((resolve) => held.close(() => resolve()))
    },
  }
}

/** Tells the process that syncs this folder to read base, files and service again. Resolves to that process. */
export function askToRefresh(root: string): Promise<LockOwner | undefined> {
  return askOwner(addressOf(root), REFRESH)
}

function addressOf(root: string): string {
  const name = `localization-sync-${hashOf(resolvePath(root), 32)}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`)
}

function resolvePath(root: string): string {
  try {
    return realpathSync(root)
  } catch {
    return root
  }
}

function askOwner(address: string, request?: string): Promise<LockOwner | undefined> {
  return new Promise((resolve) => {
    let text = ''
    let isConnected = false
    const socket = connect(address)
    const end = (owner: LockOwner | undefined) => {
      socket.destroySoon()
      resolve(owner)
    }
    socket.setEncoding('utf8')
    // A suspended holder has the lock and says nothing.
    socket.setTimeout(ANSWER_MS, () => end(isConnected ? { pid: 0 } : undefined))
    socket.once('connect', () => {
      isConnected = true
      if (request !== undefined) socket.write(request)
    })
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n')) end(parseGreeting(text))
    })
    socket.once('error', () => end(undefined))
    socket.once('close', () => end(undefined))
  })
}

function parseGreeting(text: string): LockOwner {
  try {
    const { pid } = JSON.parse(text) as Partial<LockOwner>
    if (typeof pid === 'number') return { pid }
  } catch {
    // Somebody else's socket: it holds the name all the same.
  }
  return { pid: 0 }
}

/** Removes a socket file that nobody listens on; of several processes that find it one does. */
async function removeLeftOver(address: string): Promise<void> {
  const claim = `${address}.claim`
  for (let attempt = 0; attempt < 2; attempt++) {
    const isMine = await writeFile(claim, String(process.pid), { flag: 'wx' }).then(
      () => true,
      () => false,
    )
    if (isMine) {
      if (!(await askOwner(address))) await rm(address, { force: true })
      return rm(claim, { force: true })
    }
    const claimant = Number(await readFile(claim, 'utf8').catch(() => ''))
    if (claimant > 0 && isRunning(claimant)) return
    await rm(claim, { force: true })
  }
}
