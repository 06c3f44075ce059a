/**
 * Follows objects into calls of built-in methods, functions of translation libraries, and the module's own functions.
 * If an object reaches other code outside the app, its values are unknown, and the plugin keeps more keys.
 */
import type { NewExpression, Node } from '@babel/types'
import { type Assignment, assignmentOf } from '../syntax/bindings.ts'
import type { Module } from '../syntax/module.ts'
import {
  type CallNode,
  type FunctionNode,
  isCall,
  isFunction,
  isMember,
  type MemberNode,
  memberName,
  NOTHING,
  unwrap,
  usesArguments,
  usesThis,
} from '../syntax/tree.ts'
import { ANY, copied, ELEMENT, ELEMENTS, elements, inner, type Path, type Resolver } from './search.ts'

/** Methods that call their callback with each element. */
export const ITERATING =
  /^(?:map|forEach|filter|flatMap|some|every|find|findIndex|findLast|findLastIndex|reduce|reduceRight)$/
/** Methods that return a new array with some or all of the elements. */
export const SOME_ELEMENTS = /^(?:filter|slice|concat|toSorted|toReversed|values|flat|splice)$/
/** Methods that move or replace the array's elements, and return the array itself. */
export const SAME_ARRAY = /^(?:sort|reverse|copyWithin|fill)$/
export const ONE_ELEMENT = /^(?:at|find|findLast|pop|shift)$/
/** Methods that add arguments to the array, and the index of the first such argument. */
export const ADDING: Readonly<Record<string, number>> = { push: 0, unshift: 0, splice: 2, fill: 0 }
/** Methods after which an element may have a different index. */
const REORDERING = /^(?:sort|reverse|copyWithin|splice|shift|unshift)$/
/** Methods whose result contains no part of the object. Methods that change the array are handled elsewhere. */
const READING =
  /^(?:join|includes|indexOf|lastIndexOf|keys|toString|toLocaleString|hasOwnProperty|propertyIsEnumerable|push|pop|shift|unshift|at|some|every|findIndex|findLastIndex|forEach|isPrototypeOf)$/
/** Global functions that only read their arguments. */
const READING_GLOBALS =
  /^(?:String|Number|Boolean|BigInt|Symbol|isNaN|isFinite|parseInt|parseFloat|encodeURIComponent|structuredClone)$/
/** Global objects whose functions only read their arguments. */
const READING_OBJECTS = /^(?:console|JSON|Math|Number|String|Intl)$/
/** Functions of `Object`, `Reflect` and `Array` that only read their arguments. */
const READING_STATICS =
  /^(?:keys|is|hasOwn|isFrozen|isSealed|isExtensible|getOwnPropertyNames|getOwnPropertySymbols|has|ownKeys|isArray)$/
export const FREEZING = /^(?:freeze|seal|preventExtensions)$/

export interface KnownLibraries {
  readonly all: readonly { readonly packages?: RegExp | undefined }[]
  has(field: 'methods' | 'factories' | 'descriptorMakers' | 'queries', name: string): boolean
}

export class KnownCode {
  constructor(
    private readonly resolver: Pick<Resolver, 'rootsOf'>,
    private readonly libraries: KnownLibraries,
  ) {}

  /** True for functions of translation libraries, which only read their arguments. */
  isReadingCallee(callee: Node): boolean {
    if (isMember(callee)) return this.isReadingMethod(callee.object, memberName(callee) ?? '')
    if (callee.type !== 'Identifier') return false
    const [root] = this.resolver.rootsOf(callee)
    const name = root?.names?.before ? undefined : root?.import?.import?.imported
    return this.#isNameOfLibrary(name ?? callee.name) || this.#isLibrary(this.#sourceOf(callee))
  }

  isReadingMethod(object: Node, name: string): boolean {
    return (
      this.#isNameOfLibrary(name) ||
      /^(?:init|createInstance|use)$/.test(name) ||
      this.#isLibrary(this.#sourceOf(object))
    )
  }

