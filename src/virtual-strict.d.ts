/**
 * Ambient types for `virtual:translations` alone. The declarations that the option `types` generates refer to this
 * file. They declare the modules for the project's languages and namespaces; importing any other module is an error.
 */

declare module 'virtual:translations' {
  import type { Language as AnyLanguage, CompiledMessage, LiveManifest, Manifest } from 'unplugin-localization/runtime'

  export type {
    CompiledMessage,
    LiveManifest,
    Manifest,
    Messages,
    TranslationUpdate,
  } from 'unplugin-localization/runtime'

  /** The generated declaration extends this. Without it, each name below is any string. */
  export interface Register {}

  /** A text in the modules: a string, or if `compile` is `icu` and the text has syntax, a syntax tree. */
  export type TextValue = Register extends { readonly compile: 'icu' } ? string | CompiledMessage : string
  /**
   * The values of placeholders, for the generated declaration. The first names accept a string or a number, the others
   * only a number.
   */
  export type Placeholders<AsText extends string, AsNumber extends string = never> = {
    readonly [P in AsText | AsNumber]: P extends AsNumber ? number : string | number
  }
  /** The code of one of the project's languages. */
  export type LanguageKey = Register extends { readonly languages: infer L extends string } ? L : string
  /** The name of one of the project's namespaces. */
  export type Namespace = Register extends { readonly keys: infer N } ? keyof N & string : string
  /** The namespace that `load` fetches by default. */
  export type DefaultNamespace = Register extends { readonly defaultNamespace: infer N extends Namespace }
    ? N
    : Namespace
  /** The keys of a namespace. If messages are nested, these are the joined keys. */
  export type Key<N extends Namespace> = Register extends { readonly keys: infer K }
    ? keyof K[N & keyof K] & string
    : string
  /** The values for a text's placeholders; `undefined` if it has none. */
  export type Values<N extends Namespace, K extends Key<N>> = Register extends { readonly values: infer V }
    ? N extends keyof V
      ? K extends keyof V[N]
        ? V[N][K]
        : undefined
      : undefined
    : { readonly [name: string]: unknown } | undefined
  /**
   * The messages of a namespace, as its virtual module exports them. Without the generated declaration, they are flat.
   */
  export type MessagesOf<N extends Namespace> = Register extends { readonly messages: infer M }
    ? M[N & keyof M]
    : { readonly [key: string]: TextValue }
  /** The messages of one language, by namespace. */
  export type LanguageMessages = Register extends { readonly messages: infer M }
    ? M
    : { readonly [namespace: string]: { readonly [key: string]: TextValue } }

  /**
   * The type of your own function that looks up a text and fills in its placeholders. Namespace, key and values are
   * checked.
   * @example
   * const t: Translate = (namespace, key, ...values) => format(messages[namespace][key], ...values)
   * t('common', 'greeting', { name: 'Ada' })
   */
  export type Translate = <N extends Namespace, K extends Key<N>>(
    namespace: N,
    key: K,
    ...values: Values<N, K> extends infer V ? (undefined extends V ? [values?: V] : [values: V]) : never
  ) => string

  /** One of the project's languages. */
  export interface Language extends AnyLanguage {
    readonly key: LanguageKey
  }

  export const languages: readonly Language[]
  export const defaultLanguage: LanguageKey
  export const namespaces: readonly Namespace[]
  /** Fetches the messages of a language and a namespace. If `namespace` is omitted, fetches the default one. */
  export function load<N extends Namespace = DefaultNamespace>(
    language: LanguageKey,
    namespace?: N,
  ): Promise<MessagesOf<N>>
  /** Fetches all of a language's namespaces. */
  export function loadLanguage(language: LanguageKey): Promise<LanguageMessages>
  /** True if the project has this language and namespace. Narrows plain strings to their types. */
  export function has(language: LanguageKey, namespace: Namespace): boolean
  export function has(language: LanguageKey, namespace: string): namespace is Namespace
  export function has(language: string, namespace: string): language is LanguageKey
  export const onUpdate: Manifest<TextValue>['onUpdate']
  /** Only if `delivery` is `'live'`: the version of the texts that the page shows. */
  export const version: LiveManifest<TextValue>['version']
  /** Only if `delivery` is `'live'`: these exports, fixed to the current version, for one request on a server. */
  export function snapshot(): Snapshot
  export interface Snapshot {
    readonly languages: readonly Language[]
    readonly defaultLanguage: LanguageKey
    readonly namespaces: readonly Namespace[]
    readonly load: typeof load
    readonly loadLanguage: typeof loadLanguage
    readonly has: typeof has
    readonly onUpdate: Manifest<TextValue>['onUpdate']
    readonly version: LiveManifest<TextValue>['version']
  }
}
