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
export async function collectParts(
  batches: AsyncIterable<readonly TextRow[]> | Iterable<readonly TextRow[]>,
  transform: (text: string) => string | undefined = (text) => text,
): Promise<Part[]> {
  const parts = new Map<string, Part>()
  for await (const rows of batches) {
    for (const row of rows) {
      const text = transform(row.text)
      if (text === undefined) continue
      const { language, namespace, customer } = row
      const id = `${namespace}\0${language}\0${customer}`
      const part = parts.get(id) ?? { language, namespace, customer, texts: new Map() }
      part.texts.set(row.key, text)
      parts.set(id, part)
    }
  }
  return [...parts.values()]
}

/**
 * The texts of several namespaces in one flat file. A key that several namespaces have: the default namespace counts
 * first, then the first by name.
 */
export function mergeNamespaces(parts: Iterable<Part>): Map<string, string> {
  const merged = new Map<string, string>()
  for (const { texts } of parts) for (const [key, text] of texts) if (!merged.has(key)) merged.set(key, text)
  return merged
}

/** `{"key":"text"}`, flat unless `nested`. */
export function textsToJson(texts: Iterable<readonly [string, string]>, nested = false): string {
  if (nested) return JSON.stringify(nestStrings(texts, '.').value)
  return joinJson([...texts].map(([key, text]) => [key, JSON.stringify(text)]))
}

/** `{"name":json}` of members that are JSON already. */
export function joinJson(members: Iterable<readonly [string, string]>): string {
  return `{${[...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}
