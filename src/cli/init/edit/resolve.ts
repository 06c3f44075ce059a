/** Finds the object that a configuration file exports: behind names, functions, types and `defineConfig()`. */
import type {
  ArrayExpression,
  CallExpression,
  Expression,
  Function as FunctionNode,
  Node,
  ObjectExpression,
  SpreadElement,
  Statement,
} from '@babel/types'
import { escapeRegExp } from '../../../shared/escape-regexp.ts'
import {
  branchesOf,
  childrenOf,
  isFunction,
  memberName,
  returnsOf,
  staticName,
  unwrap,
} from '../../../usage/syntax/tree.ts'
import { CannotEdit, endOf, type Source, startOf } from './source.ts'

/** Lists of statements whose declarations can be seen, innermost first. */
type Scopes = readonly (readonly Statement[])[]

/** Functions that return the object they are given, or a function of it. */
const DEFINES = /^define\w*Config$/

const MAX_DEPTH = 20

/** The default export of the file. Errors: CannotEdit. */
export function findExport({ ast }: Source): Expression | FunctionNode {
  for (const statement of ast.program.body) {
    if (statement.type === 'ExportDefaultDeclaration') return statement.declaration as Expression
    if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression') continue
    const { left, right, operator } = statement.expression
    if (operator !== '=' || left.type !== 'MemberExpression' || left.object.type !== 'Identifier') continue
    const name = `${left.object.name}.${memberName(left)}`
    if (name === 'module.exports' || name === 'exports.default') return right
  }
  throw new CannotEdit('it has no default export')
}

/** Each object that the value may be. Errors: CannotEdit. */
export function resolveObjects(source: Source, node: Node): ObjectExpression[] {
  const found = resolve(source, node, [source.ast.program.body], 0)
  return [...new Set(found)]
}

/** The array in a property: a literal, behind a name, or `[...].filter(Boolean)`. Errors: CannotEdit. */
export function resolveArray(source: Source, node: Node): ArrayExpression {
  const value = unwrap(node)
  if (value.type === 'ArrayExpression') return value
  if (value.type === 'Identifier') return resolveArray(source, lookUp(source, value, scopesAt(source, value)))
  const list = value.type === 'CallExpression' && value.callee.type === 'MemberExpression' ? value.callee : undefined
  if (list && ['filter', 'flat', 'concat'].includes(memberName(list) ?? '')) return resolveArray(source, list.object)
  throw new CannotEdit('the list of plugins is not written out here', node)
}

function resolve(source: Source, given: Node, scopes: Scopes, depth: number): ObjectExpression[] {
  const node = unwrap(given)
  if (depth > MAX_DEPTH) throw new CannotEdit('its configuration refers to itself', node)
  const next = (inner: Node, inside = scopes) => resolve(source, inner, inside, depth + 1)
  if (node.type === 'ObjectExpression') return [node]
  if (node.type === 'Identifier') return next(lookUp(source, node, scopes))
  if (isFunction(node)) {
    const inside = node.body.type === 'BlockStatement' ? [node.body.body, ...scopes] : scopes
    const returned = returnsOf(node)
    if (returned.length === 0) throw new CannotEdit('its function returns nothing', node)
    return returned.flatMap((value) => next(value, inside))
  }
  if (node.type === 'NullLiteral') return []
  const branches = branchesOf(node)
  if (branches) return branches.flatMap((branch) => next(branch))
  if (node.type === 'ArrayExpression') return next(onlyOne(node))
  if (node.type === 'CallExpression') return next(argumentOf(node))
  throw new CannotEdit('its configuration is not written out as an object', node)
}

function onlyOne(node: ArrayExpression): Node {
  const [only, ...others] = node.elements
  if (!only || others.length > 0) throw new CannotEdit('it exports several configurations', node)
  return only
}

/** The last argument counts: `mergeConfig(base, { ... })`. */
function argumentOf(node: CallExpression): Node {
  const { callee } = node
  const name = callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' ? memberName(callee) : ''
  const argument = node.arguments.at(-1)
  if (argument && (DEFINES.test(name ?? '') || ['mergeConfig', 'merge'].includes(name ?? ''))) return argument
  throw new CannotEdit(`its configuration comes from a call${name ? ` of ${name}()` : ''}`, node)
}

function lookUp(source: Source, node: Extract<Node, { type: 'Identifier' }>, scopes: Scopes): Node {
  const { name } = node
  for (const statement of scopes.flat()) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type === 'FunctionDeclaration' && declared.id?.name === name) return declared
    if (declared?.type === 'ImportDeclaration' && declared.specifiers.some(({ local }) => local.name === name))
      throw new CannotEdit(`"${name}" comes from another file`, node)
    if (declared?.type !== 'VariableDeclaration') continue
    for (const { id, init } of declared.declarations) {
      if (id.type !== 'Identifier' || id.name !== name || !init) continue
      const assignments = new RegExp(`(?<![\\w.$])${escapeRegExp(name)}(?::[^=;\\n]*)?\\s*=(?![=>])`, 'g')
      if (declared.kind !== 'const' && [...source.text.matchAll(assignments)].length > 1)
        throw new CannotEdit(`"${name}" is assigned several times`, node)
      return init
    }
  }
  throw new CannotEdit(`"${name}" is not defined in this file`, node)
}

/** The statements around a node: of its functions and blocks, and of the file. */
function scopesAt({ ast }: Source, node: Node): Scopes {
  const scopes: Statement[][] = []
  let around: Node | undefined = ast.program
  while (around) {
    if (around.type === 'Program' || around.type === 'BlockStatement') scopes.unshift(around.body)
    around = childrenOf(around).find(({ start, end }) => startOf(node) >= (start ?? 0) && endOf(node) <= (end ?? 0))
  }
  return scopes
}

/** The value of the property of this name, also in an object that is spread. Errors: CannotEdit if it is not sure. */
export function propertyNamed(source: Source, object: ObjectExpression, name: string): Node | undefined {
  const value = ownProperty(source, object, name)
  const isSet = new RegExp(`[\\w$)\\]]\\.${escapeRegExp(name)}\\b`).test(source.text)
  if (!value && isSet) throw new CannotEdit(`"${name}" is set elsewhere in the file`)
  return value
}

function ownProperty(source: Source, object: ObjectExpression, name: string): Node | undefined {
  let found: Node | undefined
  for (const property of object.properties) {
    if (property.type === 'SpreadElement') found ??= spreadProperty(source, property, name)
    else if (staticName(property.key, property.computed) === name) {
      if (property.type === 'ObjectMethod') throw new CannotEdit(`"${name}" is a method`, property)
      return property.value
    }
  }
  return found
}

function spreadProperty(source: Source, spread: SpreadElement, name: string): Node | undefined {
  const unsure = () => {
    const code = source.text.slice(spread.start ?? 0, spread.end ?? 0)
    return new CannotEdit(`"${name}" may come from ${code.length > 40 ? '...' : code}`, spread)
  }
  let objects: ObjectExpression[]
  try {
    objects = resolve(source, spread.argument, scopesAt(source, spread), 0)
  } catch (error) {
    throw error instanceof CannotEdit ? unsure() : error
  }
  const values = objects.flatMap((object) => ownProperty(source, object, name) ?? [])
  if (values.length > 1 || (values.length === 1 && objects.length > 1)) throw unsure()
  return values[0]
}
