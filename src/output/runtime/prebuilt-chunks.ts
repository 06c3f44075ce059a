/** `load` of a production build whose texts are prebuilt chunks: fetched by address, so that no code lists them. */
import { placeIn, withCode } from './names.ts'
import type { Language, Load, Messages } from './types.ts'

/** Where a build put its prebuilt chunks. */
export interface ChunkAddresses {
  /** Imports an address. Part of the bundle's own code, because relative addresses begin there. */
  readonly fetch: (address: string) => Promise<{ readonly default: unknown }>
  /** The address of the chunks' folder, with a slash at its end. */
  readonly base: string
  readonly extension: string
  /**
   * Eight characters of each chunk's hash, all languages of the first namespace first; blank: there are no texts. Or
   * those of each language's index: a chunk that holds the hashes of the language's other chunks.
   */
  readonly hashes: string
}

/** Spells a name as addresses hold it. */
export type Speller = (name: string) => string

/** Each export of a production build's manifest is made by itself: an app that imports `load` carries only `load`. */
export function describeLanguages(
  keys: readonly string[],
  names: readonly (readonly [key: string, name: string])[],
  defaultLanguage: string,
): Language[] {
  const nameOf = new Map(names)
  return keys.map((key) => ({ key, name: nameOf.get(key) ?? key, isDefault: key === defaultLanguage }))
}

/** @param segments `[name, segment]` of the names that cannot stand in an address as they are */
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

/** Like `createLoad`, where each language has an index. */
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

/** Messages that came with the code of the page, by the path of the chunk that holds the same ones. */
const inCode: Record<string, Messages> = {}

/** Called by the module of a namespace that the app imports: `load` then gives these messages, and fetches nothing. */
export function provideMessages(path: string, messages: Messages): Messages {
  inCode[path] = messages
  return messages
}

export function messagesInCode(path: string): Messages | undefined {
  return inCode[path]
}

/** Reads the chunk whose hash is the one `at` this place of the list. */
export function readChunk<T = Messages>(
  addresses: ChunkAddresses,
  path: string,
  at: number,
  hashes = addresses.hashes,
): T | Promise<T> {
  const hash = hashes.slice(at * 8, at * 8 + 8)
  // Blank: there are no texts.
  if (hash < '!') return {} as T
  const address = `${addresses.base + path}.${hash}${addresses.extension}`
  fetched[address] ??= addresses
    .fetch(address)
    // Browsers remember a module that they could not fetch: another address of the same file is another module.
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

/** Chunks that were fetched, or are on their way, by address. */
const fetched: Record<string, Promise<unknown>> = {}
