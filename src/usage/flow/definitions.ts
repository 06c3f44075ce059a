/**
 * Finds the expressions that an expression may evaluate to. The search visits pairs of an expression and the properties
 * to read from it. It visits each pair once, so cycles end.
 */
import type { Node } from '@babel/types'
import { type Access, type Assignment, accessOf, type Binding } from '../syntax/bindings.ts'
import type { Module } from '../syntax/module.ts'
import {
  branchesOf,
  type CallNode,
  type FunctionNode,
  isCall,
  isFunction,
  isMember,
  type MemberNode,
  memberName,
  NOTHING,
  returnsOf,
  staticName,
  unwrap,
} from '../syntax/tree.ts'
import { FREEZING, ITERATING, KnownCode, type KnownLibraries, ONE_ELEMENT, SAME_ARRAY, SOME_ELEMENTS } from './calls.ts'
import { Objects } from './follow.ts'
import type { Imports } from './imports.ts'
import { Properties } from './properties.ts'
import { type Allocation, ELEMENTS, isAllocation, MAX_DEFINITIONS, type Question, type Root, Search } from './search.ts'

export interface Alternatives {
  readonly nodes: readonly Node[]
  /** True if `nodes` includes every possible value. */
  readonly isComplete: boolean
  /**
   * True if `nodes` includes every possible value except `undefined`, because some object lacks the property that is
   * read.
   */
  readonly isMissing?: boolean
}

const INCOMPLETE = { isComplete: false, isMissing: false }
const UNKNOWN: Alternatives = { nodes: [], ...INCOMPLETE }
const MAX_NESTED = 60
/**
 * The maximum number of steps for all searches in a module. In generated code, every name may lead to every other name.
 */
const MAX_MODULE_VISITED = 1_000_000

export class Definitions {
  readonly #objects: Objects
  readonly #properties: Properties
  readonly #known = new Map<Node, Alternatives>()
  readonly #roots = new Map<Node | Binding, readonly Root[]>()
  /** Computed properties for which a search is still running. */
  readonly #asking = new Set<Node>()
  #nested = 0
  #visited = 0

  /** @param imports if given, imported names are followed */
  constructor(
    private readonly module: Module,
    libraries: KnownLibraries,
    private readonly imports?: Imports,
  ) {
    this.#objects = new Objects(module, this, new KnownCode(this, libraries), imports !== undefined)
    this.#properties = new Properties(this.#objects, this.#stepToAssigned.bind(this))
  }

  of(node: Node): Alternatives {
    return this.at(unwrap(node))
  }

