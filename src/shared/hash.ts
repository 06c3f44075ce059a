import { hash } from 'node:crypto'

/** The first `length` characters of the content's SHA-256 in hexadecimal. */
export function hashOf(content: string | Uint8Array, length = 64): string {
  return hash('sha256', content, 'hex').slice(0, length)
}

/**
 * The content's SHA-1 in hexadecimal. On CPUs without instructions for SHA, it is twice as fast as SHA-256. Do not use
 * it for secrets, or where someone may construct a collision.
 */
export function contentHash(content: string | Uint8Array): string {
  return hash('sha1', content, 'hex')
}
