/**
 * The quick way to read a translation file that a tool or a careful person wrote: one pass over its bytes, which makes no texts of them
 * and only notes where they are. Whatever it is not sure about is for `parseTranslationText`. The loops are WebAssembly: several times as
 * fast as those of JavaScript, which take one byte at a time.
 */
import { isUtf8 } from 'node:buffer'
import { MAX_DEPTH } from '../shared/flatten.ts'
import { PLAIN_CODE } from './plain-code.ts'

/** Good until the next call of its reader: what it holds is overwritten then. */
export interface PlainScan {
  /** The file's keys as they are written, with the braces of the objects below them: equal bytes, equal keys in the same order. */
  readonly skeleton: Buffer
  /** How many texts there are. */
  readonly count: number
  /** For each text, the offsets of its quotes' outer sides: start and end. */
  readonly spans: Uint32Array
  /** Whether something in it must be escaped in a script. */
  readonly hasScriptEnd: boolean
}

/** How the texts of a file are written. */
export interface PlainOrder {
  /** Where each text stands in the file. */
  readonly places: Uint32Array
  /** `"key":` of each, and where each ends. */
  readonly names: Buffer
  readonly nameEnds: Uint32Array
}

export interface PlainReader {
  /** `undefined`: not that plain, or not right; read it the careful way. */
  scan(file: Buffer): PlainScan | undefined
  /** The texts of the file that was scanned last as members of an object, those that are empty left out. Good until the next call. */
  write(order: PlainOrder): { readonly bytes: Buffer; readonly count: number }
}

/** What `assembly/plain.ts` exports. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly skeletonLength: { readonly value: number }
  readonly hasScriptEnd: { readonly value: number }
  readonly written: { readonly value: number }
  scan(file: number, size: number, skeleton: number, spans: number, maxDepth: number): number
  write(spans: number, places: number, names: number, nameEnds: number, keyCount: number, to: number): number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

const PAGE = 65_536
/** A memory has room for 4 GB, and a file takes a few times its size there. */
const MAX_FILE_BYTES = 256 * 1_048_576
/** A larger memory is given up for a new one: none becomes smaller. */
const MAX_KEPT_BYTES = 16 * 1_048_576
/** Copies end up to so many bytes behind what they copy, and a scan looks as far ahead. */
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
    const isTooLarge = size <= MAX_KEPT_BYTES && bytes.length > MAX_KEPT_BYTES
    if (!code || isTooLarge) code = instantiate()
    if (!code) return undefined
    const { memory } = code
    if (memory.buffer.byteLength < size) memory.grow(Math.ceil((size - memory.buffer.byteLength) / PAGE))
    if (bytes.buffer !== memory.buffer) {
      bytes = new Uint8Array(memory.buffer)
      numbers = new Uint32Array(memory.buffer)
    }
    return code
  }

  return {
    scan(file) {
      if (file.length > MAX_FILE_BYTES || !isUtf8(file)) return undefined
      fileSize = file.length
      const skeletonAt = padded(fileSize)
      spansAt = skeletonAt + padded(fileSize)
      // A text and its key take at least six bytes: `"":"",`.
      spansEnd = spansAt + padded((fileSize / 6 + 1) * 2 * NUMBER)
      const made = reserve(spansEnd)
      if (!made) return undefined
      bytes.set(file)
      bytes[fileSize] = 0
      const count = made.scan(0, fileSize, skeletonAt, spansAt, MAX_DEPTH)
      if (count < 0) return undefined
      return {
        skeleton: Buffer.from(bytes.buffer, skeletonAt, made.skeletonLength.value),
        count,
        spans: numbers.subarray(spansAt / NUMBER, spansAt / NUMBER + count * 2),
        hasScriptEnd: made.hasScriptEnd.value !== 0,
      }
    },
    write({ places, names, nameEnds }) {
      const placesAt = spansEnd
      const nameEndsAt = placesAt + padded(places.byteLength)
      const namesAt = nameEndsAt + padded(nameEnds.byteLength)
      const to = namesAt + padded(names.length)
      // Each text of the file once, and a comma for each.
      const made = reserve(to + padded(names.length + fileSize + places.length)) as Exports
      numbers.set(places, placesAt / NUMBER)
      numbers.set(nameEnds, nameEndsAt / NUMBER)
      bytes.set(names, namesAt)
      const end = made.write(spansAt, placesAt, namesAt, nameEndsAt, places.length, to)
      return { bytes: Buffer.from(bytes.buffer, to, end - to), count: made.written.value }
    },
  }
}

/** A multiple of `PAD`, with room for a byte 0. */
const padded = (size: number) => Math.ceil((size + 1 + PAD) / PAD) * PAD

interface WebAssemblyApi {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

/** `false`: cannot be. */
let compiled: object | false | undefined

/** `undefined`: this Node runs no WebAssembly (`--jitless`), or this processor not all of it. Then everything is read the careful way. */
function instantiate(): Exports | undefined {
  const { WebAssembly } = globalThis as { WebAssembly?: WebAssemblyApi }
  compiled ??= WebAssembly ? compile(WebAssembly) : false
  return WebAssembly && compiled ? (new WebAssembly.Instance(compiled).exports as Exports) : undefined
}

function compile({ Module }: WebAssemblyApi): object | false {
  // There numbers are in this order everywhere, in typed arrays as the machine has them.
  const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
  try {
    return isLittleEndian && new Module(Buffer.from(PLAIN_CODE, 'base64'))
  } catch {
    return false
  }
}

/**
 * The joined paths of a skeleton's texts, in the file's order. `undefined` where one comes twice, or is an object as well: the careful
 * reader says what is wrong.
 */
export function keysOfSkeleton(skeleton: Buffer, separator: string): readonly string[] | undefined {
  const text = skeleton.toString('utf8')
  const keys = new Set<string>()
  const branches = new Set<string>()
  const prefixes = ['']
  let at = 0
  while (at < text.length) {
    if (text[at] === '}') {
      prefixes.pop()
      at++
      continue
    }
    let isEscaped = false
    let end = at + 1
    for (let code = text.charCodeAt(end); code !== QUOTE; code = text.charCodeAt(++end)) {
      if (code !== BACKSLASH) continue
      isEscaped = true
      end++
    }
    const key = isEscaped ? (JSON.parse(text.slice(at, end + 1)) as string) : text.slice(at + 1, end)
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
