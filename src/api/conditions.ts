/** Conditional requests: reads that send HTTP validators, and writes that expect certain current texts. */
import { textDigest, textsDigest } from '../shared/hash.ts'
import type { Exchange } from './transport.ts'

/** The `ETag` and `Last-Modified` headers from the server. */
export interface FileValidators {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

/** The headers of a conditional request, and the status that its response may have in addition to success. */
export function conditionOf({ etag, lastModified }: FileValidators) {
  const headers: Record<string, string> = {
    ...(etag !== undefined && { 'if-none-match': checkedEtag(etag) }),
    ...(lastModified !== undefined && { 'if-modified-since': new Date(lastModified).toUTCString() }),
  }
  return { headers, statuses: Object.keys(headers).length === 0 ? [] : [304] }
}

/** An entity tag from a response or a file on disk. `""` replaces a tag that is not valid in a header. */
function checkedEtag(etag: string): string {
  return /^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag) ? etag : '""'
}

export function announcesConditionalWrites(header: Exchange['header']): boolean {
  const items = (header('conditional-writes') ?? '').split(',')
  return items.some((item) => item.trim() === 'text-digest=sha-256')
}

/**
 * The header that makes a write conditional on the service's current text. `null` and `''` mean that the service must
 * have no text.
 */
export function expectText(expected: string | null): Readonly<Record<string, string>> {
  return expected === null || expected === '' ? { 'if-none-match': '*' } : { 'if-match': `"${textDigest(expected)}"` }
}

/**
 * The header that makes an import conditional on the service's current texts for the file's keys. The service must have
 * the texts in `expected`, and no texts for the file's other keys.
 */
export function expectTexts(expected: Iterable<readonly [key: string, text: string]>) {
  return { 'if-match': `"${textsDigest(expected)}"` }
}