  #isNameOfLibrary(name: string): boolean {
    return (['methods', 'factories', 'descriptorMakers', 'queries'] as const).some((field) =>
      this.libraries.has(field, name),
    )
  }

  #isLibrary(source: string | undefined): boolean {
    return source !== undefined && this.libraries.all.some(({ packages }) => packages?.test(source))
  }

  /** The package or file that the expression comes from, if there is exactly one. */
  #sourceOf(node: Node, seen = new Set<Node>()): string | undefined {
    const [root, ...others] = this.resolver.rootsOf(node)
    if (!root || others.length > 0 || seen.has(root.node)) return undefined
    if (root.import) return root.import.import?.source
    return isCall(root.node) ? this.#sourceOf(root.node.callee, seen.add(root.node)) : undefined
  }
}

/** The object being followed, and what can happen to it. The methods ignore `undefined` paths. */
interface Follow {
  readonly module: Module
  readonly resolver: Resolver
  readonly code: KnownCode
  hold(node: Node, path: Path | undefined): void
  into(pattern: Node | null | undefined, path: Path | undefined): void
  store(target: Node, path: Path): void
  lose(): void
  write(names: readonly string[] | undefined, from: Assignment, isCopy?: boolean): void
  callOwn(name: string): readonly FunctionNode[] | undefined
}

/** Follows `object.name(...)`. The value of `object` contains the object being followed. */
export function followMethod(to: Follow, call: CallNode, member: MemberNode, path: Path) {
  const name = memberName(member) ?? ''
  const functions = (path.length === 0 && to.callOwn(name)) || to.resolver.functionsIn(member)
  if (functions && functions.length > 0) return functions.some(usesThis) ? to.lose() : undefined
  if (path.length === 0) changeArray(to, call, name)
  const element = inner(path, ELEMENTS)
  if (ITERATING.test(name)) followCallback(to, call, name, path, element)
  if (SAME_ARRAY.test(name)) {
    const callback = call.arguments[0] && unwrap(call.arguments[0])
    if (name === 'sort' && isFunction(callback)) for (const each of callback.params) to.into(each, element)
    return to.hold(call, path)
  }
  if (name === 'valueOf') return to.hold(call, path)
  if (ONE_ELEMENT.test(name)) to.hold(call, element)
  if (name === 'entries' && element) to.hold(call, [ELEMENTS, ANY, ...element])
  if (SOME_ELEMENTS.test(name)) {
    to.hold(call, elements(path))
    if (name === 'flat' && element) to.hold(call, elements(element))
  }
  const isKnown = [ITERATING, ONE_ELEMENT, SOME_ELEMENTS, READING].some((names) => names.test(name))
  if (!isKnown && name !== 'entries' && !to.code.isReadingMethod(member.object, name)) to.lose()
}

/** Handles `list.push(x)` and similar calls on the array being followed. */
function changeArray(to: Follow, { arguments: args }: CallNode, name: string) {
  // Because elements move, the index of each one is unknown from here on.
  if (REORDERING.test(name)) to.write([ELEMENT], assignmentOf(NOTHING))
  const from = ADDING[name]
  if (from === undefined) return
  for (const each of name === 'fill' ? args.slice(from, from + 1) : args.slice(from)) {
    if (each.type === 'SpreadElement') to.write([ELEMENT], { ...assignmentOf(each.argument), path: [ELEMENTS] })
    else to.write([ELEMENT], assignmentOf(each))
  }
}

/** Follows the object into the callback of `map` or a similar method. */
function followCallback(to: Follow, call: CallNode, name: string, path: Path, element: Path | undefined) {
  const callback = call.arguments[0] && unwrap(call.arguments[0])
  const functions = callback && (isFunction(callback) ? [callback] : to.resolver.functionsIn(callback))
  if (!functions) {
    const isReading = callback?.type === 'Identifier' && READING_GLOBALS.test(callback.name)
    if (element && !isReading && !(callback && to.code.isReadingCallee(callback))) to.lose()
    return
  }
  const at = name.startsWith('reduce') ? 1 : 0
  for (const { params } of functions) {
    to.into(params[at], element)
    to.into(params[at + 2], path)
    if (at === 1) to.into(params[0], element)
  }
  if (at === 1) to.hold(call, element)
}

