/**
 * The loops of `src/files/plain.ts` over the bytes of a file, sixteen at a time, in AssemblyScript: `npm run wasm`
 * compiles them into `src/files/plain-code.ts`. All offsets are in this module's memory. A byte 0 follows the file, and
 * 16 unused bytes follow each area, because copies end up to 16 bytes too late.
 */

const QUOTE: u8 = 0x22
const COMMA: u8 = 0x2c
const COLON: u8 = 0x3a
const OPEN: u8 = 0x7b
const CLOSE: u8 = 0x7d
const BACKSLASH: u8 = 0x5c
const FIRST_PRINTABLE: u8 = 0x20

/** The length of an empty text: two quotes. */
const GAP: u32 = 2

/** Of the last scan: the length of the skeleton in bytes, and the number of texts that are not empty. */
export let skeletonLength: u32 = 0
export let textCount: u32 = 0

/**
 * Finds the texts of a file. Writes to `spans` where each text starts and ends, quotes included, and to `skeleton` the
 * keys as the file spells them, with the braces of the objects below them.
 *
 * @returns the number of texts; -1: the file is not plain, or has an error
 */
export function scan(file: usize, size: usize, skeleton: usize, spans: usize, maxDepth: i32): i32 {
  const fileEnd = file + size
  const skeletonStart = skeleton
  let span = spans
  let depth = 0
  textCount = 0
  let at = skipSpace(file)
  if (load<u8>(at) !== OPEN) return -1
  at = skipSpace(at + 1)
  let mayClose = true
  while (true) {
    if (mayClose && load<u8>(at) === CLOSE) {
      at = skipSpace(at + 1)
      if (depth === 0) break
      depth--
      store<u8>(skeleton++, CLOSE)
    } else {
      const key = at
      at = endOfString(key)
      if (at === 0) return -1
      copy(key, at, skeleton)
      skeleton += at - key
      at = skipSpace(at)
      if (load<u8>(at) !== COLON) return -1
      at = skipSpace(at + 1)
      if (load<u8>(at) === OPEN) {
        if (++depth >= maxDepth) return -1
        store<u8>(skeleton++, OPEN)
        at = skipSpace(at + 1)
        mayClose = true
        continue
      }
      const text = at
      at = endOfString(text)
      if (at === 0) return -1
      store<u32>(span, u32(text))
      store<u32>(span, u32(at), 4)
      span += 8
      if (u32(at - text) !== GAP) textCount++
      at = skipSpace(at)
    }
    mayClose = load<u8>(at) !== COMMA
    if (!mayClose) at = skipSpace(at + 1)
    else if (load<u8>(at) !== CLOSE) return -1
  }
  skeletonLength = u32(skeleton - skeletonStart)
  return at === fileEnd ? i32((span - spans) >> 3) : -1
}

/**
 * Writes the texts at `spans` as members of an object, in the order of `places`, without gaps.
 *
 * @param names `"key":` of each key in order; `nameEnds`: the end of each, from the start of the first
 * @returns the end of what was written
 */
export function write(spans: usize, places: usize, names: usize, nameEnds: usize, keyCount: u32, to: usize): usize {
  let name = names
  let isFirst = true
  for (let key: u32 = 0; key < keyCount; key++) {
    const nameEnd = names + load<u32>(nameEnds + (key << 2))
    const span = spans + (load<u32>(places + (key << 2)) << 3)
    const start = load<u32>(span)
    const end = load<u32>(span, 4)
    if (end - start !== GAP) {
      if (!isFirst) store<u8>(to++, COMMA)
      isFirst = false
      copy(name, nameEnd, to)
      to += nameEnd - name
      copy(start, end, to)
      to += end - start
    }
    name = nameEnd
  }
  return to
}

/** The end of the string that starts here; 0: this is no string, or `JSON.stringify` would spell it differently. */
function endOfString(start: usize): usize {
  if (load<u8>(start) !== QUOTE) return 0
  let at = start + 1
  while (true) {
    const special = specialBytes(v128.load(at))
    if (special === 0) {
      at += 16
      continue
    }
    at += ctz(special)
    const byte = load<u8>(at)
    if (byte === QUOTE) return at + 1
    if (byte !== BACKSLASH || !isEscaped(load<u8>(at + 1))) return 0
    at += 2
  }
}

/** One bit for each byte that ends a string, begins an escape, or may not stand in a string. */
function specialBytes(bytes: v128): i32 {
  const ends = v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH)))
  return i8x16.bitmask(v128.or(ends, i8x16.lt_u(bytes, i8x16.splat(FIRST_PRINTABLE))))
}

/** The escapes that `JSON.stringify` writes, except `\u`, which may stand for half a character. */
function isEscaped(byte: u8): bool {
  return (
    byte === QUOTE ||
    byte === BACKSLASH ||
    byte === 0x62 || // b
    byte === 0x66 || // f
    byte === 0x6e || // n
    byte === 0x72 || // r
    byte === 0x74 // t
  )
}

function skipSpace(start: usize): usize {
  let at = start
  while (true) {
    const byte = load<u8>(at)
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at
    at++
  }
}

function copy(start: usize, end: usize, to: usize): void {
  for (let from = start; from < end; from += 16, to += 16) v128.store(to, v128.load(from))
}
