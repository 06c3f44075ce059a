import { branchesOf, segmentBelow } from '../shared/key-path.ts'
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
import { arrayFinder, indexOf, type Value, type Values } from './values.ts'

export interface Layer {
  readonly messages: Messages
  readonly values?: Values | undefined
}

export interface Joined extends Layer {
  readonly values: Values | undefined
}

/**
 * For each key, the first layer that has a text or value wins. The first layer that has a name also decides whether it
 * is an array. Below an array, only its elements are kept. Below other names, a later layer's array is omitted. The
 * first layer that has an array decides its length.
 *
 * @param keepsEmpty true if an empty text counts as a text
 * @param grows true if all layers have the same language. An array then includes the texts from every layer.
 */
export function joinLayers(
  layers: readonly Layer[],
  keySeparator: string,
  { keepsEmpty = false, grows = false } = {},
): Joined {
  const joiner = new LayerJoiner(keySeparator, keepsEmpty, grows)
  for (const layer of layers) joiner.add(layer)
  const values = joiner.values
  return { messages: joiner.texts, values: values.size > 0 ? values : undefined }
}

class LayerJoiner {
  readonly texts = new Map<string, string>()
  readonly values = new Map<string, Value>()
  /** Names with children that are not array elements. */
  readonly #objects = new Set<string>()
  /** The length that an array needs for the elements so far, by the name of the array. */
  readonly #ends = new Map<string, number>()
  readonly #separator: string
  readonly #keepsEmpty: boolean
  readonly #grows: boolean

  constructor(keySeparator: string, keepsEmpty: boolean, grows: boolean) {
    this.#separator = keySeparator
    this.#keepsEmpty = keepsEmpty
    this.#grows = grows
  }

  add({ messages, values }: Layer): void {
    const refused = new Map<string, Value>()
    for (const [key, value] of values ?? []) {
      if (value.kind === 'array' && !this.#takesArray(key)) refused.set(key, value)
    }
    const isRefused = arrayFinder(refused.size > 0 ? refused : undefined, this.#separator)
    const taken: string[] = []
    for (const [key, value] of values ?? []) {
      if (this.#has(key) || isRefused(key) !== undefined || !this.#fits(key)) continue
      this.values.set(key, value.kind === 'array' ? { ...value, length: this.#lengthOf(key, value.length) } : value)
      taken.push(key)
    }
    for (const [key, text] of messages) {
      if (text === '' && !this.#keepsEmpty) continue
      if (this.#has(key) || isRefused(key) !== undefined || !this.#fits(key)) continue
      this.texts.set(key, text)
      taken.push(key)
    }
    for (const key of taken) this.#note(key)
  }

  #has(key: string): boolean {
    return this.texts.has(key) || (this.values.get(key)?.kind ?? 'branch') !== 'branch'
  }

  #takesArray(key: string): boolean {
    return !this.texts.has(key) && !this.#objects.has(key) && (this.values.get(key)?.kind ?? 'array') === 'array'
  }

  /** True if every array that contains the key has room for it. */
  #fits(key: string): boolean {
    for (const branch of branchesOf(key, this.#separator)) {
      const value = this.values.get(branch)
      if (value?.kind !== 'array') continue
      const index = indexOf(segmentBelow(branch, key, this.#separator))
      if (index === undefined) return false
      if (index < value.length) continue
      // The texts come in any order. A gap that no text fills becomes an element without a text.
      if (!this.#grows || index >= value.length + MOST_ADDED) return false
      this.values.set(branch, { kind: 'array', length: index + 1 })
    }
    return true
  }

  /** The array's length. A layer without arrays, such as the service, may have more elements than the array. */
  #lengthOf(key: string, length: number): number {
    const end = this.#ends.get(key) ?? 0
    return end > length && end <= length + MOST_ADDED ? end : length
  }

  #note(key: string): void {
    for (const branch of branchesOf(key, this.#separator)) {
      const index = indexOf(segmentBelow(branch, key, this.#separator))
      if (index === undefined) this.#objects.add(branch)
      else this.#ends.set(branch, Math.max(this.#ends.get(branch) ?? 0, index + 1))
    }
  }
}

/** The maximum number of added elements: a key with a huge index must not create a huge array. */
const MOST_ADDED = 1000

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
  const joined = joinLayers([first, second], keySeparator, { grows: true })
  // Empty texts come last, so that texts from either side replace them.
  return joinLayers([joined, emptyOf(first), emptyOf(second)], keySeparator, { grows: true, keepsEmpty: true })
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
