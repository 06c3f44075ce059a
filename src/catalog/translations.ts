/** The app's view of a catalog: languages, namespaces and messages, with fallbacks and customers resolved. */
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'
import { suggestName } from '../shared/nearest.ts'
import { inheritanceKey, parentTags } from '../shared/parent-languages.ts'
import { groupsByKey } from '../shared/split.ts'
import { joinLayers, type Layer } from './merge.ts'
import type { Catalog, CatalogPart, Language, Messages } from './model.ts'
import { languageFilter } from './names.ts'
import type { Values } from './values.ts'

export interface Translations {
  readonly catalog: Catalog
  /** The app's languages. Exactly one is the default, unless the list is empty. */
  readonly languages: readonly Language[]
  readonly defaultLanguage: string
  readonly namespaces: readonly string[]
  /** The namespace for calls that do not name one. */
  readonly defaultNamespace: string
  /** True if keys begin with the namespace in libraries without namespaces. If false, there is only one namespace. */
  readonly namespacePrefix: boolean
  readonly customers: readonly string[]
  has(language: string, namespace: string): boolean
  /**
   * The texts of one language and namespace. A customer's texts replace the general ones, and gaps are filled along the
   * fallback chain. Throws `UNKNOWN_LANGUAGE`, `UNKNOWN_NAMESPACE` or `UNKNOWN_CUSTOMER` with the most similar known
   * name.
   */
  messages(language: string, namespace: string, customer?: string): Messages
  /**
   * The numbers, booleans, nulls and arrays next to `messages`, with the same fallbacks; `undefined` if there are none.
   */
  values(language: string, namespace: string, customer?: string): Values | undefined
  /** The default language's `messages`, even if it is not one of the app's languages. */
  defaultMessages(namespace: string, customer?: string): Messages
  defaultValues(namespace: string, customer?: string): Values | undefined
  /** The languages whose texts `messages` joins, in order. */
  chain(language: string): readonly string[]
}

type Settings = Pick<
  ResolvedConfig,
  'languages' | 'defaultLanguage' | 'fallback' | 'defaultNamespace' | 'customer' | 'customers'
> &
  Partial<Pick<ResolvedConfig, 'languageMap' | 'pseudo' | 'keySeparator' | 'emptyTexts' | 'namespacePrefix'>>

export function createTranslations(catalog: Catalog, settings: Settings): Translations {
  const isWanted = languageFilter(settings)
  const wanted = catalog.languages.filter(isWanted)
  const defaultLanguage = pickDefaultLanguage(catalog, wanted, settings.defaultLanguage)
  const languages = Object.freeze(
    wanted.map(({ key, name }) => Object.freeze({ key, name, isDefault: key === defaultLanguage })),
  )
  const languageKeys = languages.map((language) => language.key)
  const namespaces = catalog.namespaces
  const customers = settings.customers

  const chain = createChain(
    catalog.languages.map(({ key }) => key),
    { fallback: settings.fallback, defaultLanguage },
  )
  const resolve = createResolver(catalog, settings)
  const checked = (language: string, namespace: string, customer: string | undefined) => {
    assertKnown('language', language, languageKeys)
    assertKnown('namespace', namespace, namespaces)
    if (customer !== undefined) assertKnown('customer', customer, customers)
    return resolve(chain(language), namespace, customer)
  }

  return {
    catalog,
    languages,
    defaultLanguage,
    namespaces,
    defaultNamespace:
      !namespaces.includes(settings.defaultNamespace) && namespaces.length === 1
        ? (namespaces[0] as string)
        : settings.defaultNamespace,
    namespacePrefix: settings.namespacePrefix ?? true,
    customers,
    has: (language, namespace) => languageKeys.includes(language) && namespaces.includes(namespace),
    chain,
    messages: (language, namespace, customer = settings.customer) => checked(language, namespace, customer).messages,
    values: (language, namespace, customer = settings.customer) => checked(language, namespace, customer).values,
    defaultMessages: (namespace, customer = settings.customer) =>
      resolve(chain(defaultLanguage), namespace, customer).messages,
    defaultValues: (namespace, customer = settings.customer) =>
      resolve(chain(defaultLanguage), namespace, customer).values,
  }
}

type Resolve = (chain: readonly string[], namespace: string, customer: string | undefined) => Layer

function createResolver(catalog: Catalog, { keySeparator = '.', emptyTexts }: Settings): Resolve {
  const keepsEmpty = emptyTexts === 'keep'
  /** Cached, because callers usually read a namespace's texts and then its values. */
  let last: { readonly id: string; readonly resolved: Layer } | undefined
  return (chain, namespace, customer) => {
    const id = JSON.stringify([chain, namespace, customer])
    if (last?.id === id) return last.resolved
    const layers = partsOf(catalog, chain, namespace, customer)
    const [first, ...others] = layers
    const join = () =>
      layers.some(({ values }) => values !== undefined)
        ? joinLayers(layers, keySeparator, { keepsEmpty })
        : { messages: joinMessages(layers, keepsEmpty) }
    const resolved = first && isComplete(first, others, keepsEmpty) ? first : join()
    last = { id, resolved }
    return resolved
  }
}

