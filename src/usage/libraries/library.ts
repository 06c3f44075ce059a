/**
 * The interface between the analysis and the localization libraries, and the values that they exchange: translation
 * functions, messages, and objects that contain them.
 */
import type { JSXOpeningElement, Node } from '@babel/types'
import { escapeRegExp } from '../../shared/escape.ts'
import type { Collector } from '../collector.ts'
import type { Conditions } from '../flow/conditions.ts'
import type { Definitions } from '../flow/definitions.ts'
import type { Imports } from '../flow/imports.ts'
import { EMPTY, type Strings, type StringValue } from '../flow/strings.ts'
import type { PluralStyle, UseDetails, UseNamespaces } from '../model.ts'
import type { Parameter } from '../syntax/bindings.ts'
import type { Module } from '../syntax/module.ts'
import type { CallNode } from '../syntax/tree.ts'

/** Describes one library. Its names are listed as they appear in source code or in compiled code. */
export interface Library {
  /** Functions that translate and are recognized by name alone. The first argument is a key or a message descriptor. */
  readonly functions?: readonly string[]
  /**
   * Functions that are recognized by name, but only as members of an object, as in `i18n.te('x')` and `const { tm } =
   * useI18n()`.
   */
  readonly methods?: readonly string[]
  /** Names in the other lists that are also common elsewhere. They count only in modules that import a library. */
  readonly shortNames?: readonly string[]
  /** Objects with translation methods. They are recognized by name alone, ignoring case. */
  readonly translators?: readonly string[]
  /** Functions that return such objects. */
  readonly factories?: readonly string[]
  /** Other members of such objects that translate, for example the elements of the tuple that a hook returns. */
  readonly members?: Readonly<Record<string, 'function' | 'translator'>>
  /** Members that contain the translation function, such as `current` in `ref.current`. */
  readonly references?: readonly string[]
  /** Functions that return their first argument, or the result of calling it. */
  readonly wrappers?: readonly string[]
  /**
   * Attributes that contain a key on any element, each with the namespaces to search if the element does not name one.
   */
  readonly keyAttributes?: Readonly<Record<string, 'default' | 'any'>>
  /** Components that take a key, and the attribute that contains it. */
  readonly components?: Readonly<Record<string, string>>
  /** Matches the packages that export these components. */
  readonly componentPackages?: RegExp
  /** Functions and methods that take a key and show no text, for example because they only check that it exists. */
  readonly queries?: readonly string[]
  /** Functions that return their argument as a key, such as a message descriptor `{ id: 'title' }` or a selector. */
  readonly descriptorMakers?: readonly string[]
  /** Members that return texts as data, without a translation function. */
  readonly data?: Readonly<Record<string, DataMember>>
  /** Matches the library's packages. */
  readonly packages?: RegExp
  readonly plurals?: PluralStyle
  /**
   * More names that occur in code that uses the library. A file that contains none of the library's names does not use
   * it.
   */
  readonly words?: readonly string[]
  /** Parts of such names. */
  readonly fragments?: readonly string[]

  /**
   * Returns the value of an import. `name` is `*` for the whole module. `null` means that the import does not
   * translate, even if its name suggests it.
   */
  importValue?(source: string, name: string): Value | null | undefined
  /** Returns the value of a call. */
  callValue?(call: Call, values: ValueReader): Value | undefined
  /** Returns the value of a callback's first parameter. */
  callbackValue?(callback: Node, values: ValueReader): Value | undefined
  /** Reads the other attributes of an element. */
  elementDetails?(element: JSXOpeningElement, analysis: Analysis): UseDetails | undefined
  /** Returns the keys that the library derives from the children of an element that has no key attribute. */
  keysOfChildren?(element: Node, analysis: Analysis): readonly StringValue[] | undefined
  /** Reads those options of a call that change how the library reads keys. */
  readCallOptions?(options: Node, analysis: Analysis): void
  /** Collects the uses in a call, unless the called function translates. */
  readCall?(call: Call, analysis: Analysis): void
  /** Collects the uses in other nodes, by node type. */
  readonly readNodes?: { readonly [T in Node['type']]?: (node: Extract<Node, { type: T }>, analysis: Analysis) => void }
}

/** A member that returns texts as data. If the code does not name a namespace or a key, any may be read. */
export interface DataMember {
  /** True if other objects often have a member with this name. The member then counts only on translators. */
  readonly isCommon?: boolean
  /**
   * Where the code names the namespace: the index of the call's argument, or `next` for the property after the member.
   * The same applies to `key`.
   */
  readonly namespace?: number | 'next'
  readonly key?: number | 'next'
  /** `next` if the property after the member is a language. */
  readonly language?: 'next'
  /** Matches members of the data that return no texts. */
  readonly except?: RegExp
  /**
   * Matches the names of objects that have this member, and of functions that return such objects. Default: any name.
   */
  readonly of?: RegExp
}

/** Where a function or component comes from. */
export interface Origin {
  /** The name of the import, property or global. */
  readonly name: string
  readonly source?: string | undefined
}

/** A call, and what is known about the called function. */
export interface Call extends Partial<Origin> {
  readonly node: CallNode
  readonly callee: Node
  readonly args: CallNode['arguments']
  readonly called: Value | undefined
  readonly isMethod: boolean
  /** The value of the object whose method is called. */
  readonly object: Value | undefined
}

