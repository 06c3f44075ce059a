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
    if (!loader)
      throw unknownName(
        languages.map(({ key }) => key),
        namespaces,
        language,
        namespace,
      )
    return (await loader()).default
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

/** What a production build's manifest knows: everything but the texts, which are files of their own. */
export interface LateManifestInput {
  /** `[key, name]`; without a name where that is the key. */
  readonly languages: readonly (readonly [key: string, name?: string])[]
  readonly defaultLanguage: string
  readonly namespaces: readonly string[]
  readonly defaultNamespace: string
  /** `[name, segment]` of the languages and namespaces that cannot stand in an address as they are. */
  readonly segments: readonly (readonly [string, string])[]
  /** Each language has a file with its hashes; otherwise they are in `addresses`. */
  readonly isTabled: boolean
}

/** Where a build put its texts. */
export interface LateAddresses {
  /** Imports an address. In the bundle's own code, because relative ones begin there. */
  readonly fetch: (address: string) => Promise<{ readonly default: unknown }>
  /** The address of the files' folder, with a slash at its end. */
  readonly base: string
  readonly extension: string
  /** Eight characters for each language and namespace, or for each language where they are in files; blank: there are no texts. */
  readonly hashes: string
}

/** Makes the manifest of a production build. The page's texts are fetched by address; no code knows them one by one. */
export function createLateManifest(
  { languages, defaultLanguage, namespaces, defaultNamespace, segments, isTabled }: LateManifestInput,
  addresses: () => LateAddresses,
): Manifest {
  const keys = languages.map(([key]) => key)
  const segmentOf = new Map(segments)
  const spell = (name: string) => segmentOf.get(name) ?? name
  const read = async (path: string, table: string, at: number): Promise<unknown> => {
    const { fetch, base, extension } = addresses()
    const hash = table.slice(at * HASH_LENGTH, (at + 1) * HASH_LENGTH)
    return hash.trim() && (await fetch(`${base + path}.${hash}${extension}`)).default
  }
  const load = async (language: string, namespace = defaultNamespace): Promise<Messages> => {
    const row = keys.indexOf(language)
    const column = namespaces.indexOf(namespace)
    if (row < 0 || column < 0) throw unknownName(keys, namespaces, language, namespace)
    const path = spell(language)
    const { hashes } = addresses()
    const table = isTabled ? ((await read(path, hashes, row)) as string) : hashes
    const at = isTabled ? column : row * namespaces.length + column
    return ((await read(`${path}/${spell(namespace)}`, table, at)) || {}) as Messages
  }
  return {
    languages: languages.map(([key, name = key]) => ({ key, name, isDefault: key === defaultLanguage })),
    defaultLanguage,
    namespaces,
    load,
    loadLanguage: (language) => loadEach(namespaces, (namespace) => load(language, namespace)),
    has: (language, namespace) => keys.includes(language) && namespaces.includes(namespace),
    onUpdate: () => () => {},
  }
}

/** Where a build put texts that come with the chunks that ask for them. */
export interface PartedAddresses extends LateAddresses {
  /** Chunks are put in here when they are about to be loaded; what `push` gives back is awaited before their code runs. */
  readonly queue: ChunkQueue
  /** What stands in the queue, and the places of the namespaces that the chunk has texts of. */
  readonly parts: readonly (readonly [chunk: string | number | null, ...namespaces: number[]])[]
  /** As `hashes`, with a column for each namespace of each part. */
  readonly partHashes: string
  /** Each language has a file with the hashes of its parts. */
  readonly arePartsTabled: boolean
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

/** Makes the manifest of a production build whose chunks bring texts of their own. */
export function createPartedManifest(input: LateManifestInput, addresses: () => PartedAddresses): Manifest {
  const whole = createLateManifest(input, addresses)
  const { namespaces, defaultNamespace } = input
  const segmentOf = new Map(input.segments)
  const spell = (name: string) => segmentOf.get(name) ?? name
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
    const { fetch, base, extension, partHashes, arePartsTabled } = addresses()
    const path = base + spell(language)
    const row = input.languages.findIndex(([key]) => key === language)
    const read = async (file: string, table: string, at: number): Promise<unknown> => {
      const hash = table.slice(at * HASH_LENGTH, (at + 1) * HASH_LENGTH)
      return hash.trim() && (await fetch(`${file}.part.${hash}${extension}`)).default
    }
    const table = arePartsTabled ? ((await read(path, partHashes, row)) as string) : partHashes
    const at = arePartsTabled ? column : row * columns.length + column
    return ((await read(`${path}/${spell(namespaces[columns[column] as number] as string)}`, table, at)) ||
      {}) as Messages
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
      const messages = whole.load(language, namespace)
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
    ...whole,
    load,
    loadLanguage: (language) => loadEach(namespaces, (namespace) => load(language, namespace)),
    onUpdate(listener) {
      told.add(listener)
      return () => {
        told.delete(listener)
      }
    },
  }
}

interface Page {
  createElement(name: 'link'): { rel: string; crossOrigin: string; href: string }
  readonly head: { append(element: object): void }
}

/** Without running it. */
function preload(href: string): void {
  const { document } = globalThis as { document?: Page }
  document?.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', crossOrigin: '', href }))
}

function addDeep(target: Messages, source: Messages): void {
  for (const key of Object.keys(source)) {
    const value = source[key] as string | Messages
    const old = Object.hasOwn(target, key) ? target[key] : undefined
    if (isBranch(old) && isBranch(value)) addDeep(old, value)
    else setOwn(target, key, value)
  }
}

/** How many characters of a file's hash are in its address. */
export const HASH_LENGTH = 8

/** Entries define own properties, whatever their name. */
async function loadEach(
  namespaces: readonly string[],
  load: (namespace: string) => Promise<Messages>,
): Promise<{ readonly [namespace: string]: Messages }> {
  return Object.fromEntries(await Promise.all(namespaces.map(async (name) => [name, await load(name)] as const)))
}

function unknownName(
  languages: readonly string[],
  namespaces: readonly string[],
  language: string,
  namespace: string,
): RangeError {
  const [what, name, known] = languages.includes(language)
    ? ['namespace', namespace, namespaces]
    : ['language', language, languages]
  return new RangeError(`unknown ${what} ${JSON.stringify(name)}; known: ${known.join(', ')}`)
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