export function followArgument(to: Follow, call: CallNode | NewExpression, index: number, path: Path) {
  const callee = unwrap(call.callee)
  const args = call.arguments
  if (callee.type === 'Import') return
  if (args.slice(0, index).some(({ type }) => type === 'SpreadElement')) return to.lose()
  if (call.type === 'NewExpression') {
    if (index === 0 && to.module.isGlobal(callee, 'Set')) return to.hold(call, elements(path))
    return to.lose()
  }
  if (isMember(callee)) return followMethodArgument(to, call, callee, index, path)
  const functions = to.resolver.functionsIn(callee)
  if (functions?.length) return intoParameters(to, functions, index, path)
  if (callee.type === 'Identifier' && READING_GLOBALS.test(callee.name) && !to.module.bindingOf(callee)) return
  if (!isDependencies(call, index) && !to.code.isReadingCallee(callee)) to.lose()
}

function intoParameters(to: Follow, functions: readonly FunctionNode[], index: number, path: Path) {
  for (const node of functions) {
    if (usesArguments(node)) to.lose()
    const parameter = node.params[index] ?? node.params.at(-1)
    if (parameter === node.params[index] || parameter?.type === 'RestElement') to.into(parameter, path)
  }
}

/** True for a hook's dependency list, whose elements are only compared. */
function isDependencies({ callee, arguments: args }: CallNode, index: number): boolean {
  const isHook = callee.type === 'Identifier' && /^use[A-Z]/.test(callee.name)
  return isHook && index > 0 && args[index]?.type === 'ArrayExpression'
}

function followMethodArgument(to: Follow, call: CallNode, callee: MemberNode, index: number, path: Path) {
  const name = memberName(callee) ?? ''
  const object = unwrap(callee.object)
  const isGlobal = (global: string) => to.module.isGlobal(object, global)
  if (isGlobal('Object') || isGlobal('Reflect') || isGlobal('Array')) return followStatic(to, call, name, index, path)
  if (object.type === 'Identifier' && READING_OBJECTS.test(object.name) && isGlobal(object.name)) return
  const functions = to.resolver.functionsIn(callee)
  if (functions?.length) return intoParameters(to, functions, index, path)
  const from = ADDING[name]
  if (from !== undefined && index >= from) return to.store(object, [ELEMENTS, ...path])
  if (name === 'concat') {
    to.hold(call, elements(path))
    return to.hold(call, [ELEMENTS, ...path])
  }
  if (name.startsWith('reduce') && index === 1) {
    // The callback receives the initial value and may return it.
    const callback = call.arguments[0] && unwrap(call.arguments[0])
    if (!isFunction(callback)) return to.lose()
    to.into(callback.params[0], path)
    return to.hold(call, path)
  }
  if (!READING.test(name) && !ITERATING.test(name) && !to.code.isReadingCallee(callee)) to.lose()
}

/** Follows a call such as `Object.assign(...)`, `Reflect.get(...)` or `Array.from(...)`. */
function followStatic(to: Follow, call: CallNode, name: string, index: number, path: Path) {
  const [first, ...others] = call.arguments
  if (FREEZING.test(name)) return to.hold(call, path)
  if (READING_STATICS.test(name)) return
  const any = inner(path, ANY)
  switch (name) {
    case 'assign':
      if (index > 0) {
        to.hold(call, copied(path))
        return first && path.length > 0 ? to.store(first, path) : undefined
      }
      if (path.length === 0) for (const source of others) to.write(undefined, assignmentOf(source), true)
      return to.hold(call, path)
    case 'values':
      return to.hold(call, any && [ELEMENTS, ...any])
    case 'entries':
      return to.hold(call, any && [ELEMENTS, ANY, ...any])
    case 'from':
      return others.length > 0 ? to.lose() : to.hold(call, elements(path))
    default:
      return to.lose()
  }
}
