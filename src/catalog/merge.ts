import { type Catalog, type CatalogPart, createCatalog, type Language, type Messages } from './model.ts'

/**
 * One catalog of two: where both have a text the first one's counts, where the first has a gap (no text, or an empty one) the
 * second fills it. Neither is changed, no text is invented.
 */
export function fillGaps(first: Catalog, second: Catalog): Catalog {
  if (second.parts.length === 0) return first
  const parts: CatalogPart[] = second.parts.map((part) => {
    const own = first.messages(part.language, part.namespace, part.customer)
    return own ? { ...part, lazy: undefined, messages: fillMessages(own, part.messages) } : part
  })
  for (const part of first.parts) {
    if (!second.messages(part.language, part.namespace, part.customer)) parts.push(part)
  }
  return createCatalog({ languages: joinLanguages(first.languages, second.languages), parts })
}

/** The first's texts, its gaps filled from the second; the first's keys come first. */
function fillMessages(first: Messages, second: Messages): Messages {
  const joined = new Map(first)
  for (const [key, text] of second) if (!joined.get(key)) joined.set(key, text)
  return joined
}

function joinLanguages(first: readonly Language[], second: readonly Language[]): Language[] {
  const known = new Set(first.map((language) => language.key))
  const hasDefault = first.some((language) => language.isDefault)
  const added = second
    .filter((language) => !known.has(language.key))
    .map((language) => (hasDefault ? { ...language, isDefault: false } : language))
  return [...first, ...added]
}
