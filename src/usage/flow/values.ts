/** Finds what each expression means for translations, from the libraries' rules and from names. */
import type { Node } from '@babel/types'
import {
  anyOf,
  type Call,
  type Libraries,
  loosened,
  type MessagesValue,
  type Origin,
  type TranslatorValue,
  type Value,
  type ValueReader,
} from '../libraries/library.ts'
import type { UseNamespaces } from '../model.ts'
import {
  type Access,
  type Assignment,
  accessOf,
  type Binding,
  type ImportedName,
  type Parameter,
} from '../syntax/bindings.ts'
import type { Module } from '../syntax/module.ts'
import {
  type CallNode,
  type FunctionNode,
  isCall,
  isFunction,
  isMember,
  isNullish,
  memberName,
  propertyOf,
  returnsOf,
  unwrap,
} from '../syntax/tree.ts'
import type { Definitions } from './definitions.ts'
import type { Root } from './search.ts'
import { EMPTY, type Strings, type StringValue, selectedPaths } from './strings.ts'

const MAX_DEPTH = 300

export class Values implements ValueReader {
  readonly #known = new Map<Node | Binding, Value | undefined>()
  readonly #visiting = new Set<object>()
  readonly #origins = new Map<Node, Origin | undefined>()
  /**
   * Counts the lookups that returned no origin only because a search was still running. Their results are not cached.
   */
  #guesses = 0

  constructor(
    readonly module: Module,
    private readonly definitions: Definitions,
    readonly strings: Strings,
    private readonly libraries: Libraries,
  ) {}

  of(given: Node): Value | undefined {
    const node = unwrap(given)
    const key = (node.type === 'Identifier' && this.module.bindingOf(node)) || node
    if (this.#known.has(key)) return this.#known.get(key)
    // A value that refers to itself adds nothing.
    if (this.#visiting.has(key) || this.#visiting.size > MAX_DEPTH) return undefined
    this.#visiting.add(key)
    try {
      const value = this.#find(node)
      this.#known.set(key, value)
      return value
    } finally {
      this.#visiting.delete(key)
    }
  }

  #find(node: Node): Value | undefined {
    if (isCall(node)) return this.#ofCall(this.call(node))
    if (!isMember(node)) return this.#ofRoots(this.definitions.rootsOf(node))
    // The value of the object is found first and cached, because generated code reads thousands of members from one
    // object.
    const [object, access] = [this.of(node.object), accessOf(node)]
    return object ? this.#access(object, access) : this.#byMember(access)
  }

  call(node: CallNode): Call {
    const callee = unwrap(node.callee)
    const origin = this.origin(callee)
    return {
      name: origin?.name,
      source: origin?.source,
      node,
      callee,
      args: node.arguments,
      called: this.of(callee),
      isMethod: isMember(callee),
      object: isMember(callee) ? this.of(callee.object) : undefined,
    }
  }

  namespacesOf(node: Node | undefined): UseNamespaces {
    return isNullish(node && unwrap(node)) ? 'default' : (this.strings.namespaces(node as Node) ?? 'any')
  }

  prefixesOf(node: Node | undefined): readonly StringValue[] | undefined {
    const given = node && unwrap(node)
    if (isNullish(given)) return undefined
    const strings = isFunction(given) ? selectedPaths(given, this.strings) : this.strings.of(given)
    return this.strings.mayBeNothing(given) ? [...strings, EMPTY] : strings
  }

  /** Where a function or component comes from. Names and wrapper functions in between are followed. */
  origin(given: Node): Origin | undefined {
    const node = unwrap(given)
    if (this.#origins.has(node)) return this.#origins.get(node)
    const guesses = this.#guesses
    const origin = this.#findOrigin(node)
    if (guesses === this.#guesses) this.#origins.set(node, origin)
    return origin
  }

  #findOrigin(node: Node): Origin | undefined {
    const name = isMember(node) ? memberName(node) : undefined
    if (isMember(node) && name !== undefined) return { name, source: this.origin(node.object)?.source }
    for (const root of this.definitions.rootsOf(node)) {
      const origin = this.#originOf(root)
      if (origin) return origin
    }
    return undefined
  }

  #originOf({ node, path, names, import: imported }: Root): Origin | undefined {
    const last = path.at(-1)
    const own = imported?.import ? originOfImport(imported.name, imported.import) : this.#originOfExpression(node)
    if (last?.kind === 'property') return { name: last.name, source: own?.source }
    if (own && !last) return own
    // If the origin is unknown, the last name on the way to it is used.
    let name: string | undefined
    for (let at = names; at; at = at.before) if (at.path.length === 0) name ??= at.binding.name
    return name === undefined ? undefined : { name }
  }

  #originOfExpression(node: Node): Origin | undefined {
    if (node.type === 'Identifier' || node.type === 'JSXIdentifier')
      return this.module.bindingOf(node) ? undefined : { name: node.name }
    if (!isCall(node)) return undefined
    if (this.#visiting.has(node.callee)) {
      this.#guesses++
      return undefined
    }
    this.#visiting.add(node.callee)
    const name = this.origin(node.callee)?.name
    this.#visiting.delete(node.callee)
    const [first] = node.arguments
    if (this.libraries.has('wrappers', name) && first) return this.origin(first)
    return name === 'require' && first?.type === 'StringLiteral' ? { name, source: first.value } : undefined
  }

