/**
 * Follows an object or array from the place that creates it through every use, whatever its name. If all uses are
 * understood, the list of writes is complete. If any use is not understood, further writes are possible.
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
  type CallNode,
  type FunctionNode,
  isCall,
  isFunction,
  isMember,
  isTypeWrapper,
  type MemberNode,
  memberName,
  staticName,
  thisIn,
  unwrap,
} from '../syntax/tree.ts'
import { ANY, ELEMENTS, type Held, type Leak, type Reach, type Resolver, under, type Write } from './allocation.ts'
import { followArgument, followMethod } from './calls.ts'
import type { ExportPath } from './holes.ts'
import { ADDING, ITERATING, type KnownCode } from './known-code.ts'
import { Visits } from './search.ts'
import { findUse } from './uses.ts'

const REACHES: readonly Reach[] = ['closed', 'exported', 'lost', 'changed']
/** The maximum number of levels. Deeper levels of nested objects are treated as one. */
const MAX_LEVELS = 6

export class Follower {
  readonly writes: Write[] = []
  readonly exports: (readonly [string, ExportPath])[] = []
  readonly leaks: Leak[] = []
  reach: Reach = 'closed'
  isReordered = false
  steps = 0
  readonly #seen = new Visits()
  readonly #pending: (readonly [Node, Held])[] = []
  /** The names of the object's functions in the source, and the names of those that are called. */
  readonly #own = new Set<string>()
  readonly #called = new Set<string>()

  constructor(
    readonly module: Module,
    readonly resolver: Resolver,
    readonly code: KnownCode,
    /** True for an imported value, whose content is unknown. */
    readonly isImported: boolean,
    private readonly maxSteps: number,
  ) {}

  start(site: Node) {
    const held: Held = { path: [], read: [] }
    this.hold(site, held)
    if (site.type === 'ObjectExpression') for (const property of site.properties) this.#ownFunction(property, held)
    this.#run()
    // Another function may have replaced the followed one.
    const isReplaced = this.writes.some(({ names }) => !names || names.some((name) => this.#called.has(name)))
    if (this.#called.size > 0 && isReplaced) this.lose(held)
  }

  callOwn(name: string): boolean {
    if (this.#own.has(name)) this.#called.add(name)
    return this.#own.has(name)
  }

  #ownFunction(property: ObjectExpression['properties'][number], held: Held) {
    if (property.type === 'SpreadElement') return
    const value = property.type === 'ObjectProperty' ? unwrap(property.value) : property
    const functions = isFunction(value) ? [value] : value.type === 'Identifier' && this.resolver.functionsIn(value)
    const name = staticName(property.key, property.computed)
    if (!functions || functions.length === 0) return
    for (const each of functions) this.runAs(each, held)
    if (name !== undefined) this.#own.add(name)
  }

  startAt(binding: Binding) {
    this.#bind(binding, { path: [], read: [] })
    this.#run()
  }

  #run() {
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) {
      if (this.steps > this.maxSteps) this.lose({ path: [], read: [] })
      // Further steps cannot add to this result.
      if (this.reach === 'changed' && (!this.isImported || this.steps > this.maxSteps)) return
      this.#use(...next)
    }
  }

  hold(node: Node, held: Held | undefined) {
    if (!held) return
    if (held.path.length > MAX_LEVELS || held.read.length > MAX_LEVELS) return this.lose(held)
    if (this.#isNew(node, held)) this.#pending.push([node, held])
  }

  #isNew(key: object, held: Held): boolean {
    const isNew = this.#seen.add(key, held.path, held.read.length > 0 ? JSON.stringify(held.read) : '')
    if (isNew) this.steps++
    return isNew
  }

  #bind(binding: Binding | undefined, held: Held | undefined) {
    if (!binding || !held || !this.#isNew(binding, held)) return
    if (binding.isExported) this.#export(binding.name, held)
    for (const reference of binding.references) this.hold(reference, held)
  }

  /**
   * Notes that the object reaches code that is not followed. With `lost`, a framework passes it to other code of the
   * app.
   */
  lose({ read }: Held, reach: 'lost' | 'changed' = 'changed') {
    this.#widen(reach)
    this.leaks.push({ path: read, reach })
  }

  #widen(reach: Reach) {
    if (REACHES.indexOf(reach) > REACHES.indexOf(this.reach)) this.reach = reach
  }

