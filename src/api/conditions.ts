/** Conditional requests: reads by HTTP's validators, and writes by the text that is to be replaced. */
import { textDigest, textsDigest } from '../shared/text-digest.ts'
import type { Exchange } from './transport.ts'

/** The headers `ETag` and `Last-Modified`, as far as the server sent them. */
export interface FileValidators {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

/** The headers of a conditional request, and the further status that its answer may have. */
export function conditionOf({ etag, lastModified }: FileValidators) {
  const headers: Record<string, string> = {
    ...(etag !== undefined && { 'if-none-match': checkedEtag(etag) }),
    ...(lastModified !== undefined && { 'if-modified-since': new Date(lastModified).toUTCString() }),
  }
  return { headers, statuses: Object.keys(headers).length === 0 ? [] : [304] }
}

/** An entity tag comes from an answer or from a file on disk. One that cannot stand in a header is not sent. */
function checkedEtag(etag: string): string {
  return /^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag) ? etag : '""'
}

/** Whether an answer says that its service honours the conditions below. */
export function announcesConditionalWrites(header: Exchange['header']): boolean {
  const items = (header('conditional-writes') ?? '').split(',')
  return items.some((item) => item.trim() === 'text-digest=sha-256')
}

/** The header that lets a write happen only while the service has this text; `null` and `''`: while it has none. */
export function expectText(expected: string | null): Readonly<Record<string, string>> {
  return expected === null || expected === '' ? { 'if-none-match': '*' } : { 'if-match': `"${textDigest(expected)}"` }
}

/** The same for an import: exactly these of its keys have a text, and these are the texts. */
export function expectTexts(expected: Iterable<readonly [key: string, text: string]>) {
  return { 'if-match': `"${textsDigest(expected)}"` }
}
