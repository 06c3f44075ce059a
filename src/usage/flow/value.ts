/** The values that the analysis follows: translation functions, messages, and objects that contain them. */
import type { UseNamespaces } from '../model.ts'
import type { Parameter } from '../syntax/bindings.ts'
import { EMPTY, type StringValue } from './strings.ts'

/** A `function` translates keys. A `translator` is an object with such functions, for example an i18next instance. */
export interface TranslatorValue {
  readonly kind: 'function' | 'translator'
  readonly namespaces: UseNamespaces
  /** The possible prefixes that the function adds to every key; `undefined` if it adds none. */
  readonly prefixes?: readonly StringValue[] | undefined
  /** True if only the value's name suggests that it translates. False if a library is known to have created it. */
  readonly isByName?: boolean | undefined
  /** True if other values often have this name too. */
  readonly isWeak?: boolean | undefined
  /** True for an i18next instance other than the app's main one. */
  readonly isOwnInstance?: boolean | undefined
  /** The parameter that the value comes from, if `isByName` is set. */
  readonly parameter?: Parameter | undefined
}

/**
 * Loaded messages. `level` tells whether they belong to one namespace, or to a whole language with namespaces at the
 * first level.
 */
export interface MessagesValue {
  readonly kind: 'messages'
  readonly level: 'language' | 'namespace'
  readonly namespaces: UseNamespaces
  /** The names of the properties that have been read so far. */
  readonly path: readonly string[]
}

/** A module object, with the exports that matter for translations. */
export interface ModuleValue {
  readonly kind: 'module'
  readonly exports: ReadonlyMap<string, Value>
}

interface LoaderValue {
  readonly kind: 'loader'
  readonly level: 'language' | 'namespace'
}

export type Value = TranslatorValue | MessagesValue | ModuleValue | LoaderValue

export function isTranslator(value: Value | undefined): value is TranslatorValue {
  return value?.kind === 'function' || value?.kind === 'translator'
}

/** Combines several possible values. Ignores `undefined`. */
export function anyOf(values: readonly (Value | undefined)[]): Value | undefined {
  return values.reduce((a, b) => (a && b ? either(a, b) : (a ?? b)), undefined)
}

/** Combines two possible values. The result searches the namespaces of both. */
function either(a: Value | undefined, b: Value | undefined): Value | undefined {
  if (!a || !b) return loosened(a ?? b)
  if (a.kind === 'messages' && b.kind === 'messages')
    return a.level === b.level && JSON.stringify(a.path) === JSON.stringify(b.path)
      ? { ...a, namespaces: joinNamespaces(a.namespaces, b.namespaces) }
      : { ...a, namespaces: 'any', path: [] }
  if (!isTranslator(a) || !isTranslator(b) || a.kind !== b.kind) return a
  return {
    ...a,
    namespaces: joinNamespaces(a.namespaces, b.namespaces),
    prefixes: a.prefixes || b.prefixes ? [...(a.prefixes ?? [EMPTY]), ...(b.prefixes ?? [EMPTY])] : undefined,
    isByName: a.isByName && b.isByName,
    isWeak: a.isWeak && b.isWeak,
  }
}

/** Returns the value of an expression that has either the given value or an unknown one. */
export function loosened(value: Value | undefined): Value | undefined {
  if (!isTranslator(value)) return value
  return { ...value, namespaces: 'any', prefixes: value.prefixes && [...value.prefixes, EMPTY] }
}

export function joinNamespaces(a: UseNamespaces, b: UseNamespaces): UseNamespaces {
  if (a === 'any' || b === 'any') return 'any'
  if (a === 'default' || b === 'default') return a === b ? a : 'any'
  return [...new Set([...a, ...b])]
}
