/** Reading files' bytes: one after another where the disk answers at once, side by side where it keeps one waiting. */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Diagnostic, messageOf } from '../errors.ts'
import type { Slowness } from '../shared/slowness.ts'

export interface ReadBytes {
  readonly bytes: Buffer
  /** From before the bytes were read. `undefined` on a slow disk: it may be a network's, whose times may be old. */
  readonly stats: Stats | undefined
}

export type ByteReader = (path: string) => ReadBytes | Promise<ReadBytes>

/** @param isShared one buffer for all files: each is good until the next is read */
export function createByteReader(slowness: Slowness, isShared: boolean): ByteReader {
  const bufferOf = isShared ? createScratch() : Buffer.allocUnsafeSlow
  const readNow = (path: string): ReadBytes => {
    const handle = openSync(path, 'r')
    try {
      const stats = fstatSync(handle)
      const { size } = stats
      const buffer = bufferOf(size)
      let length = 0
      for (let read = -1; read !== 0 && length < size; length += read)
        read = readSync(handle, buffer, length, size - length, null)
      return { bytes: buffer.subarray(0, length), stats }
    } finally {
      closeSync(handle)
    }
  }
  const readLater = async (path: string): Promise<ReadBytes> => ({ bytes: await readFile(path), stats: undefined })
  return (path) => (slowness.now ? readLater(path) : slowness.time(() => readNow(path)))
}

/** The same memory each time. */
export function createScratch(): (size: number) => Buffer {
  let scratch = Buffer.allocUnsafeSlow(64 * 1024)
  return (size) => {
    if (size > scratch.length) scratch = Buffer.allocUnsafeSlow(size * 2)
    return scratch.subarray(0, size)
  }
}

/** What is wrong with a file that cannot be read. `undefined`: it is not there. */
export function readFailure(cause: unknown, file: string): Diagnostic | undefined {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  return { severity: 'error', code: 'FILE_READ', message: `cannot be read: ${messageOf(cause)}`, place: { file } }
}
