/** A translation file whose texts are kept as bytes, and become texts where somebody asks for them. */
import { readFile } from 'node:fs/promises'
import type { LazyTexts, PlainTexts } from '../catalog/model.ts'
import { lazyModule, remembered, type TextWriter, textModule } from '../catalog/text-module.ts'
import { type Diagnostic, messageOf } from '../errors.ts'
import { hashOf } from '../shared/hash.ts'
import { decodeText } from './decode.ts'
import { scanPlain } from './plain.ts'
import { type ParseOptions, parseTranslationText } from './read.ts'

export interface LazyOptions extends ParseOptions {
  readonly namespace: string
  /** For a build: keeps the module that a page fetches instead of the file's own bytes. Gaps are dropped. */
  readonly writer?: TextWriter | undefined
  /** With `writer`: modules that were made of the same bytes before. */
  readonly cache?: ModuleCache | undefined
  /** Without `writer`: what the file gave before, with nothing wrong in it. The same bytes give it again. */
  readonly known?: LazyTexts | undefined
}

/** By the hash of a file's bytes. */
export interface ModuleCache {
  get(sourceHash: string): LazyTexts | undefined
  add(sourceHash: string, texts: LazyTexts): void
}

export interface LazyFile {
  /** `undefined`: the file has an error. */
  readonly texts: LazyTexts | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** `undefined`: it is not there. What is wrong with it comes as diagnostics. */
export async function readLazily(path: string, options: LazyOptions): Promise<LazyFile | undefined> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const place = { file: options.file ?? path }
    const message = `cannot be read: ${messageOf(cause)}`
    return { texts: undefined, diagnostics: [{ severity: 'error', code: 'FILE_READ', message, place }] }
  }
  const { writer, cache, known } = options
  if (!writer) {
    return known && known.hash === hashOf(bytes) ? { texts: known, diagnostics: [] } : readTexts(bytes, options)
  }
  const hash = cache && hashOf(bytes)
  const made = hash && cache.get(hash)
  if (made) return { texts: made, diagnostics: [] }
  const written = readModule(bytes, writer, options)
  if (hash && written?.texts) cache.add(hash, written.texts)
  return written ?? readTexts(bytes, options)
}

/** What a page fetches is made here, in the one pass over the file that a build needs. */
function readModule(bytes: Buffer, writer: TextWriter, { namespace, keySeparator }: LazyOptions): LazyFile | undefined {
  const text = decodeText(bytes)
  const scanned = typeof text === 'string' ? scanPlain(text, keySeparator) : undefined
  const written = scanned && writer.write(namespace, scanned.keys, scanned.tokens)
  const code = written && textModule(written.json)
  if (!code) return undefined
  const module = Buffer.from(code)
  return {
    texts: lazyModule({ bytes: module, hash: hashOf(module) }, written.keys, written.count),
    diagnostics: [],
  }
}

function readTexts(bytes: Buffer, { keySeparator, file }: LazyOptions): LazyFile {
  // Kept with the bytes: the texts of before must not be held on to through it.
  const options: ParseOptions = { keySeparator, ...(file !== undefined && { file }) }
  const { ok, entries, diagnostics } = parseTranslationText(bytes, options)
  if (!ok) return { texts: undefined, diagnostics }
  let count = 0
  for (const text of entries.values()) if (text !== '') count++
  const first: PlainTexts = Object.fromEntries(entries)
  const again = () => Object.fromEntries(parseTranslationText(bytes, options).entries)
  return { texts: { hash: hashOf(bytes), count, plain: remembered(again, first) }, diagnostics }
}
