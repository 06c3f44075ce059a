/** The model that every source gives: language x namespace (x customer) -> key -> text. Immutable. */
import { languageName } from '../shared/language-name.ts'
import { weakMemo } from '../shared/weak-memo.ts'
import type { Value, Values } from './values.ts'

export interface Language {
  /** The app's code of the language. */
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
  /** No source names the language: parts have it, whose files are named so. */
  readonly isInferred?: true
}

/** Flat key to text, in the source's order. An empty text is a gap: no translation. */
export type Messages = ReadonlyMap<string, string>

/** Messages as an object. A value that is not a string is an inherited property, not a text. */
export type PlainTexts = Readonly<Record<string, string>>

/** Texts that are parsed on demand: a large catalog does not fit into memory as strings. */
export interface LazyTexts {
  /** Equal hashes mean equal texts. */
  readonly hash: string
  /** The number of texts, empty ones not counted. */
  readonly count: number
  plain(): PlainTexts
  /** The same texts as a map, where the reader has one. */
  messages?(): Messages
  /** Numbers, booleans, null and arrays of the file. */
  readonly values?: Values | undefined
  /** The encoded texts, where they were read for a build. */
  readonly module?: TextModule | undefined
  /** With `module`: the sorted keys, gaps included. Languages with equal keys share one array. */
  readonly keys?: readonly string[] | undefined
}

/** Texts, encoded as a page fetches them. */
export interface TextModule {
  /** Of a large catalog, each access reads them from the disk. */
  readonly bytes: Buffer
  readonly size: number
  /** At least eight hexadecimal characters. */
  readonly hash: string
}

/** The port through which readers encode texts for the page. Readers do not depend on the encoding. */
export interface TextEncoding {
  /** What stands around an object's JSON members in UTF-8, such as `"a":"x","b":"y"`. */
  readonly open: Buffer
  readonly close: Buffer
  /** False: texts with such keys have no encoding. */
  accepts(keys: readonly string[]): boolean
  /**
   * @param bytes the members between `open` and `close`
   * @returns a module whose bytes may be the same memory
   */
  encode(bytes: Buffer): TextModule
  decode(module: Buffer): PlainTexts
}

/** Encoded texts that are decoded on demand. */
export function lazyTexts(
  module: TextModule,
  keys: readonly string[],
  count: number,
  { decode }: TextEncoding,
): LazyTexts {
  return { hash: module.hash, count, keys, module, plain: weakMemo(() => decode(module.bytes)) }
}

/** One language and namespace of a catalog; with `customer`, only that customer's texts. */
export interface CatalogPart {
  readonly language: string
  readonly namespace: string
  readonly customer?: string | undefined
  readonly messages: Messages
  /** Numbers, booleans, null and arrays; `undefined`: none. */
  readonly values?: Values | undefined
  /** The texts, if they are parsed on demand. */
  readonly lazy?: LazyTexts | undefined
}

export interface Catalog {
  /** In the source's order. */
  readonly languages: readonly Language[]
  /** Sorted by code unit. */
  readonly namespaces: readonly string[]
  /** Sorted by code unit. */
  readonly customers: readonly string[]
  /** The number of texts, empty ones excluded. */
  readonly textCount: number
  /** In no promised order. */
  readonly parts: readonly CatalogPart[]
  /** The part's own texts, without fallbacks and customers; `undefined`: there is no such part. */
  messages(language: string, namespace: string, customer?: string): Messages | undefined
  part(language: string, namespace: string, customer?: string): CatalogPart | undefined
}

export interface CatalogInput {
  /** The languages that the source names. Languages of `parts` are added. */
  readonly languages?: readonly Language[]
  readonly parts: Iterable<PartInput>
}

interface PartNames {
  readonly language: string
  readonly namespace: string
  readonly customer?: string | undefined
}

interface MessagesInput {
  readonly messages: Iterable<readonly [string, string]>
  readonly values?: Iterable<readonly [string, Value]> | undefined
  readonly lazy?: undefined
}

export type PartInput = PartNames & (MessagesInput | { readonly lazy: LazyTexts })

interface Collected extends PartNames {
  lazy?: LazyTexts | undefined
  messages?: Map<string, string>
  values?: Map<string, Value> | undefined
}

