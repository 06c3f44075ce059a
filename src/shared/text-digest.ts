/** The digests for conditional writes, which client and service share. An extension that is not in the contract. */
import { hashOf } from './hash.ts'

const LENGTH = 32

/** A text's digest: the first 32 characters of the hexadecimal SHA-256 of its UTF-8 bytes. */
export function textDigest(text: string): string {
  return hashOf(text, LENGTH)
}

/**
 * The digest of several texts in the same language, namespace and customer: of the JSON `[[key, text], ...]` without
 * spaces, sorted by the keys' UTF-16 code units, without empty texts.
 */
export function textsDigest(pairs: Iterable<readonly [key: string, text: string]>): string {
  const present = [...pairs].filter(([, text]) => text !== '')
  present.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return textDigest(JSON.stringify(present))
}
