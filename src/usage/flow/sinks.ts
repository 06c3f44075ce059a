/** Data flow: the place where the value of an expression ends up, whatever the value is. */
import type { NewExpression, Node } from '@babel/types'
import type { Libraries, ValueReader } from '../libraries/library.ts'
import type { Module } from '../syntax/module.ts'
import type { CallNode, FunctionNode, MemberNode } from '../syntax/tree.ts'
import { isCall, isMember, isTypeWrapper, memberName, staticName, unwrap } from '../syntax/tree.ts'
import { promisesOf } from './values.ts'

export type Sink =
  /** The value is used up here. */
  | { readonly kind: 'consumed' }
  /** The right side of `in`. */
  | { readonly kind: 'in' }
  /** The object of a member expression. */
  | { readonly kind: 'member'; readonly member: MemberNode }
  /** A name, or a destructuring pattern. */
  | { readonly kind: 'pattern'; readonly pattern: Node }
  /** A property, an attribute or an export. */
  | { readonly kind: 'property'; readonly name: string | undefined }
  /** A spread, or the default export. */
  | { readonly kind: 'copy' }
  | { readonly kind: 'return'; readonly owner: FunctionNode | undefined }
  | { readonly kind: 'argument'; readonly call: CallNode | NewExpression; readonly index: number }
  | { readonly kind: 'unknown' }

const CONSUMED: Sink = { kind: 'consumed' }
const UNKNOWN: Sink = { kind: 'unknown' }

export class Sinks {
  readonly #module: Module

  constructor(
    private readonly values: ValueReader,
    private readonly libraries: Libraries,
  ) {
    this.#module = values.module
  }

  /** Where the value of the expression ends up. */
  of(start: Node): Sink {
    let node = start
    for (let parent = this.#module.parentOf(node); parent; parent = this.#module.parentOf(node)) {
      if (!this.#passesOn(parent, node)) return this.#sinkIn(parent, node)
      node = parent
    }
    return CONSUMED
  }

  /** Whether the parent has the same value as the node. */
  #passesOn(parent: Node, node: Node): boolean {
    if (isTypeWrapper(parent)) return true
    switch (parent.type) {
      case 'AwaitExpression':
      case 'LogicalExpression':
        return true
      case 'SequenceExpression':
        return parent.expressions.at(-1) === node
      case 'ConditionalExpression':
        return parent.test !== node
      case 'CallExpression':
      case 'OptionalCallExpression':
      case 'NewExpression':
        if (parent.callee === node || isMember(unwrap(parent.callee))) return false
        return this.libraries.has('wrappers', this.values.origin(parent.callee)?.name)
      default:
        return false
    }
  }

  #sinkIn(parent: Node, node: Node): Sink {
    switch (parent.type) {
      case 'SequenceExpression':
      case 'ConditionalExpression':
      case 'ExpressionStatement':
      case 'UnaryExpression':
      case 'IfStatement':
      case 'WhileStatement':
      case 'SwitchStatement':
      case 'TemplateLiteral':
      case 'ImportDeclaration':
        return CONSUMED
      case 'BinaryExpression':
        return parent.operator === 'in' ? { kind: 'in' } : CONSUMED
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return parent.object === node ? { kind: 'member', member: parent } : UNKNOWN
      case 'VariableDeclarator':
        return parent.init === node ? { kind: 'pattern', pattern: parent.id } : CONSUMED
      case 'AssignmentPattern':
        return parent.right === node ? { kind: 'pattern', pattern: parent.left } : CONSUMED
      case 'AssignmentExpression':
        if (parent.right !== node) return CONSUMED
        if (isMember(parent.left)) return { kind: 'property', name: memberName(parent.left) }
        return { kind: 'pattern', pattern: parent.left }
      case 'ObjectProperty': {
        const name = staticName(parent.key, parent.computed)
        const isConsumed = parent.value !== node || (name === 't' && this.#isInPropsOfComponent(parent))
        return isConsumed ? CONSUMED : { kind: 'property', name }
      }
      case 'ClassProperty':
      case 'ClassAccessorProperty':
        return parent.value === node ? { kind: 'property', name: staticName(parent.key, parent.computed) } : CONSUMED
      case 'JSXExpressionContainer': {
        const attribute = this.#module.parentOf(parent)
        if (attribute?.type !== 'JSXAttribute') return UNKNOWN
        const { name } = attribute.name
        return { kind: 'property', name: typeof name === 'string' ? name : undefined }
      }
      case 'SpreadElement':
      case 'JSXSpreadAttribute':
      case 'ExportDefaultDeclaration':
        return { kind: 'copy' }
      case 'ArrayExpression':
        return this.#isReadingList(parent) ? CONSUMED : UNKNOWN
      case 'ExportSpecifier':
        return { kind: 'property', name: staticName(parent.exported, false) }
      case 'ReturnStatement':
        return { kind: 'return', owner: this.#module.functionAround(parent) }
      case 'ArrowFunctionExpression':
        return parent.body === node ? { kind: 'return', owner: parent } : CONSUMED
      case 'CallExpression':
      case 'OptionalCallExpression':
      case 'NewExpression': {
        const index = parent.arguments.indexOf(node as CallNode)
        return parent.callee === node || index === -1 ? CONSUMED : { kind: 'argument', call: parent, index }
      }
      default:
        return UNKNOWN
    }
  }

  /** `_jsx(Trans, { t })`: a library's component, whose keys are read there. */
  #isInPropsOfComponent(property: Node): boolean {
    const object = this.#module.parentOf(property)
    const call = object && this.#module.parentOf(object)
    if (!isCall(call) || call.arguments[1] !== object || !call.arguments[0]) return false
    return this.libraries.get('components', this.values.origin(call.arguments[0])?.name) !== undefined
  }

  /** The dependencies of a hook, or the list in `const [a, b] = await Promise.all([...])`. */
  #isReadingList(list: Node): boolean {
    const call = this.#module.parentOf(list)
    if (!isCall(call)) return false
    if (/^(?:use[A-Z]|watch)/.test(this.values.origin(call.callee)?.name ?? '')) return true
    let parent = this.#module.parentOf(call)
    while (parent?.type === 'AwaitExpression') parent = this.#module.parentOf(parent)
    if (!promisesOf(call) || parent?.type !== 'VariableDeclarator' || parent.id.type !== 'ArrayPattern') return false
    return parent.id.elements.every((element) => element?.type !== 'RestElement')
  }
}
