/** Which texts an expression may be: constants, their combinations, and patterns where a part is not known. */
import type { Node } from '@babel/types'
import type { TargetFinder } from './targets.ts'
import { bareNode, isCall, isMember, memberName } from './tree.ts'

/** A text, or a pattern in which `*` stands for anything. */
export interface Text {
  readonly text: string
  readonly isPattern: boolean
}

export const ANYTHING: Text = { text: '*', isPattern: true }

/** More combinations than this become one pattern. */
const MOST = 200

export function createTextReader(finder: TargetFinder): (node: Node) => Text[] {
  let depth = 0
  const known = new Map<Node, Text[]>()
  const read = (given: Node): Text[] => {
    const node = bareNode(given)
    const before = known.get(node)
    if (before) return before
    if (depth > 60) return [ANYTHING]
    depth++
    // What leads back to itself is not known there.
    known.set(node, [ANYTHING])
    try {
      const all = unique(readBare(node))
      const texts = all.length > MOST ? [ANYTHING] : all
      known.set(node, texts)
      return texts
    } finally {
      depth--
    }
  }

  function readBare(node: Node): Text[] {
    switch (node.type) {
      case 'StringLiteral':
        return [{ text: node.value, isPattern: false }]
      case 'NumericLiteral':
      case 'BooleanLiteral':
        return [{ text: String(node.value), isPattern: false }]
      case 'TemplateLiteral':
        return concatAll(
          node.quasis.flatMap((quasi, at) => {
            const own: Text[] = [{ text: quasi.value.cooked ?? '', isPattern: false }]
            const expression = node.expressions[at]
            return expression ? [own, orAnything(read(expression))] : [own]
          }),
        )
      case 'BinaryExpression':
        if (node.operator !== '+') return [ANYTHING]
        return concatAll([orAnything(read(node.left)), orAnything(read(node.right))])
      case 'ConditionalExpression':
        return [...read(node.consequent), ...read(node.alternate)]
      case 'LogicalExpression':
        return node.operator === '&&' ? read(node.right) : [...read(node.left), ...read(node.right)]
      case 'AssignmentExpression':
        return node.operator === '=' ? read(node.right) : [ANYTHING]
      case 'NullLiteral':
        return []
      case 'Identifier':
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return readTargets(node)
      case 'CallExpression':
      case 'OptionalCallExpression': {
        const known = readCall(node)
        return known ?? readTargets(node)
      }
      default:
        return [ANYTHING]
    }
  }

  function readTargets(node: Node): Text[] {
    const { targets, isComplete } = finder.of(node)
    const texts = targets.flatMap((target) =>
      target.node === node || isReference(target.node) ? [ANYTHING] : read(target.node),
    )
    return isComplete ? texts : [...texts, ANYTHING]
  }

  function readCall(node: Extract<Node, { type: 'CallExpression' | 'OptionalCallExpression' }>): Text[] | undefined {
    const callee = bareNode(node.callee)
    const [first] = node.arguments
    if (callee.type === 'Identifier' && callee.name === 'String' && first) return read(first)
    if (!isMember(callee)) return undefined
    const name = memberName(callee)
    if (name === 'concat' && bareNode(callee.object).type !== 'ArrayExpression')
      return concatAll([callee.object, ...node.arguments].map((part) => orAnything(read(part))))
    if (name === 'join') return joined(callee.object, first)
    if (name === 'toString' || name === 'valueOf') return read(callee.object)
    return undefined
  }

  function joined(list: Node, separator: Node | undefined): Text[] {
    const array = bareNode(list)
    if (array.type !== 'ArrayExpression') return [ANYTHING]
    const between: Text[] = separator ? read(separator) : [{ text: ',', isPattern: false }]
    const parts = array.elements.flatMap((element, at): Text[][] => {
      const own = !element
        ? [{ text: '', isPattern: false }]
        : element.type === 'SpreadElement'
          ? [ANYTHING]
          : read(element)
      return at === 0 ? [orAnything(own)] : [orAnything(between), orAnything(own)]
    })
    return concatAll(parts)
  }

  return read
}

/** What is never a text by itself, such as a call that nothing is known of. */
function isReference(node: Node): boolean {
  return isCall(node)
}

/** In a combination, `undefined` and `null` are words; nobody means them. */
function orAnything(texts: Text[]): Text[] {
  return texts.length === 0 ? [ANYTHING] : texts
}

function concatAll(parts: readonly Text[][]): Text[] {
  let all: Text[] = [{ text: '', isPattern: false }]
  for (const part of parts) {
    const next = all.length * part.length > MOST ? [ANYTHING] : part
    all = unique(all.flatMap((before) => next.map((after) => concat(before, after))))
  }
  return all
}

export function concat(before: Text, after: Text): Text {
  return {
    text: (before.text + after.text).replace(before.isPattern || after.isPattern ? /\*{2,}/g : /(?!)/, '*'),
    isPattern: before.isPattern || after.isPattern,
  }
}

function unique(texts: readonly Text[]): Text[] {
  if (texts.length < 2) return [...texts]
  const seen = new Map(texts.map((each) => [`${each.isPattern} ${each.text}`, each]))
  return [...seen.values()]
}
