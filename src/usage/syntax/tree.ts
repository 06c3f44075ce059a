/** Parses source code with Babel, and reads single nodes of its syntax tree. */
import { createRequire } from 'node:module'
import type { ParserPlugin } from '@babel/parser'
import type {
  CallExpression,
  File,
  Function as FunctionNode,
  JSXAttribute,
  JSXOpeningElement,
  MemberExpression,
  Node,
  ObjectExpression,
  ObjectPattern,
  OptionalCallExpression,
  OptionalMemberExpression,
} from '@babel/types'
import { withoutQuery } from '../../shared/paths.ts'
import type { UsePlace } from '../model.ts'

export type { FunctionNode }
export type CallNode = CallExpression | OptionalCallExpression
export type MemberNode = MemberExpression | OptionalMemberExpression
export type TypeWrapper = Extract<Node, { type: `TS${string}Expression` | 'TSTypeAssertion' | 'TypeCastExpression' }>

const TYPE_WRAPPER = /^(?:TS\w+Expression|TSTypeAssertion|TypeCastExpression)$/
/** Matches the node types of TypeScript and Flow types. TypeScript nodes that contain code do not match. */
const TYPE = /^(?:TS(?!\w+Expression$|TypeAssertion|Enum|Module|ExportAssignment|ParameterProperty)|Type(?!Cast))/

const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ObjectMethod',
  'ClassMethod',
  'ClassPrivateMethod',
])

/** The node's children in source order, without types. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = []
  for (const field of Object.keys(node)) {
    const value: unknown = node[field as keyof Node]
    if (typeof value !== 'object' || value === null || field === 'loc') continue
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) children.push(item)
    } else if (isNode(value)) children.push(value)
  }
  return children
}

function isNode(value: unknown): value is Node {
  if (typeof value !== 'object' || value === null) return false
  const { type } = value as { type?: unknown }
  if (typeof type !== 'string' || type.startsWith('Comment')) return false
  return !type.startsWith('T') || !TYPE.test(type)
}

/** True for `x as T`, `x!` and similar nodes, whose inner expression has the same value. */
export function isTypeWrapper(node: Node): node is TypeWrapper {
  return node.type.startsWith('T') && TYPE_WRAPPER.test(node.type)
}

/** The expression inside type assertions, `await`, `(0, x)` and `y = x`. */
export function unwrap(given: Node): Node {
  for (let node = given; ; ) {
    let inner: Node | undefined
    if (isTypeWrapper(node)) inner = node.expression
    else if (node.type === 'AwaitExpression') inner = node.argument
    else if (node.type === 'SequenceExpression') inner = node.expressions.at(-1)
    else if (node.type === 'AssignmentExpression' && node.operator === '=') inner = node.right
    if (!inner) return node
    node = inner
  }
}

/** The node that is used for `undefined`, `null`, and the left side of `y && x`. */
export const NOTHING = { type: 'NullLiteral' } as Node

/** The two possible values of `a ? x : y`, `x ?? y`, `x || y` and `y && x`. */
export function branchesOf(node: Node): readonly [Node, Node] | undefined {
  if (node.type === 'ConditionalExpression') return [unwrap(node.consequent), unwrap(node.alternate)]
  if (node.type !== 'LogicalExpression') return undefined
  return [node.operator === '&&' ? NOTHING : unwrap(node.left), unwrap(node.right)]
}

export function isFunction(node: Node | null | undefined): node is FunctionNode {
  return node != null && FUNCTIONS.has(node.type)
}

export function isCall(node: Node | null | undefined): node is CallNode {
  return node?.type === 'CallExpression' || node?.type === 'OptionalCallExpression'
}

export function isMember(node: Node | null | undefined): node is MemberNode {
  return node?.type === 'MemberExpression' || node?.type === 'OptionalMemberExpression'
}

/** True if the argument is missing, `null` or `undefined`. */
export function isNullish(node: Node | undefined): node is undefined {
  return !node || node.type === 'NullLiteral' || (node.type === 'Identifier' && node.name === 'undefined')
}

/** The name of a member or property; `undefined` if it is computed. */
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

/** The value of a property in an object literal. `isOpen` is true if a spread or a computed name may also define it. */
export function propertyOf(node: Node, name: string): { readonly value: Node | undefined; readonly isOpen: boolean } {
  if (node.type !== 'ObjectExpression') return { value: undefined, isOpen: true }
  let value: Node | undefined
  let isOpen = false
  for (const property of node.properties) {
    const own = propertyName(property)
    if (own === undefined) isOpen = true
    else if (own === name) value = property.type === 'ObjectProperty' ? property.value : property
  }
  return { value, isOpen }
}

/** The name of a property; `undefined` if the name is computed, or for a spread or a rest element. */
export function propertyName(node: (ObjectExpression | ObjectPattern)['properties'][number]): string | undefined {
  return 'key' in node ? staticName(node.key, node.computed) : undefined
}

export const NO_PROPS = { type: 'ObjectExpression', properties: [] } as unknown as Node

