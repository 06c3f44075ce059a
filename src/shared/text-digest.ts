/** The digests for conditional writes, shared by client and service. An extension of the contract. */
import { hashOf } from './hash.ts'

const LENGTH = 32

/** The digest of a text: the first 32 characters of the hexadecimal SHA-256 of its UTF-8 bytes. */
export function textDigest(text: string): string {
  return hashOf(text, LENGTH)
}

/**
 * The digest of several texts with the same language, namespace and customer: of `[[key, text], ...]` as JSON without
 * spaces, sorted by the UTF-16 code units of the keys, without empty texts.
 */
export function textsDigest(pairs: Iterable<readonly [key: string, text: string]>): string {
  const present = [...pairs].filter(([, text]) => text !== '')
  present.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return textDigest(JSON.stringify(present))
}
