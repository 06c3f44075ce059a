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

/** What `onUpdate` listeners are told, in development only. */
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
  /** Calls the listener after each update of a dev server, never in production. Returns what unsubscribes it. */
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
