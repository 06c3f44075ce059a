/** Reads files whole from slow disks, several at a time. */
import { open } from 'node:fs/promises'
import { changing, isSame, MOST_READS, type WholeFileUse } from './read-whole.ts'

/** Like `readWholeSync`. `use` is called as soon as the file has its bytes. */
export async function readWhole<T>(path: string, { known, use }: Omit<WholeFileUse<T>, 'buffer'>): Promise<T> {
  const handle = await open(path, 'r')
  try {
    let before = await handle.stat()
    const found = known(before)
    if (found !== undefined) return found
    for (let reads = 0; reads < MOST_READS; reads++) {
      const bytes = Buffer.allocUnsafe(before.size)
      let length = 0
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = (await handle.read(bytes, length, bytes.length - length, length)).bytesRead
      const after = await handle.stat()
      if (length === before.size && isSame(before, after)) return use(bytes, before)
      before = after
    }
  } finally {
    await handle.close()
  }
  throw changing()
}
