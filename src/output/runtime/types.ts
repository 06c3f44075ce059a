/** The public types of the runtime: the exports of `virtual:translations`. */

/** A language of the project, as the app sees it. */
export interface Language {
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
}

/** The messages of one namespace: flat texts, or nested objects of texts with `shape: 'nested'`. */
export interface Messages<T = string> {
  readonly [key: string]: T | Messages<T>
}

/** A text with syntax, with `compile: 'icu'`. Contains the elements that FormatJS's parser returns. */
export type CompiledMessage = readonly { readonly type: number; readonly [property: string]: unknown }[]

/**
 * The updates that `onUpdate` listeners receive in development. In production, listeners receive them if
 * `prune.perChunk` loads texts later, and with `delivery: 'live'` after a release.
 */
export type TranslationUpdate<T = string> =
  | {
      /** Texts of this language and namespace changed. The object that `load` returned already contains them. */
      readonly type: 'messages'
      readonly language: string
      readonly namespace: string
      readonly customer?: string
      readonly messages: Messages<T>
    }
  | {
      /** Languages or namespaces were added or removed. `languages` and `namespaces` are already up to date. */
      readonly type: 'manifest'
    }

/** The exports of `virtual:translations`. */
export interface Manifest<T = string> {
  readonly languages: readonly Language[]
  readonly defaultLanguage: string
  readonly namespaces: readonly string[]
  /**
   * Fetches the messages of one language and namespace. The default is the project's default namespace. Rejects with a
   * `RangeError` for a language or namespace that does not exist.
   */
  load(language: string, namespace?: string): Promise<Messages<T>>
  /** Fetches all namespaces of one language. */
  loadLanguage(language: string): Promise<{ readonly [namespace: string]: Messages<T> }>
  has(language: string, namespace: string): boolean
  /**
   * Calls the listener after each update of a dev server. In production, this happens with `prune.perChunk`, when texts
   * were loaded with code and before that code runs, and with `delivery: 'live'`. Returns a function that unsubscribes
   * the listener.
   */
  onUpdate(listener: (update: TranslationUpdate<T>) => void): () => void
}

/** The exports of `virtual:translations` with `delivery: 'live'`. */
export interface LiveManifest<T = string> extends Manifest<T> {
  /** The version of the texts that the page shows, for error reports. It changes with the texts. */
  version(): string
  /**
   * The same exports, fixed to the current texts: for a request on a server, from its first to its last text.
   * `version()` names them in the page: `<meta name="localization-version" content="...">`.
   */
  snapshot(): Omit<LiveManifest<T>, 'snapshot'>
}

export type Load = Manifest['load']
export type UpdateListener = Parameters<Manifest['onUpdate']>[0]