  /** The values at the end of the path. */
  at(node: Node, ...path: readonly Access[]): Alternatives {
    const found = this.#find({ node, path })
    // If other code may have changed an object, its literal is only one possible value.
    return found.nodes.some((each) => this.#isChanged(each)) ? { ...found, ...INCOMPLETE } : found
  }

  /** Finds where the expression's value comes from, without entering objects, calls or callers. */
  rootsOf(given: Node): readonly Root[] {
    const node = unwrap(given)
    const binding =
      node.type === 'Identifier' || node.type === 'JSXIdentifier' ? this.module.bindingOf(node) : undefined
    const key = binding ?? node
    const known = this.#roots.get(key)
    if (known) return known
    const search = new Search(this.#step.bind(this), true)
    search.run({ node, path: [] })
    this.#roots.set(key, search.roots)
    return search.roots
  }

  /** Every expression that the node may evaluate to; `undefined` if other values are possible. */
  allOf(node: Node): readonly Node[] | undefined {
    const { nodes, isComplete } = this.#find({ node: unwrap(node), path: [] })
    return isComplete ? nodes : undefined
  }

  functionsIn(node: Node): readonly FunctionNode[] | undefined {
    const functions = this.module.functionsOf(node) ?? this.allOf(node)
    return functions && functions.length > 0 && functions.every(isFunction) ? functions : undefined
  }

  allocationsIn(node: Node): readonly Allocation[] | undefined {
    const found = this.allOf(node)?.filter((each) => each.type !== 'NullLiteral')
    return found?.every(isAllocation) ? found.map((each) => this.#properties.siteOf(each) as Allocation) : undefined
  }

  /**
   * The property names that a computed property may have, such as `kind` in `KEYS[kind]` if it is one of a few
   * constants.
   */
  namesIn(property: Node): readonly string[] | undefined {
    if (this.#asking.has(property)) {
      this.#objects.guesses++
      return undefined
    }
    this.#asking.add(property)
    try {
      const names = this.allOf(property)?.map((node) => staticName(node, true))
      return names && names.length > 0 && names.every((name) => name !== undefined) ? names : undefined
    } finally {
      this.#asking.delete(property)
    }
  }

  #find(question: Question): Alternatives {
    const { node, path } = question
    const known = path.length === 0 ? this.#known.get(node) : undefined
    if (known) return known
    const { guesses } = this.#objects
    if (this.#nested > MAX_NESTED || this.#visited > MAX_MODULE_VISITED) {
      this.#objects.guesses++
      return UNKNOWN
    }
    this.#nested++
    const search = new Search(this.#step.bind(this))
    search.run(question)
    this.#nested--
    this.#visited += search.visited
    const { nodes, isComplete, isMissing } = search
    const found = { nodes, isComplete, isMissing }
    // A result that depends on a running search may be incomplete, so it is not cached.
    if (path.length === 0 && (this.#nested === 0 || this.#objects.guesses === guesses)) this.#known.set(node, found)
    return found
  }

  #isChanged(node: Node): boolean {
    if (!isAllocation(node)) return false
    const { writes, isOpen } = this.#properties.stateOf(node)
    return isOpen || writes.length > 0
  }

  /** Adds the expressions that this expression may evaluate to. */
  #step(at: Question, search: Search) {
    const { node, path } = at
    const branches = branchesOf(node)
    if (branches) return search.ask(branches.map((branch) => ({ ...at, node: branch })))
    switch (node.type) {
      case 'Identifier':
      case 'JSXIdentifier': {
        const binding = this.module.bindingOf(node)
        if (binding) return this.#stepToBinding(binding, at, search)
        return node.name === 'undefined' ? search.ask([{ ...at, node: NOTHING }]) : search.leave(at)
      }
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return search.ask(
          this.#accessesOf(node, search).map((step) => ({ ...at, node: node.object, path: [step, ...path] })),
        )
      case 'JSXMemberExpression':
        return search.ask([
          { ...at, node: node.object, path: [{ kind: 'property', name: node.property.name }, ...path] },
        ])
      case 'AssignmentExpression':
        // Only `x ??= y` and similar operators are left here, because `unwrap` removes plain assignments.
        if (!/^(?:&&|\|\||\?\?)=$/.test(node.operator)) return search.end(at)
        return search.ask([node.left, node.right].map((each) => ({ ...at, node: each })))
      case 'NullLiteral':
        return path.length > 0 ? undefined : search.end(at)
    }
    if (search.isAboutNames) return search.end(at)
    const [access, ...rest] = path
    switch (node.type) {
      case 'CallExpression':
      case 'OptionalCallExpression':
        return this.#stepToCall(node, at, search)
      case 'NewExpression': {
        const [first] = node.arguments
        if (!first || !this.module.isGlobal(node.callee, 'Set')) return search.end(at)
        return search.ask([{ ...at, node: this.#properties.listOf(node, [first]) }])
      }
      case 'ObjectExpression':
        return access ? this.#properties.readObject(node, access, rest, at, search) : search.end(at)
      case 'ArrayExpression':
        return access ? this.#properties.readArray(node, access, rest, at, search) : search.end(at)
      default:
        return search.end(at)
    }
  }

  #accessesOf(member: MemberNode, { isAboutNames }: Search): readonly Access[] {
    const name = memberName(member)
    if (isAboutNames) return [accessOf(member)]
    const names = name === undefined ? this.namesIn(member.property) : [name]
    return names ? names.map((each) => ({ kind: 'property', name: each })) : [ELEMENTS]
  }

  #stepToBinding(binding: Binding, given: Question, search: Search) {
    const { isAboutNames } = search
    const at = isAboutNames ? { ...given, names: { binding, path: given.path, before: given.names } } : given
    if (binding.import) {
      const exported = isAboutNames ? undefined : this.imports?.valueOf(binding.import)
      return exported ? search.ask([{ ...at, node: exported }]) : search.leave({ ...at, import: binding })
    }
    if (!isAboutNames && binding.assignments.length > MAX_DEFINITIONS) return search.stop()
    for (const assignment of binding.assignments) this.#stepToAssigned(assignment, at, search)
  }

  #stepToAssigned({ source, path }: Assignment, at: Question, search: Search) {
    const full = [...path, ...at.path]
    if (source.kind === 'expression') return search.ask([{ ...at, node: source.node, path: full }])
    if (source.kind === 'unknown') return search.leave({ ...at, path: full })
    const arguments_ = search.isAboutNames ? undefined : this.#argumentsFor(source.function, source.index)
    if (!arguments_) return search.leave({ ...at, path: full, parameter: source })
    search.ask(arguments_.map(({ node, path: before }) => ({ ...at, node, path: [...before, ...full] })))
  }

  /** The arguments that a parameter may receive; `undefined` if some callers are unknown. */
  #argumentsFor(callback: FunctionNode, index: number): Question[] | undefined {
    const call = this.module.parentOf(callback)
    if (!isCall(call) || call.callee === callback)
      return this.module.callsOf(callback)?.flatMap((each) => argumentOf(each, index))
    // The callback may be called by a method such as `map`.
    if (call.arguments[0] !== callback) return undefined
    const callee = unwrap(call.callee)
    const name = isMember(callee) ? (memberName(callee) ?? '') : ''
    if (!isMember(callee)) return undefined
    const elements: Question = { node: callee.object, path: [ELEMENTS] }
    if (name.startsWith('reduce') && ITERATING.test(name)) {
      if (index === 1) return [elements]
      const first = call.arguments[1]
      const returned = returnsOf(callback).map((node) => ({ node, path: [] }))
      return index === 0 ? [first ? { node: first, path: [] } : elements, ...returned] : undefined
    }
    if (/^(?:sort|toSorted)$/.test(name) && index < 2) return [elements]
    return index === 0 && ITERATING.test(name) ? [elements] : undefined
  }

  #stepToCall(node: CallNode, at: Question, search: Search) {
    const callee = unwrap(node.callee)
    if (isMember(callee)) return this.#stepToMethod(node, unwrap(callee.object), memberName(callee) ?? '', at, search)
    const isImported = this.imports && callee.type === 'Identifier'
    const functions = this.module.functionsOf(callee) ?? (isImported ? this.functionsIn(callee) : undefined)
    if (!functions?.length) return search.end(at)
    for (const each of functions) this.#stepToReturns(each, at, search)
  }

  #stepToReturns(node: FunctionNode, at: Question, search: Search) {
    if (node.generator) return search.stop()
    search.ask(returnsOf(node).map((each) => ({ ...at, node: each })))
  }

