/**
 * Follows each object and array from its creation through every use, under any name. If every use is understood, all
 * writes are known. Otherwise, the object is open.
 */
import type { Node, ObjectExpression } from '@babel/types'
import {
  type Access,
  type Assignment,
  accessTo,
  type Binding,
  targetsIn,
  UNKNOWN_ASSIGNMENT,
} from '../syntax/bindings.ts'
import type { Module } from '../syntax/module.ts'
import {
  type FunctionNode,
  isCall,
  isFunction,
  isMember,
  isTypeWrapper,
  type MemberNode,
  memberName,
  propertyName,
  staticName,
  unwrap,
  usesThis,
} from '../syntax/tree.ts'
import { ADDING, followArgument, followMethod, ITERATING, type KnownCode } from './calls.ts'
import {
  copied,
  ELEMENTS,
  elements,
  inner,
  type ObjectState,
  type Path,
  type Resolver,
  Visits,
  type Write,
} from './search.ts'
import { findUse } from './uses.ts'

const CLOSED: ObjectState = { writes: [], isOpen: false }
const OPEN: ObjectState = { writes: [], isOpen: true }
const MAX_NESTED = 40
/**
 * The maximum number of levels between the object and the value that contains it. More deeply nested objects are
 * treated as open.
 */
const MAX_LEVELS = 6
/**
 * The maximum number of steps for one object. The module as a whole has its own limit, because generated code may
 * contain thousands of objects that refer to each other.
 */
const MAX_STEPS = 3000
const MAX_MODULE_STEPS = 400_000

export class Objects {
  /** Counts the results that were returned before they were certain. */
  guesses = 0
  readonly #known = new Map<Node, ObjectState>()
  #nested = 0
  #steps = 0

  /** @param isAlone true if other modules are assumed not to change the objects that they receive */
  constructor(
    readonly module: Module,
    readonly resolver: Resolver,
    readonly code: KnownCode,
    readonly isAlone: boolean,
  ) {}

  /** @param site the node that creates the object */
  of(site: Node): ObjectState {
    const known = this.#known.get(site)
    if (known === OPEN) this.guesses++
    if (known) return known
    if (!this.module.parentOf(site)) return CLOSED
    if (this.#nested > MAX_NESTED || this.#steps > MAX_MODULE_STEPS) {
      this.guesses++
      return OPEN
    }
    // Until the object has been followed, assume that any code may change it.
    this.#known.set(site, OPEN)
    this.#nested++
    const follower = new Follower(this)
    follower.follow(site)
    this.#nested--
    this.#steps += follower.steps
    const state: ObjectState = { writes: follower.writes, isOpen: follower.isOpen }
    this.#known.set(site, state)
    return state
  }
}

class Follower {
  readonly module: Module
  readonly resolver: Resolver
  readonly code: KnownCode
  readonly writes: Write[] = []
  isOpen = false
  steps = 0
  readonly #isAlone: boolean
  readonly #seen = new Visits()
  readonly #pending: (readonly [Node, Path])[] = []
  /** The functions in the object literal, by name. `#called` contains the names of those that are called. */
  readonly #own = new Map<string, readonly FunctionNode[]>()
  readonly #called = new Set<string>()

  constructor({ module, resolver, code, isAlone }: Objects) {
    this.module = module
    this.resolver = resolver
    this.code = code
    this.#isAlone = isAlone
  }

