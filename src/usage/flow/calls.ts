/** Follows objects into calls of known built-in methods, known functions, and functions of the module. */
import type { NewExpression, Node } from '@babel/types'
import { type Access, type Assignment, assignmentOf, UNKNOWN_ASSIGNMENT } from '../syntax/bindings.ts'
import type { Module } from '../syntax/module.ts'
import {
  type CallNode,
  type FunctionNode,
  isFunction,
  isMember,
  type MemberNode,
  memberName,
  staticName,
  unwrap,
  usesArguments,
} from '../syntax/tree.ts'
import { ANY, ELEMENTS, type Held, type Resolver, under } from './allocation.ts'
import { ELEMENT } from './holes.ts'
import {
  ADDING,
  FREEZING,
  ITERATING,
  type KnownCode,
  ONE_ELEMENT,
  READING,
  READING_GLOBALS,
  READING_OBJECTS,
  READING_STATICS,
  REORDERING,
  SAME_ARRAY,
  SOME_ELEMENTS,
} from './known-code.ts'

/** The state of following one object. */
interface Follow {
  readonly module: Module
  readonly resolver: Resolver
  readonly code: KnownCode
  readonly isImported: boolean
  isReordered: boolean
  /** Notes that the expression holds the object. */
  hold(node: Node, held: Held | undefined): void
  /** Notes that the names and members of a pattern hold the object. */
  into(target: Node | null | undefined, held: Held | undefined): void
  /** Notes that the objects that another expression may mean now hold the object. */
  store(target: Node, held: Held): void
  lose(held: Held, reach?: 'lost' | 'changed'): void
  /** Notes that a function of a framework gets the object. */
  giveToFramework(call: CallNode, held: Held): void
  write(names: readonly string[] | undefined, from: Assignment, held: Held, isCopy?: boolean): void
  /** Notes that a function is called as a method of the object. */
  runAs(node: FunctionNode, held: Held): void
  /** Notes that the object's function of this name is called. Returns false if the source has no such function. */
  callOwn(name: string): boolean
  inner(held: Held, step: Access): Held | undefined
  copied(held: Held, step: Access): Held | undefined
  elements(held: Held): Held | undefined
}

/** Follows `object.name(...)`, where `object` holds the followed object. */
export function followMethod(to: Follow, call: CallNode, member: MemberNode, held: Held) {
  const { object } = member
  const name = memberName(member) ?? ''
  if (held.path.length === 0 && to.callOwn(name)) return
  const functions = to.resolver.functionsIn(member)
  if (functions?.length) {
    for (const each of functions) to.runAs(each, held)
    return
  }
  if (held.path.length === 0) changeArray(to, call, name, held)
  const first = call.arguments[0]
  const inner = to.inner(held, ELEMENTS)
  if (ITERATING.test(name)) followCallback(to, call, name, held, inner)
  if (SAME_ARRAY.test(name)) {
    const callback = first && unwrap(first)
    if (name === 'sort' && isFunction(callback)) for (const each of callback.params) to.into(each, inner)
    return to.hold(call, held)
  }
  if (name === 'valueOf') return to.hold(call, held)
  if (ONE_ELEMENT.test(name)) to.hold(call, inner)
  if (name === 'entries' && inner) to.hold(call, under(ELEMENTS, under(ANY, inner)))
  if (SOME_ELEMENTS.test(name)) {
    to.hold(call, to.elements(held))
    if (name === 'flat' && inner) to.hold(call, to.elements(inner))
  }
  const isKnown = [ITERATING, ONE_ELEMENT, SOME_ELEMENTS, READING].some((names) => names.test(name))
  if (isKnown || name === 'entries') return
  // The functions of an imported value are followed in its own module.
  if (!to.isImported && !to.code.isReadingMethod(object, name)) to.lose(held)
}

/** Follows `list.push(x)` and similar calls, where the list itself is followed. */
function changeArray(to: Follow, { arguments: args }: CallNode, name: string, held: Held) {
  if (REORDERING.test(name)) to.isReordered = true
  const from = ADDING[name]
  if (from === undefined) return
  for (const each of name === 'fill' ? args.slice(from, from + 1) : args.slice(from)) {
    if (each.type === 'SpreadElement') to.write([ELEMENT], { ...assignmentOf(each.argument), path: [ELEMENTS] }, held)
    else to.write([ELEMENT], assignmentOf(each), held)
  }
}

/** Follows the object into the callback of `map` and similar methods. */
function followCallback(to: Follow, call: CallNode, name: string, held: Held, inner: Held | undefined) {
  const [first] = call.arguments
  const callback = first && unwrap(first)
  const functions = callback && (isFunction(callback) ? [callback] : to.resolver.functionsIn(callback))
  if (!functions) {
    const isReading = callback?.type === 'Identifier' && READING_GLOBALS.has(callback.name)
    if (inner && !isReading && !(callback && to.code.isReadingCallee(callback))) to.lose(inner)
    return
  }
  const at = name.startsWith('reduce') ? 1 : 0
  for (const { params } of functions) {
    to.into(params[at], inner)
    to.into(params[at + 2], held)
    if (at === 1) to.into(params[0], inner)
  }
  if (at === 1) to.hold(call, inner)
}

