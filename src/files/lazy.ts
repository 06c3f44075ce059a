/** A translation file whose texts need not stay in memory. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { LazyTexts, PlainTexts } from '../catalog/model.ts'
import { type Diagnostic, LocalizationError, messageOf } from '../errors.ts'
import { hashOf } from '../shared/hash.ts'
import { decodeText } from './decode.ts'
import { parsePlainTexts } from './plain.ts'
import { type ParseOptions, parseTranslationText } from './read.ts'

export interface LazyOptions extends ParseOptions {
  /** The bytes stay in memory: texts can be had after the file has changed. Otherwise it is read again. */
  readonly retain: boolean
  /** How many texts a content of this hash has, where that is known: it is not parsed then. */
  countOf(hash: string): number | undefined
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
  const hash = hashOf(bytes)
  const known = options.countOf(hash)
  const kept = options.retain ? bytes : undefined
  if (known !== undefined)
    return { texts: lazyTexts({ path, hash, count: known, kept, first: undefined }, options), diagnostics: [] }
  const { plain, diagnostics } = parse(bytes, options)
  const count = plain && countTexts(plain)
  return {
    texts: count === undefined ? undefined : lazyTexts({ path, hash, count, kept, first: plain }, options),
    diagnostics,
  }
}

interface LazyInput {
  readonly path: string
  readonly hash: string
  readonly count: number
  readonly kept: Buffer | undefined
  readonly first: PlainTexts | undefined
}

function lazyTexts({ path, hash, count, kept, first }: LazyInput, options: ParseOptions): LazyTexts {
  let made = first && new WeakRef(first)
  return {
    hash,
    count,
    plain() {
      const known = made?.deref()
      if (known) return known
      const plain = parse(kept ?? readSame(path, hash, options), options).plain ?? {}
      made = new WeakRef(plain)
      return plain
    },
  }
}

function readSame(path: string, hash: string, { file = path }: ParseOptions): Buffer {
  let bytes: Buffer | undefined
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw changed(file, cause)
  }
  if (bytes === undefined || hashOf(bytes) !== hash) throw changed(file)
  return bytes
}

function changed(file: string, cause?: unknown): LocalizationError {
  return new LocalizationError(`${file}: changed while the build was running`, {
    code: 'FILE_READ',
    hint: 'Build again.',
    cause,
  })
}

function parse(
  bytes: Buffer,
  options: ParseOptions,
): { readonly plain: PlainTexts | undefined; readonly diagnostics: readonly Diagnostic[] } {
  const text = decodeText(bytes)
  const plain = typeof text === 'string' ? parsePlainTexts(text, options.keySeparator) : undefined
  if (plain) return { plain, diagnostics: [] }
  const { ok, entries, diagnostics } = parseTranslationText(bytes, options)
  return { plain: ok ? Object.fromEntries(entries) : undefined, diagnostics }
}

function countTexts(plain: PlainTexts): number {
  let count = 0
  for (const key in plain) if (plain[key] !== '') count++
  return count
}
