/**
 * `load` for a production build whose texts are prebuilt chunks. It computes the chunks' URLs, so the code need not
 * list them.
 */
import { placeIn, withCode } from './messages.ts'
import type { Language, Load, Messages } from './types.ts'

export interface ChunkAddresses {
  /**
   * Imports a URL. This function is defined in the bundle's own code, because relative URLs are resolved from there.
   */
  readonly fetch: (address: string) => Promise<{ readonly default: unknown }>
  /** The URL of the chunks' folder, with a trailing slash. */
  readonly base: string
  readonly extension: string
  /**
   * The first eight characters of each chunk's hash: all languages of the first namespace, then all languages of the
   * next, and so on. Eight spaces mean that there are no texts. If each language has an index, `hashes` contains only
   * the hashes of the indices. An index is a chunk with the hashes of the language's other chunks.
   */
  readonly hashes: string
}

/** Encodes a name for URLs. */
export type Speller = (name: string) => string

/** Describes the languages. This is a separate export so that an app that imports only `load` does not include it. */
export function describeLanguages(
  keys: readonly string[],
  names: readonly (readonly [key: string, name: string])[],
  defaultLanguage: string,
): Language[] {
  const nameOf = new Map(names)
  return keys.map((key) => ({ key, name: nameOf.get(key) ?? key, isDefault: key === defaultLanguage }))
}

/** @param segments a pair `[name, segment]` for each name that must be encoded in URLs */
export function createSpeller(segments: readonly (readonly [string, string])[]): Speller {
  const segmentOf = new Map(segments)
  return (name) => segmentOf.get(name) ?? name
}

type CreateLoad = (
  languages: readonly string[],
  namespaces: readonly string[],
  defaultNamespace: string,
  addresses: () => ChunkAddresses,
  spell?: Speller,
) => Load

export const createLoad: CreateLoad = (languages, namespaces, defaultNamespace, addresses, spell = (name) => name) => {
  return async (language, namespace = defaultNamespace) => {
    const at = placeIn(languages, 'language', language) + languages.length * placeIn(namespaces, 'namespace', namespace)
    const path = `${spell(language)}/${spell(namespace)}`
    return messagesInCode(path) ?? readChunk(addresses(), path, at)
  }
}

/** Like `createLoad`, for a build in which each language has an index. */
export const createIndexedLoad: CreateLoad = (
  languages,
  namespaces,
  defaultNamespace,
  addresses,
  spell = (name) => name,
) => {
  return async (language, namespace = defaultNamespace) => {
    const row = placeIn(languages, 'language', language)
    const column = placeIn(namespaces, 'namespace', namespace)
    const path = `${spell(language)}/${spell(namespace)}`
    const messages = messagesInCode(path)
    if (messages) return messages
    const index = await readChunk<string>(addresses(), spell(language), row)
    return readChunk(addresses(), path, column, index)
  }
}

/** Messages in the page's code. The keys are the paths of the chunks that contain the same messages. */
const inCode: Record<string, Messages> = {}

/** Called by a namespace's module that the app imports. `load` then returns these messages without fetching. */
export function provideMessages(path: string, messages: Messages): Messages {
  inCode[path] = messages
  return messages
}

export function messagesInCode(path: string): Messages | undefined {
  return inCode[path]
}

/** Reads the chunk whose hash is at index `at` of the list. */
export function readChunk<T = Messages>(
  addresses: ChunkAddresses,
  path: string,
  at: number,
  hashes = addresses.hashes,
): T | Promise<T> {
  const hash = hashes.slice(at * 8, at * 8 + 8)
  // Spaces mean that there are no texts.
  if (hash < '!') return {} as T
  const address = `${addresses.base + path}.${hash}${addresses.extension}`
  fetched[address] ??= addresses
    .fetch(address)
    // Browsers remember that a module failed to load. Under a different URL, the same file counts as a new module.
    .catch(() => addresses.fetch(`${address}?${Date.now()}`))
    .then(
      (module) => module.default,
      (error) => {
        delete fetched[address]
        throw withCode(error)
      },
    )
  return fetched[address] as Promise<T>
}

/** The chunks that have been fetched or are loading, by URL. */
const fetched: Record<string, Promise<unknown>> = {}