export function followArgument(to: Follow, call: CallNode | NewExpression, index: number, held: Held) {
  const callee = unwrap(call.callee)
  const args = call.arguments
  if (callee.type === 'Import') return
  if (args.slice(0, index).some(({ type }) => type === 'SpreadElement')) return to.lose(held)
  if (call.type === 'NewExpression') {
    if (index === 0 && to.module.isGlobal(callee, 'Set')) return to.hold(call, to.elements(held))
    return to.lose(held)
  }
  if (isMember(callee)) return followMethodArgument(to, call, callee, index, held)
  const functions = to.resolver.functionsIn(callee)
  if (functions?.length) {
    for (const each of functions) intoParameter(to, each, index, held)
    return
  }
  if (callee.type === 'Identifier' && READING_GLOBALS.has(callee.name) && !to.module.bindingOf(callee)) return
  if (!isDependencies(call, index)) passToUnknown(to, call, held)
}

function intoParameter(to: Follow, node: FunctionNode, index: number, held: Held) {
  if (usesArguments(node)) to.lose(held)
  const parameter = node.params[index] ?? node.params.at(-1)
  if (parameter === node.params[index] || parameter?.type === 'RestElement') to.into(parameter, held)
}

/** True for the dependency list of a hook, whose elements are only compared. */
function isDependencies({ callee, arguments: args }: CallNode, index: number): boolean {
  const isHook = callee.type === 'Identifier' && /^use[A-Z]/.test(callee.name)
  return isHook && index > 0 && args[index]?.type === 'ArrayExpression'
}

/** Passes the object to a function that is not followed. */
function passToUnknown(to: Follow, call: CallNode, held: Held) {
  const callee = unwrap(call.callee)
  if (to.code.isReadingCallee(callee)) return
  if (to.code.isOfFramework(callee)) to.giveToFramework(call, held)
  else to.lose(held)
}

function followMethodArgument(to: Follow, call: CallNode, callee: MemberNode, index: number, held: Held) {
  const name = memberName(callee) ?? ''
  const object = unwrap(callee.object)
  const isGlobal = (global: string) => to.module.isGlobal(object, global)
  if (isGlobal('Object') || isGlobal('Reflect') || isGlobal('Array')) return followStatic(to, call, name, index, held)
  if (object.type === 'Identifier' && READING_OBJECTS.has(object.name) && isGlobal(object.name)) return
  const functions = to.resolver.functionsIn(callee)
  if (functions?.length) {
    for (const each of functions) intoParameter(to, each, index, held)
    return
  }
  const from = ADDING[name]
  if (from !== undefined && index >= from) return to.store(object, under(ELEMENTS, held))
  if (name === 'concat') {
    to.hold(call, to.elements(held))
    return to.hold(call, under(ELEMENTS, held))
  }
  if (name.startsWith('reduce') && index === 1) return followReduced(to, call, held)
  if (READING.test(name) || ITERATING.test(name)) return
  passToUnknown(to, call, held)
}

/** Follows the initial value of `reduce`, which its callback receives and may return. */
function followReduced(to: Follow, call: CallNode, held: Held) {
  const [first] = call.arguments
  const callback = first && unwrap(first)
  if (!isFunction(callback)) return to.lose(held)
  to.into(callback.params[0], held)
  to.hold(call, held)
}

function followStatic(to: Follow, call: CallNode, name: string, index: number, held: Held) {
  const [first, second, third] = call.arguments
  const inner = to.inner(held, ANY)
  if (FREEZING.has(name)) return to.hold(call, held)
  if (READING_STATICS.has(name)) return
  switch (name) {
    case 'assign':
      if (index === 0) {
        if (held.path.length === 0)
          for (const source of call.arguments.slice(1)) to.write(undefined, assignmentOf(source), held, true)
        return to.hold(call, held)
      }
      to.hold(call, to.copied(held, ANY))
      return first && inner ? to.store(first, to.copied(held, ANY) as Held) : undefined
    case 'values':
      return to.hold(call, inner && under(ELEMENTS, inner))
    case 'from':
      if (second) followFrom(to, call, second, held)
      return to.hold(call, to.elements(held))
    case 'entries':
      return to.hold(call, inner && under(ELEMENTS, under(ANY, inner)))
    case 'fromEntries': {
      const pair = to.inner(held, ELEMENTS)
      const value = pair && to.inner(pair, { kind: 'property', name: '1' })
      return to.hold(call, value && under(ANY, value))
    }
    case 'get':
      return to.hold(call, inner)
    case 'set':
    case 'defineProperty': {
      const names = second && to.resolver.namesIn(second)
      if (index === 0 && held.path.length === 0)
        to.write(names, name === 'set' ? assignmentOf(third as Node) : describedValue(third), held)
      if (index === 0) return to.hold(call, name === 'set' ? undefined : held)
      const value = name === 'set' ? held : inner
      return first && value ? to.store(first, under(ANY, value)) : undefined
    }
    case 'of':
      return to.hold(call, under(ELEMENTS, held))
    default:
      return to.lose(held)
  }
}

function followFrom(to: Follow, call: CallNode, callback: Node, held: Held) {
  const given = unwrap(callback)
  if (isFunction(given)) to.into(given.params[0], to.inner(held, ELEMENTS))
  else if (!call.arguments[0] || !to.code.isReadingCallee(given)) to.lose(held)
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
