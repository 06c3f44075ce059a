/** The runtime's public types: the exports of `virtual:translations`. */

/** A language of the project. */
export interface Language {
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
}

/** The messages of one namespace: flat texts, or nested objects of texts if `shape` is `'nested'`. */
export interface Messages<T = string> {
  readonly [key: string]: T | Messages<T>
}

/** A compiled text that has syntax (`compile: 'icu'`): the elements that FormatJS's parser returns. */
export type CompiledMessage = readonly { readonly type: number; readonly [property: string]: unknown }[]

/**
 * An update that `onUpdate` listeners receive: in development, in production when `prune.perChunk` loads texts later,
 * and after a release with `delivery: 'live'`.
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
      /**
       * Languages or namespaces were added or removed. The exports `languages` and `namespaces` are already up to date.
       */
      readonly type: 'manifest'
    }

/** The exports of `virtual:translations`. */
export interface Manifest<T = string> {
  readonly languages: readonly Language[]
  readonly defaultLanguage: string
  readonly namespaces: readonly string[]
  /**
   * Fetches the messages of one language and namespace. If no namespace is given, uses the project's default namespace.
   * Rejects with a `RangeError` if the language or namespace does not exist.
   */
  load(language: string, namespace?: string): Promise<Messages<T>>
  /** Fetches all namespaces of one language. */
  loadLanguage(language: string): Promise<{ readonly [namespace: string]: Messages<T> }>
  has(language: string, namespace: string): boolean
  /**
   * Calls the listener after each update: from the dev server, after a release with `delivery: 'live'`, and when
   * `prune.perChunk` has loaded texts for a piece of code, before that code runs. Returns a function that unsubscribes
   * the listener.
   */
  onUpdate(listener: (update: TranslationUpdate<T>) => void): () => void
}

/** The exports of `virtual:translations` with `delivery: 'live'`. */
export interface LiveManifest<T = string> extends Manifest<T> {
  /** The version of the texts that the page shows, for error reports. It changes with the texts. */
  version(): string
  /**
   * Returns the same exports, fixed to the current texts, so that a server can render a whole request with the same
   * texts. To make the page start with these texts too, render the snapshot's `version()`:
   * `<meta name="localization-version" content="...">`.
   */
  snapshot(): Omit<LiveManifest<T>, 'snapshot'>
}

export type Load = Manifest['load']
export type UpdateListener = Parameters<Manifest['onUpdate']>[0]
