/** Adds the plugin to the configuration of a bundler, to a build script, and to that of Next.js. */
import type { CallExpression, Node, ObjectExpression } from '@babel/types'
import { childrenOf, isFunction, memberName } from '../../../usage/syntax/tree.ts'
import { addImport, appendItem, prependItem } from './insert.ts'
import { findExport, propertyNamed, resolveArray, resolveObjects } from './resolve.ts'
import { CannotEdit, type Edited, edit, endOf, type Insertion, insert, parse, type Source, startOf } from './source.ts'

export interface PluginPlace {
  /** The subpath of the package: `vite`. */
  readonly entry: string
  /** Names of objects around `plugins`: `['vite']` in the configuration of Nuxt. */
  readonly within?: readonly string[]
  /** Options of the plugin, as code. */
  readonly options?: string
  /** More properties that the configuration needs, as `[path, code]`. */
  readonly also?: readonly (readonly [path: readonly string[], code: string])[]
  /** The file is a script: these functions take the configuration. */
  readonly calls?: { readonly methods: readonly string[]; readonly isFirst: boolean }
}

const OWN_IMPORT = /(['"])unplugin-localization\/(?!virtual)[\w-]+\1/

/** The file's text with the plugin. Unchanged if the file imports it already. */
export function addPlugin(given: string, file: string, place: PluginPlace): Edited {
  return edit(given, (text) => {
    if (OWN_IMPORT.test(text)) return text
    const source = parse(text, file)
    const { insertions, name } = addImport(source, file, {
      name: 'localization',
      from: `unplugin-localization/${place.entry}`,
    })
    const call = `${name}(${place.options ?? ''})`
    const objects = place.calls
      ? objectsOfCalls(source, place.calls.methods)
      : resolveObjects(source, findExport(source))
    if (objects.length === 0) throw new CannotEdit('it exports no configuration')
    const added = objects.flatMap((object) => addToObject(source, object, call, place))
    return insert(text, [...insertions, ...unique(added)])
  })
}

/** `export default withLocalization(...)`: around what the file exports. Unchanged if the file imports it already. */
export function wrapNextConfig(given: string, file: string): Edited {
  return edit(given, (text) => {
    if (OWN_IMPORT.test(text)) return text
    const source = parse(text, file)
    const exported = findExport(source)
    if (/Declaration$/.test(exported.type))
      throw new CannotEdit('it exports a declaration, which cannot be wrapped in place', exported)
    const { insertions, name } = addImport(source, file, {
      name: 'withLocalization',
      from: 'unplugin-localization/next',
    })
    const wrap = [
      { at: startOf(exported), text: `${name}(` },
      { at: endOf(exported), text: ')' },
    ]
    return insert(text, [...insertions, ...wrap])
  })
}

function addToObject(source: Source, object: ObjectExpression, call: string, place: PluginPlace): Insertion[] {
  const { within = [], also = [], calls } = place
  const add = calls?.isFirst ? prependItem : appendItem
  const insertions = addAt(source, object, [...within, 'plugins'], `[${call}]`, (value) =>
    add(source, resolveArray(source, value), call),
  )
  return [...insertions, ...also.flatMap(([path, code]) => addAt(source, object, path, code, () => []))]
}

/** Sets a property below objects that exist or are made; `change`: for a value that is there. */
function addAt(
  source: Source,
  object: ObjectExpression,
  [name = '', ...rest]: readonly string[],
  code: string,
  change: (value: Node) => Insertion[],
): Insertion[] {
  const value = propertyNamed(source, object, name)
  if (value && rest.length === 0) return change(value)
  if (value) return resolveObjects(source, value).flatMap((inner) => addAt(source, inner, rest, code, change))
  const made = [name, ...rest].toReversed().reduce((inner, key, at) => {
    return at === 0 ? `${key}: ${inner}` : `${key}: { ${inner} }`
  }, code)
  return appendItem(source, object, made)
}

/** Two configurations may share a list of plugins. */
function unique(insertions: readonly Insertion[]): Insertion[] {
  const seen = new Map(insertions.map((one) => [`${one.at} ${one.text}`, one]))
  return [...seen.values()]
}

/** The options of `build()`, `esbuild.context()` and `Bun.build()`. */
function objectsOfCalls(source: Source, methods: readonly string[]): ObjectExpression[] {
  const calls: CallExpression[] = []
  const pending: Node[] = [source.ast.program]
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === 'CallExpression' && methods.includes(calledName(node))) calls.push(node)
    pending.push(...childrenOf(node))
  }
  const options = calls.flatMap((call) => call.arguments.at(0) ?? [])
  if (options.length === 0) throw new CannotEdit(`it has no call of ${methods.join('() or ')}()`)
  return [...new Set(options.filter((node) => !isFunction(node)).flatMap((node) => resolveObjects(source, node)))]
}

function calledName({ callee }: CallExpression): string {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return ''
  return `${callee.object.name}.${memberName(callee)}`
}
