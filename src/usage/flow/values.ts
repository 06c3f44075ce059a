/** What each expression of a module means for translations, by the libraries and by the names in use. */
import type { Identifier, JSXIdentifier, Node } from '@babel/types'
import type { Call, Libraries, Origin, ValueReader } from '../libraries/library.ts'
import type { UseNamespaces } from '../model.ts'
import type { Module } from '../syntax/module.ts'
import { type Access, type Assignment, isSomething } from '../syntax/patterns.ts'
import type { Binding } from '../syntax/scope.ts'
import type { CallNode, FunctionNode } from '../syntax/tree.ts'
import {
  branchesOf,
  isCall,
  isFunction,
  isMember,
  isNullish,
  memberName,
  propertyOf,
  returnsOf,
  unwrap,
} from '../syntax/tree.ts'
import { selectedPaths } from './selectors.ts'
import { EMPTY, type Strings, type StringValue } from './strings.ts'
import { anyOf, either, loosened, type MessagesValue, type TranslatorValue, type Value } from './value.ts'

const MAX_DEPTH = 300

export class Values implements ValueReader {
  readonly #known = new Map<Node | Binding, Value | undefined>()
  readonly #visiting = new Set<object>()

  constructor(
    readonly module: Module,
    readonly strings: Strings,
    private readonly libraries: Libraries,
  ) {}

  of(given: Node): Value | undefined {
    const node = unwrap(given)
    return this.#once(node, () => this.#find(node))
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

  /** Where a function or a component comes from, followed through the names and wrappers of the module. */
  origin(given: Node): Origin | undefined {
    const node = unwrap(given)
    if (node.type === 'Identifier' || node.type === 'JSXIdentifier') return this.#originOfName(node)
    if (node.type === 'JSXMemberExpression') {
      const { object } = node
      const source = object.type === 'JSXIdentifier' ? this.#originOfName(object).source : undefined
      return { name: node.property.name, source }
    }
    if (isMember(node)) {
      const name = memberName(node)
      const object = unwrap(node.object)
      if (name === undefined) return undefined
      return { name, source: object.type === 'Identifier' ? this.#originOfName(object).source : undefined }
    }
    if (!isCall(node)) return undefined
    const name = this.origin(node.callee)?.name
    const [first] = node.arguments
    if (this.libraries.has('wrappers', name) && first) return this.origin(first)
    return name === 'require' && first?.type === 'StringLiteral' ? { name, source: first.value } : undefined
  }

  #originOfName(node: Identifier | JSXIdentifier): Origin {
    const binding = this.module.bindingOf(node)
    if (!binding) return { name: node.name }
    const { name, import: imported } = binding
    if (!imported) return this.#visit(binding, () => this.#originOfValue(binding)) ?? { name }
    const isWhole = imported.imported === 'default' || imported.imported === '*'
    return { name: isWhole ? name : imported.imported, source: imported.source }
  }

  #originOfValue({ assignments }: Binding): Origin | undefined {
    for (const { source, path } of assignments) {
      const [access, ...more] = path
      const origin = source.kind === 'expression' ? this.origin(source.node) : undefined
      if (source.kind === 'expression' && access?.kind === 'property' && more.length === 0)
        return { name: access.name, source: origin?.source }
      if (!access && origin) return origin
    }
    return undefined
  }

  /** `undefined` inside of cycles. */
  #visit<T>(key: object, find: () => T): T | undefined {
    if (this.#visiting.has(key) || this.#visiting.size > MAX_DEPTH) return undefined
    this.#visiting.add(key)
    try {
      return find()
    } finally {
      this.#visiting.delete(key)
    }
  }

