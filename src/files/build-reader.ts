/** Reads files for a build: the texts of each file become the module that a page fetches, and gaps are dropped. */
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { LazyTexts, TextEncoding } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import { fingerprintOf, isSettled } from '../shared/stat-fingerprint.ts'
import type { FileFormat, PlainJson } from './formats/format.ts'
import { formatOf } from './formats/index.ts'
import { openModuleCache } from './module-cache.ts'
import type { TranslationFile } from './patterns.ts'
import { createPlainReader } from './plain.ts'
import { readFailure } from './read.ts'
import { readWholeSync, type WholeFileUse } from './read-whole.ts'
import { readContent } from './scan.ts'
import { momentOf, type TemporaryStorage } from './temporary-storage.ts'
import { createTextWriter } from './text-writer.ts'

interface BuildFile {
  /** `undefined`: the file has an error. */
  readonly texts: LazyTexts | undefined
  readonly diagnostics: readonly Diagnostic[]
}

type ReadFile = Pick<TranslationFile, 'path' | 'namespace' | 'wrappers'>

export interface BuildReaderOptions {
  readonly keySeparator: string
  readonly values?: ResolvedConfig['values']
  /** Empty texts are no gaps: they reach the page. */
  readonly keepsEmpty?: boolean
  readonly encoding: TextEncoding
  readonly cacheFolder: string
  /** Holds the modules. */
  readonly storage: TemporaryStorage
  /** The file's name in diagnostics. */
  readonly nameOf: (path: string) => string
}

export interface BuildReader {
  /** In the order of the files. `undefined`: there is no such file. */
  read(files: readonly ReadFile[]): Promise<readonly (BuildFile | undefined)[]>
  saveCache(): Promise<void>
}

/** A disk is slow when its files take longer on average: several at a time are faster then. */
const SLOW_MS = 2
const PATIENCE_MS = 50
const AT_A_TIME = 16

export function createBuildReader(options: BuildReaderOptions): BuildReader {
  const { keySeparator, values, keepsEmpty = false, encoding, cacheFolder, storage, nameOf } = options
  const cache = openModuleCache(join(cacheFolder, 'modules.bin'), keySeparator, encoding)
  const reader = createPlainReader()
  const store = storage.store.bind(storage)
  const write = createTextWriter(keySeparator, encoding, cache.keyLists, { reader, keepsEmpty, store })

  const plainJsonOf = new Map<FileFormat, PlainJson | undefined>()
  const encode = ({ path, namespace, wrappers }: ReadFile, bytes: Buffer): BuildFile => {
    const { isPlain } = formatOf(path)
    // The writer reads JSON of its own into the memory of the file.
    const own = isPlain ? bytes : Buffer.from(bytes)
    const json = wrappers ? undefined : isPlain ? bytes : plainJsonOf.get(formatOf(path))?.(own)
    const texts = json && write(namespace, json)
    if (texts) return { texts, diagnostics: [] }
    const content = isPlain ? Buffer.from(bytes) : own
    return readContent(content, { keySeparator, file: nameOf(path), wrappers, ...(values && { values }) })
  }

  /** `startedAt`: before any file was read. */
  const handlingOf = (file: ReadFile, startedAt: Stats | undefined): WholeFileUse<BuildFile> => {
    const { path, wrappers } = file
    return {
      known(stats) {
        // A cached module has the texts of the whole file.
        const texts = wrappers ? undefined : cache.get(path, fingerprintOf(stats))
        if (!texts || (keepsEmpty && texts.count < (texts.keys?.length ?? 0))) return undefined
        return { texts, diagnostics: [] }
      },
      buffer: reader.buffer,
      use(bytes, stats) {
        const content = encode(file, bytes)
        if (!wrappers && content.texts?.module && isSettled(stats, startedAt))
          cache.add(path, fingerprintOf(stats), content.texts)
        return content
      },
    }
  }

  const failed = (cause: unknown, path: string): BuildFile | undefined => {
    const failure = readFailure(cause, nameOf(path))
    return failure && { texts: undefined, diagnostics: [failure] }
  }

  const readSlowly = async (
    files: readonly ReadFile[],
    found: (BuildFile | undefined)[],
    from: number,
    startedAt: Stats | undefined,
  ) => {
    const { readWhole } = await import('./read-whole-async.ts')
    let next = from
    const readNext = async () => {
      for (let at = next++; at < files.length; at = next++) {
        const file = files[at] as ReadFile
        found[at] = await readWhole(file.path, handlingOf(file, startedAt)).catch((cause: unknown) =>
          failed(cause, file.path),
        )
      }
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, readNext))
  }

  return {
    saveCache: cache.save,
    async read(files) {
      for (const format of new Set(files.map(({ path }) => formatOf(path))))
        plainJsonOf.set(format, await format.loadPlainJson?.())
      const found = new Array<BuildFile | undefined>(files.length)
      const moment = momentOf(cacheFolder)
      let diskMs = 0
      for (const [at, file] of files.entries()) {
        if (diskMs > PATIENCE_MS + at * SLOW_MS) {
          await readSlowly(files, found, at, moment)
          break
        }
        const handling = handlingOf(file, moment)
        let startedAt = performance.now()
        try {
          found[at] = readWholeSync(file.path, {
            ...handling,
            use(bytes, stats) {
              diskMs += performance.now() - startedAt
              const content = handling.use(bytes, stats)
              startedAt = performance.now()
              return content
            },
          })
        } catch (cause) {
          found[at] = failed(cause, file.path)
        }
        diskMs += performance.now() - startedAt
      }
      return found
    },
  }
}
