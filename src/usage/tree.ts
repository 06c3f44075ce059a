/** The syntax tree without its types: children, parents, static names. */
import type { Node } from '@babel/types'

const SKIPPED_KEYS = new Set([
  'type',
  'loc',
  'extra',
  'errors',
  'tokens',
  'comments',
  'leadingComments',
  'trailingComments',
  'innerComments',
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'superTypeParameters',
  'superTypeArguments',
  'implements',
  'predicate',
  'directives',
])

/** TypeScript's nodes that hold code; all others are types. */
const CODE_IN_TYPESCRIPT = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'TSEnumDeclaration',
  'TSEnumBody',
  'TSEnumMember',
  'TSExportAssignment',
  'TSModuleDeclaration',
  'TSModuleBlock',
  'TSParameterProperty',
])

/** The node's children in the order of the source; types are left out. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = []
  for (const [key, value] of Object.entries(node)) {
    if (value === null || typeof value !== 'object' || SKIPPED_KEYS.has(key)) continue
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) children.push(item)
    } else if (isNode(value)) children.push(value)
  }
  return children
}

function isNode(value: unknown): value is Node {
  if (typeof value !== 'object' || value === null) return false
  const { type } = value as { type?: unknown }
  return (
    typeof type === 'string' && (!type.startsWith('TS') || CODE_IN_TYPESCRIPT.has(type)) && !type.startsWith('Comment')
  )
}

/** What stands inside parentheses, type assertions, `await` and `(0, x)`. */
export function bareNode(node: Node): Node {
  for (let at = node; ; ) {
    switch (at.type) {
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
      case 'TSInstantiationExpression':
      case 'TypeCastExpression':
        at = at.expression
        break
      case 'AwaitExpression':
        at = at.argument
        break
      case 'SequenceExpression': {
        const last = at.expressions.at(-1)
        if (!last) return at
        at = last
        break
      }
      default:
        return at
    }
  }
}

export type FunctionNode = Extract<
  Node,
  {
    type:
      | 'FunctionDeclaration'
      | 'FunctionExpression'
      | 'ArrowFunctionExpression'
      | 'ObjectMethod'
      | 'ClassMethod'
      | 'ClassPrivateMethod'
  }
>

export function isFunction(node: Node | null | undefined): node is FunctionNode {
  return (
    node?.type === 'FunctionDeclaration' ||
    node?.type === 'FunctionExpression' ||
    node?.type === 'ArrowFunctionExpression' ||
    node?.type === 'ObjectMethod' ||
    node?.type === 'ClassMethod' ||
    node?.type === 'ClassPrivateMethod'
  )
}

export type CallNode = Extract<Node, { type: 'CallExpression' | 'OptionalCallExpression' | 'NewExpression' }>

export function isCall(
  node: Node | null | undefined,
): node is Extract<Node, { type: 'CallExpression' | 'OptionalCallExpression' }> {
  return node?.type === 'CallExpression' || node?.type === 'OptionalCallExpression'
}

export type MemberNode = Extract<Node, { type: 'MemberExpression' | 'OptionalMemberExpression' }>

export function isMember(node: Node | null | undefined): node is MemberNode {
  return node?.type === 'MemberExpression' || node?.type === 'OptionalMemberExpression'
}

/** The name of a member or a property where the source spells it. */
export function staticName(key: Node, isComputed: boolean): string | undefined {
  if (!isComputed && key.type === 'Identifier') return key.name
  if (key.type === 'StringLiteral') return key.value
  if (key.type === 'NumericLiteral') return String(key.value)
  if (key.type === 'TemplateLiteral' && key.expressions.length === 0) return key.quasis[0]?.value.cooked ?? undefined
  return undefined
}

export function memberName(node: MemberNode): string | undefined {
  return staticName(node.property, node.computed)
}

/** The value of an object literal's property; `isOpen`: a spread or a computed name may stand for it as well. */
export function propertyOf(node: Node, name: string): { readonly value: Node | undefined; readonly isOpen: boolean } {
  if (node.type !== 'ObjectExpression') return { value: undefined, isOpen: true }
  let value: Node | undefined
  let isOpen = false
  for (const property of node.properties) {
    if (property.type === 'SpreadElement') isOpen = true
    else {
      const own = staticName(property.key, property.computed)
      if (own === undefined) isOpen = true
      if (own === name) value = property.type === 'ObjectProperty' ? property.value : property
    }
  }
  return { value, isOpen }
}
