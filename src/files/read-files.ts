/** Reads the project's files once, for a build or a command. */

import { readFileSync, type Stats, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { Messages } from '../catalog/model.ts'
import type { Values } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import { contentHash } from '../shared/hash.ts'
import { displayPath } from '../shared/paths.ts'
import type { TranslationFile } from './patterns.ts'
import { readFailure, readTexts } from './read.ts'

export interface FileContent {
  /** `undefined` if the file has an error. */
  readonly texts: { readonly messages: Messages; readonly values: Values | undefined } | undefined
  readonly diagnostics: readonly Diagnostic[]
  /** A hash of the bytes, if requested. */
  readonly digest?: string
}

/** If reading a file takes longer than this on average, the disk is slow, and concurrent reads are faster. */
const SLOW_MS = 2
const PATIENCE_MS = 50
const AT_A_TIME = 16
/** The number of attempts to read a file that another program keeps writing. */
const MOST_READS = 5

interface Disk {
  stat(path: string): Stats | Promise<Stats>
  readFile(path: string): Buffer | Promise<Buffer>
}

/** Synchronous calls are several times as fast, because they use no thread. */
const FAST_DISK: Disk = { stat: (path) => statSync(path), readFile: (path) => readFileSync(path) }
const SLOW_DISK: Disk = { stat: (path) => stat(path), readFile: (path) => readFile(path) }

/**
 * Reads the files, in the given order. The result is `undefined` for a file that does not exist.
 * @param withDigests true to return each file's digest
 */
export async function readFiles(
  files: readonly TranslationFile[],
  { root, keySeparator, values }: Pick<ResolvedConfig, 'root' | 'keySeparator' | 'values'>,
  withDigests = false,
): Promise<readonly (FileContent | undefined)[]> {
  return readEach(files, async ({ path, wrappers }, read) => {
    const file = displayPath(root, path)
    try {
      const bytes = await read()
      const options = { keySeparator, file, wrappers, values }
      const { ok, entries, values: others, diagnostics } = readTexts(bytes, options)
      const texts = ok ? { messages: entries, values: others } : undefined
      return { texts, diagnostics, ...(withDigests && { digest: contentHash(bytes) }) }
    } catch (cause) {
      const failure = readFailure(cause, file)
      return failure && { texts: undefined, diagnostics: [failure] }
    }
  })
}

/** The `digest` of each file; `undefined` for an unreadable file. The files are not parsed. */
export function readDigests(files: readonly TranslationFile[]): Promise<readonly (string | undefined)[]> {
  return readEach(files, (_file, read) => read().then(contentHash, () => undefined))
}

async function readEach<T>(
  files: readonly TranslationFile[],
  use: (file: TranslationFile, read: () => Promise<Buffer>) => Promise<T>,
): Promise<readonly T[]> {
  const found = new Array<T>(files.length)
  let [next, diskMs] = [0, 0]
  const readNext = async (disk: Disk) => {
    const at = next++
    const file = files[at] as TranslationFile
    found[at] = await use(file, async () => {
      const startedAt = performance.now()
      const bytes = await readWhole(file.path, disk)
      diskMs += performance.now() - startedAt
      return bytes
    })
  }
  while (next < files.length && diskMs <= PATIENCE_MS + next * SLOW_MS) await readNext(FAST_DISK)
  const readOthers = async () => {
    while (next < files.length) await readNext(SLOW_DISK)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, readOthers))
  return found
}

/** Reads a file, and reads it again if it changed in the meantime. */
async function readWhole(path: string, disk: Disk): Promise<Buffer> {
  let before = await disk.stat(path)
  for (let reads = 0; reads < MOST_READS; reads++) {
    const bytes = await disk.readFile(path)
    const after = await disk.stat(path)
    if (bytes.length === after.size && before.mtimeMs === after.mtimeMs && before.ctimeMs === after.ctimeMs)
      return bytes
    before = after
  }
  throw new Error('the file keeps changing while it is being read')
}
