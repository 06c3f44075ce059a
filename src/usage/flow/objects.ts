/**
 * Follows objects and arrays forward, from where they are made through every use. As long as each use is one that is
 * understood, the writes that were seen are all there are. Anything else makes other writes possible.
 */
import type { ArrayExpression, ClassMethod, NewExpression, Node, ObjectExpression } from '@babel/types'
import type { Module } from '../syntax/module.ts'
import { type Access, type Assignment, accessTo, assignmentOf, UNKNOWN_ASSIGNMENT } from '../syntax/patterns.ts'
import type { Binding } from '../syntax/scope.ts'
import {
  type CallNode,
  childrenOf,
  type FunctionNode,
  isCall,
  isFunction,
  isMember,
  isTypeWrapper,
  type MemberNode,
  memberName,
  staticName,
  unwrap,
} from '../syntax/tree.ts'
import { ELEMENT, type ExportPath } from './holes.ts'
import {
  ADDING,
  ELEMENT_MAKERS,
  FRAMEWORK,
  FREEZING,
  ITERATING,
  ONE_ELEMENT,
  READING,
  READING_GLOBALS,
  READING_OBJECTS,
  READING_STATICS,
  REORDERING,
  SAME_ARRAY,
  SOME_ELEMENTS,
} from './methods.ts'

/** What the follower asks about expressions. */
export interface Resolver {
  /** `undefined`: it may be something else as well. */
  functionsIn(node: Node): readonly FunctionNode[] | undefined
  allocationsIn(node: Node): readonly Allocation[] | undefined
  namesIn(property: Node): readonly string[] | undefined
}

/** What is known about translation libraries: their functions only read their arguments. */
export interface KnownLibraries {
  readonly all: readonly { readonly packages?: RegExp | undefined }[]
  has(field: 'methods' | 'factories' | 'descriptorMakers' | 'queries', name: string): boolean
}

export type Allocation = ObjectExpression | ArrayExpression

export interface Write {
  /** The properties that may be written. `undefined`: any. */
  readonly names: readonly string[] | undefined
  readonly from: Assignment
  /** `from` is an object whose properties are copied. */
  readonly isCopy?: boolean
}

/**
 * `closed`: all writes are known. `exported`: other modules may write, under these names. `lost`: any code of the app
 * may write. `changed`: code that is not analyzed may write.
 */
type Reach = 'closed' | 'exported' | 'lost' | 'changed'

export interface ObjectState {
  readonly writes: readonly Write[]
  readonly reach: Reach
  readonly exports: readonly (readonly [name: string, path: ExportPath])[]
  /** Elements may have other indices than in the source. */
  readonly isReordered: boolean
}

/** A way in which an imported value leaves the code that is understood. */
export interface Leak {
  readonly path: ExportPath
  readonly reach: 'lost' | 'changed' | 'exported'
  readonly name?: string
}

const CLOSED: ObjectState = { writes: [], reach: 'closed', exports: [], isReordered: false }
const CHANGED: ObjectState = { writes: [], reach: 'changed', exports: [], isReordered: true }
const REACHES: readonly Reach[] = ['closed', 'exported', 'lost', 'changed']
const ELEMENTS: Access = { kind: 'element' }
const ANY: Access = { kind: 'unknown' }
/** Of objects in objects, more levels are not told apart. */
const MAX_LEVELS = 6
const MAX_NESTED = 40

export function isAllocation(node: Node): node is Allocation {
  return node.type === 'ObjectExpression' || node.type === 'ArrayExpression'
}

export class Objects {
  readonly #known = new Map<Node, ObjectState>()
  #nested = 0

  constructor(
    private readonly module: Module,
    private readonly resolver: Resolver,
    private readonly libraries: KnownLibraries | undefined,
  ) {}

