/**
 * The meaning of an expression for translations: a function that translates, messages, or an object that holds them.
 */
import type { UseNamespaces } from '../model.ts'
import type { Parameter } from '../syntax/bindings.ts'
import { EMPTY, type StringValue } from './strings.ts'

/**
 * A value that translates. A `function` translates a key. A `translator` is an object with such functions, for example
 * i18next's instance.
 */
export interface TranslatorValue {
  readonly kind: 'function' | 'translator'
  readonly namespaces: UseNamespaces
  /** The possible prefixes of every key; `undefined` if there are none. */
  readonly prefixes?: readonly StringValue[] | undefined
  /** True if the value is recognized only by its name. Otherwise, a library created it in this module. */
  readonly isByName?: boolean | undefined
  /** True if the value is recognized only by a name that other values may also have. */
  readonly isWeak?: boolean | undefined
  /** True for an i18next instance that is not the instance of the whole app. */
  readonly isOwnInstance?: boolean | undefined
  /** The parameter from which the value comes, if the value is known by its name. */
  readonly parameter?: Parameter | undefined
}

/**
 * Loaded messages. `level` says whether they are the messages of one namespace, or of a whole language, whose first
 * level contains namespaces.
 */
export interface MessagesValue {
  readonly kind: 'messages'
  readonly level: 'language' | 'namespace'
  readonly namespaces: UseNamespaces
  /** The properties that were accessed. */
  readonly path: readonly string[]
}

/** A module as an object, with the relevant exports. */
export interface ModuleValue {
  readonly kind: 'module'
  readonly exports: ReadonlyMap<string, Value>
}

/** A function that loads messages. */
interface LoaderValue {
  readonly kind: 'loader'
  readonly level: 'language' | 'namespace'
}

export type Value = TranslatorValue | MessagesValue | ModuleValue | LoaderValue

export function isTranslator(value: Value | undefined): value is TranslatorValue {
  return value?.kind === 'function' || value?.kind === 'translator'
}

/** Joins several possible values. Values without a meaning are left out. */
export function anyOf(values: readonly (Value | undefined)[]): Value | undefined {
  return values.reduce((a, b) => (a && b ? either(a, b) : (a ?? b)), undefined)
}

/** Joins two possible values. The result searches wherever one of them does. */
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

/** The value, if it may also be something unknown. */
export function loosened(value: Value | undefined): Value | undefined {
  if (!isTranslator(value)) return value
  return { ...value, namespaces: 'any', prefixes: value.prefixes && [...value.prefixes, EMPTY] }
}

export function joinNamespaces(a: UseNamespaces, b: UseNamespaces): UseNamespaces {
  if (a === 'any' || b === 'any') return 'any'
  if (a === 'default' || b === 'default') return a === b ? a : 'any'
  return [...new Set([...a, ...b])]
}
