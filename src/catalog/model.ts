/**
 * The one model every source yields and everything downstream reads:
 * language x namespace (x customer) -> key -> text. Immutable once made.
 */

export interface Language {
  /** The language's code as the app writes it. */
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
}

/** Key to text, flat. An empty text is a gap: "no translation". Iteration order is the source's order. */
export type Messages = ReadonlyMap<string, string>

/** One language-and-namespace of a catalog; with `customer`, that customer's own texts only. */
export interface CatalogPart {
  readonly language: string
  readonly namespace: string
  readonly customer?: string | undefined
  readonly messages: Messages
}

export interface Catalog {
  /** In the source's order. */
  readonly languages: readonly Language[]
  /** Sorted by code unit. */
  readonly namespaces: readonly string[]
  /** Sorted by code unit. */
  readonly customers: readonly string[]
  /** How many texts it holds, empty ones not counted. */
  readonly textCount: number
  /** Every part, in no promised order. */
  readonly parts: readonly CatalogPart[]
  /** The part's own texts, no fallback and no layer applied; `undefined` where the catalog has no such part. */
  messages(language: string, namespace: string, customer?: string): Messages | undefined
}

export interface CatalogInput {
  /** Names and defaults where the source tells them; languages seen only in `parts` are added. */
  readonly languages?: readonly Language[]
  readonly parts: Iterable<{
    readonly language: string
    readonly namespace: string
    readonly customer?: string | undefined
    readonly messages: Iterable<readonly [string, string]>
  }>
}

/** Makes a catalog. Parts of the same language, namespace and customer are joined; of a key given twice the last text counts. */
export function createCatalog({ languages = [], parts }: CatalogInput): Catalog {
  const byLanguage = new Map<string, Language>(
    languages.map((language) => [language.key, Object.freeze({ ...language })]),
  )
  const collected = new Map<
    string,
    { language: string; namespace: string; customer?: string; messages: Map<string, string> }
  >()
  for (const { language, namespace, customer, messages } of parts) {
    if (!byLanguage.has(language)) {
      byLanguage.set(language, Object.freeze({ key: language, name: languageName(language), isDefault: false }))
    }
    const id = partId(language, namespace, customer)
    const known = collected.get(id)
    if (known) for (const [key, text] of messages) known.messages.set(key, text)
    else
      collected.set(id, {
        language,
        namespace,
        ...(customer !== undefined && { customer }),
        messages: new Map(messages),
      })
  }

  const frozen = new Map<string, CatalogPart>()
  let textCount = 0
  for (const [id, part] of collected) {
    for (const text of part.messages.values()) if (text !== '') textCount++
    frozen.set(id, Object.freeze({ ...part, messages: freezeMap(part.messages) }))
  }
  const allParts = [...frozen.values()]
  return Object.freeze({
    languages: Object.freeze([...byLanguage.values()]),
    namespaces: Object.freeze(sortedUnique(allParts.map((part) => part.namespace))),
    customers: Object.freeze(sortedUnique(allParts.flatMap((part) => part.customer ?? []))),
    textCount,
    parts: Object.freeze(allParts),
    messages: (language: string, namespace: string, customer?: string) =>
      frozen.get(partId(language, namespace, customer))?.messages,
  })
}

/** The language's own English name where the runtime knows it, else its code. */
export function languageName(key: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(key.replaceAll('_', '-')) ?? key
  } catch {
    return key
  }
}

/** Order by UTF-16 code unit: the same on every machine, whatever its locale. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function partId(language: string, namespace: string, customer: string | undefined): string {
  return JSON.stringify([language, namespace, customer])
}

function sortedUnique(values: readonly string[]): string[] {
  return [...new Set(values)].sort(compareCodeUnits)
}

/** Takes the writers off this one Map; reads stay native and fast. */
function freezeMap(map: Map<string, string>): Messages {
  const refuse = () => {
    throw new TypeError('a catalog is immutable: make a new one')
  }
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }))
}
