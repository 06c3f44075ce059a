/** Bytes put aside on the disk, for a process that needs them once more and should not hold them meanwhile. */
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ignoreInGit } from '../shared/private-folder.ts'

export interface Spool {
  /** `undefined`: the disk takes no more. Nothing is kept of the buffer otherwise. */
  put(bytes: Buffer): StoredBytes | undefined
}

export interface StoredBytes {
  /** Every time the same ones. */
  read(allocate?: (size: number) => Buffer): Buffer
}

/** A file without a name: gone with the process, however that ends, or with the last of what was put into it. */
interface NamelessFile {
  readonly handle: number
  size: number
}

const closing = new FinalizationRegistry<number>((handle) => closeSync(handle))

/** @param folder made when it is needed */
export function createSpool(folder: string): Spool {
  let file: NamelessFile | undefined
  let isBroken = false
  return {
    put(bytes) {
      if (isBroken) return undefined
      try {
        file ??= openNameless(folder)
        const start = file.size
        for (let written = 0; written < bytes.length; )
          written += writeSync(file.handle, bytes, written, bytes.length - written, start + written)
        file.size += bytes.length
        return storedIn(file, start, bytes.length)
      } catch {
        isBroken = true
        return undefined
      }
    },
  }
}

function openNameless(folder: string): NamelessFile {
  if (mkdirSync(folder, { recursive: true })) ignoreInGit(folder)
  const path = join(folder, `${randomUUID()}.tmp`)
  const file: NamelessFile = { handle: openSync(path, 'wx+', 0o600), size: 0 }
  closing.register(file, file.handle)
  // Windows takes the name away as well: every program opens files so that they can be deleted.
  unlinkSync(path)
  return file
}

function storedIn(file: NamelessFile, start: number, size: number): StoredBytes {
  return {
    read(allocate = Buffer.allocUnsafe) {
      const bytes = allocate(size)
      for (let done = 0; done < size; ) {
        const length = readSync(file.handle, bytes, done, size - done, start + done)
        if (length === 0) throw new Error('what was put aside on the disk is gone')
        done += length
      }
      return bytes
    },
  }
}
