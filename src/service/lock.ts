/**
 * One process per data folder. The lock is a local socket named after the folder: the system frees it with the process, however
 * that ends. Where sockets are files (neither Linux nor Windows) one that nobody answers is left over and is taken.
 */
import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { LocalizationError } from '../errors.ts'
import { hashOf } from '../shared/hash.ts'
import { ANNOUNCEMENT_FILE } from './announcement.ts'

export interface FolderLock {
  release(): Promise<void>
}

/** Names the holder for whoever is refused; the socket alone decides. */
const OWNER_FILE = 'service.pid'

/** Takes the lock of `folder`, which exists. Throws `SERVICE_LOCKED` naming the process that has it. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const ownerFile = path.join(folder, OWNER_FILE)
  const address = socketAddress(realpathSync(folder))
  let server = await listen(address)
  if (!server && !address.startsWith('\0') && process.platform !== 'win32' && !(await answers(address))) {
    rmSync(address, { force: true })
    server = await listen(address)
  }
  if (!server) throw locked(folder, ownerFile)
  // Of a holder that was killed: its port may be anybody's by now.
  rmSync(path.join(folder, ANNOUNCEMENT_FILE), { force: true })
  writeFileSync(ownerFile, `${process.pid}\n`, { mode: 0o600 })
  const held = server
  return {
    release: () =>
      new Promise((resolve) => {
        rmSync(ownerFile, { force: true })
        held.server.close(() => resolve())
        for (const socket of held.waiting) socket.destroy()
      }),
  }
}

/** Resolves when the holder of the folder's lock is gone, however that came; when `signal` aborts too. */
export function lockReleased(folder: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const socket = connect(socketAddress(realpathSync(folder)))
    const abort = () => socket.destroy()
    signal.addEventListener('abort', abort, { once: true })
    socket.unref()
    socket.on('error', () => {})
    // Nothing is said on it: the connection ends with the holder.
    socket.resume()
    socket.once('close', () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
  })
}

interface Held {
  readonly server: Server
  readonly waiting: ReadonlySet<Socket>
}

function locked(folder: string, ownerFile: string): LocalizationError {
  let owner = 'another process'
  try {
    owner = `process ${Number.parseInt(readFileSync(ownerFile, 'utf8'), 10)}`
  } catch {
    // The holder has the socket but has not written its number yet.
  }
  return new LocalizationError(`the data in ${folder} is in use by a local service in ${owner}`, {
    code: 'SERVICE_LOCKED',
    hint: 'Stop that one, use its address, or choose another folder.',
  })
}

function socketAddress(folder: string): string {
  const name = `localization-service-${hashOf(folder, 32)}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : path.join(tmpdir(), `${name}.sock`)
}

function listen(address: string): Promise<Held | undefined> {
  return new Promise((resolve, reject) => {
    const waiting = new Set<Socket>()
    const server = createServer((socket) => {
      waiting.add(socket)
      socket.unref()
      socket.on('error', () => {})
      socket.once('close', () => waiting.delete(socket))
      socket.resume()
    })
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen(address, () => {
      server.unref()
      resolve({ server, waiting })
    })
  })
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
