/** The port between the analysis and the localization libraries: everything that the analysis asks about a library. */
import type { JSXOpeningElement, Node } from '@babel/types'
import { escapeRegExp } from '../../shared/escape-regexp.ts'
import type { Collector } from '../collector.ts'
import type { Conditions } from '../flow/conditions.ts'
import type { Definitions } from '../flow/definitions.ts'
import type { Imports } from '../flow/imports.ts'
import type { Strings, StringValue } from '../flow/strings.ts'
import type { Value } from '../flow/value.ts'
import type { PluralStyle, UseDetails, UseNamespaces } from '../model.ts'
import type { Module } from '../syntax/module.ts'
import type { CallNode } from '../syntax/tree.ts'

/** One adapter. Names are of the source, or of what compilers make of it. */
export interface Library {
  /** Functions that translate, known by their names alone. The first argument is a key, or a message descriptor. */
  readonly functions?: readonly string[]
  /** Functions that are known by their names only as methods: `i18n.te('x')`, `const { tm } = useI18n()`. */
  readonly methods?: readonly string[]
  /** Those of these names that other values may have as well: they count only in a module that imports a library. */
  readonly shortNames?: readonly string[]
  /** Objects that have such methods, known by their names alone, in any case. */
  readonly translators?: readonly string[]
  /** Functions that return such an object. */
  readonly factories?: readonly string[]
  /** Other members of such objects, for example the elements of the tuple that a hook returns. */
  readonly members?: Readonly<Record<string, 'function' | 'translator'>>
  /** Members that hold a function itself: `ref.current`. */
  readonly references?: readonly string[]
  /** Functions that return their first argument, or the result of that callback. */
  readonly wrappers?: readonly string[]
  /** Attributes that hold a key on every element, with the namespaces that they look in if the element names none. */
  readonly keyAttributes?: Readonly<Record<string, 'default' | 'any'>>
  /** Components that take a key, with the attribute that holds it. */
  readonly components?: Readonly<Record<string, string>>
  /** The packages that these components come from. */
  readonly componentPackages?: RegExp
  /** Functions and methods that take a key and show no text: for example, they check whether a text exists. */
  readonly queries?: readonly string[]
  /** Functions that return their argument as a key: message descriptors, `{ id: 'title' }`, or selectors. */
  readonly descriptorMakers?: readonly string[]
  /** Members that give texts as data, without a function that translates. */
  readonly data?: Readonly<Record<string, DataMember>>
  /** The packages of the library, and how it writes plurals. */
  readonly packages?: RegExp
  readonly plurals?: PluralStyle
  /** More names without which a file uses no key of the library. */
  readonly words?: readonly string[]
  /** The same for parts of names. */
  readonly fragments?: readonly string[]

  /** The value of an import; `name` is `*` for the whole module. `null`: no value, although the name suggests one. */
  importValue?(source: string, name: string): Value | null | undefined
  /** The value that a call returns. */
  callValue?(call: Call, values: ValueReader): Value | undefined
  /** The value of a callback's first parameter. */
  callbackValue?(callback: Node, values: ValueReader): Value | undefined
  /** Reads the other attributes of an element. */
  elementDetails?(element: JSXOpeningElement, analysis: Analysis): UseDetails | undefined
  /** The keys of an element that names none, by the text of its children. */
  keysOfChildren?(element: Node, analysis: Analysis): readonly StringValue[] | undefined
  /** Reads the options of a call that decide how the library reads keys. */
  readCallOptions?(options: Node, analysis: Analysis): void
  /** Collects what a call uses, unless the function that is called translates. */
  readCall?(call: Call, analysis: Analysis): void
  /** Collects what any other node uses. */
  readNode?(node: Node, analysis: Analysis): void
}

/** A member that gives texts as data. Where the code does not name a namespace or a key, it may read any. */
export interface DataMember {
  /** Other objects may have such a member as well: it counts only on an object that translates. */
  readonly isCommon?: boolean
  /** Where the code names them: an argument of the call, or the `next` property behind it. */
  readonly namespace?: number | 'next'
  readonly key?: number | 'next'
  /** Members of it that read no texts. */
  readonly except?: RegExp
  /** The objects that it is a member of, by their names and by those of the functions that return them. */
  readonly of?: RegExp
}

/** Where a function or a component comes from. */
export interface Origin {
  /** The imported name, the property's name, or the name of the global. */
  readonly name: string
  readonly source?: string | undefined
}

/** A call, with what is known about the function that is called. */
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
  /** The value of a name that is not declared in the module. */
  byName(name: string): Value | undefined
  origin(node: Node): Origin | undefined
  call(node: CallNode): Call
  namespacesOf(node: Node | undefined): UseNamespaces
  prefixesOf(node: Node | undefined): readonly StringValue[] | undefined
}

/** The context in which one module is analyzed. */
export interface Analysis {
  readonly module: Module
  readonly definitions: Definitions
  readonly strings: Strings
  readonly conditions: Conditions
  readonly values: ValueReader
  readonly libraries: Libraries
  readonly collector: Collector
  readonly imports?: Imports | undefined
  /** The version of an installed package. `undefined`: it is unknown. */
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

/** All libraries together, with the app's own translation functions. */
export class Libraries {
  readonly all: readonly Library[]
  readonly #lists = new Map<string, ReadonlySet<string>>()
  readonly #filter: RegExp
  readonly #own: ReadonlySet<string>

  constructor(libraries: readonly Library[], functions: readonly string[]) {
    this.#own = new Set(functions.filter((name) => !libraries.some((each) => each.functions?.includes(name))))
    // A function may be called as a method too, and names of objects are compared without case.
    this.all = [...libraries, { functions }].map((each) => ({
      ...each,
      methods: [...(each.functions ?? []), ...(each.methods ?? [])],
      translators: each.translators?.map((name) => name.toLowerCase()),
    }))
    const words = this.all.flatMap((each) => [
      ...[each.methods, each.factories, each.descriptorMakers, each.words].flatMap((names = []) => names),
      ...[each.keyAttributes, each.components].flatMap((record = {}) => Object.keys(record)),
      ...Object.entries(each.data ?? {}).flatMap(([name, { isCommon }]) => (isCommon ? [] : name)),
    ])
    const fragments = this.all.flatMap((each) => each.fragments ?? [])
    const [word, fragment] = [words, fragments].map((names) => names.map(escapeRegExp).join('|'))
    // A name may be written with escapes.
    this.#filter = new RegExp(`${fragment}|(?<![\\w$])(?:${word})(?![\\w$])|\\\\u`, 'i')
  }

  /** Whether the source may use a key. Cheap: `true` may be wrong, `false` is certain. */
  mayUseKeys(code: string): boolean {
    return this.#filter.test(code)
  }

  /** Whether the name is that of the app's own function: what its second argument means is unknown. */
  isOwn(name: string | undefined): boolean {
    return name !== undefined && this.#own.has(name)
  }

  /** Whether any library lists the name. */
  has(field: ListField, name: string | undefined): boolean {
    const names = this.#lists.get(field) ?? new Set(this.all.flatMap((library) => library[field] ?? []))
    this.#lists.set(field, names)
    return name !== undefined && names.has(field === 'translators' ? name.toLowerCase() : name)
  }

  /** The result of the first library that has an answer for the name. */
  get<F extends MapField>(field: F, name: string | undefined): Entry<F> | undefined {
    return this.first((library) => {
      const record: Library[F] = library[field]
      return record && name !== undefined && Object.hasOwn(record, name) ? (record[name] as Entry<F>) : undefined
    })
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
