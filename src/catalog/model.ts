/** The catalog that every source returns: it maps language, namespace and customer to texts by key. Immutable. */
import { languageName } from '../shared/language-name.ts'
import { compareCodeUnits } from '../shared/split.ts'
import { type PartRef, partId } from './text-id.ts'
import type { Value, Values } from './values.ts'

export interface Language {
  /** The app's code for the language. */
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
  /** Set if the source does not list the language, so it was inferred from the names of parts. */
  readonly isInferred?: true
}

/** The texts by flat key, in the source's order. An empty text is a gap: the translation is missing. */
export type Messages = ReadonlyMap<string, string>

/** A file's texts. A dev server parses them on demand and may release them in between. */
export interface LazyTexts {
  /** A hash of the texts. Equal hashes mean equal texts. */
  readonly hash: string
  /** The number of texts that are not empty. */
  readonly count: number
  messages(): Messages
  /** The numbers, booleans, nulls and arrays in the file. */
  readonly values?: Values | undefined
}

/** One language and namespace in a catalog. If `customer` is set, the part has only that customer's texts. */
export interface CatalogPart extends PartRef {
  readonly messages: Messages
  /** Numbers, booleans, nulls and arrays; `undefined` if there are none. */
  readonly values?: Values | undefined
  /** The texts, if they are parsed on demand. */
  readonly lazy?: LazyTexts | undefined
  /** Set if the part's file has an error, so that its texts are unknown. */
  readonly isBroken?: true
}

export interface Catalog {
  /** The languages, in the source's order. */
  readonly languages: readonly Language[]
  /** The namespaces, sorted by code unit. */
  readonly namespaces: readonly string[]
  /** The customers, sorted by code unit. */
  readonly customers: readonly string[]
  /** The number of texts that are not empty. */
  readonly textCount: number
  /** The parts, in any order. */
  readonly parts: readonly CatalogPart[]
  /** The part's own texts, without fallbacks and customers; `undefined` if there is no such part. */
  messages(language: string, namespace: string, customer?: string): Messages | undefined
  part(language: string, namespace: string, customer?: string): CatalogPart | undefined
}

/** A part's texts: either the texts themselves, or texts that are parsed on demand. */
export type PartInput = PartRef &
  (
    | {
        readonly messages: Iterable<readonly [string, string]>
        readonly values?: Iterable<readonly [string, Value]> | undefined
        readonly isBroken?: boolean | undefined
        readonly lazy?: undefined
      }
    | { readonly lazy: LazyTexts }
  )

/**
 * Joins parts with the same language, namespace and customer. If a key occurs more than once, the last text is used.
 *
 * @param languages the languages that the source lists; those of the parts are added
 */
export function createCatalog({
  languages = [],
  parts,
}: {
  readonly languages?: readonly Language[]
  readonly parts: Iterable<PartInput>
}): Catalog {
  const byLanguage = new Map<string, Language>(
    languages.map((language) => [language.key, Object.freeze({ ...language })]),
  )
  const byId = new Map<string, CatalogPart>()
  for (const part of parts) {
    const { language } = part
    if (!byLanguage.has(language)) {
      const name = languageName(language)
      byLanguage.set(language, Object.freeze({ key: language, name, isDefault: false, isInferred: true }))
    }
    const id = partId(part)
    const known = byId.get(id)
    byId.set(id, known ? joinParts(known, part) : partOf(part))
  }
  const all = [...byId.values()]
  return catalogOf(byId, {
    languages: Object.freeze([...byLanguage.values()]),
    namespaces: Object.freeze(sortedUnique(all.map(({ namespace }) => namespace))),
    customers: Object.freeze(sortedUnique(all.flatMap(({ customer }) => customer ?? []))),
  })
}

function joinParts(first: CatalogPart, second: PartInput): CatalogPart {
  const { language, namespace, customer } = first
  const other = partOf(second)
  const messages = new Map([...first.messages, ...other.messages])
  const values = [...(first.values ?? []), ...(other.values ?? [])]
  return partOf({ language, namespace, customer, messages, values })
}

function partOf(part: PartInput): CatalogPart {
  const { language, namespace, customer } = part
  const names = { language, namespace, ...(customer !== undefined && { customer }) }
  if (part.lazy) return Object.freeze(lazyPart(names, part.lazy))
  const values = part.values && new Map(part.values)
  return Object.freeze({
    ...names,
    messages: frozen(part.messages),
    ...(values && values.size > 0 && { values }),
    ...(part.isBroken && { isBroken: true as const }),
  })
}

/**
 * Returns a catalog with new texts in existing parts. The other parts and the lists of names remain the same objects,
 * so that an edit is cheap.
 */
export function replaceParts(catalog: Catalog, given: readonly PartInput[]): Catalog {
  const byId = new Map(catalog.parts.map((part) => [partId(part), part]))
  for (const part of createCatalog({ parts: given }).parts) {
    const id = partId(part)
    if (!byId.has(id)) throw new TypeError(`the catalog has no part ${id}`)
    byId.set(id, part)
  }
  return catalogOf(byId, catalog)
}

function catalogOf(
  byId: ReadonlyMap<string, CatalogPart>,
  { languages, namespaces, customers }: Pick<Catalog, 'languages' | 'namespaces' | 'customers'>,
): Catalog {
  const parts = Object.freeze([...byId.values()])
  const part = (language: string, namespace: string, customer?: string) =>
    byId.get(partId({ language, namespace, customer }))
  let textCount: number | undefined
  return Object.freeze({
    languages,
    namespaces,
    customers,
    // Counted on demand, because counting reads files that have not been read yet.
    get textCount() {
      textCount ??= countTexts(parts)
      return textCount
    },
    parts,
    part,
    messages: (language: string, namespace: string, customer?: string) => part(language, namespace, customer)?.messages,
  })
}

/** The number of texts that are not empty. */
export function countTexts(parts: readonly CatalogPart[]): number {
  let total = 0
  for (const part of parts) {
    if (part.lazy) total += part.lazy.count
    else for (const text of part.messages.values()) if (text !== '') total++
  }
  return total
}

/** The texts are own properties, so that a copy of the part has them too. */
function lazyPart(names: PartRef, lazy: LazyTexts): CatalogPart {
  return {
    ...names,
    get messages() {
      return lazy.messages()
    },
    get values() {
      return lazy.values
    },
    lazy,
  }
}

function sortedUnique(values: readonly string[]): string[] {
  return [...new Set(values)].sort(compareCodeUnits)
}

/** A copy without a map's write methods. Frozen maps, such as another catalog's, are not copied. */
function frozen(messages: Iterable<readonly [string, string]>): Messages {
  if (messages instanceof Map && Object.isFrozen(messages)) return messages
  return freezeMessages(new Map(messages))
}

export function freezeMessages(map: Map<string, string>): Messages {
  return Object.freeze(Object.assign(map, { set: refuseChange, delete: refuseChange, clear: refuseChange }))
}

function refuseChange(): never {
  throw new TypeError('a catalog is immutable: make a new one')
}
