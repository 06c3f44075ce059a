/**
 * Digests of texts for conditional writes. The client and the service compute them in the same way. They are an
 * extension that is not part of the contract.
 */
import { hashOf } from './hash.ts'

const LENGTH = 32

/** The first 32 characters of the SHA-256 of the text's UTF-8 bytes, in hexadecimal. */
export function textDigest(text: string): string {
  return hashOf(text, LENGTH)
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
