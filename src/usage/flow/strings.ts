/** Finds the strings that an expression may evaluate to. Unknown parts of a string become `*`. */

import type { ArrayExpression, BinaryExpression, Node } from '@babel/types'
import {
  branchesOf,
  type CallNode,
  type FunctionNode,
  isCall,
  isMember,
  memberName,
  returnsOf,
  staticName,
  unwrap,
} from '../syntax/tree.ts'
import type { Conditions } from './conditions.ts'
import type { Definitions } from './definitions.ts'
import { ELEMENTS } from './search.ts'

/** A string, or a pattern in which `*` matches any characters. */
export interface StringValue {
  readonly text: string
  readonly isPattern: boolean
  /** True if the value may be a number, an array or anything else that `+` and `concat` do not join as a string. */
  readonly mayBeOther?: boolean
  /** True if the code that uses the string may never run. */
  readonly isExcluded?: boolean
}

export const ANYTHING: StringValue = { text: '*', isPattern: true, mayBeOther: true }
export const EMPTY = literal('')

/** The maximum number of possible strings. If there are more, a pattern replaces them. */
const MAX_STRINGS = 200
const MAX_DEPTH = 60

export class Strings {
  readonly #known = new Map<Node, readonly StringValue[]>()
  #depth = 0

  constructor(
    private readonly definitions: Definitions,
    private readonly conditions: Conditions,
  ) {}

