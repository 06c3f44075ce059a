/** Keys in properties and attributes: `i18nKey`, `keypath`, `<FormattedMessage id>`, descriptors, `v-t`. */
import type { Node } from '@babel/types'
import {
  isDescriptor,
  isTextDirective,
  readDescriptor,
  readDirective,
  readKey,
  readSpread,
  spreadCondition,
  type Tools,
} from './calls.ts'
import type { UseOptions } from './collector.ts'
import type { UseNamespaces } from './model.ts'
import { COMPONENTS, KEY_PROPERTIES } from './names.ts'
import { bareNode, propertyOf, staticName } from './tree.ts'
import { plain } from './values.ts'

/** An object literal anywhere: the properties of a compiled element, or a descriptor on its own. */
export function readObject(tools: Tools, node: Extract<Node, { type: 'ObjectExpression' }>) {
  if (isDescriptor(node)) readDescriptor(tools, node, node, 'any', {})
  for (const property of node.properties) {
    if (property.type !== 'ObjectProperty' && property.type !== 'ObjectMethod') continue
    const name = staticName(property.key, property.computed)
    if (name === undefined || !KEY_PROPERTIES.has(name)) continue
    // Svelte makes changing properties getters.
    const value = property.type === 'ObjectProperty' ? property.value : property
    const ns = propertyOf(node, 'ns')
    const t = propertyOf(node, 't').value
    readKeyProperty(tools, property, value, { ns: ns.value, isOpen: ns.isOpen || name === 'keypath', t })
  }
}

interface Surroundings {
  readonly ns: Node | undefined
  readonly isOpen: boolean
  readonly t: Node | undefined
}

function readKeyProperty(tools: Tools, place: Node, value: Node, around: Surroundings) {
  const { namespaces, options } = contextOf(tools, around)
  if (value.type === 'ObjectMethod') {
    const body = value.body.body
    const last = body.at(-1)
    if (value.kind === 'get' && body.length === 1 && last?.type === 'ReturnStatement' && last.argument)
      return readKey(tools, place, bareNode(last.argument), namespaces, options)
    return tools.collector.unknown(place, namespaces, 'key', options)
  }
  readKey(tools, place, bareNode(value), namespaces, options)
  // `t` may be bound to a prefix; not every version of the component applies it.
  if (options.prefixes) readKey(tools, place, bareNode(value), namespaces, { isGuess: true })
}

function contextOf(
  { values, readTexts }: Tools,
  { ns, isOpen, t }: Surroundings,
): { namespaces: UseNamespaces; options: UseOptions } {
  const translator = t && values.of(t)
  const bound = translator?.kind === 'function' ? translator : undefined
  const options = bound?.prefixes ? { prefixes: bound.prefixes } : {}
  if (ns) {
    const inner = bareNode(ns)
    const list = inner.type === 'ArrayExpression' ? inner.elements : [inner]
    const names = list.map((each) => (each ? plain(readTexts(each)) : undefined))
    return { namespaces: names.every((each) => each !== undefined) ? names.flat() : 'any', options }
  }
  if (isOpen || (t && !bound)) return { namespaces: 'any', options }
  return { namespaces: bound ? bound.namespaces : 'default', options }
}

/** An element in JSX as it is written. */
export function readJsx(tools: Tools, node: Extract<Node, { type: 'JSXOpeningElement' }>) {
  const { collector, values } = tools
  const attribute = (name: string): Node | undefined => {
    const found = node.attributes.find((each) => each.type === 'JSXAttribute' && each.name.name === name)
    return found?.type === 'JSXAttribute' ? attributeValue(found) : undefined
  }
  const spreads = node.attributes.flatMap((each) => (each.type === 'JSXSpreadAttribute' ? [each.argument] : []))
  for (const each of node.attributes) {
    if (each.type !== 'JSXAttribute' || typeof each.name.name !== 'string' || !KEY_PROPERTIES.has(each.name.name))
      continue
    const value = attributeValue(each)
    if (value)
      readKeyProperty(tools, each, value, {
        ns: attribute('ns'),
        isOpen: spreads.length > 0 || each.name.name === 'keypath',
        t: attribute('t'),
      })
  }
  const name = values.origin(node.name)?.name
  if (name === undefined || !Object.hasOwn(COMPONENTS, name)) return
  const property = COMPONENTS[name] as string
  const value = attribute(property)
  if (value) {
    if (property === 'id') readKey(tools, node, bareNode(value), 'any', {})
    return
  }
  const [spread] = spreads
  if (spread && spreads.length === 1) {
    if (readSpread(tools, node, spread, property)) return
    return collector.unknown(node, 'any', 'key', {
      unless: property === 'id' ? spreadCondition(tools, spread) : undefined,
    })
  }
  const { namespaces, options } = contextOf(tools, {
    ns: attribute('ns'),
    isOpen: spreads.length > 0,
    t: attribute('t'),
  })
  collector.unknown(node, property === 'id' ? 'any' : namespaces, 'key', options)
}

function attributeValue(attribute: Extract<Node, { type: 'JSXAttribute' }>): Node | undefined {
  const { value } = attribute
  return value?.type === 'JSXExpressionContainer' ? value.expression : (value ?? undefined)
}

/** `[[_directive_t, 'title']]`, as Vue compiles `v-t`. */
export function readArray(tools: Tools, node: Extract<Node, { type: 'ArrayExpression' }>) {
  const [directive, argument] = node.elements
  if (directive && argument && isTextDirective(directive)) readDirective(tools, node, argument)
}
