/**
 * Ensures that each project folder has only one writer. The lock is a local socket that is named after the folder. The
 * system releases it when the process exits or crashes. The holder sends its pid to each process that connects. On
 * macOS and other systems where sockets are files, a crash leaves a dead socket file. There, a process removes the dead
 * file and listens only while it is the only one with a claim file.
 *
 * A command borrows the lock from a dev server: the server pauses and releases the socket. It takes the socket again
 * when the command's connection closes, which also happens after a crash.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalizationError } from '../errors.ts'
import { isRunning } from '../shared/atomic-write.ts'
import { folderId } from '../shared/folder-id.ts'
import { hashOf } from '../shared/hash.ts'

export interface LockOwner {
  /** The owner's process ID; 0 if it is unknown. */
  readonly pid: number
  /** True if the owner is a command, which exits soon. */
  readonly isCommand?: boolean | undefined
  /** True if commands can borrow the lock from this owner. */
  readonly lends?: boolean | undefined
}

/**
 * Called when a command asks to borrow the lock. The lender calls `lend` and writes nothing until `lend` resolves. The
 * result is true if this process holds the lock again, and false if another process took it. Aborting the signal ends
 * the wait.
 */
export type Lender = (lend: (signal: AbortSignal) => Promise<boolean>) => Promise<void>

/** The longest wait for a response from another process on this machine. */
const ANSWER_MS = 2_000
/** The longest wait for a dev server to finish sending and lend the lock. */
const MAX_LENDING_MS = 30_000
const BORROW = 'borrow\n'
const YOURS = 'yours\n'
/** The maximum length of a socket file's path. macOS allows 103 bytes, and Node cuts off the rest without an error. */
const MAX_ADDRESS_BYTES = 100
/** The interval between attempts while another process is taking or releasing the lock. */
const RETRY_MS = 20

export function createSyncLock(root: string, lender?: Lender): SyncLock {
  return new SyncLock(root, lender)
}

/** Waits until other processes release the lock. */
export async function takeLock(folder: string, signal: AbortSignal): Promise<SyncLock> {
  const lock = createSyncLock(folder)
  while ((await lock.acquire()) !== 'held') await lock.waitForRelease(signal)
  return lock
}

export class SyncLock {
  readonly #address: string
  readonly #sockets = new Set<Socket>()
  /** Connections to dev servers that lent the lock. They take it again when these connections close. */
  readonly #loans = new Set<Socket>()
  #server: Server | undefined
  #isLent = false
  #ending = new AbortController()

  /** @param lender lends the lock to commands; not set if this process is a command itself */
  constructor(
    private readonly root: string,
    private readonly lender: Lender | undefined,
  ) {
    this.#address = addressOf(root)
  }

  get held(): boolean {
    return this.#server?.listening === true
  }

  async acquire(): Promise<'held' | LockOwner> {
    if (this.#ending.signal.aborted) this.#ending = new AbortController()
    return (await this.#take()) ?? { pid: 0 }
  }

  /**
   * Takes the lock for a command. Asks a dev server to lend it, or waits until another command exits. Calls `onWait`
   * before waiting. Throws SYNC_HELD.
   */
  async borrow(signal: AbortSignal, onWait: (owner: LockOwner) => void): Promise<void> {
    let waitedFor = -1
    for (let endsAt = performance.now() + MAX_LENDING_MS; ; ) {
      const owner = await this.#take()
      signal.throwIfAborted()
      if (owner === 'held') return
      if (owner && owner.pid !== waitedFor) onWait(owner)
      waitedFor = owner?.pid ?? waitedFor
      if (!owner && performance.now() < endsAt) await sleep(RETRY_MS)
      else if (owner?.isCommand) {
        await this.waitForRelease(signal)
        endsAt = performance.now() + MAX_LENDING_MS
      } else if (owner?.lends && performance.now() < endsAt) {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_LENDING_MS)])
        const loan = await askForLoan(this.#address, limit)
        if (loan) this.#loans.add(loan)
        else await sleep(RETRY_MS)
      } else throw heldError(this.root, owner ?? { pid: 0 })
    }
  }

