/** A translation file whose texts are kept as bytes, and become texts where somebody asks for them. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { LazyTexts, PlainTexts, TextModule } from '../catalog/model.ts'
import { lazyModule, remembered } from '../catalog/text-module.ts'
import { type Diagnostic, messageOf } from '../errors.ts'
import { contentHash } from '../shared/hash.ts'
import { createSlowness } from '../shared/slowness.ts'
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

export interface LazyReaderOptions {
  readonly writer: TextWriter
  /** For a build: keeps the modules that a page fetches instead of the files' own bytes. Gaps are dropped. */
  readonly cache?: ModuleCache | undefined
  /** How many files will be read. */
  readonly fileCount?: number
}

export interface LazyOptions extends ParseOptions {
  readonly namespace: string
  /** What the file held when it was last whole: given back where it holds that again. */
  readonly known?: LazyTexts | undefined
}

/** `undefined`: the file is not there. What is wrong with it comes as diagnostics. */
export type LazyReader = (path: string, options: LazyOptions) => LazyFile | undefined | Promise<LazyFile | undefined>

/** So many files tell how large the others are. */
const SAMPLE = 16

export function createLazyReader({ writer, cache, fileCount = 0 }: LazyReaderOptions): LazyReader {
  const readBytes = createByteReader(cache !== undefined)

  const textsIn = (bytes: Buffer, { known, ...options }: LazyOptions): LazyFile => {
    if (known?.isMadeOf?.(bytes)) return whole(known)
    const count = writer.count(options.namespace, bytes)
    return count === undefined ? parsed(bytes, options) : whole(lazyTexts(bytes, count, options))
  }

  const [written, borrowed] = [createScratch(), createScratch()]
  const spool = cache && createSpool(cache.folder)
  /** Of texts that a small catalog would keep. */
  let kept: StorableModule[] = []
  let files = 0
  let size = 0

  const moduleIn = (bytes: Buffer, made: ModuleCache, options: LazyOptions): LazyFile => {
    const isFull = made.isFull
    const hash = isFull ? undefined : contentHash(bytes)
    const before = hash && made.get(hash)
    if (before) return whole(before)
    const texts = writer.write(options.namespace, bytes, isFull ? written : undefined)
    // A copy: the next file is read into the same buffer.
    if (!texts?.module || !texts.keys) return parsed(Buffer.from(bytes), options)
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

  const read = (bytes: Buffer, options: LazyOptions) =>
    cache ? moduleIn(bytes, cache, options) : textsIn(bytes, options)

  return (path, options) => {
    const fail = (cause: unknown) => failed(cause, options.file ?? path)
    let bytes: Buffer | Promise<Buffer>
    try {
      bytes = readBytes(path)
    } catch (cause) {
      return fail(cause)
    }
    return Buffer.isBuffer(bytes) ? read(bytes, options) : bytes.then((content) => read(content, options), fail)
  }
}

/**
 * One after another where the disk answers at once.
 *
 * @param isShared one buffer for all files: each is good until the next is read
 */
function createByteReader(isShared: boolean): (path: string) => Buffer | Promise<Buffer> {
  const slowness = createSlowness()
  const bufferOf = isShared ? createScratch() : Buffer.allocUnsafeSlow
  const readNow = (path: string): Buffer => {
    const handle = openSync(path, 'r')
    try {
      const { size } = fstatSync(handle)
      const buffer = bufferOf(size)
      let length = 0
      for (let read = -1; read !== 0 && length < size; length += read)
        read = readSync(handle, buffer, length, size - length, null)
      return buffer.subarray(0, length)
    } finally {
      closeSync(handle)
    }
  }
  return (path) => (slowness.now ? readFile(path) : slowness.time(() => readNow(path)))
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

function parsed(bytes: Buffer, options: ParseOptions): LazyFile {
  const { ok, entries, diagnostics } = parseTranslationText(bytes, options)
  if (!ok) return { texts: undefined, diagnostics }
  let count = 0
  for (const text of entries.values()) if (text !== '') count++
  return { texts: lazyTexts(bytes, count, options, Object.fromEntries(entries)), diagnostics }
}

function lazyTexts(bytes: Buffer, count: number, options: ParseOptions, first?: PlainTexts): LazyTexts {
  const parse = () => Object.fromEntries(parseTranslationText(bytes, options).entries)
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
