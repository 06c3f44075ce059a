/**
 * Functions whose effect on objects and arrays is known: built-in ones, and those of translation libraries. If an
 * object reaches other code outside the app, its values are unknown, and the plugin keeps more keys.
 */
import type { Node } from '@babel/types'
import { isCall, isMember, memberName } from '../syntax/tree.ts'
import type { Resolver } from './allocation.ts'

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
export const REORDERING = /^(?:sort|reverse|copyWithin|splice|shift|unshift)$/
/** Methods whose result contains no part of the object. Methods that change the array are handled elsewhere. */
export const READING =
  /^(?:join|includes|indexOf|lastIndexOf|keys|toString|toLocaleString|hasOwnProperty|propertyIsEnumerable|push|pop|shift|unshift|at|some|every|findIndex|findLastIndex|forEach|isPrototypeOf)$/
/** Global functions that only read their arguments. */
export const READING_GLOBALS =
  /^(?:String|Number|Boolean|BigInt|Symbol|isNaN|isFinite|parseInt|parseFloat|encodeURIComponent|structuredClone)$/
/** Global objects whose functions only read their arguments. */
export const READING_OBJECTS = /^(?:console|JSON|Math|Number|String|Intl)$/
/** Functions of `Object`, `Reflect` and `Array` that only read their arguments. */
export const READING_STATICS =
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