  /**
   * Resolves when the holder has exited; rejects with the signal's reason. The wait keeps the process alive unless
   * `background` is true.
   */
  async waitForRelease(signal: AbortSignal, { background = false } = {}): Promise<void> {
    const socket = connect(this.#address).resume()
    if (background) socket.unref()
    // If there is no holder, connecting fails, so the lock is free.
    socket.on('error', () => {})
    await once(socket, 'close', { signal }).catch(() => undefined)
    socket.destroy()
    signal.throwIfAborted()
  }

  async release(): Promise<void> {
    const held = this.#server
    this.#server = undefined
    this.#ending.abort(new Error('the lock is released'))
    // The server is closed first: where sockets are files, a process that sees its connection close may listen
    // immediately, and closing later would remove its file.
    const isClosed = held && new Promise<void>((resolve) => held.close(() => resolve()))
    for (const socket of this.#sockets) socket.destroy()
    await isClosed
    for (const loan of this.#loans) loan.destroy()
  }

  /** Takes the lock, or returns its owner; `undefined` if the holder is just exiting. */
  async #take(): Promise<'held' | LockOwner | undefined> {
    const address = this.#address
    this.#server ??= await this.#listen()
    if (this.#server) return 'held'
    const owner = await askOwner(address)
    if (owner) return owner
    // No response: the holder has just exited.
    this.#server = await this.#listen()
    return this.#server ? 'held' : askOwner(address)
  }

  async #listen(): Promise<Server | undefined> {
    const address = this.#address
    if (process.platform === 'win32' || address.startsWith('\0')) return this.#bind()
    return whileAlone(address, async () => {
      if (await askOwner(address)) return undefined
      // If a file is left, a crash left it: no other process can have started to listen since.
      await rm(address, { force: true })
      return this.#bind()
    })
  }

  #bind(): Promise<Server | undefined> {
    return new Promise((resolve, reject) => {
      const candidate = createServer((socket) => this.#greet(socket))
      candidate.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') resolve(undefined)
        else reject(error)
      })
      candidate.listen(this.#address, () => {
        candidate.unref()
        resolve(candidate)
      })
    })
  }

  #greet(socket: Socket): void {
    const { lender } = this
    const isOver = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setEncoding('utf8')
    socket.once('data', (text: string) => {
      // Another command still has the lock. This command will ask again.
      if (this.#isLent) socket.destroy()
      else if (lender && text === BORROW) {
        this.#isLent = true
        lender((signal) => this.#lend(socket, Promise.race([isOver, aborted(signal)]), signal))
          .catch(() => socket.destroy())
          .finally(() => {
            this.#isLent = false
          })
      }
    })
    socket.unref()
    const owner: LockOwner = { pid: process.pid, isCommand: !lender, lends: lender !== undefined }
    socket.write(`${JSON.stringify(owner)}\n`)
  }

  async #lend(socket: Socket, isOver: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const ending = this.#ending.signal
    this.#server?.close()
    this.#server = undefined
    socket.write(YOURS)
    await isOver
    const isHeld = signal.aborted || (await this.#takeBack(ending))
    // Processes waiting for this one must find the new holder.
    if (!isHeld) for (const other of this.#sockets) other.destroy()
    return isHeld
  }

  /** Takes the lock again. Resolves to false if another dev server was faster. */
  async #takeBack(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const owner = await this.#take()
      if (signal.aborted) await this.release()
      if (signal.aborted || owner === 'held') return true
      if (owner && !owner.isCommand) return false
      // If a command was faster, it will exit soon.
      await this.waitForRelease(signal, { background: true }).catch(() => undefined)
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function heldError(root: string, { pid }: LockOwner): LocalizationError {
  const who = pid === 0 ? 'another process' : `process ${pid}`
  return new LocalizationError(`${who} is syncing ${root} and did not pause when asked`, {
    code: 'SYNC_HELD',
    hint: 'It may be suspended, or running a different release of unplugin-localization. Resume or stop it, then try again.',
  })
}

/**
 * Resolves to the connection when the holder has released the lock; `undefined` if the holder has exited or is not
 * lending now.
 */
async function askForLoan(address: string, signal: AbortSignal): Promise<Socket | undefined> {
  const socket = connect(address)
  socket.write(BORROW)
  const isLent = await Promise.race([listen(socket, (text) => text.endsWith(YOURS) || undefined), aborted(signal)])
  if (isLent) return socket
  socket.destroy()
  return undefined
}

/**
 * Calls `take` with the text received so far until it returns a result. Resolves to `undefined` if the connection
 * closes first.
 */
function listen<T>(socket: Socket, take: (text: string) => T | undefined): Promise<T | undefined> {
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
      const taken = take(text)
      if (taken !== undefined) resolve(taken)
    })
    socket.on('error', () => resolve(undefined))
    socket.on('close', () => resolve(undefined))
  })
}

