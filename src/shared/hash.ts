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

/**
 * The digest of a text for conditional writes: the first 32 characters of the SHA-256 of its UTF-8 bytes, in
 * hexadecimal. The client and the service compute it in the same way. It is an extension that is not part of the
 * contract.
 */
export function textDigest(text: string): string {
  return hashOf(text, 32)
}

/**
 * The digest of several texts in the same language, namespace and customer. It is the digest of the JSON `[[key, text],
 * ...]` without spaces and empty texts, sorted by the keys' UTF-16 code units.
 */
export function textsDigest(pairs: Iterable<readonly [key: string, text: string]>): string {
  const present = [...pairs].filter(([, text]) => text !== '')
  present.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return textDigest(JSON.stringify(present))
}
