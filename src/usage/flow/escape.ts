/** Data flow: how the value of an expression leaves the code that is followed. */
import type { NewExpression, Node } from '@babel/types'
import type { Analysis } from '../libraries/library.ts'
import type { Receiver } from '../model.ts'
import type { CallNode, FunctionNode, MemberNode } from '../syntax/tree.ts'
import { isCall, isFunction, isMember, isTypeWrapper, memberName, staticName, unwrap } from '../syntax/tree.ts'
import { literal } from './strings.ts'
import { isPromiseMethod, isTranslator, type MessagesValue, promisesOf, type Value } from './values.ts'

/**
 * `none`: it stays. `named`: under a name by which other code knows it. A receiver: into a parameter of a function.
 * `unknown`: everything may happen to it.
 */
export type Escape = 'none' | 'named' | 'unknown' | Receiver

/** The plugin's own functions for libraries: they take translations and use no keys. */
const OWN_PACKAGE = 'unplugin-localization/'

export function escapeOf(analysis: Analysis, start: Node, value: Value): Escape {
  const { module } = analysis
  let node = start
  let parent = module.parentOf(node)
  while (parent && passesOn(analysis, parent, node)) {
    node = parent
    parent = module.parentOf(node)
  }
  switch (parent?.type) {
    case undefined:
    case 'SequenceExpression':
    case 'ConditionalExpression':
    case 'ExpressionStatement':
    case 'UnaryExpression':
    case 'IfStatement':
    case 'WhileStatement':
    case 'SwitchStatement':
    case 'TemplateLiteral':
    case 'ImportDeclaration':
      return 'none'
    case 'BinaryExpression':
      return parent.operator === 'in' && value.kind === 'messages' ? 'unknown' : 'none'
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      return parent.object === node ? intoMember(analysis, parent, value) : 'unknown'
    case 'VariableDeclarator':
      return parent.init === node ? intoPattern(analysis, parent.id, value) : 'none'
    case 'AssignmentPattern':
      return parent.right === node ? intoPattern(analysis, parent.left, value) : 'none'
    case 'AssignmentExpression':
      if (parent.right !== node) return 'none'
      if (isMember(parent.left)) return intoProperty(analysis, memberName(parent.left), value)
      return intoPattern(analysis, parent.left, value)
    case 'ObjectProperty':
    case 'ClassProperty':
    case 'ClassAccessorProperty': {
      const name = staticName(parent.key, parent.computed)
      const isRead = parent.value !== node || (name === 't' && isPropOfComponent(analysis, parent))
      return isRead ? 'none' : intoProperty(analysis, name, value)
    }
    case 'JSXExpressionContainer': {
      const attribute = module.parentOf(parent)
      if (attribute?.type !== 'JSXAttribute') return 'unknown'
      const { name } = attribute.name
      return intoProperty(analysis, typeof name === 'string' ? name : undefined, value)
    }
    case 'ExportSpecifier':
      return intoProperty(analysis, staticName(parent.exported, false), value)
    case 'SpreadElement':
    case 'JSXSpreadAttribute':
    case 'ExportDefaultDeclaration':
      return intoProperty(analysis, undefined, value)
    case 'ArrayExpression':
      return isReadingList(analysis, parent) ? 'none' : 'unknown'
    case 'ReturnStatement':
      return returnedFrom(analysis, module.functionAround(parent), value)
    case 'ArrowFunctionExpression':
      return parent.body === node ? returnedFrom(analysis, parent, value) : 'none'
    case 'CallExpression':
    case 'OptionalCallExpression':
    case 'NewExpression': {
      const index = parent.arguments.indexOf(node as CallNode)
      return parent.callee === node || index === -1 ? 'none' : intoCall(analysis, parent, index, value)
    }
    default:
      return 'unknown'
  }
}

/** Whether the parent has the same value as the node. */
function passesOn({ libraries, values }: Analysis, parent: Node, node: Node): boolean {
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
      return libraries.has('wrappers', values.origin(parent.callee)?.name)
    default:
      return false
  }
}

function intoMember({ module }: Analysis, member: MemberNode, value: Value): Escape {
  if (isTranslator(value) || value.kind === 'loader') return 'none'
  const name = memberName(member)
  if (name === undefined) return 'unknown'
  if (value.kind === 'module' ? name !== 'then' : !isPromiseMethod(name)) return 'none'
  // `.then(show)`: a callback that is written there is followed.
  const call = module.parentOf(member)
  const [callback] = name === 'then' && isCall(call) && call.callee === member ? call.arguments : []
  return name !== 'then' || (callback && isFunction(unwrap(callback))) ? 'none' : 'unknown'
}