  #once(key: Node | Binding, find: () => Value | undefined): Value | undefined {
    if (this.#known.has(key)) return this.#known.get(key)
    return this.#visit(key, () => {
      const value = find()
      this.#known.set(key, value)
      return value
    })
  }

  #find(node: Node): Value | undefined {
    const branches = branchesOf(node)?.filter((each) => !isNullish(each))
    if (branches) {
      const [a, b] = branches.map((each) => this.of(each))
      return branches.length > 1 ? either(a, b) : a
    }
    switch (node.type) {
      case 'Identifier':
      case 'JSXIdentifier': {
        const binding = this.module.bindingOf(node)
        return binding ? this.#once(binding, () => this.#ofBinding(binding)) : this.byName(node.name)
      }
      case 'MemberExpression':
      case 'OptionalMemberExpression': {
        const name = memberName(node)
        const object = this.of(node.object)
        if (object) return this.#member(object, name, node.property)
        if (name === undefined) return undefined
        if (!this.libraries.has('methods', name)) return this.#translatorByName(name)
        return namedFunction({ isWeak: this.libraries.has('shortNames', name) && this.#isOfParameter(node.object) })
      }
      case 'CallExpression':
      case 'OptionalCallExpression':
        return this.#ofCall(this.call(node))
      case 'AssignmentExpression':
        return this.of(node.right)
      default:
        return undefined
    }
  }

  byName(name: string, parameter?: TranslatorValue['parameter']): Value | undefined {
    return this.libraries.has('functions', name) ? namedFunction({ parameter }) : this.#translatorByName(name)
  }

  #translatorByName(name: string): Value | undefined {
    return this.libraries.has('translators', name) ? { kind: 'translator', namespaces: 'any' } : undefined
  }

  #ofBinding({ name, assignments, import: imported }: Binding): Value | undefined {
    if (imported) return this.#imported(name, imported.source, imported.imported)
    const values = assignments.filter(isSomething).map((assignment) => this.#assigned(assignment))
    const found = anyOf(values)
    if (found) return values.every((value) => value) ? found : loosened(found)
    const properties = assignments.map(({ path }) => path.at(-1))
    if (properties.some((last) => last?.kind === 'property' && this.libraries.has('methods', last.name)))
      return namedFunction()
    const parameter = assignments.find(({ source }) => source.kind === 'parameter')
    const isWhole = parameter?.source.kind === 'parameter' && parameter.path.length === 0
    const value = this.byName(name, isWhole ? parameter.source : undefined)
    const isWeak = value?.kind === 'function' && this.libraries.has('shortNames', name) && !assignments.some(isOfHook)
    return isWeak ? { ...value, isWeak } : value
  }

  /** `edge.t`, where `edge` is a parameter with a name that says nothing. */
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

  #assigned({ source, path }: Assignment): Value | undefined {
    const follow = (from: Value | undefined, rest = path) => rest.reduce((at, access) => this.#access(at, access), from)
    if (source.kind === 'unknown') return undefined
    if (source.kind === 'parameter') return follow(this.#ofParameter(source.function, source.index))
    const [first, ...rest] = path
    const part = first?.kind === 'property' ? partOf(unwrap(source.node), first.name) : undefined
    return part ? follow(this.of(part), rest) : follow(this.of(source.node))
  }

  #access(value: Value | undefined, access: Access): Value | undefined {
    if (!value || access.kind === 'rest') return value
    if (access.kind === 'property') return this.#member(value, access.name)
    return value.kind === 'messages' ? value : undefined
  }

  /** What a callback of this module gets. */
  #ofParameter(callback: FunctionNode, index: number): Value | undefined {
    if (index !== 0) return undefined
    const parent = this.module.parentOf(callback)
    if (isCall(parent) && parent.arguments[0] === callback) {
      const callee = unwrap(parent.callee)
      if (isMember(callee) && memberName(callee) === 'then') return this.of(callee.object)
    }
    return this.libraries.first((library) => library.callbackValue?.(callback, this))
  }

  /** @param property the computed property, if the name is not known */
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
    // `$t()('title')`: the accessor of a store. `useT()('title')`: a hook of the app.
    return called?.kind === 'function' && (args.length === 0 || /^use[A-Z]/.test(name ?? '')) ? called : undefined
  }

  #returned(node: FunctionNode): Value | undefined {
    return anyOf(returnsOf(node).map((each) => this.of(each)))
  }
}

/** `useT()`. */
function isOfHook({ source }: Assignment): boolean {
  const node = source.kind === 'expression' ? unwrap(source.node) : undefined
  const callee = isCall(node) ? unwrap(node.callee) : undefined
  const name = isMember(callee) ? memberName(callee) : callee?.type === 'Identifier' ? callee.name : undefined
  return name !== undefined && /^use[A-Z]/.test(name)
}

/** A function that is known by its name only. */
function namedFunction(details: Pick<TranslatorValue, 'parameter' | 'isWeak'> = {}): Value {
  return { kind: 'function', namespaces: 'any', isByName: true, ...details }
}

/** `load()` returns a promise. A key with such a name is kept with the whole namespace. */
export function isPromiseMethod(name: string | undefined): boolean {
  return name === 'then' || name === 'catch' || name === 'finally'
}

/** The expression that a property comes from: of an object literal, or of the list given to `Promise.all`. */
function partOf(node: Node, name: string): Node | undefined {
  return node.type === 'ObjectExpression' ? propertyOf(node, name).value : promisesOf(node)?.[Number(name)]
}

/** The promises in `Promise.all([...])`, if the list has them one by one. */
export function promisesOf(node: Node): readonly Node[] | undefined {
  const callee = isCall(node) ? unwrap(node.callee) : undefined
  const list = isCall(node) && node.arguments[0] ? unwrap(node.arguments[0]) : undefined
  if (!isMember(callee) || callee.object.type !== 'Identifier' || callee.object.name !== 'Promise') return undefined
  const elements = list?.type === 'ArrayExpression' ? list.elements : [null]
  return elements.every((element) => element && element.type !== 'SpreadElement') ? (elements as Node[]) : undefined
}
