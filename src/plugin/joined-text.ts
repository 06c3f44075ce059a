/**
 * A text as it is once its string pieces are joined and its escapes are undone: `"ab" + 'c\x64'`, `` `${"ab"}cd` ``, `["ab","cd"].join("")`
 * and `ab%63d` all become `abcd`. What stands between pieces (quotes, signs, brackets, white space, backslashes) is left out everywhere, so that
 * it need not be known where a string begins; whatever is looked for goes the same way first. Bytes, because outputs are large.
 */

const BACKSLASH = 0x5c
const PERCENT = 0x25
const AMPERSAND = 0x26
const DOT = 0x2e

/** What can stand between two pieces of one string. */
const GLUE = new Uint8Array(256)
for (const sign of ' \t\r\n"\'`+,()[]{}$\\') GLUE[sign.charCodeAt(0)] = 1

const CONCAT = Buffer.from('.concat')

/** Value of a hexadecimal digit, or -1. */
const HEX = new Int8Array(256).fill(-1)
for (let digit = 0; digit < 16; digit++) {
  HEX[digit.toString(16).charCodeAt(0)] = digit
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit
}

export function joinPieces(bytes: Uint8Array): Buffer {
  // What an escape stands for is never longer than the escape.
  const target = Buffer.allocUnsafe(bytes.length)
  return target.subarray(0, walk(bytes, target, Number.POSITIVE_INFINITY).written)
}

/** Where in `bytes` the byte at `offset` of the joined text begins. */
export function sourceOffset(bytes: Uint8Array, offset: number): number {
  return walk(bytes, Buffer.allocUnsafe(bytes.length), offset).read
}

function walk(bytes: Uint8Array, target: Buffer, stopAt: number): { written: number; read: number } {
  const { length } = bytes
  let written = 0
  let at = 0
  while (at < length) {
    const byte = bytes[at] as number
    let size = 1
    let code = -1
    if (byte === BACKSLASH) {
      // Source maps and JSON in strings escape the backslash again.
      while (bytes[at + size] === BACKSLASH) size++
      const escaped = readEscape(bytes, at + size)
      size += escaped?.size ?? 0
      code = escaped?.code ?? -1
    } else if (byte === PERCENT) {
      code = readHex(bytes, at + 1, 2)
      if (code === -1) code = byte
      else size = 3
    } else if (byte === AMPERSAND && bytes[at + 1] === 0x23) {
      const reference = readReference(bytes, at + 2)
      code = reference?.code ?? byte
      size = reference ? reference.size + 2 : 1
    } else if (byte === DOT && startsWith(bytes, at, CONCAT)) size = CONCAT.length
    else if (GLUE[byte] === 0) {
      if (written === stopAt) return { written, read: at }
      target[written++] = byte
      at++
      continue
    }
    // An escaped sign counts as the sign: it may stand between pieces too.
    if (code !== -1 && (code > 255 || GLUE[code] === 0)) {
      if (stopAt <= written) return { written, read: at }
      if (code < 0x80 || byte === PERCENT) target[written++] = code
      else written += target.write(String.fromCodePoint(code), written)
    }
    at += size
  }
  return { written, read: at }
}

/** Behind the backslash: `x63`, `u0063`, `u{63}`, `143`, `n`. */
function readEscape(bytes: Uint8Array, at: number): { code: number; size: number } | undefined {
  const letter = bytes[at]
  if (letter === 0x78) return sized(readHex(bytes, at + 1, 2), 3)
  if (letter === 0x75) {
    if (bytes[at + 1] !== 0x7b) return sized(readHex(bytes, at + 1, 4), 5)
    for (let digits = 1; digits <= 6; digits++) {
      if (bytes[at + 2 + digits] === 0x7d) return sized(readHex(bytes, at + 2, digits), digits + 3)
    }
    return undefined
  }
  if (letter === 0x6e || letter === 0x72 || letter === 0x74) return { code: 0x20, size: 1 }
  let code = -1
  let size = 0
  while (size < 3) {
    const digit = (bytes[at + size] ?? 0) - 0x30
    if (digit < 0 || digit > 7) break
    code = Math.max(code, 0) * 8 + digit
    size++
  }
  return size === 0 ? undefined : { code, size }
}

/** Behind `&#`: `99;`, `x63;`. */
function readReference(bytes: Uint8Array, at: number): { code: number; size: number } | undefined {
  const isHex = bytes[at] === 0x78 || bytes[at] === 0x58
  const start = isHex ? at + 1 : at
  let code = 0
  for (let end = start; end < start + 7; end++) {
    const byte = bytes[end] ?? 0
    if (byte === 0x3b) return end === start || code > 0x10ffff ? undefined : { code, size: end - at + 1 }
    const digit = HEX[byte] as number
    if (digit === -1 || (!isHex && digit > 9)) return undefined
    code = code * (isHex ? 16 : 10) + digit
  }
  return undefined
}

function sized(code: number, size: number): { code: number; size: number } | undefined {
  return code === -1 || code > 0x10ffff ? undefined : { code, size }
}

function readHex(bytes: Uint8Array, at: number, digits: number): number {
  let code = 0
  for (let i = 0; i < digits; i++) {
    const digit = HEX[bytes[at + i] ?? 0] as number
    if (digit === -1) return -1
    code = code * 16 + digit
  }
  return code
}

function startsWith(bytes: Uint8Array, at: number, prefix: Uint8Array): boolean {
  for (let i = 0; i < prefix.length; i++) if (bytes[at + i] !== prefix[i]) return false
  return true
}
