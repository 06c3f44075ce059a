import { joinLayers, type Layer } from './layers.ts'
import {
  type Catalog,
  type CatalogPart,
  createCatalog,
  type Language,
  type Messages,
  type PartInput,
  replaceParts,
} from './model.ts'
import { partId, type TextRef, textOrGap } from './text-id.ts'

/** `text` is `undefined` if the text no longer exists. */
export interface ChangedText {
  readonly ref: TextRef
  readonly text: string | undefined
}

/**
 * Fills gaps in the first catalog (missing or empty texts) from the second.
 *
 * @param keySeparator joins the keys of array elements
 */
export function fillGaps(first: Catalog, second: Catalog, keySeparator = '.'): Catalog {
  if (second.parts.length === 0) return first
  const parts: CatalogPart[] = second.parts.map((part) => {
    const own = first.part(part.language, part.namespace, part.customer)
    if (!own) return part
    const { language, namespace, customer } = part
    return { language, namespace, customer, ...fillPart(own, part, keySeparator) }
  })
  for (const part of first.parts) {
    if (!second.part(part.language, part.namespace, part.customer)) parts.push(part)
  }
  return createCatalog({ languages: joinLanguages(first.languages, second.languages), parts })
}

function fillPart(first: Layer, second: Layer, keySeparator: string): Layer {
  if (!first.values && !second.values) return { messages: fillMessages(first.messages, second.messages) }
  const joined = joinLayers([first, second], { keySeparator, grows: true })
  // Empty texts come last, so that texts from either side replace them.
  return joinLayers([joined, emptyOf(first), emptyOf(second)], { keySeparator, grows: true, keepsEmpty: true })
}

function emptyOf({ messages }: Layer): Layer {
  return { messages: new Map([...messages].filter(([, text]) => text === '')) }
}

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

export function withoutGaps({ languages, parts }: Catalog): Catalog {
  return createCatalog({
    languages,
    parts: parts.map(({ language, namespace, customer, messages, values }) => ({
      language,
      namespace,
      customer,
      values,
      messages: [...messages].filter(([, text]) => text !== ''),
    })),
  })
}

/** Applies changes. Returns the same object if the catalog already contains them. */
export function withTexts(catalog: Catalog, changes: Iterable<ChangedText>): Catalog {
  const changed = new Map<string, PartInput & { readonly messages: Map<string, string> }>()
  for (const { ref, text } of changes) {
    const { language, namespace, customer, key } = ref
    const id = partId(ref)
    const part = catalog.part(language, namespace, customer)
    const messages = changed.get(id)?.messages ?? part?.messages
    if (textOrGap(messages?.get(key)) === text) continue
    const copy = changed.get(id) ?? { language, namespace, customer, messages: new Map(messages), values: part?.values }
    if (text === undefined) copy.messages.delete(key)
    else copy.messages.set(key, text)
    changed.set(id, copy)
  }
  if (changed.size === 0) return catalog
  const given = [...changed.values()]
  const isKnown = ({ language, namespace, customer }: PartInput) => catalog.part(language, namespace, customer)
  if (given.every(isKnown)) return replaceParts(catalog, given)
  const others = catalog.parts.filter((part) => !changed.has(partId(part)))
  return createCatalog({ languages: catalog.languages, parts: [...others, ...given] })
}
