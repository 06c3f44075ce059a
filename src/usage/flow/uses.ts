/** Describes how the surrounding code uses an expression's value. */
import type { ClassAccessorProperty, ClassProperty, NewExpression, Node, ObjectProperty } from '@babel/types'
import type { Module } from '../syntax/module.ts'
import { type CallNode, type FunctionNode, isTypeWrapper, type MemberNode, staticName } from '../syntax/tree.ts'

type PropertyNode = ObjectProperty | ClassProperty | ClassAccessorProperty

export type Use =
  /** The surrounding expression has the same value. */
  | { readonly kind: 'value'; readonly node: Node }
  /** `read`: the value is compared, tested or inserted into a string. `names`: the names of its properties are read. */
  | { readonly kind: 'read' | 'names' }
  /**
   * The names and members in a pattern receive the value. If `node` is set, it is a surrounding expression that has the
   * value too.
   */
  | { readonly kind: 'pattern'; readonly pattern: Node | undefined; readonly node?: Node }
  /** The names and members in a pattern receive each of the value's elements. */
  | { readonly kind: 'elements'; readonly pattern: Node | undefined }
  | { readonly kind: 'member'; readonly member: MemberNode }
  /** The value becomes a property of an object literal or class, or an element of an array literal. */
  | { readonly kind: 'property'; readonly property: PropertyNode; readonly object: Node | undefined }
  | { readonly kind: 'element'; readonly array: Node }
  | { readonly kind: 'spread'; readonly around: Node | undefined }
  | { readonly kind: 'argument'; readonly call: CallNode | NewExpression; readonly index: number }
  | { readonly kind: 'callee' }
  | { readonly kind: 'returned'; readonly function: FunctionNode | undefined }
  | { readonly kind: 'exported'; readonly name: string | undefined }
  /** A JSX element receives the value as an attribute, as several attributes, as a child, or as its tag. */
  | { readonly kind: 'attribute'; readonly name: string | undefined }
  | { readonly kind: 'child' | 'attributes' | 'tag' }
  | { readonly kind: 'unknown' }

const READ: Use = { kind: 'read' }
const UNKNOWN: Use = { kind: 'unknown' }

export function findUse(module: Module, node: Node): Use {
  const parent = module.parentOf(node)
  if (!parent) return READ
  if (isTypeWrapper(parent)) return { kind: 'value', node: parent }
  switch (parent.type) {
    case 'AwaitExpression':
    case 'LogicalExpression':
      return { kind: 'value', node: parent }
    case 'ConditionalExpression':
      return parent.test === node ? READ : { kind: 'value', node: parent }
    case 'SequenceExpression':
      return parent.expressions.at(-1) === node ? { kind: 'value', node: parent } : READ
    case 'VariableDeclarator':
      return parent.init === node ? { kind: 'pattern', pattern: parent.id } : READ
    case 'AssignmentPattern':
      return parent.right === node ? { kind: 'pattern', pattern: parent.left } : READ
    case 'AssignmentExpression':
      if (parent.right !== node || !/^(?:|&&|\|\||\?\?)=$/.test(parent.operator)) return READ
      return { kind: 'pattern', pattern: parent.left, node: parent }
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      return parent.object === node ? { kind: 'member', member: parent } : { kind: 'names' }
    case 'ObjectProperty':
    case 'ClassProperty':
    case 'ClassAccessorProperty':
      return parent.value === node ? propertyUse(module, parent) : READ
    case 'ArrayExpression':
      return { kind: 'element', array: parent }
    case 'SpreadElement':
      return { kind: 'spread', around: module.parentOf(parent) }
    case 'CallExpression':
    case 'OptionalCallExpression':
    case 'NewExpression': {
      const index = (parent.arguments as Node[]).indexOf(node)
      return index === -1 ? { kind: 'callee' } : { kind: 'argument', call: parent, index }
    }
    case 'TaggedTemplateExpression':
      return { kind: 'callee' }
    case 'ReturnStatement':
      return { kind: 'returned', function: module.functionAround(parent) }
    case 'ArrowFunctionExpression':
      return parent.body === node ? { kind: 'returned', function: parent } : UNKNOWN
    case 'ForOfStatement':
      return parent.right === node ? { kind: 'elements', pattern: loopTarget(parent.left) } : READ
    case 'ExportSpecifier':
      return { kind: 'exported', name: staticName(parent.exported, false) }
    case 'ExportDefaultDeclaration':
      return { kind: 'exported', name: 'default' }
    case 'JSXSpreadAttribute':
      return { kind: 'attributes' }
    case 'JSXExpressionContainer': {
      const attribute = module.parentOf(parent)
      if (attribute?.type !== 'JSXAttribute') return { kind: 'child' }
      const { name } = attribute.name
      return { kind: 'attribute', name: typeof name === 'string' ? name : undefined }
    }
    case 'JSXMemberExpression':
    case 'JSXOpeningElement':
    case 'JSXClosingElement':
      return { kind: 'tag' }
    case 'BinaryExpression':
      return parent.operator === 'in' ? { kind: 'names' } : READ
    case 'ForInStatement':
      return { kind: 'names' }
    case 'UnaryExpression':
    case 'UpdateExpression':
    case 'ExpressionStatement':
    case 'IfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
    case 'SwitchStatement':
    case 'SwitchCase':
    case 'TemplateLiteral':
    case 'ImportDeclaration':
      return READ
    default:
      return UNKNOWN
  }
}

function propertyUse(module: Module, property: PropertyNode): Use {
  const object = module.parentOf(property)
  return object?.type === 'ObjectPattern' ? READ : { kind: 'property', property, object }
}

function loopTarget(left: Node): Node | undefined {
  return left.type === 'VariableDeclaration' ? left.declarations[0]?.id : left
}
