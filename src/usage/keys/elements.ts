/** Keys in the attributes of elements, in JSX and as compilers write it: `<Trans i18nKey="title" />`. */
import type { JSXOpeningElement, Node, ObjectExpression } from '@babel/types'
import type { Lookup } from '../collector.ts'
import { literal } from '../flow/strings.ts'
import type { Analysis, Call } from '../libraries/library.ts'
import { attributesOf, isCall, isMember, propertyOf, staticName, unwrap } from '../syntax/tree.ts'
import { descriptorSource, makesDescriptors } from './descriptors.ts'
import { descriptorDetails, NO_DETAILS } from './details.ts'
import { readKey } from './keys.ts'

/** `<Trans i18nKey="title" />`, `<FormattedMessage id="title" />`. */
export function readJsxElement(analysis: Analysis, place: JSXOpeningElement) {
  const props = attributesOf(place)
  const ask = () => analysis.libraries.first((library) => library.elementDetails?.(place, analysis))
  const element = analysis.collector.wantsDetails ? ask() : undefined
  readAttributes(analysis, props, () => element ?? NO_DETAILS)
  const attribute = analysis.libraries.get('components', analysis.values.origin(place.name)?.name)
  if (attribute === undefined) return
  const otherwise = analysis.libraries.get('keyAttributes', attribute)
  const hasSpread = props.properties.some(({ type }) => type === 'SpreadElement')
  const { namespaces } = otherwise && !hasSpread ? lookupIn(analysis, props, otherwise) : { namespaces: 'any' as const }
  readComponent(analysis, attribute, props, { place, namespaces })
  if (element?.ownKey === undefined || !otherwise || propertyOf(props, attribute).value) return
  analysis.collector.addKeys({ place, ...lookupIn(analysis, props, otherwise), details: () => element }, [
    literal(element.ownKey),
  ])
}

/** `jsx(Trans, { ... })`, `createElement(FormattedMessage, ...)`. */
export function readElementCall(analysis: Analysis, { node: place, args: [component, props] }: Call) {
  const reference = component && unwrap(component)
  if (reference?.type !== 'Identifier' && !isMember(reference) && !isCall(reference)) return
  const attribute = analysis.libraries.get('components', analysis.values.origin(reference)?.name)
  if (attribute === undefined) return
  const lookup: Lookup = { place, namespaces: 'any' }
  const found = props && props.type !== 'SpreadElement' ? analysis.definitions.of(props) : undefined
  if (!found?.isComplete || found.definitions.length === 0) return analysis.collector.addUnknown(lookup, 'key')
  for (const { node } of found.definitions) readComponent(analysis, attribute, node, lookup)
}

/**
 * Collects the keys in the attributes of an element. Any object literal may be one.
 * @param details not given: this need not be an element
 */
export function readAttributes(analysis: Analysis, props: ObjectExpression, details?: Lookup['details']) {
  for (const property of props.properties) {
    if (property.type === 'SpreadElement') continue
    const otherwise = analysis.libraries.get('keyAttributes', staticName(property.key, property.computed))
    if (!otherwise) continue
    const lookup: Lookup = { place: property, ...lookupIn(analysis, props, otherwise), details }
    const value = property.type === 'ObjectProperty' ? property.value : getterValue(property)
    if (!value) analysis.collector.addUnknown(lookup, 'key')
    else readKey(analysis, value, lookup)
    // Not every version of the component applies the prefix of `t`.
    if (value && property.type === 'ObjectProperty' && lookup.prefixes)
      readKey(analysis, value, { ...lookup, prefixes: undefined, isGuess: true })
  }
}

/** Svelte compiles an attribute that may change to a getter. */
function getterValue({ kind, body }: Extract<ObjectExpression['properties'][number], { type: 'ObjectMethod' }>) {
  const [statement, ...more] = body.body
  const isReturn = kind === 'get' && statement?.type === 'ReturnStatement' && more.length === 0
  return isReturn ? statement.argument : undefined
}

/** Where the key of an element is looked for: in the namespaces of `ns`, or in those of the function `t`. */
function lookupIn(
  { values, strings }: Analysis,
  props: ObjectExpression,
  otherwise: 'default' | 'any',
): Omit<Lookup, 'place'> {
  const { value: ns, isOpen } = propertyOf(props, 'ns')
  const t = propertyOf(props, 't').value
  const value = t && values.of(t)
  const bound = value?.kind === 'function' ? value : undefined
  const prefixes = bound?.prefixes
  if (ns) return { namespaces: strings.namespaces(ns) ?? 'any', prefixes }
  if (isOpen || otherwise === 'any' || (t && !bound)) return { namespaces: 'any', prefixes }
  return { namespaces: bound?.namespaces ?? 'default', prefixes }
}

/** Collects the key of a component, unless it is in an attribute that is read on every element. */
function readComponent(analysis: Analysis, attribute: string, props: Node, lookup: Lookup) {
  const { value, isOpen } = propertyOf(props, attribute)
  const isOwn = analysis.libraries.get('keyAttributes', attribute) === undefined
  const details = () => descriptorDetails(analysis, props)
  if (value && isOwn) readKey(analysis, value, { ...lookup, namespaces: 'any', details })
  if (value) return
  const spreads =
    props.type === 'ObjectExpression' ? props.properties.filter((each) => each.type === 'SpreadElement') : []
  const spread = spreads.length === 1 ? spreads[0]?.argument : undefined
  if (spread && readSpread(analysis, lookup, spread, attribute)) return
  const unless = spread && isOpen && isOwn ? descriptorSource(analysis, spread) : undefined
  analysis.collector.addUnknown({ ...lookup, unless }, 'key')
}

/** `<FormattedMessage {...messages.title} />`. Returns whether every key is known. */
function readSpread(analysis: Analysis, { place }: Lookup, spread: Node, attribute: string): boolean {
  const { definitions, isComplete } = analysis.definitions.of(spread)
  const descriptors = definitions.map(({ node }) => {
    const [first] = makesDescriptors(analysis, node) ? node.arguments : []
    return first ? unwrap(first) : node
  })
  const keys = descriptors.map((descriptor) => propertyOf(descriptor, attribute).value)
  if (!isComplete || keys.length === 0 || keys.includes(undefined)) return false
  for (const [at, key] of keys.entries()) {
    const details = () => descriptorDetails(analysis, descriptors[at] as Node)
    if (key) analysis.collector.addKeys({ place, namespaces: 'any', details }, analysis.strings.of(key))
  }
  return true
}