  of(given: Node): readonly StringValue[] {
    const node = unwrap(given)
    const known = this.#known.get(node)
    if (known) return known
    if (this.#depth > MAX_DEPTH) return [ANYTHING]
    this.#depth++
    // Until its strings are found, the expression counts as unknown, because it may refer to itself.
    this.#known.set(node, [ANYTHING])
    try {
      const all = unique(this.#find(node))
      const strings = all.length > MAX_STRINGS ? [ANYTHING] : all
      this.#known.set(node, strings)
      return strings
    } finally {
      this.#depth--
    }
  }

  /** The strings; `undefined` if there are none, or if some are patterns. */
  exact(node: Node): string[] | undefined {
    const strings = this.of(node)
    if (strings.length === 0 || strings.some(({ isPattern }) => isPattern)) return undefined
    return strings.map(({ text }) => text)
  }

  /** The namespaces in a name or a list of names; `undefined` if some are unknown or may be omitted. */
  namespaces(given: Node): string[] | undefined {
    const names = this.mayBeNothing(given) ? undefined : this.settings(given)
    return names?.includes('') ? undefined : names
  }

  /**
   * The strings in an option that takes a string or a list; `undefined` if some are unknown. `false` and `null` mean an
   * empty list.
   */
  settings(given: Node): string[] | undefined {
    const { nodes, isComplete } = this.definitions.of(given)
    const all = nodes.map((node) => {
      if (isNone(node)) return []
      if (node.type !== 'ArrayExpression') return this.exact(node)
      const elements = this.definitions.at(node, ELEMENTS)
      const each = elements.nodes.map((element) => this.exact(element))
      return elements.isComplete && each.every((one) => one !== undefined) ? each.flat() : undefined
    })
    return isComplete && all.every((each) => each !== undefined) ? [...new Set(all.flat())] : undefined
  }

  /** True if the value may be `undefined`, `null` or `false`. */
  mayBeNothing(given: Node): boolean {
    return this.definitions.of(given).nodes.some(isNone)
  }

  #find(node: Node): readonly StringValue[] {
    switch (node.type) {
      case 'StringLiteral':
        return [literal(node.value)]
      case 'NumericLiteral':
      case 'BooleanLiteral':
        return [{ ...literal(String(node.value)), mayBeOther: true }]
      case 'TemplateLiteral':
        return concatAll(
          node.quasis.flatMap(({ value }, at) => {
            const expression = node.expressions[at]
            const own = [literal(value.cooked ?? '')]
            return expression ? [own, this.#part(expression)] : [own]
          }),
        )
      case 'NullLiteral':
        return []
      case 'BinaryExpression':
        return node.operator === '+' ? combined(this.#parts(addends(node)), sum) : [ANYTHING]
      default:
        return (isCall(node) && this.#ofCall(node)) || this.#defined(node)
    }
  }

  #defined(node: Node): readonly StringValue[] {
    const { nodes, isComplete } = this.definitions.of(node)
    const strings = nodes.flatMap((each) => {
      const own = each === node ? [ANYTHING] : this.of(each)
      return this.conditions.mayExclude(each) ? own.map((value) => ({ ...value, isExcluded: true })) : own
    })
    return isComplete ? strings : [...strings, ANYTHING]
  }

  #ofCall(node: CallNode): readonly StringValue[] | undefined {
    const callee = unwrap(node.callee)
    const [first] = node.arguments
    if (callee.type === 'Identifier' && callee.name === 'String' && first) return concatAll([this.of(first)])
    if (!isMember(callee)) return undefined
    const object = unwrap(callee.object)
    switch (memberName(callee)) {
      case 'concat':
        if (object.type === 'ArrayExpression') return undefined
        return combined(this.#parts([object, ...node.arguments]), (before, after) =>
          before.mayBeOther ? ANYTHING : concat(before, after),
        )
      case 'join':
        return object.type === 'ArrayExpression' ? this.#joined(object, first) : [ANYTHING]
      case 'toString':
        // An argument is the base in which a number is written.
        return first ? [ANYTHING] : concatAll([this.of(object)])
      case 'valueOf':
        return this.of(object)
      default:
        return undefined
    }
  }

  #joined({ elements }: ArrayExpression, separator: Node | undefined): readonly StringValue[] {
    const between = separator ? this.#part(separator) : [literal(',')]
    const parts = elements.flatMap((element) => [between, element ? this.#part(element) : [EMPTY]])
    return concatAll(parts.slice(1))
  }

  /**
   * The strings for one part of a template or concatenation. `undefined` and `null` are omitted, because no app wants
   * them to be part of a key.
   */
  #part(node: Node): readonly StringValue[] {
    const strings = this.of(node)
    return strings.length === 0 ? [ANYTHING] : strings
  }

  #parts(nodes: readonly Node[]): (readonly StringValue[])[] {
    return nodes.map((each) => this.#part(each))
  }
}

/** The operands in `a + b + c`. Uses a loop instead of recursion, so that chains may have any length. */
function addends(node: BinaryExpression): Node[] {
  const parts: Node[] = []
  let at: Node = node
  for (; at.type === 'BinaryExpression' && at.operator === '+'; at = unwrap(at.left)) parts.unshift(at.right)
  return [at, ...parts]
}

function isNone(node: Node): boolean {
  return node.type === 'NullLiteral' || node.type === 'BooleanLiteral'
}

/**
 * The value of a string literal. Replacement characters, which appear if a Latin-1 file is read as UTF-8, become `*`.
 */
export function literal(source: string): StringValue {
  const text = source.replace(/\ufffd+/g, '*')
  return { text, isPattern: text !== source }
}

export function concatAll(parts: readonly (readonly StringValue[])[]): readonly StringValue[] {
  return combined([[EMPTY], ...parts], concat)
}

function combined(parts: readonly (readonly StringValue[])[], join: typeof concat): readonly StringValue[] {
  return parts.reduce((all, part) => {
    const next = all.length * part.length > MAX_STRINGS ? [ANYTHING] : part
    return unique(all.flatMap((before) => next.map((after) => join(before, after))))
  })
}

/** `+` joins strings only if one side is certainly a string: the sum of two numbers is another number. */
function sum(before: StringValue, after: StringValue): StringValue {
  const joined = concat(before, after)
  return before.mayBeOther && after.mayBeOther ? { ...joined, ...ANYTHING } : joined
}

export function concat(before: StringValue, after: StringValue): StringValue {
  const isPattern = before.isPattern || after.isPattern
  const text = before.text + after.text
  const isExcluded = before.isExcluded || after.isExcluded
  return { text: isPattern ? text.replace(/\*{2,}/g, '*') : text, isPattern, ...(isExcluded && { isExcluded }) }
}

function unique(strings: readonly StringValue[]): readonly StringValue[] {
  // Of two equal strings, the map keeps the later one, so strings that are not excluded come last.
  const sorted = strings.some(({ isExcluded }) => isExcluded)
    ? [...strings.filter(({ isExcluded }) => isExcluded), ...strings.filter(({ isExcluded }) => !isExcluded)]
    : strings
  return [...new Map(sorted.map((each) => [`${each.isPattern} ${each.mayBeOther} ${each.text}`, each])).values()]
}

/**
 * The paths that a selector such as `($) => $.section.title` may return, joined with dots. Any other result becomes
 * `*`.
 */
export function selectedPaths(selector: FunctionNode, strings: Strings): readonly StringValue[] {
  const [parameter] = selector.params
  if (parameter?.type !== 'Identifier') return [ANYTHING]
  const returned = returnsOf(selector)
  const paths = returned.flatMap((value) => pathsOf(unwrap(value), parameter.name, strings))
  return paths.length === 0 ? [ANYTHING] : paths
}

function pathsOf(value: Node, parameter: string, strings: Strings): readonly StringValue[] {
  const branches = branchesOf(value)
  if (branches) return branches.flatMap((branch) => pathsOf(branch, parameter, strings))
  let paths: readonly StringValue[] = []
  let object = value
  for (; isMember(object); object = unwrap(object.object)) {
    const name = staticName(object.property, object.computed)
    const names = name === undefined ? strings.of(object.property) : [literal(name)]
    paths = paths.length === 0 ? names : joinPaths(names, paths)
  }
  const isOfParameter = object.type === 'Identifier' && object.name === parameter
  return isOfParameter && paths.length > 0 ? paths : [ANYTHING]
}

function joinPaths(before: readonly StringValue[], after: readonly StringValue[]): readonly StringValue[] {
  return before.flatMap((first) => after.map((rest) => concat(first, concat(literal('.'), rest))))
}