function intoPattern(analysis: Analysis, pattern: Node, value: Value): Escape {
  if (isTypeWrapper(pattern)) return intoPattern(analysis, pattern.expression, value)
  if (pattern.type === 'Identifier') {
    const isExported = analysis.module.bindingOf(pattern)?.isExported === true
    return isExported ? intoProperty(analysis, pattern.name, value) : 'none'
  }
  if (value.kind === 'translator') return 'none'
  if (pattern.type !== 'ObjectPattern') return 'unknown'
  if (value.kind === 'messages') return destructuredMessages(analysis, pattern, value)
  const hasRest = pattern.properties.some(({ type }) => type === 'RestElement')
  return value.kind === 'module' && hasRest ? 'unknown' : 'none'
}

/** `const { title, ...others } = messages`. */
function destructuredMessages(
  { collector }: Analysis,
  { properties }: Extract<Node, { type: 'ObjectPattern' }>,
  { level, namespaces }: MessagesValue,
): Escape {
  for (const property of properties) {
    const name = property.type === 'RestElement' ? undefined : staticName(property.key, property.computed)
    if (name === undefined) return 'unknown'
    if (level === 'namespace') collector.addKeys({ place: property, namespaces, isExact: true }, [literal(name)])
  }
  return 'none'
}

function intoProperty({ libraries }: Analysis, name: string | undefined, value: Value): Escape {
  const isNamed = value.kind === 'translator' || (value.kind === 'function' && libraries.has('methods', name))
  return isNamed ? 'named' : 'unknown'
}

function returnedFrom(analysis: Analysis, owner: FunctionNode | undefined, value: Value): Escape {
  // Functions of this module are followed where they are called.
  if (value.kind === 'translator') return 'named'
  const name = owner && analysis.module.functionName(owner)
  if (value.kind === 'function' && analysis.libraries.has('functions', name)) return 'named'
  // `t: () => t`, as compilers write getters.
  const property = owner && analysis.module.parentOf(owner)
  if (property?.type === 'ObjectProperty')
    return intoProperty(analysis, staticName(property.key, property.computed), value)
  return owner?.type === 'ObjectMethod' ? intoProperty(analysis, name, value) : 'unknown'
}

function intoCall(analysis: Analysis, call: CallNode | NewExpression, index: number, value: Value): Escape {
  const callee = unwrap(call.callee)
  const origin = analysis.values.origin(callee)
  if (callee.type === 'Import' || origin?.source?.startsWith(OWN_PACKAGE)) return 'none'
  if (!isMember(callee)) return value.kind === 'translator' ? 'named' : intoFunction(analysis, callee, index)
  const name = memberName(callee)
  const object = unwrap(callee.object)
  if (object.type === 'Identifier' && object.name === 'console') return 'none'
  if (name === 'bind' || name === 'call' || name === 'apply')
    return value.kind === 'translator' || index === 0 ? 'none' : 'unknown'
  // `app.use(i18n)`.
  if (value.kind === 'translator') return 'named'
  return name === undefined ? 'unknown' : { name, index }
}

/** A function of this module is known exactly, others are known by their names and by where they come from. */
function intoFunction(analysis: Analysis, callee: Node, index: number): Escape {
  const functions = analysis.module.functionsOf(callee)
  const [only, ...others] = functions ?? []
  if (only && others.length === 0)
    return isTranslatorParameter(analysis, only, index) ? { name: localName(analysis, only), index } : 'unknown'
  const origin = functions ? undefined : analysis.values.origin(callee)
  if (!origin) return 'unknown'
  return { name: origin.name, index, ...(origin.source !== undefined && { from: origin.source }) }
}

/** Whether the name of a parameter tells that it is a translation function, or an object with one. */
export function isTranslatorParameter({ libraries }: Analysis, { params }: FunctionNode, index: number): boolean {
  const given = params[index]
  const parameter = given?.type === 'AssignmentPattern' ? given.left : given
  if (parameter?.type !== 'Identifier') return false
  return libraries.has('functions', parameter.name) || libraries.has('translators', parameter.name)
}

/** Tells functions with the same name apart. */
export function localName({ module }: Analysis, node: FunctionNode): string {
  return `${module.functionName(node) ?? ''}#${node.start}`
}

/** `_jsx(Trans, { t })`: a library's component, whose keys are read there. */
function isPropOfComponent({ module, libraries, values }: Analysis, property: Node): boolean {
  const object = module.parentOf(property)
  const call = object && module.parentOf(object)
  if (!isCall(call) || call.arguments[1] !== object || !call.arguments[0]) return false
  return libraries.get('components', values.origin(call.arguments[0])?.name) !== undefined
}

/** The dependencies of a hook, or the list in `const [a, b] = await Promise.all([...])`. */
function isReadingList({ module, values }: Analysis, list: Node): boolean {
  const call = module.parentOf(list)
  if (!isCall(call)) return false
  if (/^(?:use[A-Z]|watch)/.test(values.origin(call.callee)?.name ?? '')) return true
  let parent = module.parentOf(call)
  while (parent?.type === 'AwaitExpression') parent = module.parentOf(parent)
  if (!promisesOf(call) || parent?.type !== 'VariableDeclarator' || parent.id.type !== 'ArrayPattern') return false
  return parent.id.elements.every((element) => element?.type !== 'RestElement')
}
