/**
 * The loops of `src/files/plain.ts` over the bytes of a file, sixteen at a time: AssemblyScript, which `npm run wasm` compiles into
 * `src/files/plain-code.ts`. All offsets are of this module's memory. Behind the file there is a byte 0, and behind everything that is read or
 * written here there are 16 bytes that nobody needs: copies end where they want.
 */

const QUOTE: u8 = 0x22
const COMMA: u8 = 0x2c
const COLON: u8 = 0x3a
const OPEN: u8 = 0x7b
const CLOSE: u8 = 0x7d
const BACKSLASH: u8 = 0x5c
const LESS_THAN: u8 = 0x3c
const FIRST_PRINTABLE: u8 = 0x20
/** The first byte of U+2028 and U+2029. */
const LINE_END_LEAD: u8 = 0xe2

/** Of an empty text: two quotes. */
const GAP: u32 = 2

/** Of the last scan. */
export let skeletonLength: u32 = 0
export let hasScriptEnd: bool = false

/** How many texts the last `write` has written. */
export let written: u32 = 0

/**
 * Notes where the texts of a file are: for each the offsets of its quotes' outer sides, at `spans`. At `skeleton` come its keys as they
 * are written, with the braces of the objects below them.
 *
 * @returns how many texts there are; -1: not plain, or not right
 */
export function scan(file: usize, size: usize, skeleton: usize, spans: usize, maxDepth: i32): i32 {
  const fileEnd = file + size
  const skeletonStart = skeleton
  let span = spans
  let depth = 0
  hasScriptEnd = false
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
 * Writes the texts that `spans` tells of as members of an object, in the order of `places`, without gaps.
 *
 * @param names `"key":` of each key in order, without anything between them; `nameEnds`: where each ends, from the first one's start
 * @returns where it ends
 */
export function write(spans: usize, places: usize, names: usize, nameEnds: usize, keyCount: u32, to: usize): usize {
  let name = names
  let count: u32 = 0
  for (let key: u32 = 0; key < keyCount; key++) {
    const nameEnd = names + load<u32>(nameEnds + (key << 2))
    const span = spans + (load<u32>(places + (key << 2)) << 3)
    const start = load<u32>(span)
    const end = load<u32>(span, 4)
    if (end - start !== GAP) {
      if (count++ !== 0) store<u8>(to++, COMMA)
      copy(name, nameEnd, to)
      to += nameEnd - name
      copy(start, end, to)
      to += end - start
    }
    name = nameEnd
  }
  written = count
  return to
}

/** Where the string that begins here is over; 0: it is no string, or not spelled as `JSON.stringify` spells it. */
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
    if (byte < FIRST_PRINTABLE) return 0
    const next = load<u8>(at + 1)
    if (byte === BACKSLASH) {
      if (!isEscaped(next)) return 0
      at += 2
      continue
    }
    if (byte === LESS_THAN) {
      if (isAfterLessThan(next)) hasScriptEnd = true
    } else if (next === 0x80 && (load<u8>(at + 2) | 1) === 0xa9) hasScriptEnd = true
    at++
  }
}

/** A bit for each byte that does not mean itself inside a string. */
function specialBytes(bytes: v128): i32 {
  const ends = v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH)))
  const inScripts = v128.or(i8x16.eq(bytes, i8x16.splat(LESS_THAN)), i8x16.eq(bytes, i8x16.splat(LINE_END_LEAD)))
  return i8x16.bitmask(v128.or(v128.or(ends, inScripts), i8x16.lt_u(bytes, i8x16.splat(FIRST_PRINTABLE))))
}

/** What may follow a backslash: `JSON.stringify` writes these so. `\u` may stand for half a character. */
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

/** What makes of `<` something that a script may not hold: see `escapeForScript`. */
function isAfterLessThan(byte: u8): bool {
  return byte === 0x2f || byte === 0x21 || byte === 0x73 || byte === 0x53 // / ! s S
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
