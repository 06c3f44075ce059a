/**
 * One writer for each project folder. The lock is a local socket named after the folder: the system frees it with the
 * process, however that ends, and whoever connects is told who holds it. Where sockets are files (neither Linux nor
 * Windows) one that nobody answers is left over; an `O_EXCL` claim decides who removes it.
 */
import { realpathSync } from 'node:fs'
import { open, readFile, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashOf } from '../shared/hash.ts'

export interface LockOwner {
  readonly pid: number
}

export type LockCommand = 'refresh'

/** What the holder says to whoever connects. */
interface Greeting extends LockOwner {
  /** It says when it has taken a command in; versions before did not. */
  readonly answers: boolean
}

export interface SyncLock {
  /** Tries once. */
  acquire(): Promise<'held' | LockOwner>
  /** Resolves when the holder is gone; rejects with the signal's reason. */
  waitForRelease(signal: AbortSignal): Promise<void>
  readonly held: boolean
  release(): Promise<void>
}

/** Something that goes wrong between two processes of one machine takes no longer than this. */
const ANSWER_MS = 2_000
/** Taking something in waits for its turn, and for the disk. */
const TAKEN_MS = 10_000

/** Ends as it did before a name could stand in front of it: versions before look for that. */
const REQUEST = /(?:^|\n)(?:([0-9a-f]{32}) )?refresh\n$/
const TAKEN = 'taken'

/**
 * What another process asks the holder for. `agreed`: the name of what it agreed on with the service, see `agreed.ts`.
 * Whoever asked is told when the promise resolves.
 */
export type CommandListener = (command: LockCommand, agreed: string | undefined) => Promise<void> | void

export function createSyncLock(root: string, onCommand: CommandListener = () => {}): SyncLock {
  const address = addressOf(root)
  const sockets = new Set<Socket>()
  let server: Server | undefined

  const listen = (): Promise<Server | undefined> =>
    new Promise((resolve, reject) => {
      const candidate = createServer((socket) => {
        sockets.add(socket)
        socket.on('close', () => sockets.delete(socket))
        socket.on('error', () => socket.destroy())
        socket.setEncoding('utf8')
        let received = ''
        socket.on('data', (text: string) => {
          received = (received + text).slice(-100)
          const request = REQUEST.exec(received)
          if (!request) return
          received = ''
          const answer = () => socket.writable && socket.write(`${TAKEN}\n`)
          Promise.resolve(onCommand('refresh', request[1])).then(answer, () => socket.destroy())
        })
        socket.unref()
        socket.write(`${JSON.stringify({ pid: process.pid, answers: true } satisfies Greeting)}\n`)
      })
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
    get held() {
      return server?.listening === true
    },
    async acquire() {
      if (server) return 'held'
      server = await listen()
      if (server) return 'held'
      const owner = await askOwner(address)
      if (owner) return owner
      // Nobody answers: the holder has just gone, or its socket is left over.
      if (isFile(address)) await removeLeftOver(address)
      server = await listen()
      return server ? 'held' : ((await askOwner(address)) ?? { pid: 0 })
    },
    waitForRelease: (signal) => waitUntilGone(address, signal),
    async release() {
      const held = server
      server = undefined
      for (const socket of sockets) socket.destroy()
      if (held) await new Promise<void>((resolve) => held.close(() => resolve()))
    },
  }
}

/**
 * Tells whoever syncs this folder that the service or the files changed under it, and what was agreed on (see
 * `agreed.ts`). Resolves when the holder has taken that in, or has not answered for too long. False: nobody syncs it.
 */
export function tellSyncHolder(root: string, command: LockCommand, agreed?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(addressOf(root))
    let text = ''
    const end = (isThere: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isThere)
    }
    // Whatever it sends meanwhile.
    const timer = setTimeout(() => end(true), TAKEN_MS)
    socket.setEncoding('utf8')
    socket.setTimeout(ANSWER_MS, () => end(true))
    socket.once('connect', () => socket.write(`${agreed === undefined ? '' : `${agreed} `}${command}\n`))
    socket.on('data', (chunk: string) => {
      text = (text + chunk).slice(0, 1_000)
      const [greeting = '', ...lines] = text.split('\n')
      if (lines.length === 0) return
      if (lines.includes(TAKEN)) end(true)
      else if (parseGreeting(greeting).answers) socket.setTimeout(0)
      else socket.end()
    })
    socket.once('error', () => end(false))
    socket.once('close', (failed) => end(!failed))
  })
}

/** Who syncs this folder, if anybody does. */
export function findSyncHolder(root: string): Promise<LockOwner | undefined> {
  return askOwner(addressOf(root))
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

function isFile(address: string): boolean {
  return process.platform !== 'win32' && !address.startsWith('\0')
}

function askOwner(address: string): Promise<LockOwner | undefined> {
  return new Promise((resolve) => {
    let text = ''
    let connected = false
    const socket = connect(address)
    const end = (owner: LockOwner | undefined) => {
      socket.destroy()
      resolve(owner)
    }
    socket.setEncoding('utf8')
    // A suspended holder has the lock and says nothing.
    socket.setTimeout(ANSWER_MS, () => end(connected ? { pid: 0 } : undefined))
    socket.once('connect', () => {
      connected = true
    })
    socket.on('data', (chunk: string) => {
      text += chunk
      const greeting = text.includes('\n') ? parseGreeting(text) : undefined
      if (greeting) end({ pid: greeting.pid })
    })
    socket.once('error', () => end(undefined))
    socket.once('close', () => end(undefined))
  })
}

function parseGreeting(text: string): Greeting {
  try {
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object' && 'pid' in value && typeof value.pid === 'number') {
      return { pid: value.pid, answers: 'answers' in value && value.answers === true }
    }
  } catch {
    // Somebody else's socket: it holds the name all the same.
  }
  return { pid: 0, answers: false }
}

/** The connection ends with the holder. */
function waitUntilGone(address: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const socket = connect(address)
    socket.unref()
    const abort = () => {
      socket.destroy()
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.on('data', () => {})
    socket.once('error', () => {})
    socket.once('close', () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
  })
}

/** Removes a socket file that nobody listens on; of several processes that find it one does. */
async function removeLeftOver(address: string): Promise<void> {
  const claim = `${address}.claim`
  for (let attempt = 0; attempt < 2; attempt++) {
    const handle = await open(claim, 'wx').catch(() => undefined)
    if (handle) {
      try {
        await handle.writeFile(String(process.pid))
        if (!(await askOwner(address))) await rm(address, { force: true })
      } finally {
        await handle.close()
        await rm(claim, { force: true })
      }
      return
    }
    const claimant = Number(await readFile(claim, 'utf8').catch(() => ''))
    if (claimant > 0 && isRunning(claimant)) return
    await rm(claim, { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
