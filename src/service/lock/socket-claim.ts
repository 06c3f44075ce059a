/**
 * A claim as a socket file that somebody listens on. The kernel finds the listener by the file, whatever namespaces both sides are
 * in, and drops it with the process, however that ends; that of a stopped process still answers. On Windows the entry is a plain
 * file, and the socket a named pipe.
 */
import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hashOf } from '../../shared/hash.ts'

/** Before a socket listens nobody may see it as a claim: it would look dead. */
export const PENDING = '.service.lock.'

/** What a claim's file on Windows holds. */
export const PIPE_MARK = 'pipe'

/** Longer addresses of sockets are cut without a word by some versions of Node. */
const LONGEST_ADDRESS = 100

export interface SocketAddress {
  readonly path: string
  /** To be called when the address has been used. */
  done(): void
}

/** `undefined`: this file system holds no sockets. */
export async function makeSocketClaim(folder: string, name: string): Promise<{ end(): Promise<void> } | undefined> {
  const isPipe = process.platform === 'win32'
  const waiting = new Set<Socket>()
  const server = createServer((socket) => {
    waiting.add(socket)
    socket.unref()
    socket.on('error', () => {})
    socket.once('close', () => waiting.delete(socket))
    // Nothing is said on it: who waits for the end of this process sees the connection end.
    socket.resume()
  })
  const end = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of waiting) socket.destroy()
    })
  const pending = `${PENDING}${name}`
  const address = addressOf(folder, isPipe ? name : pending)
  try {
    if (!(await listen(server, address.path))) return undefined
  } finally {
    address.done()
  }
  try {
    const entry = path.join(folder, name)
    if (isPipe) writeFileSync(entry, PIPE_MARK, { flag: 'wx' })
    else renameSync(path.join(folder, pending), entry)
  } catch (error) {
    await end()
    try {
      unlinkSync(path.join(folder, pending))
    } catch {
      // Closing the server may have removed it.
    }
    throw error
  }
  return { end }
}

/** Whether somebody listens: also a stopped process, and one that takes no more connections. */
export function isListening({ path, done }: SocketAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const end = (result: boolean) => {
      socket.destroy()
      done()
      resolve(result)
    }
    socket.once('connect', () => end(true))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => end(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
  })
}

/** Resolves when the listener is gone, or `signal` aborts. */
export function whenClosed({ path, done }: SocketAddress, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const abort = () => socket.destroy()
    signal.addEventListener('abort', abort, { once: true })
    socket.unref()
    socket.on('error', () => {})
    socket.resume()
    socket.once('close', () => {
      signal.removeEventListener('abort', abort)
      done()
      resolve()
    })
    if (signal.aborted) abort()
  })
}

/** Where the socket of a claim is reached: through a short link where the folder's own name is too long for a socket. */
export function addressOf(folder: string, name: string): SocketAddress {
  if (process.platform === 'win32') {
    return { path: `\\\\.\\pipe\\localization-service-${hashOf(folder, 16)}-${name}`, done: () => {} }
  }
  const direct = path.join(folder, name)
  if (Buffer.byteLength(direct) <= LONGEST_ADDRESS) return { path: direct, done: () => {} }
  const aside = mkdtempSync(path.join(tmpdir(), 'loc-'))
  symlinkSync(folder, path.join(aside, 'f'))
  return { path: path.join(aside, 'f', name), done: () => rmSync(aside, { recursive: true, force: true }) }
}

function listen(server: Server, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(address, () => {
      server.unref()
      resolve(true)
    })
  })
}
