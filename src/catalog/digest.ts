import { hashOf } from '../shared/hash.ts'
import { type Catalog, compareCodeUnits } from './model.ts'

/** A hash of every language, part and text, whatever order they came in. */
export function catalogDigest(catalog: Catalog): string {
  const parts = catalog.parts
    .map(({ language, namespace, customer, messages }) => {
      const texts = [...messages].sort(([a], [b]) => compareCodeUnits(a, b))
      return [JSON.stringify([language, namespace, customer ?? null]), hashOf(JSON.stringify(texts))] as const
    })
    .sort(([a], [b]) => compareCodeUnits(a, b))
  return hashOf(JSON.stringify([catalog.languages, parts]), 32)
}
