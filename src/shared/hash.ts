import { hash } from 'node:crypto'

/** SHA-256 of the content, hexadecimal, first `length` characters. */
export function hashOf(content: string | Uint8Array, length = 64): string {
  return hash('sha256', content, 'hex').slice(0, length)
}

/**
 * SHA-1 of the content, hexadecimal: twice as fast as SHA-256 on processors without instructions for it. Not for
 * secrets, and not against collisions that somebody makes on purpose.
 */
export function contentHash(content: string | Uint8Array): string {
  return hash('sha1', content, 'hex')
}
