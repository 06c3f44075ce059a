/**
 * What runs in the page: the only code that generated modules import. No dependency, no Node, no state of its own but the
 * listeners of a dev server's updates.
 */

/** A language of the project, as the app sees it. */
export interface Language {
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
}

/** Messages of one namespace: flat texts, or nested objects of texts with `shape: 'nested'`. */
export interface Messages<T = string> {
  readonly [key: string]: T | Messages<T>
}

/** A text with `compile: 'icu'`, where it has syntax: the elements that FormatJS's parser makes. */
export type CompiledMessage = readonly { readonly type: number; readonly [property: string]: unknown }[]

/** What `onUpdate` listeners are told: in development, and in production where `prune.perChunk` brings texts later. */
export type TranslationUpdate<T = string> =
  | {
      /** Texts of this language and namespace changed; the object that `load` gave out already holds them. */
      readonly type: 'messages'
      readonly language: string
      readonly namespace: string
      readonly customer?: string
      readonly messages: Messages<T>
    }
  | {
      /** Languages or namespaces came or went; `languages` and `namespaces` already hold them. */
      readonly type: 'manifest'
    }

type Loader = () => Promise<{ readonly default: Messages }>

export interface ManifestInput {
  readonly languages: readonly Language[]
  readonly defaultLanguage: string
  readonly namespaces: readonly string[]
  readonly defaultNamespace: string
  readonly loaders: { readonly [language: string]: { readonly [namespace: string]: Loader } }
}

/** The exports of `virtual:translations`. */
export interface Manifest<T = string> {
  readonly languages: readonly Language[]
  readonly defaultLanguage: string
  readonly namespaces: readonly string[]
  /**
   * Fetches the messages of one language and namespace; the namespace defaults to the project's default one. Rejects with a
   * `RangeError` for a language or namespace that does not exist.
   */
  load(language: string, namespace?: string): Promise<Messages<T>>
  /** Fetches all namespaces of one language. */
  loadLanguage(language: string): Promise<{ readonly [namespace: string]: Messages<T> }>
  has(language: string, namespace: string): boolean
  /**
   * Calls the listener after each update of a dev server; in production only with `prune.perChunk`, when texts have come with code and
   * before that code runs. Returns what unsubscribes it.
   */
  onUpdate(listener: (update: TranslationUpdate<T>) => void): () => void
}

interface HotManifest extends Manifest {
  readonly replace: (input: ManifestInput) => void
}

const listeners = new Set<(update: TranslationUpdate) => void>()

