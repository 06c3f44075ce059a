/** Folders that a bundler copies into its output (`public` in Vite and Farm): no hook sees their files. */
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { displayPath } from '../shared/paths.ts'
import { findLeak, type Leak, leakError } from './secret-scan.ts'

/** Large files are searched in chunks, which overlap by more than the longest encoded secret. */
const PIECE_BYTES = 16_000_000
const OVERLAP_BYTES = 100_000

/** Throws if a file in the folder or its subfolders contains a secret. A missing folder contains none. */
export async function checkCopiedFolder(folder: string, root: string, secrets: readonly string[]): Promise<void> {
  if (secrets.length === 0) return
  for await (const path of filesBelow(folder)) {
    const leak = await leakInFile(path, secrets)
    if (leak) throw leakError({ ...leak, file: displayPath(root, path) }, ', which the build copies into its output')
  }
}

async function* filesBelow(folder: string): AsyncIterable<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    // Bundlers copy the targets of links.
    const found = entry.isSymbolicLink() ? await stat(path).catch(() => undefined) : entry
    if (found?.isDirectory()) yield* filesBelow(path)
    else if (found?.isFile()) yield path
  }
}

async function leakInFile(path: string, secrets: readonly string[]): Promise<Leak | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const buffer = Buffer.allocUnsafe(Math.min(size, PIECE_BYTES))
    for (let start = 0; start < size; start += PIECE_BYTES - OVERLAP_BYTES) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
      const leak = findLeak([{ name: path, content: buffer.subarray(0, bytesRead) }], secrets)
      if (leak && start === 0) return leak
      // Lines can be counted only from the beginning of the file.
      if (leak) return { ...leak, offset: start + leak.offset, line: undefined, column: undefined }
    }
    return undefined
  } finally {
    await file.close()
  }
}