  #export(name: string, { path, read }: Held) {
    this.#widen('exported')
    const steps = path.map((step) => (step.kind === 'property' ? step.name : null))
    this.exports.push([name, steps])
    this.leaks.push(
      path.length === 0 && read.length === 0 ? { path: read, reach: 'exported', name } : { path: read, reach: 'lost' },
    )
  }

  write(names: readonly string[] | undefined, from: Assignment, held: Held, isCopy = false) {
    if (names?.includes('__proto__')) this.lose(held)
    if (this.isImported) this.lose(held, 'lost')
    else this.writes.push({ names, from, isCopy })
  }

  /** The value that is held one step deeper. */
  inner({ path, read }: Held, step: Access): Held | undefined {
    const [first, ...rest] = path
    if (first) return mayBeSame(first, step) ? { path: rest, read } : undefined
    return this.isImported ? { path, read: [...read, step.kind === 'property' ? step.name : null] } : undefined
  }

  /** The value that a copy holds. */
  copied(held: Held, step: Access): Held | undefined {
    const inner = this.inner(held, step)
    return inner && { ...inner, path: [held.path[0] ?? step, ...inner.path] }
  }

  /** The value that an array with the same elements holds. */
  elements(held: Held): Held | undefined {
    const inner = this.inner(held, ELEMENTS)
    return inner && under(ELEMENTS, inner)
  }

  #use(node: Node, held: Held) {
    const use = findUse(this.module, node)
    switch (use.kind) {
      case 'value':
        return this.hold(use.node, held)
      case 'pattern':
        this.into(use.pattern, held)
        return use.node && this.hold(use.node, held)
      case 'elements':
        return this.into(use.pattern, this.inner(held, ELEMENTS))
      case 'member':
        return this.#member(use.member, held)
      case 'property': {
        const { property, object } = use
        if (object?.type !== 'ObjectExpression') return this.lose(held)
        return this.hold(object, under(accessTo(staticName(property.key, property.computed)), held))
      }
      case 'element':
        return this.hold(use.array, under(ELEMENTS, held))
      case 'spread':
        return this.#spread(use.around, held)
      case 'argument':
        return followArgument(this, use.call, use.index, held)
      case 'returned':
        return use.function ? this.#returned(use.function, held) : this.lose(held)
      case 'exported':
        return this.#export(use.name ?? '', held)
      case 'attributes':
        return held.path.length > 0 || this.isImported ? this.lose(held, 'lost') : undefined
      case 'attribute':
      case 'child':
        return this.lose(held, 'lost')
      case 'unknown':
        return this.lose(held)
    }
  }

  #spread(around: Node | undefined, held: Held) {
    if (around?.type === 'ObjectExpression') return this.hold(around, this.copied(held, ANY))
    const elements = this.elements(held)
    if (!elements) return
    if (around?.type === 'ArrayExpression') return this.hold(around, elements)
    const callee = isCall(around) ? unwrap(around.callee) : undefined
    if (isMember(callee) && Object.hasOwn(ADDING, memberName(callee) ?? '')) return this.store(callee.object, elements)
    this.lose(held)
  }

  into(pattern: Node | null | undefined, held: Held | undefined) {
    if (!pattern || !held) return
    // The parameter of a constructor may also be a property.
    if (pattern.type === 'TSParameterProperty') this.lose(held)
    else if (pattern.type === 'RestElement') this.into(pattern.argument, under(ELEMENTS, held))
    else this.#intoTargets(pattern, held)
  }

  #intoTargets(pattern: Node, held: Held) {
    for (const [target, { source, path }] of targetsIn(pattern, UNKNOWN_ASSIGNMENT)) {
      // The default of a target is followed at its own place.
      if (source.kind !== 'unknown') continue
      const each = path.reduce<Held | undefined>((at, step) => at && this.#stepInto(at, step), held)
      if (target.type === 'Identifier') this.#bind(this.module.bindingOf(target), each)
      else if (each) this.#intoMember(target, each)
    }
  }

  #stepInto(held: Held, step: Access): Held | undefined {
    return step.kind === 'rest' ? this.copied(held, ANY) : this.inner(held, step)
  }

  #intoMember(target: MemberNode, held: Held) {
    const names = this.namesOf(target)
    const steps: Access[] = names ? names.map((name) => ({ kind: 'property', name })) : [ANY]
    for (const step of steps) this.store(target.object, under(step, held))
  }

  /** Stores the held value in the objects that another expression means. */
  store(target: Node, held: Held) {
    const allocations = this.resolver.allocationsIn(target)
    if (!allocations) return this.lose(held, isOfModuleSystem(target) ? 'lost' : 'changed')
    for (const allocation of allocations) this.hold(allocation, held)
  }

  namesOf(member: MemberNode): readonly string[] | undefined {
    const name = memberName(member)
    return name === undefined ? this.resolver.namesIn(member.property) : [name]
  }

  #member(member: MemberNode, held: Held) {
    let outer: Node = member
    let parent = this.module.parentOf(outer)
    while (parent && isTypeWrapper(parent)) {
      outer = parent
      parent = this.module.parentOf(outer)
    }
    if ((isCall(parent) && parent.callee === outer) || parent?.type === 'TaggedTemplateExpression') {
      if (isCall(parent)) return followMethod(this, parent, member, held)
      return this.lose(held)
    }
    const written = this.module.writes.get(member)
    const names = this.namesOf(member)
    if (written && held.path.length === 0) for (const from of written) this.write(names, from, held)
    if (written && held.path.length > 0) return
    for (const name of names ?? [undefined]) this.hold(member, this.inner(held, accessTo(name)))
  }

  /** Follows a function's return value to the calls of the function. */
  #returned(node: FunctionNode, held: Held) {
    const parent = this.module.parentOf(node)
    if (node.type === 'ObjectMethod' && node.kind === 'get' && parent)
      return this.hold(parent, under(accessTo(staticName(node.key, node.computed)), held))
    if (isCall(parent)) {
      if (parent.callee === node) return this.hold(parent, held)
      const callee = unwrap(parent.callee)
      const name = isMember(callee) ? (memberName(callee) ?? '') : ''
      if (name === 'map' || (name === 'from' && isMember(callee) && this.module.isGlobal(callee.object, 'Array')))
        return this.hold(parent, under(ELEMENTS, held))
      if (name === 'flatMap') {
        this.hold(parent, held)
        return this.hold(parent, under(ELEMENTS, held))
      }
      if (name.startsWith('reduce')) {
        this.into(node.params[0], held)
        return this.hold(parent, held)
      }
      if (ITERATING.test(name) || name === 'sort' || name === 'toSorted') return
      return this.#giveTo(parent, held)
    }
    if (node.type === 'ClassMethod' && node.kind === 'constructor') return this.lose(held)
    const declared = node.type === 'FunctionDeclaration' ? node.id : undefined
    const target = declared ?? (parent?.type === 'VariableDeclarator' ? parent.id : undefined)
    const binding = target?.type === 'Identifier' ? this.module.bindingOf(target) : undefined
    if (!binding || node.generator || binding.isExported) return this.lose(held, node.generator ? 'changed' : 'lost')
    for (const reference of binding.references) {
      const use = this.module.parentOf(reference)
      if (isCall(use) || use?.type === 'NewExpression') {
        if (use.callee === reference) this.hold(use, held)
        else if (isCall(use)) this.#giveTo(use, held)
        else this.lose(held)
      } else if (use?.type !== 'ExpressionStatement') this.lose(held, 'lost')
    }
  }

  /** Follows a call that receives a function that returns the object. */
  #giveTo(call: CallNode, held: Held) {
    if (this.code.isOfFramework(unwrap(call.callee))) this.giveToFramework(call, held)
    else this.lose(held)
  }

  /**
   * Follows an object into a framework. `reactive(o)` and `useMemo(() => o)` return the object; `ref(o)` and
   * `useState(o)` return a value that holds it.
   */
  giveToFramework(call: CallNode, held: Held) {
    this.lose(held, 'lost')
    if (this.code.makesElements(unwrap(call.callee))) return
    this.hold(call, held)
    this.hold(call, under(ANY, held))
  }

  /** Follows `this` in a function that is called as a method of the object's holder. */
  runAs(node: FunctionNode, held: Held) {
    if (node.type === 'ArrowFunctionExpression') return
    for (const each of thisIn(node)) this.hold(each, held)
  }
}

/** True for `module.exports = { ... }` and `exports.name = { ... }`. */
function isOfModuleSystem(target: Node): boolean {
  const root = isMember(target) ? unwrap(target.object) : unwrap(target)
  return root.type === 'Identifier' && /^(?:module|exports)$/.test(root.name)
}

/** True if both steps may lead to the same property. */
function mayBeSame(one: Access, other: Access): boolean {
  if (one.kind === 'property' && other.kind === 'property') return one.name === other.name
  const name = one.kind === 'property' ? one.name : other.kind === 'property' ? other.name : undefined
  const isElement = one.kind === 'element' || other.kind === 'element'
  return name === undefined || !isElement || /^\d+$/.test(name)
}
