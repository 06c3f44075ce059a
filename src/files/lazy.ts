/** A translation file whose texts are kept as bytes, and become texts where somebody asks for them. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { LazyTexts, PlainTexts, TextModule } from '../catalog/model.ts'
import { lazyModule, remembered } from '../catalog/text-module.ts'
import { type Diagnostic, messageOf } from '../errors.ts'
import { contentHash } from '../shared/hash.ts'
import { createSlowness, type Slowness } from '../shared/slowness.ts'
import { stampOf } from '../shared/stamp.ts'
import { type ParseOptions, parseTranslationText } from './read.ts'
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
  /** The hash of the bytes that a file had when it had this stamp. */
  hashOf(path: string, stamp: string): string | undefined
  note(path: string, stamp: string | undefined, hash: string): void
}

export interface LazyReaderOptions {
  readonly writer: TextWriter
  /** For a build: keeps the modules that a page fetches instead of the files' own bytes. Gaps are dropped. */
  readonly cache?: ModuleCache | undefined
  /** With `cache`: files that have not changed are not read. */
  readonly memo?: ReadMemo | undefined
  /** How many files will be read. */
  readonly fileCount?: number
  /** A file's name as diagnostics show it; its path by default. */
  readonly nameOf?: (path: string) => string
}

export interface LazyOptions extends Omit<ParseOptions, 'file'> {
  readonly namespace: string
  /** What the file held when it was last whole: given back where it holds that again. */
  readonly known?: LazyTexts | undefined
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
  const readBytes = createByteReader(slowness, cache !== undefined)

  const textsIn = ({ path, bytes }: ReadFile, { known, namespace, keySeparator }: LazyOptions): LazyFile => {
    if (known?.isMadeOf?.(bytes)) return whole(known)
    const count = writer.count(namespace, bytes)
    return count === undefined ? parsed(path, bytes, keySeparator) : whole(lazyTexts(bytes, count, keySeparator))
  }

  const parsed = (path: string, bytes: Buffer, keySeparator: string): LazyFile => {
    const { ok, entries, diagnostics } = parseTranslationText(bytes, { keySeparator, file: nameOf(path) })
    if (!ok) return { texts: undefined, diagnostics }
    let count = 0
    for (const text of entries.values()) if (text !== '') count++
    return { texts: lazyTexts(bytes, count, keySeparator, Object.fromEntries(entries)), diagnostics }
  }

  const [written, borrowed] = [createScratch(), createScratch()]
  const spool = cache && createSpool(cache.folder)
  /** Of texts that a small catalog would keep. */
  let kept: StorableModule[] = []
  let files = 0
  let size = 0

  /** What was made of a file that has not changed since. */
  const unchanged = (path: string): LazyTexts | undefined => {
    // A disk that keeps one waiting may be a network's, whose times may be old.
    if (!cache || !memo || cache.isFull || slowness.now) return undefined
    const stats = slowness.time(() => statSync(path, { throwIfNoEntry: false }))
    const stamp = stats && stampOf(stats)
    const hash = stamp === undefined ? undefined : memo.hashOf(path, stamp)
    return hash === undefined ? undefined : cache.get(hash)
  }

  const moduleIn = (file: ReadFile, made: ModuleCache, { namespace, keySeparator }: LazyOptions): LazyFile => {
    const { path, bytes, stamp } = file
    const isFull = made.isFull
    const hash = isFull ? undefined : contentHash(bytes)
    if (hash) memo?.note(path, stamp, hash)
    const before = hash && made.get(hash)
    if (before) return whole(before)
    const texts = writer.write(namespace, bytes, isFull ? written : undefined)
    // A copy: the next file is read into the same buffer.
    if (!texts?.module || !texts.keys) return parsed(path, Buffer.from(bytes), keySeparator)
    if (hash) made.add(hash, texts)
    size += texts.module.size
    if (++files === SAMPLE && (size / SAMPLE) * fileCount > made.maxBytes) made.giveUp()
    const module = storableModule(texts.module, borrowed)
    if (made.isFull) {
      for (const each of [...kept, module]) each.store(spool)
      kept = []
    } else kept.push(module)
    return whole(lazyModule(module, texts.keys, texts.count))
  }

  const read = (file: ReadFile, options: LazyOptions) =>
    cache ? moduleIn(file, cache, options) : textsIn(file, options)

  return (path, options) => {
    const fail = (cause: unknown) => failed(cause, nameOf(path))
    let file: ReadFile | Promise<ReadFile>
    try {
      const before = unchanged(path)
      if (before) return whole(before)
      file = readBytes(path)
    } catch (cause) {
      return fail(cause)
    }
    return 'then' in file ? file.then((content) => read(content, options), fail) : read(file, options)
  }
}

interface ReadFile {
  readonly path: string
  readonly bytes: Buffer
  /** From before the bytes were read. */
  readonly stamp: string | undefined
}

/**
 * One after another where the disk answers at once.
 *
 * @param isShared one buffer for all files: each is good until the next is read
 */
function createByteReader(slowness: Slowness, isShared: boolean): (path: string) => ReadFile | Promise<ReadFile> {
  const bufferOf = isShared ? createScratch() : Buffer.allocUnsafeSlow
  const readNow = (path: string): ReadFile => {
    const handle = openSync(path, 'r')
    try {
      const stats = fstatSync(handle)
      const { size } = stats
      const buffer = bufferOf(size)
      let length = 0
      for (let read = -1; read !== 0 && length < size; length += read)
        read = readSync(handle, buffer, length, size - length, null)
      return { path, bytes: buffer.subarray(0, length), stamp: stampOf(stats) }
    } finally {
      closeSync(handle)
    }
  }
  const readLater = async (path: string): Promise<ReadFile> => ({ path, bytes: await readFile(path), stamp: undefined })
  return (path) => (slowness.now ? readLater(path) : slowness.time(() => readNow(path)))
}

/** The same memory each time. */
function createScratch(): (size: number) => Buffer {
  let scratch = Buffer.allocUnsafeSlow(64 * 1024)
  return (size) => {
    if (size > scratch.length) scratch = Buffer.allocUnsafeSlow(size * 2)
    return scratch.subarray(0, size)
  }
}

const whole = (texts: LazyTexts): LazyFile => ({ texts, diagnostics: [] })

function lazyTexts(bytes: Buffer, count: number, keySeparator: string, first?: PlainTexts): LazyTexts {
  const parse = () => Object.fromEntries(parseTranslationText(bytes, { keySeparator }).entries)
  let hash: string | undefined
  return {
    count,
    plain: remembered(parse, first),
    isMadeOf: (others) => bytes.equals(others),
    // A dev server asks for it when something has changed: it starts sooner without.
    get hash() {
      hash ??= contentHash(bytes)
      return hash
    },
  }
}

interface StorableModule extends TextModule {
  /** It holds no memory from then on, or has its bytes for itself. */
  store(spool: Spool | undefined): void
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
      if (Buffer.isBuffer(held)) held = spool?.put(held) ?? Buffer.from(held)
    },
  }
}

function failed(cause: unknown, file: string): LazyFile | undefined {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  const message = `cannot be read: ${messageOf(cause)}`
  return { texts: undefined, diagnostics: [{ severity: 'error', code: 'FILE_READ', message, place: { file } }] }
}
