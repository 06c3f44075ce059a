/**
 * The quick way to read a translation file that a tool or a careful person wrote: one pass over its bytes, which makes no texts of them
 * and only notes where they are. Whatever it is not sure about is for `parseTranslationText`.
 */
import { isUtf8 } from 'node:buffer'
import { MAX_DEPTH } from '../shared/flatten.ts'

/** Good until the next scan: its buffers are used again. */
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

/** `undefined`: not that plain, or not right; read it the careful way. */
export type PlainScanner = (bytes: Buffer) => PlainScan | undefined

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN = 0x7b
const CLOSE = 0x7d
const BACKSLASH = 0x5c

/** What a byte means inside a string; most mean themselves. */
const END = 1
const CONTROL = 2
const ESCAPE = 3
const LESS_THAN = 4
const LINE_END_LEAD = 5
const MEANING = new Uint8Array(256)
MEANING.fill(CONTROL, 0, 0x20)
MEANING[QUOTE] = END
MEANING[BACKSLASH] = ESCAPE
MEANING[0x3c] = LESS_THAN
MEANING[0xe2] = LINE_END_LEAD

/** What may follow a backslash: `JSON.stringify` writes these so. `\u` may stand for half a character. */
const ESCAPED = new Uint8Array(256)
for (const character of '"\\bfnrt') ESCAPED[character.charCodeAt(0)] = 1

/** What makes of `<` something that a script may not hold: see `escapeForScript`. */
const AFTER_LESS_THAN = new Uint8Array(256)
for (const character of '/!sS') AFTER_LESS_THAN[character.charCodeAt(0)] = 1

export function createPlainScanner(): PlainScanner {
  let skeleton: Buffer = Buffer.alloc(0)
  let spans = new Uint32Array(0)
  return (bytes) => {
    if (!isUtf8(bytes)) return undefined
    if (skeleton.length < bytes.length) {
      skeleton = Buffer.allocUnsafeSlow(bytes.length * 2)
      // A text and its key take more bytes than the two numbers that tell where it is: `"":"",`.
      spans = new Uint32Array(skeleton.length >> 1)
    }
    const sizes = scan(bytes, skeleton, spans)
    return sizes && { ...sizes, skeleton: skeleton.subarray(0, sizes.length), spans }
  }
}

function scan(bytes: Buffer, skeleton: Buffer, spans: Uint32Array) {
  const size = bytes.length
  let length = 0
  let count = 0
  let depth = 0
  let hasScriptEnd = false
  let at = skipSpace(bytes, 0, size)
  if (at === size || bytes[at] !== OPEN) return undefined
  at = skipSpace(bytes, at + 1, size)
  let mayClose = true
  for (;;) {
    if (at === size) return undefined
    if (mayClose && bytes[at] === CLOSE) {
      at = skipSpace(bytes, at + 1, size)
      if (depth === 0) break
      depth--
      skeleton[length++] = CLOSE
    } else {
      const key = endOfString(bytes, at, size)
      if (key === 0) return undefined
      if (key < 0) hasScriptEnd = true
      const keyEnd = key < 0 ? -key : key
      copyBytes(bytes, at, keyEnd, skeleton, length)
      length += keyEnd - at
      at = skipSpace(bytes, keyEnd, size)
      if (at === size || bytes[at] !== COLON) return undefined
      at = skipSpace(bytes, at + 1, size)
      if (at === size) return undefined
      if (bytes[at] === OPEN) {
        if (++depth >= MAX_DEPTH) return undefined
        skeleton[length++] = OPEN
        at = skipSpace(bytes, at + 1, size)
        mayClose = true
        continue
      }
      const text = endOfString(bytes, at, size)
      if (text === 0) return undefined
      if (text < 0) hasScriptEnd = true
      const end = text < 0 ? -text : text
      spans[count * 2] = at
      spans[count * 2 + 1] = end
      count++
      at = skipSpace(bytes, end, size)
    }
    if (at === size) return undefined
    mayClose = bytes[at] !== COMMA
    if (!mayClose) at = skipSpace(bytes, at + 1, size)
    else if (bytes[at] !== CLOSE) return undefined
  }
  return at === size ? { length, count, hasScriptEnd } : undefined
}

// Nothing is read behind the end: what comes from there is no number, and loops that have met one stay slow.

/**
 * Where the string that begins here is over; negative: it holds what a script may not; 0: it is no string, or not spelled as
 * `JSON.stringify` spells it.
 */
function endOfString(bytes: Buffer, start: number, size: number): number {
  if (bytes[start] !== QUOTE) return 0
  let sign = 1
  for (let at = start + 1; at < size; at++) {
    const meaning = MEANING[bytes[at] as number] as number
    if (meaning === 0) continue
    if (meaning === END) return sign * (at + 1)
    if (meaning === CONTROL) return 0
    if (meaning === ESCAPE) {
      at++
      if (at === size || ESCAPED[bytes[at] as number] !== 1) return 0
    } else if (meaning === LESS_THAN) {
      if (at + 1 < size && AFTER_LESS_THAN[bytes[at + 1] as number] === 1) sign = -1
    } else if (at + 2 < size && bytes[at + 1] === 0x80 && ((bytes[at + 2] as number) | 1) === 0xa9) sign = -1 // U+2028 and U+2029.
  }
  return 0
}

function skipSpace(bytes: Buffer, from: number, size: number): number {
  let at = from
  while (at < size) {
    const byte = bytes[at] as number
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
    at++
  }
  return at
}

/** Copies of this length are made faster here than by a call of the runtime's; in a function of its own, which is soon compiled. */
export function copyBytes(from: Buffer, start: number, end: number, to: Buffer, at: number): void {
  for (let source = start, target = at; source < end; source++, target++) to[target] = from[source] as number
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
