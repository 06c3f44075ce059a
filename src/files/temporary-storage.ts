/** Keeps bytes on the disk that a process needs once more and cannot hold in memory. */
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TextModule } from '../catalog/model.ts'
import { ignoreInGit } from '../shared/private-folder.ts'

/**
 * One file without a name, which the system removes when the process ends in any way. Several users may share the
 * storage: each calls `retain()` once and `close()` once, and the last `close()` closes the file.
 */
export class TemporaryStorage {
  readonly #folder: string
  /** By hash: a build that runs again stores only what changed. */
  readonly #modules = new Map<string, TextModule>()
  #handle: number | undefined
  #size = 0
  #users = 0
  /** The disk takes no more bytes. */
  #isFull = false

  /** @param folder created with the first bytes */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The module with its bytes in the storage. On a full or read-only disk, the bytes stay in memory. */
  store(module: TextModule): TextModule {
    const known = this.#modules.get(module.hash)
    if (known || this.#isFull) return known ?? module
    const { bytes, size, hash } = module
    try {
      this.#handle ??= openNameless(this.#folder)
      const start = this.#size
      for (let done = 0; done < size; ) done += writeSync(this.#handle, bytes, done, size - done, start + done)
      this.#size += size
      const stored = new StoredModule(hash, size, () => this.#read(start, size))
      this.#modules.set(hash, stored)
      return stored
    } catch {
      this.#isFull = true
      return module
    }
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
  readonly #read: () => Buffer

  constructor(hash: string, size: number, read: () => Buffer) {
    this.hash = hash
    this.size = size
    this.#read = read
  }

  get bytes(): Buffer {
    return this.#read()
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
