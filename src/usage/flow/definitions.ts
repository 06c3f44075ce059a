/**
 * The one resolver: the expressions that an expression may stand for, as far as the module shows them. A question is a
 * search over pairs of an expression and the properties to read from it. It ends when every pair was visited, so an
 * expression that is made of itself adds nothing.
 */
import type { ArrayExpression, Node, ObjectExpression } from '@babel/types'
import type { Module } from '../syntax/module.ts'
import type { Access, Assignment } from '../syntax/patterns.ts'
import type { Binding } from '../syntax/scope.ts'
import {
  branchesOf,
  type CallNode,
  type FunctionNode,
  isCall,
  isFunction,
  isMember,
  memberName,
  NOTHING,
  returnsOf,
  staticName,
  unwrap,
} from '../syntax/tree.ts'
import { type Allocation, ELEMENTS, isAllocation, type Leak, type ObjectState, type Write } from './allocation.ts'
import { Conditions } from './conditions.ts'
import { ELEMENT, type HoleData, holeNode } from './holes.ts'
import type { Imports } from './imports.ts'
import { FREEZING, ITERATING, ONE_ELEMENT, SAME_ARRAY, SOME_ELEMENTS } from './methods.ts'
import { Objects } from './objects.ts'
import type { KnownLibraries } from './packages.ts'
import { MAX_DEFINITIONS, type Question, Search } from './search.ts'

/** One expression that may be the value. */
export interface Definition {
  readonly node: Node
  /** Other code may have added properties: a computed member may be anything. `exported`: only other modules may. */
  readonly isOpen: boolean | 'exported'
  /** A condition may exclude it. */
  readonly isExcluded?: boolean
}

export interface DefinitionSet {
  readonly definitions: readonly Definition[]
  /** There is no other value. */
  readonly isComplete: boolean
}

const UNKNOWN: DefinitionSet = { definitions: [], isComplete: false }
const MAX_NESTED = 60
/** The same for all questions of a module: in generated code, every name may lead to every other. */
const MAX_MODULE_VISITED = 2_000_000

export class Definitions {
  readonly objects: Objects
  readonly #conditions: Conditions
  readonly #known = new Map<Node, DefinitionSet>()
  /** Arrays that methods make, by the call that makes them; and the calls. */
  readonly #made = new Map<Node, ArrayExpression>()
  readonly #sites = new Map<Node, Node>()
  /** Names of members and conditions that are being found out. */
  readonly #asking = new Set<Node>()
  #nested = 0
  #visited = 0

  /** @param imports given: names that are imported are followed */
  constructor(
    private readonly module: Module,
    libraries?: KnownLibraries,
    private readonly imports?: Imports,
  ) {
    this.#conditions = new Conditions(module, this)
    this.objects = new Objects(module, this, libraries)
  }

  of(given: Node): DefinitionSet {
    const node = unwrap(given)
    const known = this.#known.get(node)
    if (known) return known
    const isWhole = this.#nested === 0
    const found = this.#answer({ node, path: [] })
    // Inside of another question, a part of the answer may be missing.
    if (isWhole) this.#known.set(node, found)
    return found
  }

  /** The elements of a list. */
  elements(list: Node): DefinitionSet {
    return this.#answer({ node: list, path: [ELEMENTS] })
  }

  /** What an assignment assigns. */
  assigned({ source, path }: Assignment): DefinitionSet {
    return source.kind === 'expression' ? this.#answer({ node: source.node, path }) : UNKNOWN
  }

  functionsIn(node: Node): readonly FunctionNode[] | undefined {
    const own = this.module.functionsOf(node)
    if (own) return own.length > 0 ? own : undefined
    const { definitions, isComplete } = this.#answer({ node, path: [] }, true)
    const functions = definitions.map((definition) => definition.node)
    return isComplete && functions.length > 0 && functions.every(isFunction) ? functions : undefined
  }

