/** Adds the plugin to a bundler's configuration, a build script, or the Next.js configuration. */
import type { ArrayExpression, Node, ObjectExpression } from '@babel/types'
import { escapeRegExp } from '../../../shared/escape.ts'
import { branchesOf, isFunction, memberName, returnsOf, staticName, unwrap } from '../../../usage/syntax/tree.ts'
import { addImport, addItem, CannotEdit, type Edited, edit, endOf, nodesIn, type Source, startOf } from './source.ts'

export interface PluginPlace {
  /** The entry point, such as `vite` in `unplugin-localization/vite`. */
  readonly entry: string
  /** The names of the objects around `plugins`, such as `['vite']` in Nuxt's configuration. */
  readonly within?: readonly string[]
  /** Options of the plugin, as code. */
  readonly options?: string
  /** For a build script: the functions that take the configuration. `isFirst` puts the plugin before the others. */
  readonly calls?: { readonly methods: readonly string[]; readonly isFirst: boolean }
}

const OWN_IMPORT = /(['"])unplugin-localization\/(?!virtual)[\w-]+\1/

/** Adds the plugin, unless the file already imports it. */
export function addPlugin(given: string, file: string, place: PluginPlace): Edited {
  if (OWN_IMPORT.test(given)) return { text: given }
  return edit(given, file, (source) => {
    const { entry, within = [], options = '', calls } = place
    const call = `${addImport(source, 'localization', `unplugin-localization/${entry}`)}(${options})`
    const objects = calls ? optionsOfCalls(source, calls.methods) : resolveObjects(source, findExport(source))
    if (objects.length === 0) throw new CannotEdit('it exports no configuration')
    for (const object of objects) addAt(source, object, [...within, 'plugins'], call, calls?.isFirst)
  })
}

/** Wraps the file's default export in `withLocalization()`, unless the file already imports it. */
export function wrapNextConfig(given: string, file: string): Edited {
  if (OWN_IMPORT.test(given)) return { text: given }
  return edit(given, file, (source) => {
    const exported = findExport(source)
    if (/Declaration$/.test(exported.type))
      throw new CannotEdit('it exports a declaration, which cannot be wrapped in place', exported.start)
    source.insert(startOf(exported), `${addImport(source, 'withLocalization', 'unplugin-localization/next')}(`)
    source.insert(endOf(exported), ')')
  })
}

/** Adds the call to a nested list, such as `vite.plugins`. Creates what is missing. */
function addAt(
  source: Source,
  object: ObjectExpression,
  [name = '', ...rest]: readonly string[],
  call: string,
  isFirst?: boolean,
) {
  const value = ownProperty(source, object, name)
  if (!value && new RegExp(`[\\w$)\\]]\\.${escapeRegExp(name)}\\b`).test(source.text))
    throw new CannotEdit(`"${name}" is set elsewhere in the file`)
  if (!value) addItem(source, object, `${name}: ${rest.reduceRight((made, key) => `{ ${key}: ${made} }`, `[${call}]`)}`)
  else if (rest.length === 0) addItem(source, resolveArray(source, value), call, isFirst)
  else for (const inner of resolveObjects(source, value)) addAt(source, inner, rest, call, isFirst)
}

/** The options of `build()`, `esbuild.context()` and `Bun.build()`. */
function optionsOfCalls(source: Source, methods: readonly string[]): ObjectExpression[] {
  const options = [...nodesIn(source.ast.program)].flatMap((node): Node[] =>
    node.type === 'CallExpression' && methods.includes(calledName(node.callee)) ? node.arguments.slice(0, 1) : [],
  )
  if (options.length === 0) throw new CannotEdit(`it has no call of ${methods.join('() or ')}()`)
  return options.filter((node) => !isFunction(node)).flatMap((node) => resolveObjects(source, node))
}

/** The name of a called function, such as `merge` or `esbuild.build`. */
function calledName(callee: Node): string {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return ''
  return `${callee.object.name}.${memberName(callee)}`
}

/** The default export of the file. Throws CannotEdit. */
export function findExport({ ast }: Source): Node {
  for (const statement of ast.program.body) {
    if (statement.type === 'ExportDefaultDeclaration') return statement.declaration
    if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression') continue
    const { left, right, operator } = statement.expression
    if (operator === '=' && ['module.exports', 'exports.default'].includes(calledName(left))) return right
  }
  throw new CannotEdit('it has no default export')
}

/** Functions that return their last argument, perhaps merged with the others. */
const DEFINES = /(?:^|\.)(?:define\w*Config|mergeConfig|merge)$/
const MAX_DEPTH = 20

/** The objects that a value can be. Follows names, functions, branches and `defineConfig()`. Throws CannotEdit. */
function resolveObjects(source: Source, given: Node, depth = 0): ObjectExpression[] {
  const node = unwrap(given)
  if (depth > MAX_DEPTH) throw new CannotEdit('its configuration refers to itself', node.start)
  const next = (...nodes: readonly Node[]) => [
    ...new Set(nodes.flatMap((one) => resolveObjects(source, one, depth + 1))),
  ]
  if (node.type === 'ObjectExpression') return [node]
  if (node.type === 'NullLiteral') return []
  if (node.type === 'Identifier') return next(definitionOf(source, node))
  if (isFunction(node)) {
    const returned = returnsOf(node)
    if (returned.length === 0) throw new CannotEdit('its function returns nothing', node.start)
    return next(...returned)
  }
  const branches = branchesOf(node)
  if (branches) return next(...branches)
  if (node.type === 'ArrayExpression') {
    const [only, ...others] = node.elements
    if (!only || others.length > 0) throw new CannotEdit('it exports several configurations', node.start)
    return next(only)
  }
  if (node.type !== 'CallExpression') throw new CannotEdit('its configuration is not written out', node.start)
  const name = calledName(node.callee)
  const argument = node.arguments.at(-1)
  if (argument && DEFINES.test(name)) return next(argument)
  throw new CannotEdit(`its configuration comes from a call${name ? ` of ${name}()` : ''}`, node.start)
}

/** The list that a value can be. Follows names and `[...].filter(Boolean)`. Throws CannotEdit. */
function resolveArray(source: Source, node: Node): ArrayExpression {
  const value = unwrap(node)
  if (value.type === 'ArrayExpression') return value
  if (value.type === 'Identifier') return resolveArray(source, definitionOf(source, value))
  const list = value.type === 'CallExpression' && value.callee.type === 'MemberExpression' ? value.callee : undefined
  if (list && ['filter', 'flat', 'concat'].includes(memberName(list) ?? '')) return resolveArray(source, list.object)
  throw new CannotEdit('the list of plugins is not written out here', node.start)
}

/** The only definition of a name in the file. Throws CannotEdit. */
export function definitionOf({ text, ast }: Source, { name, start }: Extract<Node, { type: 'Identifier' }>): Node {
  const found = [...nodesIn(ast.program)].flatMap((node): Node[] => {
    if (node.type === 'ImportDeclaration' && node.specifiers.some(({ local }) => local.name === name))
      throw new CannotEdit(`"${name}" comes from another file`, start)
    if (node.type === 'FunctionDeclaration' && node.id?.name === name) return [node]
    const isIt = node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.id.name === name
    return isIt && node.init ? [node.init] : []
  })
  const [first] = found
  if (!first) throw new CannotEdit(`"${name}" is not defined in this file`, start)
  const assignments = text.match(new RegExp(`(?<![\\w.$])${escapeRegExp(name)}(?::[^=;\\n]*)?\\s*=(?![=>])`, 'g')) ?? []
  if (found.length > 1 || assignments.length > 1) throw new CannotEdit(`"${name}" is assigned several times`, start)
  return first
}

/** The value of a property, which may come from a spread object. Throws CannotEdit if it is uncertain. */
function ownProperty(source: Source, object: ObjectExpression, name: string): Node | undefined {
  for (const property of object.properties.toReversed()) {
    if (property.type === 'SpreadElement') {
      const values = spreadValues(source, property.argument, name)
      if (!values || values.length > 1) {
        const code = source.text.slice(startOf(property), endOf(property))
        throw new CannotEdit(`"${name}" may come from ${code.length > 40 ? '...' : code}`, property.start)
      }
      if (values[0]) return values[0]
    } else if (staticName(property.key, property.computed) === name) {
      if (property.type === 'ObjectMethod') throw new CannotEdit(`"${name}" is a method`, property.start)
      return property.value
    }
  }
  return undefined
}

/** Returns the property's value in each object that may be spread, `[]` if none has it, `undefined` if unknown. */
function spreadValues(source: Source, spread: Node, name: string): (Node | undefined)[] | undefined {
  try {
    const values = resolveObjects(source, spread).map((object) => ownProperty(source, object, name))
    return values.some(Boolean) ? values : []
  } catch {
    return undefined
  }
}
