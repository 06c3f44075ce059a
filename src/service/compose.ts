/** Texts from the store to JSON files: written piece by piece, so that `__proto__` is a key like any other. */
import { nestStrings } from '../shared/flatten.ts'
import type { TextRow } from './store/translations.ts'

/** The texts of one language, namespace and customer, in the order of their keys. Customer `''`: none. */
export interface Part {
  readonly language: string
  readonly namespace: string
  readonly customer: string
  readonly texts: Map<string, string>
}

/** Collects rows into parts. `transform` may change a text, or leave it out with `undefined`. */
export function collectParts(
  rows: Iterable<TextRow>,
  transform: (text: string) => string | undefined = (text) => text,
): Part[] {
  const byLanguage = new Map<string, Part>()
  const parts: Part[] = []
  let namespace: string | undefined
  for (const row of rows) {
    const text = transform(row.text)
    if (text === undefined) continue
    // Rows come by namespace: the parts of the one before are done.
    if (row.namespace !== namespace) {
      byLanguage.clear()
      namespace = row.namespace
    }
    const id = row.customer === '' ? row.language : `${row.language}\0${row.customer}`
    let part = byLanguage.get(id)
    if (!part) {
      part = { language: row.language, namespace: row.namespace, customer: row.customer, texts: new Map() }
      byLanguage.set(id, part)
      parts.push(part)
    }
    part.texts.set(row.key, text)
  }
  return parts
}

/**
 * The texts of several namespaces in one flat file. A key that several namespaces have: the default namespace counts first,
 * then the first by name.
 */
export function mergeNamespaces(parts: Iterable<Part>): Map<string, string> {
  const merged = new Map<string, string>()
  for (const { texts } of parts) for (const [key, text] of texts) if (!merged.has(key)) merged.set(key, text)
  return merged
}

/** `{"key":"text"}`, flat unless `nested`. */
export function textsToJson(texts: Iterable<readonly [string, string]>, nested = false): string {
  if (nested) return JSON.stringify(nestStrings(texts, '.').value)
  const pieces: string[] = []
  for (const [key, text] of texts) pieces.push(`${JSON.stringify(key)}:${JSON.stringify(text)}`)
  return `{${pieces.join(',')}}`
}

/** `{"name":json}` of JSON texts that are written already. */
export function joinJson(members: Iterable<readonly [string, string]>): string {
  const pieces: string[] = []
  for (const [name, json] of members) pieces.push(`${JSON.stringify(name)}:${json}`)
  return `{${pieces.join(',')}}`
}

/** An object whose every name is its own, `__proto__` included. */
export function toRecord<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  const record: Record<string, T> = Object.create(null)
  for (const [name, value] of entries) record[name] = value
  return record
}