  #stepToMethod(node: CallNode, object: Node, method: string, at: Question, search: Search) {
    const [first, ...others] = node.arguments
    const { path } = at
    const list = (...lists: readonly Node[]) => search.ask([{ ...at, node: this.#properties.listOf(node, lists) }])
    if (first && this.module.isGlobal(object, 'Object')) return this.#stepToStatic(node, first, method, at, search)
    if (first && this.module.isGlobal(object, 'Array'))
      return method === 'from' && others.length === 0 ? list(first) : search.end(at)
    if (ONE_ELEMENT.test(method)) return search.ask([{ ...at, node: object, path: [ELEMENTS, ...path] }])
    if (SAME_ARRAY.test(method)) return search.ask([{ ...at, node: object }])
    if (method === 'concat')
      return this.of(object).nodes.some(({ type }) => type === 'ArrayExpression')
        ? list(object, ...node.arguments)
        : search.end(at)
    if (SOME_ELEMENTS.test(method)) return list(object)
    const callback = first ? unwrap(first) : undefined
    if (isFunction(callback) && !callback.generator && method === 'map')
      return search.ask([{ ...at, node: this.#properties.arrayOf(node, returnsOf(callback)) }])
    if (isFunction(callback) && method.startsWith('reduce') && others[0] && others[0].type !== 'SpreadElement')
      return search.ask([others[0], ...returnsOf(callback)].map((each) => ({ ...at, node: each })))
    search.end(at)
  }

  /** Handles `Object.keys(object)` and similar calls. */
  #stepToStatic(node: CallNode, object: Node, method: string, at: Question, search: Search) {
    if (FREEZING.test(method) || method === 'assign' || method === 'defineProperty')
      return search.ask([{ ...at, node: object }])
    if (method === 'values') return search.ask([{ ...at, node: this.#properties.listOf(node, [object]) }])
    if (method !== 'keys' && method !== 'entries') return search.end(at)
    const [access, part, ...more] = at.path
    if (!access) return search.end(at)
    this.#properties.readElementWrites(node, at, search)
    if (method === 'keys') return search.ask([{ ...at, node: object, path: [{ kind: 'key' }, ...at.path.slice(1)] }])
    const index = part?.kind === 'property' ? part.name : undefined
    if (index !== '0' && index !== '1') return search.stop()
    search.ask([{ ...at, node: object, path: [index === '0' ? { kind: 'key' } : ELEMENTS, ...more] }])
  }
}

function argumentOf({ arguments: args }: CallNode, index: number): Question[] {
  const hasSpread = args.slice(0, index + 1).some(({ type }) => type === 'SpreadElement')
  // A placeholder node, whose value is unknown.
  const unknown = { type: 'ThisExpression' } as Node
  return [{ node: hasSpread ? unknown : (args[index] ?? NOTHING), path: [] }]
}