  follow(site: Node) {
    this.hold(site, [])
    if (site.type === 'ObjectExpression') this.#findOwn(site)
    for (let next = this.#pending.pop(); next && !this.isOpen; next = this.#pending.pop()) {
      if (this.steps > MAX_STEPS) this.lose()
      else this.#use(...next)
    }
    // If a called function may have been replaced by another function, nothing is known about what the call does.
    const isReplaced = this.writes.some(({ names }) => !names || names.some((name) => this.#called.has(name)))
    if (this.#called.size > 0 && isReplaced) this.lose()
  }

  #findOwn({ properties }: ObjectExpression) {
    for (const property of properties) {
      const name = propertyName(property)
      if (property.type === 'SpreadElement' || name === undefined) continue
      const value = property.type === 'ObjectProperty' ? unwrap(property.value) : property
      const functions = isFunction(value) ? [value] : value.type === 'Identifier' && this.resolver.functionsIn(value)
      if (functions && functions.length > 0) this.#own.set(name, functions)
    }
  }

  /** Returns the functions with this name in the object literal, and notes that they are called. */
  callOwn(name: string): readonly FunctionNode[] | undefined {
    if (this.#own.has(name)) this.#called.add(name)
    return this.#own.get(name)
  }

  hold(node: Node, path: Path | undefined) {
    if (!path || !this.#isNew(node, path)) return
    // A getter or setter that uses `this` may change the object without a visible call.
    if (path.length > MAX_LEVELS || (node.type === 'ObjectExpression' && node.properties.some(isAccessorWithThis)))
      this.lose()
    else this.#pending.push([node, path])
  }

  #isNew(key: object, path: Path): boolean {
    const isNew = this.#seen.add(key, path)
    if (isNew) this.steps++
    return isNew
  }

  #bind(binding: Binding | undefined, path: Path | undefined) {
    if (!binding || !path || !this.#isNew(binding, path)) return
    if (binding.isExported) this.share()
    for (const reference of binding.references) this.hold(reference, path)
  }

  /** Notes that unknown code receives the object and may change it. */
  lose() {
    this.isOpen = true
  }

  /** Notes that other modules of the app may receive the object. */
  share() {
    if (!this.#isAlone) this.lose()
  }

  write(names: readonly string[] | undefined, from: Assignment, isCopy = false) {
    if (names?.includes('__proto__')) this.lose()
    this.writes.push({ names, from, isCopy })
  }

  #use(node: Node, path: Path) {
    const use = findUse(this.module, node)
    switch (use.kind) {
      case 'value':
        return this.hold(use.node, path)
      case 'pattern':
        this.into(use.pattern, path)
        return use.node && this.hold(use.node, path)
      case 'elements':
        return this.into(use.pattern, inner(path, ELEMENTS))
      case 'member':
        return this.#member(use.member, path)
      case 'property': {
        const { property, object } = use
        if (object?.type !== 'ObjectExpression') return this.lose()
        return this.hold(object, [accessTo(staticName(property.key, property.computed)), ...path])
      }
      case 'element':
        return this.hold(use.array, [ELEMENTS, ...path])
      case 'spread':
        return this.#spread(use.around, path)
      case 'argument':
        return followArgument(this, use.call, use.index, path)
      case 'returned':
        return use.function ? this.#returned(use.function, path) : this.lose()
      case 'attributes':
        return path.length > 0 ? this.share() : undefined
      case 'attribute':
      case 'child':
      case 'exported':
        return this.share()
      case 'unknown':
        return this.lose()
    }
  }

  #spread(around: Node | undefined, path: Path) {
    if (around?.type === 'ObjectExpression') return this.hold(around, copied(path))
    const held = elements(path)
    if (!held) return
    if (around?.type === 'ArrayExpression') return this.hold(around, held)
    const callee = isCall(around) ? unwrap(around.callee) : undefined
    if (isMember(callee) && Object.hasOwn(ADDING, memberName(callee) ?? '')) return this.store(callee.object, held)
    this.lose()
  }

  /** Notes that the names and members in a pattern may refer to the object. */
  into(pattern: Node | null | undefined, path: Path | undefined) {
    if (!pattern || !path) return
    // This constructor parameter also declares a property of the class.
    if (pattern.type === 'TSParameterProperty') this.lose()
    else if (pattern.type === 'RestElement') this.into(pattern.argument, [ELEMENTS, ...path])
    else this.#intoTargets(pattern, path)
  }

  #intoTargets(pattern: Node, path: Path) {
    for (const [target, { source, path: steps }] of targetsIn(pattern, UNKNOWN_ASSIGNMENT)) {
      // This is the default value, which is followed from its own node.
      if (source.kind !== 'unknown') continue
      const stepInto = (at: Path | undefined, step: Access) =>
        at && (step.kind === 'rest' ? copied(at) : inner(at, step))
      const each = steps.reduce(stepInto, path)
      if (target.type === 'Identifier') this.#bind(this.module.bindingOf(target), each)
      else if (each) this.#intoMember(target, each)
    }
  }

  #intoMember(target: MemberNode, path: Path) {
    for (const name of this.#namesOf(target) ?? [undefined]) this.store(target.object, [accessTo(name), ...path])
  }

  /** Notes that the object is stored in each object that the target expression may refer to. */
  store(target: Node, path: Path) {
    const allocations = this.resolver.allocationsIn(target)
    if (!allocations) return isOfModuleSystem(target) ? this.share() : this.lose()
    for (const allocation of allocations) this.hold(allocation, path)
  }

  #namesOf(member: MemberNode): readonly string[] | undefined {
    const name = memberName(member)
    return name === undefined ? this.resolver.namesIn(member.property) : [name]
  }

