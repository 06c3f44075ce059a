/** Reading for a build: what becomes of a file's texts is the module that a page fetches, and gaps are dropped. */
import { statSync } from 'node:fs'
import type { LazyTexts, PlainTexts, TextModule } from '../catalog/model.ts'
import { lazyModule, remembered } from '../catalog/text-module.ts'
import type { Diagnostic } from '../errors.ts'
import { contentHash } from '../shared/hash.ts'
import { createSlowness } from '../shared/slowness.ts'
import { statFingerprint } from '../shared/stat-fingerprint.ts'
import { type ParseOptions, parseTranslationText } from './read.ts'
import { createByteReader, createScratch, type ReadBytes, readFailure } from './read-bytes.ts'
import { createSpool, type Spool, type StoredBytes } from './spool.ts'
import type { TextWriter } from './text-writer.ts'

export interface LazyFile {
  /** `undefined`: the file has an error. */
  readonly texts: LazyTexts | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** Modules that were made of the same bytes before, by the hash of a file's bytes. */
export interface ModuleCache {
  /** How many bytes it takes. */
  readonly maxBytes: number
  /** Whether it takes more. */
  readonly isFull: boolean
  /** It will be full: what it has is not needed any longer. */
  giveUp(): void
  /** For what it does not take. */
  readonly folder: string
  get(sourceHash: string): LazyTexts | undefined
  add(sourceHash: string, texts: LazyTexts): void
}

/** What is known of files' bytes without reading them. */
export interface ReadMemo {
  /** The hash of the bytes that a file had when it had this stat fingerprint. */
  hashOf(path: string, fingerprint: string): string | undefined
  note(path: string, fingerprint: string | undefined, hash: string): void
}

export interface LazyReaderOptions {
  readonly writer: TextWriter
  /** Keeps the modules. */
  readonly cache: ModuleCache
  /** Files that have not changed are not read. */
  readonly memo?: ReadMemo | undefined
  /** How many files will be read. */
  readonly fileCount?: number
  /** A file's name as diagnostics show it; its path by default. */
  readonly nameOf?: (path: string) => string
}

export interface LazyOptions extends Omit<ParseOptions, 'file'> {
  readonly namespace: string
}

/** `undefined`: the file is not there. What is wrong with it comes as diagnostics. */
export type LazyReader = (path: string, options: LazyOptions) => LazyFile | undefined | Promise<LazyFile | undefined>

/** So many files tell how large the others are. */
const SAMPLE = 16

export function createLazyReader({
  writer,
  cache,
  memo,
  fileCount = 0,
  nameOf = (path) => path,
}: LazyReaderOptions): LazyReader {
  const slowness = createSlowness()
  const readBytes = createByteReader(slowness, true)
  const [written, borrowed] = [createScratch(), createScratch()]
  const spool = createSpool(cache.folder)
  /** Of texts that a small catalog would keep. */
  let kept: StorableModule[] = []
  let files = 0
  let size = 0

  /** What was made of a file that has not changed since. */
  const unchanged = (path: string): LazyTexts | undefined => {
    // A disk that keeps one waiting may be a network's, whose times may be old.
    if (!memo || cache.isFull || slowness.now) return undefined
    const stats = slowness.time(() => statSync(path, { throwIfNoEntry: false }))
    const fingerprint = stats && statFingerprint(stats)
    const hash = fingerprint === undefined ? undefined : memo.hashOf(path, fingerprint)
    return hash === undefined ? undefined : cache.get(hash)
  }

  const parsed = (path: string, bytes: Buffer, keySeparator: string): LazyFile => {
    const { ok, entries, diagnostics } = parseTranslationText(bytes, { keySeparator, file: nameOf(path) })
    if (!ok) return { texts: undefined, diagnostics }
    let count = 0
    for (const text of entries.values()) if (text !== '') count++
    return { texts: textsOf(bytes, count, keySeparator, Object.fromEntries(entries)), diagnostics }
  }

  const read = (path: string, { bytes, stats }: ReadBytes, { namespace, keySeparator }: LazyOptions): LazyFile => {
    const isFull = cache.isFull
    const hash = isFull ? undefined : contentHash(bytes)
    if (hash) memo?.note(path, stats && statFingerprint(stats), hash)
    const before = hash && cache.get(hash)
    if (before) return whole(before)
    const texts = writer.write(namespace, bytes, isFull ? written : undefined)
    // A copy: the next file is read into the same buffer.
    if (!texts?.module || !texts.keys) return parsed(path, Buffer.from(bytes), keySeparator)
    if (hash) cache.add(hash, texts)
    size += texts.module.size
    if (++files === SAMPLE && (size / SAMPLE) * fileCount > cache.maxBytes) cache.giveUp()
    const module = storableModule(texts.module, borrowed)
    if (cache.isFull) {
      for (const each of [...kept, module]) each.store(spool)
      kept = []
    } else kept.push(module)
    return whole(lazyModule(module, texts.keys, texts.count))
  }

  return (path, options) => {
    const fail = (cause: unknown): LazyFile | undefined => {
      const failure = readFailure(cause, nameOf(path))
      return failure && { texts: undefined, diagnostics: [failure] }
    }
    let file: ReadBytes | Promise<ReadBytes>
    try {
      const before = unchanged(path)
      if (before) return whole(before)
      file = readBytes(path)
    } catch (cause) {
      return fail(cause)
    }
    return 'then' in file ? file.then((content) => read(path, content, options), fail) : read(path, file, options)
  }
}

const whole = (texts: LazyTexts): LazyFile => ({ texts, diagnostics: [] })

/** Of a file that the quick reader cannot read. */
function textsOf(bytes: Buffer, count: number, keySeparator: string, first: PlainTexts): LazyTexts {
  const parse = () => Object.fromEntries(parseTranslationText(bytes, { keySeparator }).entries)
  return { count, plain: remembered(parse, first), hash: contentHash(bytes) }
}

interface StorableModule extends TextModule {
  /** It holds no memory from then on, or has its bytes for itself. */
  store(spool: Spool): void
}

/** The texts of a large catalog are needed one by one: nobody has to hold them all. */
function storableModule(made: TextModule, borrowed: (size: number) => Buffer): StorableModule {
  const { hash, size } = made
  let held: Buffer | StoredBytes = made.bytes
  const read = (allocate?: (size: number) => Buffer) => (Buffer.isBuffer(held) ? held : held.read(allocate))
  return {
    hash,
    size,
    get bytes() {
      return read()
    },
    borrow: () => read(borrowed),
    store(spool) {
      if (Buffer.isBuffer(held)) held = spool.put(held) ?? Buffer.from(held)
    },
  }
}