  /** @param site where the object is made */
  of(site: Node): ObjectState {
    const known = this.#known.get(site)
    if (known) return known
    if (!this.module.parentOf(site)) return CLOSED
    if (this.#nested > MAX_NESTED) return CHANGED
    // A question about an object that is being followed has no answer yet.
    this.#known.set(site, CHANGED)
    this.#nested++
    const follower = new Follower(this.module, this.resolver, this.libraries, false)
    follower.start(site)
    this.#nested--
    const state = { ...follower, reach: follower.reach }
    this.#known.set(site, state)
    return state
  }

  /** How an imported value, or what is in it, leaves the code that is understood. */
  leaksOf(binding: Binding): readonly Leak[] {
    const follower = new Follower(this.module, this.resolver, this.libraries, true)
    follower.startAt(binding)
    return follower.leaks
  }
}

/** An expression that holds the object: at the end of `path`, which begins at its value. */
interface Held {
  readonly path: readonly Access[]
  /** The steps from an imported value to what is held. */
  readonly read: ExportPath
}

class Follower {
  readonly writes: Write[] = []
  readonly exports: (readonly [string, ExportPath])[] = []
  readonly leaks: Leak[] = []
  reach: Reach = 'closed'
  isReordered = false
  readonly #seen = new Map<object, Set<string>>()
  readonly #pending: (readonly [Node, Held])[] = []
  /** The names of the object's functions, as the source has them, and those that are called. */
  readonly #own = new Set<string>()
  readonly #called = new Set<string>()

  constructor(
    private readonly module: Module,
    private readonly resolver: Resolver,
    private readonly libraries: KnownLibraries | undefined,
    /** An imported value: it is not known what is in it. */
    private readonly isImported: boolean,
  ) {}

  start(site: Node) {
    const held: Held = { path: [], read: [] }
    this.#hold(site, held)
    if (site.type === 'ObjectExpression') for (const property of site.properties) this.#ownFunction(property, held)
    this.#run()
    // Another function may have replaced the one that was followed.
    const isReplaced = this.writes.some(({ names }) => !names || names.some((name) => this.#called.has(name)))
    if (this.#called.size > 0 && isReplaced) this.#lose(held, 'changed')
  }

  #ownFunction(property: ObjectExpression['properties'][number], held: Held) {
    if (property.type === 'SpreadElement') return
    const value = property.type === 'ObjectProperty' ? unwrap(property.value) : property
    const functions = isFunction(value) ? [value] : value.type === 'Identifier' && this.resolver.functionsIn(value)
    const name = staticName(property.key, property.computed)
    if (!functions || functions.length === 0) return
    for (const each of functions) this.#this(each, held)
    if (name !== undefined) this.#own.add(name)
  }

  startAt(binding: Binding) {
    this.#bind(binding, { path: [], read: [] })
    this.#run()
  }

  #run() {
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) this.#use(...next)
  }

  #hold(node: Node, held: Held | undefined) {
    if (!held) return
    if (held.path.length > MAX_LEVELS || held.read.length > MAX_LEVELS) return this.#lose(held)
    if (this.#isNew(node, held)) this.#pending.push([node, held])
  }

  #isNew(key: object, held: Held): boolean {
    const seen = this.#seen.get(key) ?? new Set()
    this.#seen.set(key, seen)
    const id = JSON.stringify(held)
    if (seen.has(id)) return false
    seen.add(id)
    return true
  }

  #bind(binding: Binding | undefined, held: Held | undefined) {
    if (!binding || !held || !this.#isNew(binding, held)) return
    if (binding.isExported) this.#export(binding.name, held)
    for (const reference of binding.references) this.#hold(reference, held)
  }

  #lose({ read }: Held, reach: 'lost' | 'changed' = 'lost') {
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

