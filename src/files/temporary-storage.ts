/** Keeps bytes that a process needs once more: in memory, or on the disk where they are too many. */
import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, mkdirSync, openSync, readSync, type Stats, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TextModule } from '../catalog/model.ts'
import { ignoreInGit } from '../shared/private-folder.ts'

/** With more bytes than these, all of them go onto the disk. */
const MAX_MEMORY_BYTES = 32 * 1024 * 1024

/**
 * One file without a name, which the system removes when the process ends in any way. Several users may share the
 * storage: each calls `retain()` once and `close()` once, and the last `close()` closes the file.
 */
export class TemporaryStorage {
  readonly #folder: string
  readonly #maxMemoryBytes: number
  /** By hash: a build that runs again stores only what changed. */
  readonly #modules = new Map<string, TextModule>()
  readonly #inMemory: StoredModule[] = []
  #memorySize = 0
  #handle: number | undefined
  #size = 0
  #users = 0
  /** The disk takes no more bytes. */
  #isFull = false

  /** @param folder created with the first bytes on the disk */
  constructor(folder: string, { maxMemoryBytes = MAX_MEMORY_BYTES }: { readonly maxMemoryBytes?: number } = {}) {
    this.#folder = folder
    this.#maxMemoryBytes = maxMemoryBytes
  }

  /**
   * The module with bytes of its own: the memory of the given bytes may be used again. On a full or read-only disk, the
   * bytes stay in memory.
   */
  store({ bytes, size, hash }: TextModule): TextModule {
    const known = this.#modules.get(hash)
    if (known) return known
    const stored = new StoredModule(hash, size, (start) => this.#read(start, size))
    this.#modules.set(hash, stored)
    if (this.#memorySize + size > this.#maxMemoryBytes) {
      for (const module of this.#inMemory.splice(0)) this.#write(module, module.bytes)
      this.#write(stored, bytes)
    }
    if (!stored.isOnDisk) {
      stored.keep(Buffer.from(bytes))
      this.#inMemory.push(stored)
      this.#memorySize += size
    }
    return stored
  }

  retain(): void {
    this.#users++
  }

  close(): void {
    if (--this.#users > 0 || this.#handle === undefined) return
    closeSync(this.#handle)
    this.#handle = undefined
    this.#isFull = true
  }

  #write(module: StoredModule, bytes: Buffer): void {
    if (this.#isFull) return
    const start = this.#size
    try {
      this.#handle ??= openNameless(this.#folder)
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#handle, bytes, done, bytes.length - done, start + done)
    } catch {
      this.#isFull = true
      return
    }
    this.#size += bytes.length
    module.leaveMemory(start)
  }

  #read(start: number, size: number): Buffer {
    if (this.#handle === undefined) throw new Error('the temporary storage is closed')
    const bytes = Buffer.allocUnsafe(size)
    for (let done = 0; done < size; ) {
      const length = readSync(this.#handle, bytes, done, size - done, start + done)
      if (length === 0) throw new Error('the temporary storage was cut off')
      done += length
    }
    return bytes
  }
}

class StoredModule implements TextModule {
  readonly hash: string
  readonly size: number
  readonly #read: (start: number) => Buffer
  #bytes: Buffer | undefined
  #start: number | undefined

  constructor(hash: string, size: number, read: (start: number) => Buffer) {
    this.hash = hash
    this.size = size
    this.#read = read
  }

  get isOnDisk(): boolean {
    return this.#start !== undefined
  }

  get bytes(): Buffer {
    return this.#bytes ?? this.#read(this.#start as number)
  }

  keep(bytes: Buffer): void {
    this.#bytes = bytes
  }

  leaveMemory(start: number): void {
    this.#start = start
    this.#bytes = undefined
  }
}

function openNameless(folder: string): number {
  if (mkdirSync(folder, { recursive: true })) ignoreInGit(folder)
  const path = join(folder, `${randomUUID()}.tmp`)
  const handle = openSync(path, 'wx+', 0o600)
  // Windows removes the name too: Node opens files so that they can be deleted.
  unlinkSync(path)
  return handle
}

/** The times of a file that is made now, by the clock of the folder's disk. `undefined`: the disk takes no file. */
export function momentOf(folder: string): Stats | undefined {
  try {
    const handle = openNameless(folder)
    try {
      return fstatSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {
    return undefined
  }
}