  #ofRoots(roots: readonly Root[]): Value | undefined {
    const given = roots.filter(({ node, path }) => path.length > 0 || !isNullish(node))
    const values = (given.length > 0 ? given : roots).map((root) => this.#ofRoot(root))
    const found = anyOf(values)
    return values.every((value) => value) ? found : loosened(found)
  }

  /**
   * Follows the value from its origin to the expression that reads it. If the origin does not show what the value is,
   * the names on the way decide.
   */
  #ofRoot(root: Root): Value | undefined {
    const { path, names } = root
    const [first] = path
    const part = first?.kind === 'property' && !first.member ? partOf(root.node, first.name) : undefined
    let value = part ? this.of(part) : this.#ofStart(root)
    let name = names
    for (let at = part ? 1 : 0; ; at++) {
      for (; name && path.length - name.path.length <= at; name = name.before)
        value ??= this.#byBinding(name.binding, path[at - 1], at === 0 ? root.parameter : undefined)
      const access = path[at]
      if (!access) return value
      value = value ? this.#access(value, access) : this.#byMember(access)
    }
  }

  #ofStart({ node, import: imported, parameter }: Root): Value | undefined {
    if (imported?.import) return this.#imported(imported.name, imported.import.source, imported.import.imported)
    if (parameter) return this.#ofParameter(parameter)
    if (node.type === 'Identifier') return this.module.bindingOf(node) ? undefined : this.byName(node.name)
    return isCall(node) ? this.of(node) : undefined
  }

  byName(name: string, parameter?: Parameter): Value | undefined {
    return this.libraries.has('functions', name) ? namedFunction({ parameter }) : this.#translatorByName(name)
  }

  #translatorByName(name: string): Value | undefined {
    return this.libraries.has('translators', name) ? { kind: 'translator', namespaces: 'any' } : undefined
  }

  /** @param access the property that a pattern assigns to the name */
  #byBinding(binding: Binding, access: Access | undefined, parameter: Parameter | undefined): Value | undefined {
    const { name, assignments, import: imported } = binding
    if (imported) return undefined
    if (access?.kind === 'property' && !access.member && this.libraries.has('methods', access.name))
      return namedFunction()
    const value = this.byName(name, parameter)
    const isWeak = value?.kind === 'function' && this.libraries.has('shortNames', name) && !assignments.some(isOfHook)
    return isWeak ? { ...value, isWeak } : value
  }

  #byMember({ member }: Access): Value | undefined {
    const name = member && memberName(member)
    if (!member || name === undefined) return undefined
    if (!this.libraries.has('methods', name)) return this.#translatorByName(name)
    return namedFunction({ isWeak: this.libraries.has('shortNames', name) && this.#isOfParameter(member.object) })
  }

  /** True for `edge.t`, where `edge` is a parameter whose name does not suggest a translator. */
  #isOfParameter(object: Node): boolean {
    const node = unwrap(object)
    if (node.type !== 'Identifier' || /^(?:_?\$?props|_?ctx|\$setup|context|this|self)$/.test(node.name)) return false
    return this.module.bindingOf(node)?.assignments.some(({ source }) => source.kind === 'parameter') === true
  }

  #imported(local: string, source: string, name: string): Value | undefined {
    const known = this.#valueOfImport(source, name)
    if (known !== undefined) return known ?? undefined
    if ([local, name].some((each) => this.libraries.has('functions', each)))
      return { kind: 'function', namespaces: 'any' }
    return this.#translatorByName(local) ?? this.#translatorByName(name)
  }

  #valueOfImport(source: string, name: string): Value | null | undefined {
    return this.libraries.first((library) => library.importValue?.(source, name))
  }

  #access(value: Value, access: Access): Value | undefined {
    if (access.kind === 'rest') return value
    if (access.kind === 'property') return this.#member(value, access.name)
    if (access.member) return this.#member(value, undefined, access.member.property)
    return value.kind === 'messages' ? value : undefined
  }

  /** The argument that is passed to a callback in this module. */
  #ofParameter({ function: callback, index }: Parameter): Value | undefined {
    if (index !== 0) return undefined
    const parent = this.module.parentOf(callback)
    if (isCall(parent) && parent.arguments[0] === callback) {
      const callee = unwrap(parent.callee)
      if (isMember(callee) && memberName(callee) === 'then') return this.of(callee.object)
    }
    return this.libraries.first((library) => library.callbackValue?.(callback, this))
  }

  /** @param property the expression in the brackets, if the property is computed */
  #member(value: Value, name: string | undefined, property?: Node): Value | undefined {
    switch (value.kind) {
      case 'translator': {
        if (name === undefined) return undefined
        const kind = this.libraries.has('methods', name) ? 'function' : this.libraries.get('members', name)
        if (kind === 'function') return { ...value, kind }
        if (kind === undefined && name !== 'default' && !this.libraries.has('translators', name)) return undefined
        const namespaces = value.namespaces === 'any' ? 'any' : 'default'
        return { kind: 'translator', namespaces, isByName: value.isByName }
      }
      case 'function':
        return this.libraries.has('references', name) ? value : undefined
      case 'module':
        return value.exports.get(name ?? '')
      case 'messages':
        return this.#messagesMember(value, name, property)
      default:
        return undefined
    }
  }

  #messagesMember(value: MessagesValue, name: string | undefined, property: Node | undefined): Value | undefined {
    if (value.path.length === 0 && isPromiseMethod(name)) return undefined
    const names = name !== undefined ? [name] : property && this.strings.exact(property)
    if (!names) return undefined
    if (value.level === 'language') return { ...value, level: 'namespace', namespaces: names }
    return names.length === 1 ? { ...value, path: [...value.path, ...names] } : undefined
  }

  #ofCall(call: Call): Value | undefined {
    const { name, callee, args, called, object } = call
    const first = args[0] && unwrap(args[0])
    if (call.isMethod) {
      if (name === 'bind' && object?.kind === 'function') return object
      if (name === 'then' && isFunction(first)) return this.#returned(first)
      if ((name === 'catch' || name === 'finally') && object) return object
    }
    const known = this.libraries.first((library) => library.callValue?.(call, this))
    if (known) return known
    if (this.libraries.has('factories', name)) return { kind: 'translator', namespaces: 'any' }
    if (this.libraries.has('wrappers', name) && first) {
      const inner = isFunction(first) ? this.#returned(first) : this.of(first)
      if (inner) return inner
    }
    if (name === 'require' && first?.type === 'StringLiteral') return this.#valueOfImport(first.value, '*') ?? undefined
    const functions = this.module.functionsOf(callee)
    if (functions?.length) return anyOf(functions.map((each) => this.#returned(each)))
    // Calls such as `$t()`, where `$t` is a store's accessor, and `useT()`, where `useT` is one of the app's hooks,
    // return a translation function.
    return called?.kind === 'function' && (args.length === 0 || /^use[A-Z]/.test(name ?? '')) ? called : undefined
  }

  #returned(node: FunctionNode): Value | undefined {
    return anyOf(returnsOf(node).map((each) => this.of(each)))
  }
}

