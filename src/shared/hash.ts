import { hash } from 'node:crypto'

/** SHA-256 of the content, hexadecimal, first `length` characters. */
export function hashOf(content: string | Uint8Array, length = 64): string {
  return hash('sha256', content, 'hex').slice(0, length)
}