/** Joins parts of the same language, namespace and customer; of duplicate keys, the last text counts. */
export function createCatalog({ languages = [], parts }: CatalogInput): Catalog {
  const byLanguage = new Map<string, Language>(
    languages.map((language) => [language.key, Object.freeze({ ...language })]),
  )
  const collected = new Map<string, Collected>()
  for (const part of parts) {
    const { language, namespace, customer } = part
    if (!byLanguage.has(language)) {
      const name = languageName(language)
      byLanguage.set(language, Object.freeze({ key: language, name, isDefault: false, isInferred: true }))
    }
    const id = partId(language, namespace, customer)
    const known = collected.get(id)
    if (known) {
      known.messages ??= new Map(known.lazy && Object.entries(known.lazy.plain()))
      known.values ??= known.lazy?.values && new Map(known.lazy.values)
      known.lazy = undefined
      for (const [key, text] of entriesOf(part)) known.messages.set(key, text)
      const values = valuesOf(part)
      if (values) known.values = new Map([...(known.values ?? []), ...values])
    } else {
      const names = { language, namespace, ...(customer !== undefined && { customer }) }
      const values = part.lazy ? undefined : valuesOf(part)
      // This does not parse a lazy part.
      const own = () => ({ ...names, messages: new Map(entriesOf(part)), ...(values && { values }) })
      collected.set(id, part.lazy ? { ...names, lazy: part.lazy } : own())
    }
  }

  const frozen = new Map<string, CatalogPart>()
  for (const [id, part] of collected) {
    if (part.lazy) {
      frozen.set(id, Object.freeze(new LazyPart(part, part.lazy)))
      continue
    }
    const { messages = new Map<string, string>(), lazy: _, ...names } = part
    frozen.set(id, Object.freeze({ ...names, messages: freezeMap(messages) }))
  }
  const allParts = [...frozen.values()]
  return catalogOf(frozen, {
    languages: Object.freeze([...byLanguage.values()]),
    namespaces: Object.freeze(sortedUnique(allParts.map(({ namespace }) => namespace))),
    customers: Object.freeze(sortedUnique(allParts.flatMap(({ customer }) => customer ?? []))),
  })
}

/**
 * The catalog with other texts in parts that it has. The other parts, and the lists of names, are the same objects: an
 * edit costs no more than one look at each part.
 */
export function replaceParts(catalog: Catalog, given: readonly PartInput[]): Catalog {
  const byId = new Map(catalog.parts.map((part) => [idOf(part), part]))
  for (const part of createCatalog({ parts: given }).parts) {
    const id = idOf(part)
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
    byId.get(partId(language, namespace, customer))
  let textCount: number | undefined
  return Object.freeze({
    languages,
    namespaces,
    customers,
    // Not before it is needed: counting reads files that are read on demand.
    get textCount() {
      textCount ??= countTexts(parts)
      return textCount
    },
    parts,
    part,
    messages: (language: string, namespace: string, customer?: string) => part(language, namespace, customer)?.messages,
  })
}

function countTexts(parts: readonly CatalogPart[]): number {
  let total = 0
  for (const part of parts) {
    if (part.lazy) total += part.lazy.count
    else for (const text of part.messages.values()) if (text !== '') total++
  }
  return total
}

function idOf({ language, namespace, customer }: PartNames): string {
  return partId(language, namespace, customer)
}

function entriesOf(part: PartInput): Iterable<readonly [string, string]> {
  return part.lazy ? Object.entries(part.lazy.plain()) : part.messages
}

/** `undefined` if there are no values: parts without values take the fast paths. */
function valuesOf({ lazy, ...part }: PartInput): Map<string, Value> | undefined {
  const values = new Map(lazy ? lazy.values : 'values' in part ? part.values : undefined)
  return values.size === 0 ? undefined : values
}

class LazyPart implements CatalogPart {
  readonly language: string
  readonly namespace: string
  declare readonly customer?: string
  readonly lazy: LazyTexts
  readonly #messages: () => Messages

  constructor({ language, namespace, customer }: PartNames, lazy: LazyTexts) {
    this.language = language
    this.namespace = namespace
    if (customer !== undefined) this.customer = customer
    this.lazy = lazy
    this.#messages = lazy.messages ?? weakMemo(() => freezeMap(new Map(Object.entries(lazy.plain()))))
  }

  get messages(): Messages {
    return this.#messages()
  }

  get values(): Values | undefined {
    return this.lazy.values
  }
}

/** Order by UTF-16 code unit: the same on every machine, whatever its locale. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function partId(language: string, namespace: string, customer: string | undefined): string {
  return `${language.length} ${namespace.length} ${language}${namespace}${customer === undefined ? '' : ` ${customer}`}`
}

function sortedUnique(values: readonly string[]): string[] {
  return [...new Set(values)].sort(compareCodeUnits)
}

/** Disables the map's methods that write. */
function freezeMap(map: Map<string, string>): Messages {
  const refuse = () => {
    throw new TypeError('a catalog is immutable: make a new one')
  }
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }))
}