  #write(names: readonly string[] | undefined, from: Assignment, held: Held, isCopy = false) {
    if (names?.includes('__proto__')) this.#lose(held, 'changed')
    if (this.isImported) this.#lose(held)
    else this.writes.push({ names, from, isCopy })
  }

  /** What is held behind one step. */
  inner({ path, read }: Held, step: Access): Held | undefined {
    const [first, ...rest] = path
    if (first) return mayBeSame(first, step) ? { path: rest, read } : undefined
    return this.isImported ? { path, read: [...read, step.kind === 'property' ? step.name : null] } : undefined
  }

  /** What a copy of the value holds. */
  copied(held: Held, step: Access): Held | undefined {
    const inner = this.inner(held, step)
    return inner && { ...inner, path: [held.path[0] ?? step, ...inner.path] }
  }

  /** What an array with the same elements holds. */
  elements(held: Held): Held | undefined {
    const inner = this.inner(held, ELEMENTS)
    return inner && { ...inner, path: [ELEMENTS, ...inner.path] }
  }

  #use(node: Node, held: Held) {
    const parent = this.module.parentOf(node)
    if (!parent) return
    if (isTypeWrapper(parent)) return this.#hold(parent, held)
    switch (parent.type) {
      case 'AwaitExpression':
      case 'LogicalExpression':
        return this.#hold(parent, held)
      case 'ConditionalExpression':
        return parent.test === node ? undefined : this.#hold(parent, held)
      case 'SequenceExpression':
        return parent.expressions.at(-1) === node ? this.#hold(parent, held) : undefined
      case 'VariableDeclarator':
        return parent.init === node ? this.#into(parent.id, held) : undefined
      case 'AssignmentPattern':
        return parent.right === node ? this.#into(parent.left, held) : undefined
      case 'AssignmentExpression':
        if (parent.right !== node || !/^(?:|&&|\|\||\?\?)=$/.test(parent.operator)) return
        this.#into(parent.left, held)
        return this.#hold(parent, held)
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return parent.object === node ? this.#member(parent, held) : undefined
      case 'ObjectProperty':
        return this.#property(parent, node, held)
      case 'ArrayExpression':
        return this.#hold(parent, { ...held, path: [ELEMENTS, ...held.path] })
      case 'SpreadElement':
        return this.#spread(parent, held)
      case 'CallExpression':
      case 'OptionalCallExpression':
      case 'NewExpression': {
        const index = (parent.arguments as Node[]).indexOf(node)
        return index === -1 ? undefined : this.#argument(parent, index, held)
      }
      case 'ReturnStatement': {
        const around = this.module.functionAround(parent)
        return around ? this.#returned(around, held) : this.#lose(held)
      }
      case 'ArrowFunctionExpression':
        return parent.body === node ? this.#returned(parent, held) : this.#lose(held)
      case 'ForOfStatement':
        return parent.right === node ? this.#into(loopTarget(parent.left), this.inner(held, ELEMENTS)) : undefined
      case 'ExportSpecifier':
        return this.#export(staticName(parent.exported, false) ?? '', held)
      case 'ExportDefaultDeclaration':
        return this.#export('default', held)
      case 'JSXSpreadAttribute':
        return held.path.length > 0 || this.isImported ? this.#lose(held) : undefined
      case 'BinaryExpression':
      case 'UnaryExpression':
      case 'ExpressionStatement':
      case 'IfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'ForStatement':
      case 'ForInStatement':
      case 'SwitchStatement':
      case 'SwitchCase':
      case 'TemplateLiteral':
      case 'UpdateExpression':
      case 'JSXMemberExpression':
      case 'JSXOpeningElement':
      case 'JSXClosingElement':
        return
      default:
        return this.#lose(held)
    }
  }

  #property(parent: Extract<Node, { type: 'ObjectProperty' }>, node: Node, held: Held) {
    const object = this.module.parentOf(parent)
    if (parent.value !== node || object?.type !== 'ObjectExpression') return
    this.#hold(object, { ...held, path: [accessTo(staticName(parent.key, parent.computed)), ...held.path] })
  }

  #spread(parent: Node, held: Held) {
    const around = this.module.parentOf(parent)
    if (around?.type === 'ObjectExpression') return this.#hold(around, this.copied(held, ANY))
    const elements = this.elements(held)
    if (!elements) return
    if (around?.type === 'ArrayExpression') return this.#hold(around, elements)
    const callee = isCall(around) ? unwrap(around.callee) : undefined
    if (isMember(callee) && Object.hasOwn(ADDING, memberName(callee) ?? '')) return this.#store(callee.object, elements)
    this.#lose(held, 'changed')
  }

  #into(target: Node | null | undefined, held: Held | undefined) {
    if (!target || !held) return
    for (const [to, each] of partsOf(target, held, this)) {
      if (to.type === 'Identifier') this.#bind(this.module.bindingOf(to), each)
      else if (isMember(to)) this.#intoMember(to, each)
      else this.#lose(each)
    }
  }

  #intoMember(target: MemberNode, held: Held) {
    const names = this.#namesOf(target)
    const steps: Access[] = names ? names.map((name) => ({ kind: 'property', name })) : [ANY]
    for (const step of steps) this.#store(target.object, { ...held, path: [step, ...held.path] })
  }

  /** Puts what is held into objects that another expression means. */
  #store(target: Node, held: Held) {
    const allocations = this.resolver.allocationsIn(target)
    if (!allocations) return this.#lose(held, this.#isOfPackage(target) ? 'changed' : 'lost')
    for (const allocation of allocations) this.#hold(allocation, held)
  }

  #namesOf(member: MemberNode): readonly string[] | undefined {
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
      if (isCall(parent)) return this.#method(parent, member, held)
      return this.#lose(held, 'changed')
    }
    const written = this.module.writes.get(member)
    const names = this.#namesOf(member)
    if (written && held.path.length === 0) for (const from of written) this.#write(names, from, held)
    if (written && held.path.length > 0) return
    for (const name of names ?? [undefined]) this.#hold(member, this.inner(held, accessTo(name)))
  }

  /** `object.name(...)`, where the object holds what is followed. */
  #method(call: CallNode, member: MemberNode, held: Held) {
    const { object } = member
    const name = memberName(member) ?? ''
    if (held.path.length === 0 && this.#own.has(name)) {
      this.#called.add(name)
      return
    }
    const functions = this.resolver.functionsIn(member)
    if (functions?.length) {
      for (const each of functions) this.#this(each, held)
      return
    }
    if (held.path.length === 0) this.#changeArray(call, name, held)
    const first = call.arguments[0]
    const inner = this.inner(held, ELEMENTS)
    if (ITERATING.test(name)) this.#iterate(call, name, held, inner)
    if (SAME_ARRAY.test(name)) {
      const callback = first && unwrap(first)
      if (name === 'sort' && isFunction(callback)) for (const each of callback.params) this.#into(each, inner)
      return this.#hold(call, held)
    }
    if (name === 'valueOf') return this.#hold(call, held)
    if (ONE_ELEMENT.test(name)) this.#hold(call, inner)
    if (name === 'entries' && inner) this.#hold(call, { ...inner, path: [ELEMENTS, ANY, ...inner.path] })
    if (SOME_ELEMENTS.test(name)) {
      this.#hold(call, this.elements(held))
      if (name === 'flat' && inner) this.#hold(call, this.elements(inner))
    }
    const isKnown = [ITERATING, ONE_ELEMENT, SOME_ELEMENTS, READING].some((names) => names.test(name))
    if (isKnown || name === 'entries') return
    // An imported value's functions are followed in its module.
    if (!this.isImported && !this.#isHarmless(object, name)) this.#lose(held, 'changed')
  }

  /** `list.push(x)` and its like, where the list itself is followed. */
  #changeArray({ arguments: args }: CallNode, name: string, held: Held) {
    if (REORDERING.test(name)) this.isReordered = true
    const from = ADDING[name]
    if (from === undefined) return
    for (const each of name === 'fill' ? args.slice(from, from + 1) : args.slice(from)) {
      if (each.type === 'SpreadElement')
        this.#write([ELEMENT], { ...assignmentOf(each.argument), path: [ELEMENTS] }, held)
      else this.#write([ELEMENT], assignmentOf(each), held)
    }
  }

  /** Into the callback of `map` and similar methods. */
  #iterate(call: CallNode, name: string, held: Held, inner: Held | undefined) {
    const [first] = call.arguments
    const callback = first && unwrap(first)
    const functions = callback && (isFunction(callback) ? [callback] : this.resolver.functionsIn(callback))
    if (!functions) {
      const isReading = callback?.type === 'Identifier' && READING_GLOBALS.has(callback.name)
      if (inner && !isReading && !(callback && this.#isHarmlessCallee(callback))) this.#lose(inner, 'changed')
      return
    }
    const at = name.startsWith('reduce') ? 1 : 0
    for (const { params } of functions) {
      this.#into(params[at], inner)
      this.#into(params[at + 2], held)
      if (at === 1) this.#into(params[0], inner)
    }
    if (at === 1) this.#hold(call, inner)
  }

  #argument(call: CallNode | NewExpression, index: number, held: Held) {
    const callee = unwrap(call.callee)
    const args = call.arguments
    if (callee.type === 'Import') return
    if (args.slice(0, index).some(({ type }) => type === 'SpreadElement')) return this.#lose(held, 'changed')
    if (call.type === 'NewExpression') {
      if (index === 0 && this.module.isGlobal(callee, 'Set')) return this.#hold(call, this.elements(held))
      const isStore = ['Map', 'WeakMap', 'WeakSet'].some((name) => this.module.isGlobal(callee, name))
      return this.#lose(held, isStore ? 'lost' : 'changed')
    }
    if (isMember(callee)) return this.#argumentOfMethod(call, callee, index, held)
    const functions = this.resolver.functionsIn(callee)
    if (functions?.length) {
      for (const each of functions) this.#parameter(each, index, held)
      return
    }
    if (callee.type === 'Identifier' && READING_GLOBALS.has(callee.name) && !this.module.bindingOf(callee)) return
    this.#pass(callee, held)
  }

  #parameter(node: FunctionNode, index: number, held: Held) {
    if (usesArguments(node)) this.#lose(held, 'changed')
    const parameter = node.params[index] ?? node.params.at(-1)
    if (parameter === node.params[index] || parameter?.type === 'RestElement') this.#into(parameter, held)
  }

  /** Into a function that is not followed. */
  #pass(callee: Node, held: Held) {
    if (this.#isHarmlessCallee(callee)) return
    const name = isMember(callee) ? memberName(callee) : callee.type === 'Identifier' ? callee.name : undefined
    const isOfFramework = FRAMEWORK.test(this.#sourceOf(callee) ?? '') || ELEMENT_MAKERS.test(name ?? '')
    this.#lose(held, isOfFramework ? 'lost' : 'changed')
  }

  #argumentOfMethod(call: CallNode, callee: MemberNode, index: number, held: Held) {
    const name = memberName(callee) ?? ''
    const object = unwrap(callee.object)
    const isGlobal = (global: string) => this.module.isGlobal(object, global)
    if (isGlobal('Object') || isGlobal('Reflect') || isGlobal('Array')) return this.#static(call, name, index, held)
    if (object.type === 'Identifier' && READING_OBJECTS.has(object.name) && isGlobal(object.name)) return
    const functions = this.resolver.functionsIn(callee)
    if (functions?.length) {
      for (const each of functions) this.#parameter(each, index, held)
      return
    }
    const from = ADDING[name]
    if (from !== undefined && index >= from) return this.#store(object, { ...held, path: [ELEMENTS, ...held.path] })
    if (name === 'concat') {
      this.#hold(call, this.elements(held))
      return this.#hold(call, { ...held, path: [ELEMENTS, ...held.path] })
    }
    if (name.startsWith('reduce') && index === 1) return this.#reduced(call, held)
    if (READING.test(name) || ITERATING.test(name)) return
    const isStored = (name === 'set' && index === 1) || name === 'add'
    if (isStored && this.#sourceOf(object) === undefined) return this.#lose(held)
    this.#pass(callee, held)
  }

  /** The first value of `reduce`, which its callback gets and may return. */
  #reduced(call: CallNode, held: Held) {
    const [first] = call.arguments
    const callback = first && unwrap(first)
    if (!isFunction(callback)) return this.#lose(held, 'changed')
    this.#into(callback.params[0], held)
    this.#hold(call, held)
  }

  #static(call: CallNode, name: string, index: number, held: Held) {
    const [first, second, third] = call.arguments
    const inner = this.inner(held, ANY)
    if (FREEZING.has(name)) return this.#hold(call, held)
    if (READING_STATICS.has(name)) return
    switch (name) {
      case 'assign':
        if (index === 0) {
          if (held.path.length === 0)
            for (const source of call.arguments.slice(1)) this.#write(undefined, assignmentOf(source), held, true)
          return this.#hold(call, held)
        }
        this.#hold(call, this.copied(held, ANY))
        return first && inner ? this.#store(first, this.copied(held, ANY) as Held) : undefined
      case 'values':
        return this.#hold(call, inner && { ...inner, path: [ELEMENTS, ...inner.path] })
      case 'from':
        if (second) this.#iterateFrom(call, second, held)
        return this.#hold(call, this.elements(held))
      case 'entries':
        return this.#hold(call, inner && { ...inner, path: [ELEMENTS, ANY, ...inner.path] })
      case 'fromEntries': {
        const pair = this.inner(held, ELEMENTS)
        const value = pair && this.inner(pair, { kind: 'property', name: '1' })
        return this.#hold(call, value && { ...value, path: [ANY, ...value.path] })
      }
      case 'get':
        return this.#hold(call, inner)
      case 'set':
      case 'defineProperty': {
        const names = second && this.resolver.namesIn(second)
        if (index === 0 && held.path.length === 0)
          this.#write(names, name === 'set' ? assignmentOf(third as Node) : describedValue(third), held)
        if (index === 0) return this.#hold(call, name === 'set' ? undefined : held)
        const value = name === 'set' ? held : inner
        return first && value ? this.#store(first, { ...value, path: [ANY, ...value.path] }) : undefined
      }
      case 'of':
        return this.#hold(call, { ...held, path: [ELEMENTS, ...held.path] })
      default:
        return this.#lose(held, 'changed')
    }
  }

  #iterateFrom(call: CallNode, callback: Node, held: Held) {
    const given = unwrap(callback)
    if (isFunction(given)) this.#into(given.params[0], this.inner(held, ELEMENTS))
    else if (!call.arguments[0] || !this.#isHarmlessCallee(given)) this.#lose(held, 'changed')
  }

  /** What a function returns, to where it is called. */
  #returned(node: FunctionNode, held: Held) {
    const parent = this.module.parentOf(node)
    if (node.type === 'ObjectMethod' && node.kind === 'get' && parent)
      return this.#hold(parent, { ...held, path: [accessTo(staticName(node.key, node.computed)), ...held.path] })
    if (isCall(parent)) {
      if (parent.callee === node) return this.#hold(parent, held)
      const callee = unwrap(parent.callee)
      const name = isMember(callee) ? (memberName(callee) ?? '') : ''
      if (name === 'map' || (name === 'from' && isMember(callee) && this.module.isGlobal(callee.object, 'Array')))
        return this.#hold(parent, { ...held, path: [ELEMENTS, ...held.path] })
      if (name === 'flatMap') {
        this.#hold(parent, held)
        return this.#hold(parent, { ...held, path: [ELEMENTS, ...held.path] })
      }
      if (name.startsWith('reduce')) {
        this.#into(node.params[0], held)
        return this.#hold(parent, held)
      }
      if (ITERATING.test(name) || name === 'sort' || name === 'toSorted') return
      return this.#lose(held)
    }
    const declared = node.type === 'FunctionDeclaration' ? node.id : undefined
    const target = declared ?? (parent?.type === 'VariableDeclarator' ? parent.id : undefined)
    const binding = target?.type === 'Identifier' ? this.module.bindingOf(target) : undefined
    if (!binding || node.generator || binding.isExported) return this.#lose(held)
    for (const reference of binding.references) {
      const use = this.module.parentOf(reference)
      if (isCall(use) && use.callee === reference) this.#hold(use, held)
      else if (use?.type !== 'ExpressionStatement') this.#lose(held)
    }
  }

  /** `this` in a function that is called as a method of what holds the object. */
  #this(node: FunctionNode, held: Held) {
    if (node.type === 'ArrowFunctionExpression') return
    for (const each of thisIn(node)) this.#hold(each, held)
  }

  /** Functions of translation libraries, which only read their arguments. */
  #isHarmlessCallee(callee: Node): boolean {
    if (isMember(callee)) return this.#isHarmless(callee.object, memberName(callee) ?? '')
    if (callee.type !== 'Identifier') return false
    const imported = this.module.bindingOf(callee)?.import?.imported
    return this.#isOfLibrary(imported ?? callee.name) || this.#isLibrary(this.#sourceOf(callee))
  }

  #isHarmless(object: Node, name: string): boolean {
    return (
      this.#isOfLibrary(name) || /^(?:init|createInstance|use)$/.test(name) || this.#isLibrary(this.#sourceOf(object))
    )
  }

  #isOfLibrary(name: string): boolean {
    const { libraries } = this
    return (
      libraries !== undefined &&
      (['methods', 'factories', 'descriptorMakers', 'queries'] as const).some((field) => libraries.has(field, name))
    )
  }

  #isLibrary(source: string | undefined): boolean {
    return source !== undefined && this.libraries?.all.some(({ packages }) => packages?.test(source)) === true
  }

  #isOfPackage(node: Node): boolean {
    const source = this.#sourceOf(node)
    return source !== undefined && !/^[./]/.test(source) && !FRAMEWORK.test(source) && !this.#isLibrary(source)
  }

  /** The package or file that the expression comes from, through the names and calls of this module. */
  #sourceOf(node: Node): string | undefined {
    const seen = new Set<Binding>()
    for (let at: Node | undefined = unwrap(node); at; ) {
      if (isMember(at) || isCall(at)) at = unwrap(isCall(at) ? at.callee : at.object)
      const binding: Binding | undefined = at.type === 'Identifier' ? this.module.bindingOf(at) : undefined
      if (!binding) {
        if (isMember(at) || isCall(at)) continue
        return undefined
      }
      if (binding.import) return binding.import.source
      const [only, ...others] = binding.assignments
      if (seen.has(binding) || others.length > 0 || only?.source.kind !== 'expression') return undefined
      seen.add(binding)
      at = unwrap(only.source.node)
    }
    return undefined
  }
}

