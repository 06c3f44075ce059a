import { isDeepStrictEqual } from 'node:util'
import { hashOf } from '../shared/hash.ts'
import type { Catalog, CatalogPart } from './model.ts'

/** A hash of all languages, parts and texts, in any order. */
export function catalogDigest(catalog: Catalog): string {
  return hashOf(JSON.stringify([namesOf(catalog), partDigests(catalog)]), 32)
}

/** A hash of all parts and texts, in any order. */
export function textsDigest(catalog: Catalog): string {
  return hashOf(JSON.stringify(partDigests(catalog)), 32)
}

/** True if the catalogs have the same digest. Parts that are the same object in both are not hashed. */
export function isSameTexts(one: Catalog, other: Catalog): boolean {
  if (one === other) return true
  if (one.parts.length !== other.parts.length) return false
  if (JSON.stringify(namesOf(one)) !== JSON.stringify(namesOf(other))) return false
  return one.parts.every((part, at) => {
    if (part === other.parts[at]) return true
    return isSamePart(part, other.part(part.language, part.namespace, part.customer))
  })
}

/** True if the parts have the same texts. A part that does not exist is `undefined`. */
export function isSamePart(one: CatalogPart | undefined, other: CatalogPart | undefined): boolean {
  if (one === other) return true
  if (!one || !other) return false
  if (one.lazy && other.lazy) return one.lazy === other.lazy || one.lazy.hash === other.lazy.hash
  return isSameMap(one.messages, other.messages) && isSameMap(one.values, other.values)
}

function isSameMap<T>(one: ReadonlyMap<string, T> = new Map(), other: ReadonlyMap<string, T> = new Map()): boolean {
  if (one.size !== other.size) return false
  for (const [key, value] of one) if (!isDeepStrictEqual(value, other.get(key))) return false
  return true
}

/** Omits `isInferred`, because a snapshot lists the languages that files only imply. */
const namesOf = ({ languages }: Catalog) => languages.map(({ key, name, isDefault }) => ({ key, name, isDefault }))

function partDigests({ parts }: Catalog) {
  return parts
    .map((part) => {
      const { language, namespace, customer } = part
      return [JSON.stringify([language, namespace, customer ?? null]), partDigest(part)] as const
    })
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * A part's digest. Parts with the same digest have the same texts. The reverse need not be true for lazy texts, because
 * a file can be written in several ways.
 */
function partDigest(part: CatalogPart): string {
  if (part.lazy) return part.lazy.hash
  const texts = [...part.messages].sort(([a], [b]) => (a < b ? -1 : 1))
  const values = part.values && [...part.values].sort(([a], [b]) => (a < b ? -1 : 1))
  return hashOf(JSON.stringify(values ? [texts, values] : texts))
}