function originOfImport(local: string, { imported, source }: ImportedName): Origin {
  return { name: imported === 'default' || imported === '*' ? local : imported, source }
}

function isOfHook({ source }: Assignment): boolean {
  const node = source.kind === 'expression' ? unwrap(source.node) : undefined
  const callee = isCall(node) ? unwrap(node.callee) : undefined
  const name = isMember(callee) ? memberName(callee) : callee?.type === 'Identifier' ? callee.name : undefined
  return name !== undefined && /^use[A-Z]/.test(name)
}

function namedFunction(details: Pick<TranslatorValue, 'parameter' | 'isWeak'> = {}): Value {
  return { kind: 'function', namespaces: 'any', isByName: true, ...details }
}

/**
 * True for methods of promises. `load()` returns a promise, so `messages.then` is not a key. If a key has such a name,
 * the whole namespace is kept.
 */
export function isPromiseMethod(name: string | undefined): boolean {
  return name === 'then' || name === 'catch' || name === 'finally'
}

/**
 * The expression that a property of an object literal, or an element of `await Promise.all([...])`, gets its value
 * from.
 */
function partOf(node: Node, name: string): Node | undefined {
  return node.type === 'ObjectExpression' ? propertyOf(node, name).value : promisesOf(node)?.[Number(name)]
}

/** The promises in `Promise.all([...])`; `undefined` if the list has spreads. */
export function promisesOf(node: Node): readonly Node[] | undefined {
  const callee = isCall(node) ? unwrap(node.callee) : undefined
  const list = isCall(node) && node.arguments[0] ? unwrap(node.arguments[0]) : undefined
  if (!isMember(callee) || callee.object.type !== 'Identifier' || callee.object.name !== 'Promise') return undefined
  const elements = list?.type === 'ArrayExpression' ? list.elements : [null]
  return elements.every((element) => element && element.type !== 'SpreadElement') ? (elements as Node[]) : undefined
}