/** Makes the manifest. `previous` is the one a dev server replaces: it is brought up to date in place and returned. */
export function createManifest(input: ManifestInput, previous?: Manifest): Manifest {
  if (previous) {
    ;(previous as HotManifest).replace(input)
    notify({ type: 'manifest' })
    return previous
  }
  let current = input
  const languages = [...input.languages]
  const namespaces = [...input.namespaces]
  const loaderOf = (language: string, namespace: string): Loader | undefined =>
    Object.hasOwn(current.loaders, language) && Object.hasOwn(current.loaders[language] as object, namespace)
      ? current.loaders[language]?.[namespace]
      : undefined

  const load = async (language: string, namespace: string = current.defaultNamespace): Promise<Messages> => {
    const loader = loaderOf(language, namespace)
    if (loader)
      return loader().then(
        (module) => module.default,
        (error) => Promise.reject(withCode(error)),
      )
    placeIn(
      languages.map(({ key }) => key),
      'language',
      language,
    )
    throw placeIn(namespaces, 'namespace', namespace)
  }

  const manifest: HotManifest = {
    languages,
    defaultLanguage: input.defaultLanguage,
    namespaces,
    load,
    loadLanguage: (language) => loadEach(namespaces, (namespace) => load(language, namespace)),
    has: (language, namespace) => loaderOf(language, namespace) !== undefined,
    onUpdate(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    replace(next) {
      current = next
      languages.splice(0, languages.length, ...next.languages)
      namespaces.splice(0, namespaces.length, ...next.namespaces)
    },
  }
  return manifest
}

/** Where a build put its texts. */
export interface ChunkAddresses {
  /** Imports an address. In the bundle's own code, because relative ones begin there. */
  readonly fetch: (address: string) => Promise<{ readonly default: unknown }>
  /** The address of the files' folder, with a slash at its end. */
  readonly base: string
  readonly extension: string
  /** Eight characters for each language and namespace, or for each language where they are in files; blank: there are no texts. */
  readonly hashes: string
}

/** How a name stands in an address. */
export type Speller = (name: string) => string

type Load = Manifest['load']

/** What a production build's manifest exports is made one by one: an app that imports `load` alone carries nothing else. */
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

/** `load` of a production build, whose texts are files of their own: fetched by address, so that no code knows them one by one. */
export function createLoad(
  keys: readonly string[],
  namespaces: readonly string[],
  defaultNamespace: string,
  addresses: () => ChunkAddresses,
  spell: Speller = (name) => name,
): Load {
  return async (language, namespace = defaultNamespace) => {
    const at = placeIn(keys, 'language', language) * namespaces.length + placeIn(namespaces, 'namespace', namespace)
    return readChunk(addresses(), `${spell(language)}/${spell(namespace)}`, at)
  }
}

/** The same where each language has a file with its hashes. */
export function createIndexedLoad(
  keys: readonly string[],
  namespaces: readonly string[],
  defaultNamespace: string,
  addresses: () => ChunkAddresses,
  spell: Speller = (name) => name,
): Load {
  return async (language, namespace = defaultNamespace) => {
    const row = placeIn(keys, 'language', language)
    const column = placeIn(namespaces, 'namespace', namespace)
    const prebuilt = addresses()
    const table = await readChunk<string>(prebuilt, spell(language), row)
    return readChunk(prebuilt, `${spell(language)}/${spell(namespace)}`, column, table)
  }
}

function readChunk<T = Messages>(
  prebuilt: ChunkAddresses,
  path: string,
  at: number,
  table = prebuilt.hashes,
): T | Promise<T> {
  const hash = table.slice(at * 8, at * 8 + 8)
  // Blank: there are no texts.
  if (hash < '!') return {} as T
  const address = `${prebuilt.base + path}.${hash}${prebuilt.extension}`
  fetched[address] ??= prebuilt
    .fetch(address)
    // Browsers remember a module that they could not fetch: another address of the same file is another module.
    .catch(() => prebuilt.fetch(`${address}?${Date.now()}`))
    .then(
      (module) => module.default,
      (error) => {
        delete fetched[address]
        throw withCode(error)
      },
    )
  return fetched[address] as Promise<T>
}

/** What was fetched, or is on its way, by address. */
const fetched: Record<string, Promise<unknown>> = {}

/** An app can act on it: a page that was opened before a deploy may have to be reloaded. */
const withCode = (error: Error) => Object.assign(error, { code: 'LOAD_FAILED' })

function placeIn(known: readonly string[], what: string, name: string): number {
  const at = known.indexOf(name)
  if (at < 0) throw RangeError(`unknown ${what} "${name}"; known: ${known.join(', ')}`)
  return at
}

/** Where a build put texts that come with the chunks that ask for them. */
export interface PerChunkAddresses extends ChunkAddresses {
  /** Chunks are put in here when they are about to be loaded; what `push` gives back is awaited before their code runs. */
  readonly queue: ChunkQueue
  /** What stands in the queue, and the places of the namespaces that the chunk has texts of. */
  readonly parts: readonly (readonly [chunk: string | number | null, ...namespaces: number[]])[]
  /** As `hashes`, with a column for each namespace of each part. */
  readonly perChunkHashes: string
  /** Each language has a file with the hashes of its parts. */
  readonly isPerChunkIndexed: boolean
}

export interface ChunkQueue extends Iterable<string | number> {
  /** @param address of the chunk itself, to be fetched at the same time */
  push(chunk: string | number, address?: string): unknown
}

/** Texts that were given out, and are filled in place. */
interface Held {
  readonly language: string
  readonly namespace: number
  readonly messages: Promise<Messages>
  /** Columns of the parts that are in. */
  readonly parts: Set<number>
  isGivenOut: boolean
}

/** `load` and `onUpdate` of a production build whose chunks bring texts of their own, beside those that `whole` loads. */
export function createPerChunkLoad(
  keys: readonly string[],
  namespaces: readonly string[],
  defaultNamespace: string,
  addresses: () => PerChunkAddresses,
  whole: Load,
  spell: Speller = (name) => name,
): Pick<Manifest, 'load' | 'onUpdate'> {
  const { queue, parts } = addresses()
  const told = new Set<(update: TranslationUpdate) => void>()
  const held = new Map<string, Held>()
  const begun = new Map<string | number, Promise<unknown>>()
  /** The namespace of each column. */
  const columns: number[] = []
  const columnsOf = new Map<string | number | null, number[]>()
  for (const [chunk, ...own] of parts)
    columnsOf.set(
      chunk,
      own.map((namespace) => columns.push(namespace) - 1),
    )

  const readPart = async (language: string, column: number): Promise<Messages> => {
    const prebuilt = addresses()
    const { perChunkHashes, isPerChunkIndexed } = prebuilt
    const path = spell(language)
    const row = keys.indexOf(language)
    const table = isPerChunkIndexed
      ? await readChunk<string>(prebuilt, `${path}.part`, row, perChunkHashes)
      : perChunkHashes
    const at = isPerChunkIndexed ? column : row * columns.length + column
    const namespace = namespaces[columns[column] as number] as string
    return readChunk(prebuilt, `${path}/${spell(namespace)}.part`, at, table)
  }

  /** Until nothing is missing: another chunk may begin while this one's texts are on their way. */
  const complete = async (own: Held): Promise<Messages> => {
    const missing = () =>
      [...begun.keys()]
        .flatMap((chunk) => columnsOf.get(chunk) ?? [])
        .filter((column) => columns[column] === own.namespace && !own.parts.has(column))
    for (let next = missing(); ; next = missing()) {
      const wanted = next.map((column) => readPart(own.language, column))
      const [messages, ...parts] = await Promise.all([own.messages, ...wanted])
      parts.forEach((part, i) => {
        addDeep(messages, part)
        own.parts.add(next[i] as number)
      })
      if (missing().length > 0) continue
      // In the same moment: a chunk that begins now completes it.
      own.isGivenOut = true
      return messages
    }
  }

  const load = async (language: string, namespace = defaultNamespace): Promise<Messages> => {
    const id = JSON.stringify([language, namespace])
    let own = held.get(id)
    if (!own) {
      // A name that does not exist is refused there.
      const messages = whole(language, namespace)
      own = { language, namespace: namespaces.indexOf(namespace), messages, parts: new Set(), isGivenOut: false }
      held.set(id, own)
      messages.catch(() => held.delete(id))
    }
    return complete(own)
  }

  const begin = (chunk: string | number): Promise<unknown> => {
    const known = begun.get(chunk)
    if (known) return known
    // From now on whatever is loaded comes with it. What was not given out yet is completed by who loads it.
    const done = Promise.resolve().then(() =>
      Promise.all([...held.values()].filter(({ isGivenOut }) => isGivenOut).map(follow)),
    )
    begun.set(chunk, done)
    // As a chunk that could not be fetched: the next import tries again.
    done.catch(() => begun.delete(chunk))
    return done
  }

  const follow = async (own: Held): Promise<void> => {
    const size = own.parts.size
    const messages = await complete(own)
    if (own.parts.size === size) return
    const update = {
      type: 'messages',
      language: own.language,
      namespace: namespaces[own.namespace] as string,
      messages,
    } as const
    for (const listener of [...told]) listener(update)
  }
  for (const chunk of queue) if (columnsOf.has(chunk)) void begin(chunk)
  const record = queue.push.bind(queue)
  queue.push = (chunk, address) => {
    if (address !== undefined && columnsOf.has(chunk) && !begun.has(chunk)) preload(address)
    return Promise.all([record(chunk, address), columnsOf.has(chunk) && begin(chunk)])
  }

  return {
    load,
    onUpdate(listener) {
      told.add(listener)
      return () => {
        told.delete(listener)
      }
    },
  }
}

interface Page {
  createElement(name: 'link'): { rel: string; crossOrigin: string; href: string; nonce: string }
  querySelector(selector: string): { readonly nonce: string } | null
  readonly head: { append(element: object): void }
}

/** Without running it. A Content-Security-Policy that lets in by nonce asks a link for one, too. */
function preload(href: string): void {
  const { document } = globalThis as { document?: Page }
  if (!document) return
  const nonce = document.querySelector('script[nonce]')?.nonce ?? ''
  const link = document.createElement('link')
  document.head.append(Object.assign(link, { rel: 'modulepreload', crossOrigin: '', nonce, href }))
}

function addDeep(target: Messages, source: Messages): void {
  for (const key of Object.keys(source)) {
    const value = source[key] as string | Messages
    const old = Object.hasOwn(target, key) ? target[key] : undefined
    if (isBranch(old) && isBranch(value)) addDeep(old, value)
    else setOwn(target, key, value)
  }
}

/** Entries define own properties, whatever their name. */
export async function loadEach(
  namespaces: readonly string[],
  load: (namespace: string) => Promise<Messages>,
): Promise<{ readonly [namespace: string]: Messages }> {
  return Object.fromEntries(await Promise.all(namespaces.map(async (name) => [name, await load(name)] as const)))
}

/**
 * Brings the object a page already holds up to date and tells the listeners; without one, the new object is the one to hold.
 * Called by generated modules in development.
 */
export function updateMessages(
  previous: Messages | undefined,
  next: Messages,
  place: { readonly language: string; readonly namespace: string; readonly customer?: string },
): Messages {
  if (!previous) return next
  assignDeep(previous, next)
  notify({ type: 'messages', ...place, messages: previous })
  return previous
}

function assignDeep(target: Messages, source: Messages): void {
  for (const key of Object.keys(target)) if (!Object.hasOwn(source, key)) Reflect.deleteProperty(target, key)
  for (const key of Object.keys(source)) {
    const value = source[key] as string | Messages
    const old = Object.hasOwn(target, key) ? target[key] : undefined
    if (isBranch(old) && isBranch(value)) assignDeep(old, value)
    else setOwn(target, key, value)
  }
}

/** A compiled text is an array, and is replaced as a whole. */
function isBranch(value: string | Messages | undefined): value is Messages {
  return typeof value === 'object' && !Array.isArray(value)
}

/** Assignment would call the setter of `__proto__`. */
function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

/** After the module that called has finished, so that a listener which imports it again sees the new state. */
function notify(update: TranslationUpdate): void {
  queueMicrotask(() => {
    for (const listener of [...listeners]) listener(update)
  })
}
