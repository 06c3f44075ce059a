/**
 * The quick way to read a translation file that a tool or a careful person wrote: one pass over the bytes that finds
 * the texts and makes no strings. `parseTranslationText` reads every file that this reader rejects. The loops are
 * WebAssembly because loops in JavaScript make a build of a million texts about 30 % slower.
 */
import { isUtf8 } from 'node:buffer'
import { endianness } from 'node:os'
import type { TextEncoding } from '../catalog/model.ts'
import { MAX_DEPTH } from '../shared/flatten.ts'
import { PATH_JOINT } from '../shared/key-path.ts'
import { PLAIN_CODE } from './plain-code.ts'

/** Valid until the next call of the reader. */
interface PlainScan {
  /**
   * The keys as the file spells them, with the braces of the objects below them: equal bytes mean equal keys in equal
   * order.
   */
  readonly skeleton: Buffer
  /** The number of texts, empty ones excluded. */
  readonly textCount: number
}

/** The order in which the texts of a file are written. */
export interface PlainOrder {
  /** The place of each text in the file. */
  readonly places: Uint32Array
  /** `"key":` of each text, and the end of each of them. */
  readonly names: Buffer
  readonly nameEnds: Uint32Array
}

/** What stands before and after the written texts. */
type Frame = Pick<TextEncoding, 'open' | 'close'>

export interface PlainReader {
  /** Memory to read a file into: `scan` copies other files to there. Valid until the next call of any method. */
  buffer(size: number): Buffer
  /** `undefined`: the file is not plain, or has an error. */
  scan(file: Buffer): PlainScan | undefined
  /**
   * The texts of the last scanned file as members of an object, empty ones left out, in the frame. Valid until the next
   * call.
   */
  write(order: PlainOrder, frame: Frame): Buffer
}

/** What `assembly/plain.ts` exports. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly skeletonLength: { readonly value: number }
  readonly textCount: { readonly value: number }
  scan(file: number, size: number, skeleton: number, spans: number, maxDepth: number): number
  write(spans: number, places: number, names: number, nameEnds: number, keyCount: number, to: number): number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

const PAGE = 65_536
/** The memory has room for 4 GB, and a file takes a few times its size there. */
const MAX_FILE_BYTES = 256 * 1_048_576
/** The loops copy and read up to 16 bytes past an area's end. */
const PAD = 16
const NUMBER = Uint32Array.BYTES_PER_ELEMENT

export function createPlainReader(): PlainReader {
  let code: Exports | undefined
  let bytes = new Uint8Array(0)
  let numbers = new Uint32Array(0)
  let fileSize = 0
  let spansAt = 0
  let spansEnd = 0

  const reserve = (size: number): Exports | undefined => {
    code ??= instantiate()
    if (!code) return undefined
    const { memory } = code
    if (memory.buffer.byteLength < size) memory.grow(Math.ceil((size - memory.buffer.byteLength) / PAGE))
    if (bytes.buffer !== memory.buffer) {
      bytes = new Uint8Array(memory.buffer)
      numbers = new Uint32Array(memory.buffer)
    }
    return code
  }

  /** Room for a file of this size, at the start of the memory, and for what a scan makes of it. */
  const reserveFor = (size: number): Exports | undefined => {
    fileSize = size
    spansAt = padded(fileSize) * 2
    // A text and its key take at least six bytes: `"":"",`.
    spansEnd = spansAt + padded((fileSize / 6 + 1) * 2 * NUMBER)
    return reserve(spansEnd)
  }

  return {
    buffer(size) {
      if (size > MAX_FILE_BYTES || !reserveFor(size)) return Buffer.allocUnsafe(size)
      return Buffer.from(bytes.buffer, 0, size)
    },
    scan(file) {
      if (file.length > MAX_FILE_BYTES || !isUtf8(file)) return undefined
      const made = reserveFor(file.length)
      if (!made) return undefined
      const skeletonAt = padded(fileSize)
      if (file.buffer !== bytes.buffer) bytes.set(file)
      bytes[fileSize] = 0
      if (made.scan(0, fileSize, skeletonAt, spansAt, MAX_DEPTH) < 0) return undefined
      return {
        skeleton: Buffer.from(bytes.buffer, skeletonAt, made.skeletonLength.value),
        textCount: made.textCount.value,
      }
    },
    write({ places, names, nameEnds }, { open, close }) {
      const placesAt = spansEnd
      const nameEndsAt = placesAt + padded(places.byteLength)
      const namesAt = nameEndsAt + padded(nameEnds.byteLength)
      const openAt = namesAt + padded(names.length)
      const to = openAt + open.length
      // The texts of the file, and a comma for each.
      const made = reserve(to + padded(names.length + fileSize + places.length + close.length)) as Exports
      numbers.set(places, placesAt / NUMBER)
      numbers.set(nameEnds, nameEndsAt / NUMBER)
      bytes.set(names, namesAt)
      bytes.set(open, openAt)
      const end = made.write(spansAt, placesAt, namesAt, nameEndsAt, places.length, to)
      bytes.set(close, end)
      return Buffer.from(bytes.buffer, openAt, end + close.length - openAt)
    },
  }
}

/** A multiple of `PAD`, with room for one byte 0 and the padding. */
const padded = (size: number) => Math.ceil((size + 1 + PAD) / PAD) * PAD

interface WebAssemblyApi {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

/** `undefined`: this Node or processor cannot run the code. `parseTranslationText` reads every file then. */
function instantiate(): Exports | undefined {
  const { WebAssembly } = globalThis as { WebAssembly?: WebAssemblyApi }
  // Typed arrays have the machine's byte order, WebAssembly always the little-endian one.
  if (!WebAssembly || endianness() !== 'LE') return undefined
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(PLAIN_CODE, 'base64'))).exports as Exports
  } catch {
    return undefined
  }
}

/** The joined paths of a skeleton's texts, in the file's order. `undefined`: the full parser must read the file. */
export function keysOfSkeleton(skeleton: Buffer, separator: string): readonly string[] | undefined {
  const text = skeleton.toString('utf8')
  const keys = new Set<string>()
  const branches = new Set<string>()
  const prefixes = ['']
  const isJoint = separator === PATH_JOINT
  const hasEscapes = skeleton.includes(BACKSLASH)
  let at = 0
  while (at < text.length) {
    if (text[at] === '}') {
      prefixes.pop()
      at++
      continue
    }
    const end = hasEscapes ? endOfName(text, at) : text.indexOf('"', at + 1)
    const key = hasEscapes ? (JSON.parse(text.slice(at, end + 1)) as string) : text.slice(at + 1, end)
    // Only the full parser decides how to split a key with an empty name.
    if ((key === '' && (prefixes.length > 1 || text[end + 1] === '{')) || (isJoint && key.includes(separator)))
      return undefined
    const path = (prefixes.at(-1) as string) + key
    at = end + 1
    if (keys.has(path) || branches.has(path)) return undefined
    if (text[at] === '{') {
      branches.add(path)
      prefixes.push(path + separator)
      at++
    } else keys.add(path)
  }
  return [...keys]
}

/** The place of the quote that ends the name. */
function endOfName(text: string, start: number): number {
  let end = start + 1
  for (let code = text.charCodeAt(end); code !== QUOTE; code = text.charCodeAt(++end)) if (code === BACKSLASH) end++
  return end
}
