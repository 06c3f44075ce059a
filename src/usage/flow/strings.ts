/** The strings that an expression may evaluate to: constants, combinations of them, and patterns for unknown parts. */
import type { ArrayExpression, Node } from '@babel/types'
import { type CallNode, isCall, isMember, memberName, unwrap } from '../syntax/tree.ts'
import type { Definitions } from './definitions.ts'

/** A string, or a pattern in which `*` stands for anything. */
export interface StringValue {
  readonly text: string
  readonly isPattern: boolean
}

export const ANYTHING: StringValue = { text: '*', isPattern: true }
export const EMPTY: StringValue = { text: '', isPattern: false }

/** Above this number of combinations, one pattern stands for all of them. */
const MAX_STRINGS = 200
const MAX_DEPTH = 60

export class Strings {
  readonly #known = new Map<Node, StringValue[]>()
  #depth = 0

  constructor(private readonly definitions: Definitions) {}

  of(given: Node): StringValue[] {
    const node = unwrap(given)
    const known = this.#known.get(node)
    if (known) return known
    if (this.#depth > MAX_DEPTH) return [ANYTHING]
    this.#depth++
    // An expression that refers to itself is unknown there.
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

  /** Exact strings only. `undefined`: there are patterns, or no strings at all. */
  exact(node: Node): string[] | undefined {
    const strings = this.of(node)
    return strings.length > 0 && strings.every(({ isPattern }) => !isPattern)
      ? strings.map(({ text }) => text)
      : undefined
  }

  /** Exact strings, one by one or in an array literal. */
  exactList(given: Node): string[] | undefined {
    const node = unwrap(given)
    if (node.type !== 'ArrayExpression') return this.exact(node)
    const all = node.elements.map((element) => (element ? this.exact(element) : undefined))
    return all.every((each) => each !== undefined) ? all.flat() : undefined
  }

  #find(node: Node): StringValue[] {
    switch (node.type) {
      case 'StringLiteral':
        return [literal(node.value)]
      case 'NumericLiteral':
      case 'BooleanLiteral':
        return [literal(String(node.value))]
      case 'TemplateLiteral':
        return concatAll(
          node.quasis.flatMap(({ value }, at) => {
            const expression = node.expressions[at]
            const own = [literal(value.cooked ?? '')]
            return expression ? [own, this.#part(expression)] : [own]
          }),
        )
      case 'BinaryExpression':
        return node.operator === '+' ? concatAll([this.#part(node.left), this.#part(node.right)]) : [ANYTHING]
      case 'ConditionalExpression':
        return [...this.of(node.consequent), ...this.of(node.alternate)]
      case 'LogicalExpression':
        return node.operator === '&&' ? this.of(node.right) : [...this.of(node.left), ...this.of(node.right)]
      case 'AssignmentExpression':
        return node.operator === '=' ? this.of(node.right) : [ANYTHING]
      case 'NullLiteral':
        return []
      case 'Identifier':
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return this.#defined(node)
      case 'CallExpression':
      case 'OptionalCallExpression':
        return this.#ofCall(node) ?? this.#defined(node)
      default:
        return [ANYTHING]
    }
  }

  #defined(node: Node): StringValue[] {
    const { definitions, isComplete } = this.definitions.of(node)
    const strings = definitions.flatMap((definition) =>
      definition.node === node || isCall(definition.node) ? [ANYTHING] : this.of(definition.node),
    )
    return isComplete ? strings : [...strings, ANYTHING]
  }

  #ofCall(node: CallNode): StringValue[] | undefined {
    const callee = unwrap(node.callee)
    const [first] = node.arguments
    if (callee.type === 'Identifier' && callee.name === 'String' && first) return this.of(first)
    if (!isMember(callee)) return undefined
    const list = unwrap(callee.object)
    switch (memberName(callee)) {
      case 'concat':
        if (list.type === 'ArrayExpression') return undefined
        return concatAll([callee.object, ...node.arguments].map((each) => this.#part(each)))
      case 'join':
        return list.type === 'ArrayExpression' ? this.#joined(list, first) : [ANYTHING]
      case 'toString':
      case 'valueOf':
        return this.of(callee.object)
      default:
        return undefined
    }
  }

  #joined({ elements }: ArrayExpression, separator: Node | undefined): StringValue[] {
    const between = separator ? this.#part(separator) : [literal(',')]
    return concatAll(
      elements.flatMap((element, at) => {
        const own = element ? this.#part(element) : [EMPTY]
        return at === 0 ? [own] : [between, own]
      }),
    )
  }

  /** One part of a combination, where `undefined` and `null` become words that nobody means. */
  #part(node: Node): StringValue[] {
    const strings = this.of(node)
    return strings.length === 0 ? [ANYTHING] : strings
  }
}

function literal(text: string): StringValue {
  return { text, isPattern: false }
}

function concatAll(parts: readonly StringValue[][]): StringValue[] {
  let all: StringValue[] = [EMPTY]
  for (const part of parts) {
    const next = all.length * part.length > MAX_STRINGS ? [ANYTHING] : part
    all = unique(all.flatMap((before) => next.map((after) => concat(before, after))))
  }
  return all
}

export function concat(before: StringValue, after: StringValue): StringValue {
  const isPattern = before.isPattern || after.isPattern
  const text = before.text + after.text
  return { text: isPattern ? text.replace(/\*{2,}/g, '*') : text, isPattern }
}

function unique(strings: readonly StringValue[]): StringValue[] {
  return [...new Map(strings.map((each) => [`${each.isPattern} ${each.text}`, each])).values()]
}