function addressOf(root: string): string {
  const name = `localization-sync-${hashOf(folderId(root), 16)}`
  if (process.platform === 'linux') return `\0${name}`
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`
  const path = join(tmpdir(), `${name}.sock`)
  return Buffer.byteLength(path) <= MAX_ADDRESS_BYTES ? path : `/tmp/${name}.sock`
}

async function askOwner(address: string): Promise<LockOwner | undefined> {
  const socket = connect(address)
  // A suspended process holds the lock but does not answer.
  let isSilent = false
  socket.setTimeout(ANSWER_MS, () => {
    isSilent = !socket.connecting
    socket.destroy()
  })
  const owner = await listen(socket, (text) => (text.includes('\n') ? parseGreeting(text) : undefined))
  socket.destroySoon()
  return owner ?? (isSilent ? { pid: 0 } : undefined)
}

function parseGreeting(text: string): LockOwner {
  try {
    const { pid, isCommand, lends } = JSON.parse(text) as Partial<LockOwner>
    if (typeof pid === 'number') return { pid, isCommand: isCommand === true, lends: lends === true }
  } catch {
    // An unrelated program is using the name.
  }
  return { pid: 0 }
}

/** The most looks at the claims of other processes. One of them may be suspended. */
const MAX_LOOKS = 100

/**
 * Calls `work` while no other process does the same for this address; resolves to `undefined` if others take too long.
 * Each process makes its claim before it looks for others, so the later one of two always sees the earlier one's claim.
 * Of several, the first by name keeps its claim and waits, and the others withdraw theirs. No two processes use the
 * same name, so removing the claim of a dead process never removes another.
 */
async function whileAlone<T>(address: string, work: () => Promise<T>): Promise<T | undefined> {
  const folder = dirname(address)
  const prefix = `${basename(address)}.`
  const own = `${prefix}${process.pid}.${randomBytes(6).toString('hex')}`
  const withdraw = () => rm(join(folder, own), { force: true })
  let isClaimed = false
  try {
    for (let look = 0; look < MAX_LOOKS; look++) {
      const others: string[] = []
      for (const name of await readdir(folder)) {
        if (!name.startsWith(prefix) || name === own) continue
        if (isRunning(Number(name.slice(prefix.length).split('.')[0]))) others.push(name)
        else await rm(join(folder, name), { force: true })
      }
      if (isClaimed && others.length === 0) return await work()
      const isFirst = others.every((name) => own < name)
      if (isFirst && !isClaimed) await writeFile(join(folder, own), '', { flag: 'wx' })
      else {
        if (!isFirst) await withdraw()
        await sleep(RETRY_MS)
      }
      isClaimed = isFirst
    }
    return undefined
  } finally {
    await withdraw()
  }
}