  allocationsIn(node: Node): readonly Allocation[] | undefined {
    const { definitions, isComplete } = this.#answer({ node, path: [] }, true)
    const found = definitions.map((definition) => definition.node).filter((each) => each.type !== 'NullLiteral')
    const sites = found.map((each) => this.#sites.get(each) ?? each)
    return isComplete && found.every(isAllocation) ? (sites as Allocation[]) : undefined
  }

  /** `KEYS[kind]`, where `kind` is one of a few constants. */
  namesIn(property: Node): readonly string[] | undefined {
    return this.#once(property, undefined, () => {
      const { definitions, isComplete } = this.#answer({ node: property, path: [] }, true)
      if (!isComplete || definitions.length === 0) return undefined
      const names = definitions.map(({ node }) => staticName(node, true))
      return names.every((name) => name !== undefined) ? names : undefined
    })
  }

  leaksOf(binding: Binding): readonly Leak[] {
    return this.objects.leaksOf(binding)
  }

  #once<T>(node: Node, otherwise: T, ask: () => T): T {
    if (this.#asking.has(node)) return otherwise
    this.#asking.add(node)
    try {
      return ask()
    } finally {
      this.#asking.delete(node)
    }
  }

  /** @param isIdentity only the expressions themselves are asked for, and only if they are all that there are */
  #answer(question: Question, isIdentity = false): DefinitionSet {
    if (this.#nested > MAX_NESTED || this.#visited > MAX_MODULE_VISITED) return UNKNOWN
    this.#nested++
    try {
      const search = new Search(this.#step.bind(this), isIdentity)
      const { definitions, isComplete } = search.run(question)
      this.#visited += search.visited
      if (isIdentity) return { definitions: definitions.map(({ node }) => ({ node, isOpen: false })), isComplete }
      const all = definitions.map((each) => this.#definitionOf(each))
      return { definitions: all, isComplete: isComplete && !all.some(({ isWritten }) => isWritten) }
    } finally {
      this.#nested--
    }
  }

  #definitionOf({ node, isExcluded }: Question) {
    const state = isAllocation(node) ? this.#stateOf(node) : undefined
    const isWritten = state !== undefined && (state.writes.length > 0 || state.reach === 'changed')
    const isLost = state?.reach === 'lost' && !this.imports
    const isOpen = isWritten || isLost || (state !== undefined && state.reach !== 'closed' && 'exported')
    return { node, isOpen, isWritten, ...(isExcluded && { isExcluded }) } as const
  }

  #stateOf(node: Allocation): ObjectState {
    return this.objects.of(this.#sites.get(node) ?? node)
  }

  /** One step of a search: what the expression leads to. */
  #step(at: Question, search: Search) {
    const { node, path } = at
    const branches = branchesOf(node)
    if (branches) {
      const isTest = node.type === 'ConditionalExpression'
      return search.ask(
        branches.map((branch, index) => {
          const isExcluded = isTest && this.#excludes(node.test, index === 0)
          return { node: branch, path, isExcluded: at.isExcluded || isExcluded }
        }),
      )
    }
    const [access, ...rest] = path
    switch (node.type) {
      case 'Identifier': {
        const binding = this.module.bindingOf(node)
        if (binding) return this.#stepToBinding(binding, at, search)
        return node.name === 'undefined' ? search.ask([{ ...at, node: NOTHING }]) : search.stop()
      }
      case 'MemberExpression':
      case 'OptionalMemberExpression': {
        const name = memberName(node)
        const names = name === undefined ? this.namesIn(node.property) : [name]
        const steps: readonly Access[] = names ? names.map((each) => ({ kind: 'property', name: each })) : [ELEMENTS]
        return search.ask(steps.map((step) => ({ ...at, node: node.object, path: [step, ...path] })))
      }
      case 'CallExpression':
      case 'OptionalCallExpression':
        return this.#stepToCall(node, at, search)
      case 'NewExpression': {
        const [first] = node.arguments
        if (first && this.module.isGlobal(node.callee, 'Set'))
          return search.ask([{ ...at, node: this.#listOf(node, [first]) }])
        return search.end(at)
      }
      case 'ObjectExpression':
        return access ? this.#readObject(node, access, rest, at, search) : search.end(at)
      case 'ArrayExpression':
        return access ? this.#readArray(node, access, rest, at, search) : search.end(at)
      case 'NullLiteral':
        return access ? undefined : search.end(at)
      default:
        return search.end(at)
    }
  }

  #excludes(test: Node, runsIf: boolean): boolean {
    return this.#once(test, false, () => this.#conditions.excludes(test, runsIf))
  }

  #stepToBinding(binding: Binding, at: Question, search: Search) {
    if (binding.import) {
      const exported = this.imports?.valueOf(binding.import)
      return exported ? search.ask([{ ...at, node: exported }]) : search.stop()
    }
    if (binding.assignments.length > MAX_DEFINITIONS) return search.stop()
    for (const assignment of binding.assignments) this.#stepToAssigned(assignment, at, search)
  }

  #stepToAssigned({ source, path }: Assignment, at: Question, search: Search) {
    const full = [...path, ...at.path]
    if (source.kind === 'expression') return search.ask([{ ...at, node: source.node, path: full }])
    if (source.kind === 'unknown') return search.stop()
    const arguments_ = this.#argumentsFor(source.function, source.index)
    if (!arguments_) return search.stop()
    search.ask(arguments_.map(({ node, path: before }) => ({ ...at, node, path: [...before, ...full] })))
  }

  /** What a parameter may be. `undefined`: not all callers are known. */
  #argumentsFor(callback: FunctionNode, index: number): Question[] | undefined {
    const call = this.module.parentOf(callback)
    if (!isCall(call) || call.callee === callback)
      return this.module.callsOf(callback)?.flatMap((each) => argumentOf(each, index))
    // What `map` and similar methods pass to their callback.
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
    const functions = this.module.functionsOf(callee) ?? (this.imports && this.#importedFunctions(callee))
    if (!functions?.length) return search.end(at)
    for (const each of functions) this.#stepToReturns(each, at, search)
  }

  #importedFunctions(callee: Node): readonly FunctionNode[] | undefined {
    return callee.type === 'Identifier' ? this.functionsIn(callee) : undefined
  }

  #stepToReturns(node: FunctionNode, at: Question, search: Search) {
    if (node.generator) return search.stop()
    search.ask(returnsOf(node).map((each) => ({ ...at, node: each })))
  }

  #stepToMethod(node: CallNode, object: Node, method: string, at: Question, search: Search) {
    const [first, ...others] = node.arguments
    const { path } = at
    const list = (...lists: readonly Node[]) => search.ask([{ ...at, node: this.#listOf(node, lists) }])
    if (first && this.module.isGlobal(object, 'Object')) return this.#stepToStatic(node, first, method, at, search)
    if (first && this.module.isGlobal(object, 'Array'))
      return method === 'from' && others.length === 0 ? list(first) : search.end(at)
    if (ONE_ELEMENT.test(method)) return search.ask([{ ...at, node: object, path: [ELEMENTS, ...path] }])
    if (SAME_ARRAY.test(method)) return search.ask([{ ...at, node: object }])
    if (method === 'concat')
      return this.of(object).definitions.some((each) => each.node.type === 'ArrayExpression')
        ? list(object, ...node.arguments)
        : search.end(at)
    if (SOME_ELEMENTS.test(method)) return list(object)
    const callback = first ? unwrap(first) : undefined
    if (isFunction(callback) && !callback.generator && method === 'map')
      return search.ask([{ ...at, node: this.#arrayOf(node, returnsOf(callback)) }])
    if (isFunction(callback) && method.startsWith('reduce') && others[0] && others[0].type !== 'SpreadElement')
      return search.ask([others[0], ...returnsOf(callback)].map((each) => ({ ...at, node: each })))
    search.end(at)
  }

  /** `Object.keys(object)` and similar functions. */
  #stepToStatic(node: CallNode, object: Node, method: string, at: Question, search: Search) {
    if (FREEZING.has(method) || method === 'assign' || method === 'defineProperty')
      return search.ask([{ ...at, node: object }])
    if (method === 'values') return search.ask([{ ...at, node: this.#listOf(node, [object]) }])
    if (method !== 'keys' && method !== 'entries') return search.end(at)
    const [access, ...rest] = at.path
    if (!access) return search.end(at)
    const [part, ...more] = rest
    this.#readWrites(this.objects.of(node), ELEMENT, access, rest, at, search)
    if (method === 'keys') return search.ask([{ ...at, node: object, path: [{ kind: 'key' }, ...rest] }])
    const isValue = part?.kind === 'property' && part.name === '1'
    if (part?.kind === 'property' && part.name === '0')
      return search.ask([{ ...at, node: object, path: [{ kind: 'key' }, ...more] }])
    if (isValue) return search.ask([{ ...at, node: object, path: [ELEMENTS, ...more] }])
    search.stop()
  }

  #readObject(node: ObjectExpression, access: Access, rest: readonly Access[], at: Question, search: Search) {
    if (access.kind === 'unknown' || access.kind === 'rest') return search.stop()
    const state = this.#stateOf(node)
    if (access.kind === 'key') return this.#readNames(node, state, at, search)
    const name = access.kind === 'property' ? access.name : undefined
    let found: Question[] = []
    for (const property of node.properties) {
      const own = property.type === 'SpreadElement' ? undefined : staticName(property.key, property.computed)
      if (own !== undefined && name !== undefined && own !== name && own !== '__proto__') continue
      // A property replaces those of the same name before it.
      if (own !== undefined && own === name) found = []
      if (own === '__proto__') search.stop()
      else if (property.type === 'SpreadElement')
        found.push({ ...at, node: property.argument, path: [access, ...rest] })
      else if (property.type === 'ObjectProperty') found.push({ ...at, node: property.value, path: rest })
      else if (property.kind === 'get')
        found.push(...returnsOf(property).map((each) => ({ ...at, node: each, path: rest })))
      else if (property.kind === 'method') found.push({ ...at, node: property, path: rest })
      else search.stop()
    }
    search.ask(found)
    const isWritten = this.#readWrites(state, name, access, rest, at, search)
    // Inherited properties such as `toString` are no texts.
    if (found.length === 0 && !isWritten && access.kind === 'property') search.stop()
  }

  #readArray(node: ArrayExpression, access: Access, rest: readonly Access[], at: Question, search: Search) {
    const isIndex = access.kind === 'property' && /^\d+$/.test(access.name)
    if (access.kind !== 'element' && !isIndex) return search.stop()
    const state = this.#stateOf(node)
    const hasSpread = node.elements.some((element) => element?.type === 'SpreadElement')
    const isMoved = hasSpread || state.isReordered || state.writes.length > 0
    const elements = isIndex && !isMoved ? [node.elements[Number(access.name)]] : node.elements
    search.ask(
      elements.map((element) => {
        if (element?.type === 'SpreadElement') return { ...at, node: element.argument, path: [ELEMENTS, ...rest] }
        return { ...at, node: element ?? NOTHING, path: rest }
      }),
    )
    this.#readWrites(state, ELEMENT, access, rest, at, search)
  }

  /** @returns whether any write may have set the property */
  #readWrites(
    { writes, reach, exports }: ObjectState,
    name: string | undefined,
    access: Access,
    rest: readonly Access[],
    at: Question,
    search: Search,
  ): boolean {
    const isAbout = ({ names }: Write) =>
      !names || name === undefined || names.some((each) => each === name || (name === ELEMENT && /^\d+$/.test(each)))
    const own = writes.filter(isAbout)
    for (const { from, isCopy } of own)
      this.#stepToAssigned(from, { ...at, path: isCopy ? [access, ...rest] : rest }, search)
    // Options that are followed through imports are read in one go, without the other modules.
    const isKnown = reach === 'closed' || (this.imports && reach !== 'changed')
    if (reach === 'changed') search.stop()
    else if (!isKnown) {
      const data: HoleData = {
        ...(name !== undefined && { name }),
        ...(rest.length > 0 && { isInside: true }),
        ...(reach === 'exported' && { exports }),
      }
      search.end({ ...at, node: this.#hole(data), path: [] })
    }
    return own.length > 0
  }

  readonly #holes = new Map<string, Node>()

  #hole(data: HoleData): Node {
    const id = JSON.stringify(data)
    const known = this.#holes.get(id) ?? holeNode(data)
    this.#holes.set(id, known)
    return known
  }

  /** The names of an object's properties, as texts. */
  #readNames(node: ObjectExpression, { writes, reach }: ObjectState, at: Question, search: Search) {
    const written = writes.map(({ names, isCopy }) => (isCopy ? undefined : names))
    if (reach === 'lost' || reach === 'changed' || written.includes(undefined)) return search.stop()
    const names = node.properties.map((property) =>
      property.type === 'ObjectProperty' ? staticName(property.key, property.computed) : undefined,
    )
    if (reach === 'exported' || names.includes(undefined)) return search.stop()
    for (const name of [...names, ...written.flat()])
      search.end({ ...at, node: { type: 'StringLiteral', value: name } as Node, path: [] })
  }

  /** A list of the elements of these lists, in an order that is not known. */
  #listOf(site: Node, lists: readonly Node[]): ArrayExpression {
    return this.#arrayOf(
      site,
      lists.map((argument) => ({ type: 'SpreadElement', argument }) as Node),
    )
  }

  #arrayOf(site: Node, elements: readonly Node[]): ArrayExpression {
    const known = this.#made.get(site) ?? ({ type: 'ArrayExpression', elements } as ArrayExpression)
    this.#made.set(site, known)
    this.#sites.set(known, site)
    return known
  }
}

function argumentOf({ arguments: args }: CallNode, index: number): Question[] {
  const hasSpread = args.slice(0, index + 1).some(({ type }) => type === 'SpreadElement')
  // An expression that is not followed.
  const unknown = { type: 'ThisExpression' } as Node
  return [{ node: hasSpread ? unknown : (args[index] ?? NOTHING), path: [] }]
}