export interface ValueReader {
  readonly module: Module
  readonly strings: Strings
  of(node: Node): Value | undefined
  /** The value of a global name. */
  byName(name: string): Value | undefined
  origin(node: Node): Origin | undefined
  call(node: CallNode): Call
  namespacesOf(node: Node | undefined): UseNamespaces
  prefixesOf(node: Node | undefined): readonly StringValue[] | undefined
}

export interface Analysis {
  readonly module: Module
  readonly definitions: Definitions
  readonly strings: Strings
  readonly conditions: Conditions
  readonly values: ValueReader
  readonly libraries: Libraries
  readonly collector: Collector
  readonly imports?: Imports | undefined
  /** The version of an installed package; `undefined` if unknown. */
  readonly versionOf?: ((name: string) => string | undefined) | undefined
}

type ListField =
  | 'functions'
  | 'methods'
  | 'shortNames'
  | 'translators'
  | 'factories'
  | 'wrappers'
  | 'references'
  | 'queries'
  | 'descriptorMakers'
type MapField = 'members' | 'keyAttributes' | 'components'
type Entry<F extends MapField> = NonNullable<Library[F]>[string]

type NodeReader = (node: Node, analysis: Analysis) => void
type NodeReaders = Readonly<Record<string, NodeReader>>

const PACKAGE_FOLDER = /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/g
/** Matches the quoted name of a module that may be a library. */
const LIBRARY_IMPORT = /["']([\w@./-]{1,200})["']/g

/** All libraries together with the app's own translation functions. */
export class Libraries {
  readonly all: readonly Library[]
  readonly callReaders: readonly NonNullable<Library['readCall']>[]
  readonly nodeReaders = new Map<string, NodeReader[]>()
  /** The members that return texts as data, by name. */
  readonly data = new Map<string, DataMember[]>()
  readonly #lists = new Map<string, ReadonlySet<string>>()
  readonly #maps = new Map<MapField, ReadonlyMap<string, unknown>>()
  readonly #filter: RegExp
  readonly #own: ReadonlySet<string>

  constructor(libraries: readonly Library[], functions: readonly string[]) {
    this.#own = new Set(functions.filter((name) => !libraries.some((each) => each.functions?.includes(name))))
    // Every function may also be called as a method. The names of translators are compared case-insensitively.
    this.all = [...libraries, { functions }].map((each) => ({
      ...each,
      methods: [...(each.functions ?? []), ...(each.methods ?? [])],
      translators: each.translators?.map((name) => name.toLowerCase()),
    }))
    this.callReaders = this.all.flatMap(({ readCall }) => readCall ?? [])
    const readers = this.all.flatMap(({ readNodes = {} }) => Object.entries(readNodes as NodeReaders))
    for (const [type, read] of readers) this.nodeReaders.set(type, [...(this.nodeReaders.get(type) ?? []), read])
    const members = this.all.flatMap(({ data = {} }) => Object.entries(data))
    for (const [name, member] of members) this.data.set(name, [...(this.data.get(name) ?? []), member])
    const words = this.all.flatMap((each) => [
      ...[each.methods, each.factories, each.descriptorMakers, each.words].flatMap((names = []) => names),
      ...[each.keyAttributes, each.components].flatMap((record = {}) => Object.keys(record)),
      ...Object.entries(each.data ?? {}).flatMap(([name, { isCommon }]) => (isCommon ? [] : name)),
    ])
    const fragments = this.all.flatMap((each) => each.fragments ?? [])
    const [word, fragment] = [words, fragments].map((names) => names.map(escapeRegExp).join('|'))
    // Code with a Unicode escape (`\u`) always passes, because a name may be written with escapes.
    this.#filter = new RegExp(`${fragment}|(?<![\\w$])(?:${word})(?![\\w$])|\\\\u`, 'i')
  }

  /** A fast check. False means that the code certainly uses no key. */
  mayUseKeys(code: string): boolean {
    return this.#filter.test(code)
  }

  /** True for the code of a package that imports a library, but is not a library itself. */
  isUser(code: string, file: string): boolean {
    const isLibrary = (name: string) => this.all.some(({ packages }) => packages?.test(name))
    const own = file.match(PACKAGE_FOLDER)?.at(-1)?.replace(PACKAGE_FOLDER, '$1').replace('\\', '/')
    if (own === undefined || isLibrary(own)) return false
    return [...code.matchAll(LIBRARY_IMPORT)].some(([, name = '']) => isLibrary(name))
  }

  /** True for the app's own functions. The meaning of their second argument is unknown. */
  isOwn(name: string | undefined): boolean {
    return name !== undefined && this.#own.has(name)
  }

  /** True if any library lists the name. */
  has(field: ListField, name: string | undefined): boolean {
    const names = this.#lists.get(field) ?? new Set(this.all.flatMap((library) => library[field] ?? []))
    this.#lists.set(field, names)
    return name !== undefined && names.has(field === 'translators' ? name.toLowerCase() : name)
  }

  /** The first library's entry for the name. */
  get<F extends MapField>(field: F, name: string | undefined): Entry<F> | undefined {
    const found =
      this.#maps.get(field) ?? new Map(this.all.toReversed().flatMap((each) => Object.entries(each[field] ?? {})))
    this.#maps.set(field, found)
    return name === undefined ? undefined : (found.get(name) as Entry<F> | undefined)
  }

  /** The first result that is not `undefined`. */
  first<T>(ask: (library: Library) => T | undefined): T | undefined {
    for (const library of this.all) {
      const answer = ask(library)
      if (answer !== undefined) return answer
    }
    return undefined
  }
}

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
function either(a: Value, b: Value): Value {
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
