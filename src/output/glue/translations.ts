/** Shared by all glue: the exports of `virtual:translations`, and the dev server's updates. */
import type { Manifest, TranslationUpdate } from '../runtime/types.ts'

/**
 * The module `virtual:translations`, which the app imports and passes in: `import * as translations from
 * 'virtual:translations'`. This package never imports the module itself, so bundlers may prebundle or externalize the
 * package. If the option `types` is on, the module's types name the project's languages and namespaces. Otherwise, they
 * accept any string.
 */
export interface TranslationsModule<Text = string, Language extends string = string, Namespace extends string = string>
  extends Pick<Manifest<Text>, 'languages' | 'has' | 'onUpdate'> {
  readonly defaultLanguage: Language
  readonly namespaces: readonly Namespace[]
  /** The `namespacePrefix` option. It is `false` if keys do not begin with their namespace. */
  readonly namespacePrefix?: boolean
  load(language: Language, namespace?: Namespace): Promise<LoadedMessages<Text>>
}

/** A module's messages. They are texts and any other values in translation files. */
export interface LoadedMessages<Text = string> {
  readonly [key: string]: LoadedValue<Text> | LoadedMessages<Text>
}

export type LoadedValue<Text = string> =
  | Text
  | number
  | boolean
  | null
  | readonly (LoadedValue<Text> | LoadedMessages<Text>)[]

/**
 * Ends the subscription of a target that was garbage-collected, because a server that creates an instance per request
 * never unsubscribes. Cloudflare Workers with a compatibility date before May 2025 have neither `FinalizationRegistry`
 * nor `WeakRef`.
 */
const finished =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<() => void>((unsubscribe) => unsubscribe())

/**
 * Returns a weak reference if possible. Defined outside `followUpdates`, because a scope keeps everything alive that
 * any of its functions uses.
 */
function hold<T extends object>(target: T): Pick<WeakRef<T>, 'deref'> {
  return finished ? new WeakRef(target) : { deref: () => target }
}

/** Passes updates to `apply` until `target` is garbage-collected. `apply` must not refer to `target`. */
export function followUpdates<T extends object, Text = string>(
  { onUpdate }: Pick<TranslationsModule<Text>, 'onUpdate'>,
  target: T,
  apply: (target: T, update: TranslationUpdate<Text>) => void,
): void {
  const held = hold(target)
  const unsubscribe = onUpdate((update) => {
    const alive = held.deref()
    if (alive) apply(alive, update)
  })
  finished?.register(target, unsubscribe)
}

/** Calls `visit` for each text, array and other value. The key of a nested value is its path, joined with dots. */
export function eachValue<T>(
  messages: LoadedMessages<T>,
  visit: (key: string, value: LoadedValue<T>) => void,
  prefix = '',
): void {
  for (const [key, value] of Object.entries(messages)) {
    // Compiled texts are arrays.
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      eachValue(value as LoadedMessages<T>, visit, `${prefix}${key}.`)
    else visit(prefix + key, value as LoadedValue<T>)
  }
}

/** Returns a function that returns a text's key in a library without namespaces. */
export function createNaming({ namespacePrefix = true }: Pick<TranslationsModule, 'namespacePrefix'>) {
  return (namespace: string, key: string): string => (namespacePrefix ? `${namespace}.${key}` : key)
}

/** `Object.hasOwn` for older browsers. It is not imported from the runtime, because the runtime is a single file. */
export function hasOwn(target: object, key: string): boolean {
  return Reflect.getOwnPropertyDescriptor(target, key) !== undefined
}

/** Sets an own property. Assigning to `__proto__` would call a setter. */
export function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}
