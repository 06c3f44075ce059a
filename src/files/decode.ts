/** Strict decoding of bytes to text. */

import { isUtf8 } from 'node:buffer'
import { positionAt, type TextPosition } from '../shared/text-position.ts'

/** Half of a surrogate pair, which UTF-8 cannot encode. */
export const LONE_SURROGATE = /\p{Surrogate}/u

/** The text, with its byte order mark. If it is ill-formed, the position of the first invalid character. */
export function decodeText(
  content: string | Uint8Array,
): string | { readonly message: string; readonly position: TextPosition } {
  if (typeof content === 'string') {
    const at = content.search(LONE_SURROGATE)
    return at < 0 ? content : { message: 'a lone surrogate (half a character)', position: positionAt(content, at) }
  }
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (isUtf8(buffer)) return buffer.toString('utf8')
  const offset = firstInvalidByte(buffer)
  const before = buffer.toString('utf8', 0, offset)
  const byte = (buffer[offset] ?? 0).toString(16).padStart(2, '0')
  return { message: `not UTF-8 (byte 0x${byte})`, position: positionAt(before, before.length) }
}

/** The index of the first byte that would change if the text were encoded again. */
function firstInvalidByte(buffer: Buffer): number {
  const again = Buffer.from(buffer.toString('utf8'))
  let at = 0
  while (at < buffer.length - 1 && buffer[at] === again[at]) at++
  return at
}
