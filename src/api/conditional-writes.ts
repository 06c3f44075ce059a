/** The client's half of conditional writes. An extension of the local service, not in the contract. */
import { textDigest, textsDigest } from '../shared/text-digest.ts'
import type { Exchange } from './transport.ts'

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
