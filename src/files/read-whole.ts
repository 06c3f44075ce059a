/** Reads files whole: a file that changes while it is read is read again. */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/** How often a file is read that always changes meanwhile. */
export const MOST_READS = 5

/** What is done with an open file. Each function is called before the next file is read. */
export interface WholeFileUse<T> {
  /** What is known of the file without its bytes; `undefined`: the bytes are needed. */
  known(stats: Stats): T | undefined
  /** Memory for the bytes. */
  buffer(size: number): Buffer
  use(bytes: Buffer, stats: Stats): T
}

/** Errors: those of the file system, and one for a file that changes again and again. */
export function readWholeSync<T>(path: string, { known, buffer, use }: WholeFileUse<T>): T {
  // Opening the file makes a network disk return its current times.
  const handle = openSync(path, 'r')
  try {
    let before = fstatSync(handle)
    const found = known(before)
    if (found !== undefined) return found
    for (let reads = 0; reads < MOST_READS; reads++) {
      const bytes = buffer(before.size)
      let length = 0
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(handle, bytes, length, bytes.length - length, length)
      const after = fstatSync(handle)
      if (length === before.size && isSame(before, after)) return use(bytes, before)
      before = after
    }
  } finally {
    closeSync(handle)
  }
  throw changing()
}

export function isSame(a: Stats, b: Stats): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs
}

export const changing = () => new Error('the file changes while it is read')
