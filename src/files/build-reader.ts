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
import type { TranslationFile } from './patterns.ts'
import { readFailure } from './read.ts'
import type { TemporaryStorage } from './temporary-storage.ts'
import { createTextWriter } from './text-writer.ts'

interface BuildFile {
  /** `undefined`: the file has an error. */
  readonly texts: LazyTexts | undefined
  readonly diagnostics: readonly Diagnostic[]
}

type ReadFile = Pick<TranslationFile, 'path' | 'namespace' | 'wrappers'>

export interface BuildReaderOptions {
  /** All files that will be read. */
  readonly files: readonly ReadFile[]
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
  read(file: ReadFile): BuildFile | undefined
  saveCache(): Promise<void>
}

export function createBuildReader(options: BuildReaderOptions): BuildReader {
  const { files, keySeparator, values, keepsEmpty = false, encoding, cacheFolder, storage, nameOf } = options
  const isLarge = totalSize(files) > MAX_CACHE_BYTES
  const cache = isLarge ? undefined : openModuleCache(join(cacheFolder, 'modules.bin'), keySeparator, encoding)
  const write = createTextWriter(keySeparator, encoding, cache?.keyLists)

  const encode = ({ path, namespace, wrappers }: ReadFile, bytes: Buffer): BuildFile => {
    const texts = formatOf(path).isPlain && !wrappers ? write(namespace, bytes) : undefined
    // The writer drops empty texts.
    if (!texts?.module || !texts.keys || (keepsEmpty && texts.count < texts.keys.length))
      return readContent(bytes, { keySeparator, file: nameOf(path), wrappers, ...(values && { values }) })
    if (!isLarge) return { texts, diagnostics: [] }
    const stored = lazyTexts(storage.store(texts.module), texts.keys, texts.count, encoding)
    return { texts: stored, diagnostics: [] }
  }

  return {
    saveCache: async () => cache?.save(),
    read(translationFile) {
      const { path, wrappers } = translationFile
      try {
        // Opening the file makes a network disk return its current times.
        const handle = openSync(path, 'r')
        try {
          // A cached module has the texts of the whole file.
          const fingerprint = wrappers ? undefined : cache && fingerprintOf(fstatSync(handle)).fingerprint
          const cached = fingerprint === undefined ? undefined : cache?.get(path, fingerprint)
          if (cached && !(keepsEmpty && cached.count < (cached.keys?.length ?? 0)))
            return { texts: cached, diagnostics: [] }
          const file = encode(translationFile, readFileSync(handle))
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

function totalSize(files: readonly ReadFile[]): number {
  let total = 0
  for (const { path } of files) {
    try {
      total += statSync(path).size
    } catch {
      // Reading the file reports the error.
    }
  }
  return total
}
