/** Reads files for a build: the texts of each file become the module that a page fetches, and gaps are dropped. */
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type LazyTexts, lazyTexts, type TextEncoding } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import { fingerprintOf } from '../shared/stat-fingerprint.ts'
import { readContent } from './file-texts.ts'
import { formatOf } from './formats/index.ts'
import { MAX_CACHE_BYTES, openModuleCache } from './module-cache.ts'
import { readFailure } from './read.ts'
import type { TemporaryStorage } from './temporary-storage.ts'
import { createTextWriter } from './text-writer.ts'

interface BuildFile {
  /** `undefined`: the file has an error. */
  readonly texts: LazyTexts | undefined
  readonly diagnostics: readonly Diagnostic[]
}

export interface BuildReaderOptions {
  /** All files that will be read. */
  readonly paths: readonly string[]
  readonly keySeparator: string
  readonly values?: ResolvedConfig['values']
  /** Empty texts are no gaps: they reach the page. */
  readonly keepsEmpty?: boolean
  readonly encoding: TextEncoding
  readonly cacheFolder: string
  /** Holds the modules of a catalog that is too large for the cache. */
  readonly storage: TemporaryStorage
  /** The file's name in diagnostics. */
  readonly nameOf: (path: string) => string
}

export interface BuildReader {
  /** `undefined`: there is no such file. */
  read(path: string, namespace: string): BuildFile | undefined
  saveCache(): Promise<void>
}

export function createBuildReader(options: BuildReaderOptions): BuildReader {
  const { paths, keySeparator, values, keepsEmpty = false, encoding, cacheFolder, storage, nameOf } = options
  const isLarge = totalSize(paths) > MAX_CACHE_BYTES
  const cache = isLarge ? undefined : openModuleCache(join(cacheFolder, 'modules.bin'), keySeparator, encoding)
  const write = createTextWriter(keySeparator, encoding, cache?.keyLists)

  const encode = (path: string, namespace: string, bytes: Buffer): BuildFile => {
    const texts = formatOf(path).isPlain ? write(namespace, bytes) : undefined
    // The writer drops empty texts.
    if (!texts?.module || !texts.keys || (keepsEmpty && texts.count < texts.keys.length))
      return readContent(bytes, { keySeparator, file: nameOf(path), ...(values && { values }) })
    if (!isLarge) return { texts, diagnostics: [] }
    const stored = lazyTexts(storage.store(texts.module), texts.keys, texts.count, encoding)
    return { texts: stored, diagnostics: [] }
  }

  return {
    saveCache: async () => cache?.save(),
    read(path, namespace) {
      try {
        // Opening the file has a network disk tell its current times.
        const handle = openSync(path, 'r')
        try {
          const fingerprint = cache && fingerprintOf(fstatSync(handle)).fingerprint
          const cached = fingerprint === undefined ? undefined : cache?.get(path, fingerprint)
          if (cached && !(keepsEmpty && cached.count < (cached.keys?.length ?? 0)))
            return { texts: cached, diagnostics: [] }
          const file = encode(path, namespace, readFileSync(handle))
          if (fingerprint !== undefined && file.texts?.module) cache?.add(path, fingerprint, file.texts)
          return file
        } finally {
          closeSync(handle)
        }
      } catch (cause) {
        const failure = readFailure(cause, nameOf(path))
        return failure && { texts: undefined, diagnostics: [failure] }
      }
    },
  }
}

function totalSize(paths: readonly string[]): number {
  let total = 0
  for (const path of paths) {
    try {
      total += statSync(path).size
    } catch {
      // Reading the file reports the error.
    }
  }
  return total
}