/** The names and members in a pattern, and what is held behind each. */
function* partsOf(
  target: Node,
  held: Held,
  reader: Pick<Follower, 'inner' | 'copied' | 'elements'>,
): Iterable<readonly [Node, Held]> {
  const pending: (readonly [Node | null | undefined, Held | undefined])[] = [[target, held]]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [at, each] = next
    if (!at || !each) continue
    if (isTypeWrapper(at)) pending.push([at.expression, each])
    else if (at.type === 'AssignmentPattern') pending.push([at.left, each])
    else if (at.type === 'RestElement') pending.push([at.argument, { ...each, path: [ELEMENTS, ...each.path] }])
    else if (at.type === 'TSParameterProperty') yield [at, each]
    else if (at.type === 'ObjectPattern')
      for (const property of at.properties)
        pending.push(
          property.type === 'RestElement'
            ? [property.argument, reader.copied(each, ANY)]
            : [property.value, reader.inner(each, accessTo(staticName(property.key, property.computed)))],
        )
    else if (at.type === 'ArrayPattern')
      for (const element of at.elements)
        pending.push(
          element?.type === 'RestElement'
            ? [element.argument, reader.elements(each)]
            : [element, reader.inner(each, ELEMENTS)],
        )
    else yield [at, each]
  }
}