  #member(member: MemberNode, path: Path) {
    let outer: Node = member
    let parent = this.module.parentOf(outer)
    while (parent && isTypeWrapper(parent)) {
      outer = parent
      parent = this.module.parentOf(outer)
    }
    if (isCall(parent) && parent.callee === outer) return followMethod(this, parent, member, path)
    if (parent?.type === 'TaggedTemplateExpression') return this.lose()
    const written = this.module.writes.get(member)
    const names = this.#namesOf(member)
    if (written && path.length === 0) for (const from of written) this.write(names, from)
    if (!written || path.length === 0)
      for (const name of names ?? [undefined]) this.hold(member, inner(path, accessTo(name)))
  }

  /** Follows the value that a function returns to the calls of the function. */
  #returned(node: FunctionNode, path: Path) {
    const parent = this.module.parentOf(node)
    if (node.type === 'ObjectMethod' && node.kind === 'get' && parent)
      return this.hold(parent, [accessTo(staticName(node.key, node.computed)), ...path])
    if (isCall(parent)) {
      if (parent.callee === node) return this.hold(parent, path)
      const callee = unwrap(parent.callee)
      const name = isMember(callee) ? (memberName(callee) ?? '') : ''
      if (name === 'map' || name === 'flatMap') {
        if (name === 'flatMap') this.hold(parent, path)
        return this.hold(parent, [ELEMENTS, ...path])
      }
      if (name.startsWith('reduce')) {
        this.into(node.params[0], path)
        return this.hold(parent, path)
      }
      return ITERATING.test(name) || name === 'sort' || name === 'toSorted' ? undefined : this.lose()
    }
    if (node.generator || (node.type === 'ClassMethod' && node.kind === 'constructor')) return this.lose()
    const declared = node.type === 'FunctionDeclaration' ? node.id : undefined
    const target = declared ?? (parent?.type === 'VariableDeclarator' ? parent.id : undefined)
    const binding = target?.type === 'Identifier' ? this.module.bindingOf(target) : undefined
    if (!binding || binding.isExported) return this.share()
    for (const reference of binding.references) {
      const use = this.module.parentOf(reference)
      const isCalled = isCall(use) || use?.type === 'NewExpression'
      if (isCalled && use.callee === reference) this.hold(use, path)
      else if (isCalled) this.lose()
      else if (use?.type !== 'ExpressionStatement') this.share()
    }
  }
}

/** True for `module.exports = { ... }` and `exports.name = { ... }`. */
function isOfModuleSystem(target: Node): boolean {
  const root = isMember(target) ? unwrap(target.object) : unwrap(target)
  return root.type === 'Identifier' && /^(?:module|exports)$/.test(root.name)
}

function isAccessorWithThis(property: ObjectExpression['properties'][number]): boolean {
  return property.type === 'ObjectMethod' && property.kind !== 'method' && usesThis(property)
}
