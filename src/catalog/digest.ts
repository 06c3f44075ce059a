import { hashOf } from '../shared/hash.ts'
import { type Catalog, type CatalogPart, compareCodeUnits } from './model.ts'

/** A hash of all languages, parts and texts, in any order. */
export function catalogDigest(catalog: Catalog): string {
  const parts = catalog.parts
    .map((part) => {
      const { language, namespace, customer } = part
      return [JSON.stringify([language, namespace, customer ?? null]), partDigest(part)] as const
    })
    .sort(([a], [b]) => compareCodeUnits(a, b))
  return hashOf(JSON.stringify([catalog.languages, parts]), 32)
}

/**
 * Equal digests mean equal texts. Equal lazy texts may have different digests: a file can be written in several ways.
 */
function partDigest(part: CatalogPart): string {
  if (part.lazy) return part.lazy.hash
  const texts = [...part.messages].sort(([a], [b]) => compareCodeUnits(a, b))
  const values = part.values && [...part.values].sort(([a], [b]) => compareCodeUnits(a, b))
  return hashOf(JSON.stringify(values ? [texts, values] : texts))
}