/** Whether one step may lead to the same property as the other. */
function mayBeSame(one: Access, other: Access): boolean {
  if (one.kind === 'property' && other.kind === 'property') return one.name === other.name
  const name = one.kind === 'property' ? one.name : other.kind === 'property' ? other.name : undefined
  const isElement = one.kind === 'element' || other.kind === 'element'
  return name === undefined || !isElement || /^\d+$/.test(name)
}

function loopTarget(left: Node): Node | undefined {
  return left.type === 'VariableDeclaration' ? left.declarations[0]?.id : left
}

/** The value in the third argument of `defineProperty`. */
function describedValue(descriptor: Node | undefined): Assignment {
  if (descriptor?.type !== 'ObjectExpression') return UNKNOWN_ASSIGNMENT
  const names = descriptor.properties.map((each) =>
    each.type === 'ObjectProperty' ? staticName(each.key, each.computed) : undefined,
  )
  if (!names.includes('value') || names.includes(undefined)) return UNKNOWN_ASSIGNMENT
  return { ...assignmentOf(descriptor), path: [{ kind: 'property', name: 'value' }] }
}

function thisIn(node: FunctionNode): Node[] {
  return nodesIn(node, (each) => each.type === 'ThisExpression')
}

function usesArguments(node: FunctionNode): boolean {
  return nodesIn(node, (each) => each.type === 'Identifier' && each.name === 'arguments').length > 0
}

/** Nodes of the function itself; what arrow functions contain belongs to it. */
function nodesIn(node: FunctionNode | ClassMethod, isWanted: (node: Node) => boolean): Node[] {
  const found: Node[] = []
  const pending: Node[] = childrenOf(node)
  for (let at = pending.pop(); at; at = pending.pop()) {
    if (isWanted(at)) found.push(at)
    const isOther = (isFunction(at) && at.type !== 'ArrowFunctionExpression') || at.type.startsWith('Class')
    if (!isOther) pending.push(...childrenOf(at))
  }
  return found
}
