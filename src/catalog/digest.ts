import { hashOf } from '../shared/hash.ts'
import { type Catalog, type CatalogPart, compareCodeUnits } from './model.ts'

/** A hash of every language, part and text, whatever order they came in. */
export function catalogDigest(catalog: Catalog): string {
  const parts = catalog.parts
    .map((part) => {
      const { language, namespace, customer } = part
      return [JSON.stringify([language, namespace, customer ?? null]), partDigest(part)] as const
    })
    .sort(([a], [b]) => compareCodeUnits(a, b))
  return hashOf(JSON.stringify([catalog.languages, parts]), 32)
}

/** Equal ones hold equal texts. The other way round only where texts are not lazy: a file may be written in more than one way. */
function partDigest(part: CatalogPart): string {
  if (part.lazy) return part.lazy.hash
  const texts = [...part.messages].sort(([a], [b]) => compareCodeUnits(a, b))
  return hashOf(JSON.stringify(texts))
}