/** The attributes of a JSX element as an object literal, as in compiled code. */
export function attributesOf({ attributes }: JSXOpeningElement): ObjectExpression {
  const properties = attributes.flatMap((each): object[] => {
    if (each.type === 'JSXSpreadAttribute') return [{ type: 'SpreadElement', argument: each.argument }]
    const value = attributeValue(each)
    const { start, end, loc, name } = each
    const key = { type: 'Identifier', name: name.name }
    return value ? [{ type: 'ObjectProperty', start, end, loc, computed: false, key, value }] : []
  })
  return { type: 'ObjectExpression', properties } as ObjectExpression
}

export function attributeValue({ value }: JSXAttribute): Node | undefined {
  return value?.type === 'JSXExpressionContainer' ? value.expression : (value ?? undefined)
}

const returns = new WeakMap<FunctionNode, readonly Node[]>()

/** The values that the function returns. Ignores functions inside it. */
export function returnsOf(node: FunctionNode): readonly Node[] {
  const known = returns.get(node) ?? findReturns(node)
  returns.set(node, known)
  return known
}

function findReturns(node: FunctionNode): Node[] {
  if (node.body.type !== 'BlockStatement') return [node.body]
  const found: Node[] = []
  const pending: Node[] = [node.body]
  for (let at = pending.pop(); at; at = pending.pop()) {
    if (at.type === 'ReturnStatement' && at.argument) found.push(at.argument)
    if (!isFunction(at)) pending.push(...childrenOf(at))
  }
  return found.map(unwrap)
}

export function placeOf({ loc }: Node): UsePlace {
  return { line: loc?.start.line ?? 1, column: (loc?.start.column ?? 0) + 1 }
}

/** True if the function uses its own `this`. */
export function usesThis(node: FunctionNode): boolean {
  return node.type !== 'ArrowFunctionExpression' && has(node, ({ type }) => type === 'ThisExpression')
}

export function usesArguments(node: FunctionNode): boolean {
  return has(node, (each) => each.type === 'Identifier' && each.name === 'arguments')
}

/** Searches the function. Of the functions and classes inside it, only arrow functions are searched. */
function has(node: FunctionNode, isWanted: (node: Node) => boolean): boolean {
  const pending: Node[] = childrenOf(node)
  for (let at = pending.pop(); at; at = pending.pop()) {
    if (isWanted(at)) return true
    const isOther = (isFunction(at) && at.type !== 'ArrowFunctionExpression') || at.type.startsWith('Class')
    if (!isOther) pending.push(...childrenOf(at))
  }
  return false
}

const require = createRequire(import.meta.url)

/** Loads the parser only when it is needed, because most commands and dev servers parse nothing. */
const loadParser = () => require('@babel/parser') as typeof import('@babel/parser')

/** Why a source cannot be parsed, and where. */
export interface SyntaxProblem {
  readonly problem: string
  readonly place: UsePlace
}

export const TOO_DEEP: SyntaxProblem = {
  problem: 'cannot be read: it is nested too deeply',
  place: { line: 1, column: 1 },
}

/** @param attachComment true to attach comments to nodes, which takes time. Default false. */
export function parseOrExplain(code: string, file: string, attachComment = false): File | SyntaxProblem {
  let furthest: ParserError = new SyntaxError()
  for (const plugins of dialects(file)) {
    try {
      return loadParser().parse(code, {
        sourceType: 'unambiguous',
        errorRecovery: true,
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
        allowImportExportEverywhere: true,
        allowNewTargetOutsideFunction: true,
        allowSuperOutsideMethod: true,
        allowUndeclaredExports: true,
        createImportExpressions: false,
        attachComment,
        plugins: [...plugins, 'decorators', 'decoratorAutoAccessors', 'explicitResourceManagement', 'importReflection'],
      })
    } catch (error) {
      // Other dialects would fail too, because the nesting is the same.
      if (error instanceof RangeError) return TOO_DEEP
      if (!(error instanceof SyntaxError)) throw error
      // The dialect that parses most of the file is probably the right one.
      if (furthest.message === '' || posOf(error) > posOf(furthest)) furthest = error
    }
  }
  const { loc, message } = furthest
  const place = { line: loc?.line ?? 1, column: (loc?.column ?? 0) + 1 }
  return { problem: `cannot be parsed: ${message.replace(/\s*\(\d+:\d+\)$/, '').replace(/\.$/, '')}`, place }
}

type ParserError = SyntaxError & { readonly loc?: UsePlace; readonly pos?: number }

const posOf = ({ pos = 0 }: ParserError) => pos

const TYPESCRIPT: readonly ParserPlugin[] = ['typescript']
const TSX: readonly ParserPlugin[] = ['typescript', 'jsx']
const JSX: readonly ParserPlugin[] = ['jsx']

/**
 * A compiled module keeps its source's file name, so `.vue`, `.tsx` and even `.ts` files may contain plain JavaScript.
 */
function dialects(file: string): readonly (readonly ParserPlugin[])[] {
  const path = withoutQuery(file)
  if (/\.[cm]?ts$/.test(path)) return [TYPESCRIPT, TSX, JSX]
  if (/\.[cm]?jsx?$/.test(path)) return [JSX, TSX, TYPESCRIPT, ['flow', 'jsx']]
  return [TSX, TYPESCRIPT, JSX]
}