/** The parts whose texts a language shows, in order: per language in its chain, the customer's, then the general. */
export function partsOf(
  catalog: Catalog,
  chain: readonly string[],
  namespace: string,
  customer: string | undefined,
): readonly CatalogPart[] {
  const customers = customer === undefined ? [undefined] : [customer, undefined]
  return chain.flatMap((language) => customers.flatMap((each) => catalog.part(language, namespace, each) ?? []))
}

/**
 * Joins layers: each key's text comes from the first layer that has one. Keys are in the last layer's order, so that
 * languages with the same fallback have their keys in the same order.
 */
function joinMessages(layers: readonly Layer[], keepsEmpty: boolean): Messages {
  const resolved = new Map<string, string>()
  for (const { messages } of layers.toReversed())
    for (const [key, text] of messages) if (text !== '' || keepsEmpty) resolved.set(key, text)
  return resolved
}

/** True if the first layer has all keys and needs no joining, as in most languages. */
function isComplete({ messages, values }: Layer, others: readonly Layer[], keepsEmpty: boolean): boolean {
  if (!keepsEmpty) for (const text of messages.values()) if (text === '') return false
  if (values) for (const key of values.keys()) if (messages.has(key)) return false
  return others.every((other) => {
    for (const key of other.messages.keys()) if (!messages.has(key)) return false
    for (const [key, { kind }] of other.values ?? []) if (values?.get(key)?.kind !== kind) return false
    return true
  })
}

function pickDefaultLanguage(catalog: Catalog, wanted: readonly Language[], configured: string | undefined): string {
  const keys = catalog.languages.map((language) => language.key)
  if (configured !== undefined) {
    if (keys.length > 0 && !keys.includes(configured)) {
      throw new LocalizationError(
        `the option "defaultLanguage" names ${JSON.stringify(configured)}, which has no texts`,
        {
          code: 'UNKNOWN_LANGUAGE',
          hint: suggestName(configured, keys),
        },
      )
    }
    return configured
  }
  const candidates = [catalog.languages.find((language) => language.isDefault)?.key, 'en']
  return candidates.find((key) => key !== undefined && keys.includes(key)) ?? wanted[0]?.key ?? keys[0] ?? 'en'
}

/** Throws if keys have no prefix although there are several namespaces, whose equal keys would collide. */
export function assertPrefix<T extends Pick<Translations, 'namespaces' | 'namespacePrefix'>>(given: T): T {
  const { namespaces, namespacePrefix } = given
  if (namespacePrefix || namespaces.length < 2) return given
  const names = namespaces.length > 4 ? [...namespaces.slice(0, 3), '...'] : namespaces
  throw new LocalizationError(
    `the option "namespacePrefix" is false, but there are ${namespaces.length} namespaces: ${names.join(', ')}`,
    {
      code: 'CONFIG_INVALID',
      hint:
        'Choose one with the option "namespaces", or leave namespacePrefix out and put the namespace before each key: ' +
        `t('${namespaces[0]}.title').`,
    },
  )
}

const UNKNOWN = {
  language: 'UNKNOWN_LANGUAGE',
  namespace: 'UNKNOWN_NAMESPACE',
  customer: 'UNKNOWN_CUSTOMER',
} as const

/** Throws an error with the unknown name and the most similar known name. */
export function assertKnown(what: keyof typeof UNKNOWN, name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const hint =
    what === 'customer'
      ? 'List it in the option "customers".'
      : (suggestName(name, known) ?? `There are no ${what}s yet.`)
  throw new LocalizationError(`unknown ${what} ${JSON.stringify(name)}`, { code: UNKNOWN[what], hint })
}

export type Fallback = ResolvedConfig['fallback']

/** Returns the languages that fill a language's gaps, in order. */
export type FallbacksOf = (language: string) => readonly string[]

/**
 * The languages that fill gaps before the default language does: those in the option `fallback`, or else the language's
 * CLDR parents, if they exist. Finds a parent in any spelling: `pt_BR` for `pt-BR`, or `zh-TW` for `zh-Hant-TW`.
 *
 * @param languages the existing languages
 */
export function createFallbacks(languages: readonly string[], fallback: Fallback): FallbacksOf {
  if (fallback === false) return () => []
  const known = new Map<string, readonly string[]>()
  let byKey: ReadonlyMap<string, readonly string[]> | undefined
  return (language) => {
    if (Object.hasOwn(fallback, language)) return fallback[language] as readonly string[]
    byKey ??= groupsByKey(languages, inheritanceKey)
    const fallbacks = known.get(language) ?? findParents(language, byKey)
    known.set(language, fallbacks)
    return fallbacks
  }
}

function findParents(language: string, byKey: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const parents = parentTags(language).flatMap((tag) => byKey.get(inheritanceKey(tag)) ?? [])
  return [...new Set(parents)].filter((each) => each !== language)
}

/**
 * The languages whose texts a language shows, starting with itself. Ends with the default language's chain,
 * so that every language has all of the default language's texts.
 */
export function createChain(
  languages: readonly string[],
  { fallback, defaultLanguage }: { readonly fallback: Fallback; readonly defaultLanguage: string },
): FallbacksOf {
  if (fallback === false) return (language) => [language]
  const fallbacksOf = createFallbacks(languages, fallback)
  return (language) => [
    ...new Set([language, ...fallbacksOf(language), defaultLanguage, ...fallbacksOf(defaultLanguage)]),
  ]
}
