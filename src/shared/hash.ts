import { hash } from 'node:crypto'

/** The first `length` characters of the content's hexadecimal SHA-256. */
export function hashOf(content: string | Uint8Array, length = 64): string {
  return hash('sha256', content, 'hex').slice(0, length)
}

/**
 * The content's hexadecimal SHA-1: twice as fast as SHA-256 on processors without special instructions. Not for
 * secrets, and not safe against deliberate collisions.
 */
export function contentHash(content: string | Uint8Array): string {
  return hash('sha1', content, 'hex')
}
