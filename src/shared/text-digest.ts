/** The digests of conditional writes: client and service must agree on them. An extension, not in the contract. */
import { hashOf } from './hash.ts'

const LENGTH = 32

/** Names the value of a text: SHA-256 of its UTF-8 bytes, lower-case hexadecimal, first 32 characters. */
export function textDigest(text: string): string {
  return hashOf(text, LENGTH)
}

/**
 * Names the values of several texts of one language, namespace and customer: the digest of `[[key, text], ...]` as JSON
 * without spaces, ordered by the keys' UTF-16 code units. Empty texts count as absent and are left out.
 */
export function textsDigest(pairs: Iterable<readonly [key: string, text: string]>): string {
  const present = [...pairs].filter(([, text]) => text !== '')
  present.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return textDigest(JSON.stringify(present))
}
