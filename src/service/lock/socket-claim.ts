/**
 * A claim as a socket file that a process listens on. The kernel finds the listener by the file, in any namespace, and
 * drops it with the process, however that ends; the socket of a stopped process still answers. On Windows the entry is
 * an empty file, and the socket a named pipe.
 */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hashOf } from '../../shared/hash.ts'

const isWindows = process.platform === 'win32'

/** Some versions of Node cut longer addresses of sockets without an error. */
const MAX_ADDRESS_BYTES = 100

/** Returns the function that ends the claim; `undefined` where the file system holds no sockets. */
export async function makeSocketClaim(entry: string): Promise<(() => Promise<void>) | undefined> {
  const waiting = new Set<Socket>()
  const server = createServer((socket) => {
    waiting.add(socket)
    socket.unref()
    socket.on('error', () => {})
    socket.once('close', () => waiting.delete(socket))
    // Nothing is sent on it: a process that waits for the end of this one sees the connection end.
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
  return end
}

/** Whether a process listens: also a stopped one, and one that takes no more connections. */
export function isListening(entry: string): Promise<boolean> {
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

/** Resolves when the listener is gone, or `signal` aborts. */
export function whenClosed(entry: string, signal: AbortSignal): Promise<void> {
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

/** Calls `use` with the socket's address: a short link where the entry's own path is too long for a socket. */
async function withAddress<T>(entry: string, use: (address: string) => Promise<T>): Promise<T> {
  const { dir: folder, base: name } = path.parse(entry)
  if (isWindows) return use(`\\\\.\\pipe\\localization-service-${hashOf(folder, 16)}-${name}`)
  if (Buffer.byteLength(entry) <= MAX_ADDRESS_BYTES) return use(entry)
  const link = mkdtempSync(path.join(tmpdir(), 'loc-'))
  try {
    symlinkSync(folder, path.join(link, 'f'))
    return await use(path.join(link, 'f', name))
  } finally {
    rmSync(link, { recursive: true, force: true })
  }
}
