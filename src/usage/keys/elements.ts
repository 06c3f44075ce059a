/** Collects keys from the attributes of elements in JSX and compiled code: `<Trans i18nKey="title" />`. */
import type { JSXOpeningElement, Node, ObjectExpression } from '@babel/types'
import type { Lookup } from '../collector.ts'
import type { Analysis, Call } from '../libraries/library.ts'
import { attributesOf, isCall, isMember, NO_PROPS, propertyOf, staticName, unwrap } from '../syntax/tree.ts'
import { descriptorDetails, NO_DETAILS } from './details.ts'
import { descriptorSource, makesDescriptors, readKey } from './keys.ts'

/** Reads `<Trans i18nKey="title" />` and `<FormattedMessage id="title" />`. */
export function readJsxElement(analysis: Analysis, place: JSXOpeningElement) {
  const props = attributesOf(place)
  const ask = () => analysis.libraries.first((library) => library.elementDetails?.(place, analysis))
  const known = analysis.collector.wantsDetails ? ask() : undefined
  const details = () => known ?? NO_DETAILS
  readAttributes(analysis, props, { component: place.name, details })
  const element = analysis.module.parentOf(place)
  if (element) readComponent(analysis, { place, component: place.name, element, props, details })
}

/** Reads `jsx(Trans, { ... })` and `createElement(FormattedMessage, ...)`. */
export function readElementCall(analysis: Analysis, { node: place, args: [component, props] }: Call) {
  const reference = component && unwrap(component)
  if (reference?.type !== 'Identifier' && !isMember(reference) && !isCall(reference)) return
  if (!props || props.type === 'NullLiteral')
    return readComponent(analysis, { place, component: reference, element: place, props: NO_PROPS })
  const found = props.type === 'SpreadElement' ? undefined : analysis.definitions.of(props)
  const all = found?.isComplete && found.nodes.length > 0 ? found.nodes : [props]
  for (const each of all) readComponent(analysis, { place, component: reference, element: place, props: each })
}

interface Attributes {
  /** The element's component; `undefined` if it is not certain that the object literal belongs to an element. */
  readonly component?: Node | undefined
  readonly details?: Lookup['details']
}

/** Collects the keys in attributes. Any object literal may contain an element's attributes. */
export function readAttributes(analysis: Analysis, props: ObjectExpression, given: Attributes = {}) {
  const component = given.component ?? componentWith(analysis, props)
  for (const property of props.properties) {
    if (property.type === 'SpreadElement') continue
    const name = staticName(property.key, property.computed)
    const otherwise = analysis.libraries.get('keyAttributes', name)
    if (!otherwise) continue
    // A component that is not the library's may search any namespace.
    const isOwn = otherwise === 'any' || isOfLibrary(analysis, component)
    const where = isOwn
      ? lookupIn(analysis, props, otherwise)
      : { ...lookupIn(analysis, props, 'any'), namespaces: 'any' as const }
    const lookup: Lookup = { place: property, ...where, isTentative: !isOwn, details: given.details }
    const value = property.type === 'ObjectProperty' ? property.value : getterValue(property)
    if (!value) analysis.collector.addUnknown(lookup, 'key')
    else readKey(analysis, value, lookup)
    // Some versions of `<Trans>` ignore the prefix of `t`.
    if (value && property.type === 'ObjectProperty' && lookup.prefixes)
      readKey(analysis, value, { ...lookup, prefixes: undefined, isGuess: true })
  }
}

function componentWith({ module }: Analysis, props: Node): Node | undefined {
  const call = module.parentOf(props)
  return isCall(call) && call.arguments[1] === props ? call.arguments[0] : undefined
}

/** False for the app's own component with the same name. */
function isOfLibrary({ libraries, values }: Analysis, component: Node | undefined): boolean {
  const origin = component && values.origin(component)
  const { source = '' } = origin ?? {}
  return libraries.all.some(
    ({ components = {}, componentPackages }) =>
      Object.hasOwn(components, origin?.name ?? '') && componentPackages?.test(source) === true,
  )
}

/** The returned expression of a getter. Svelte compiles attributes that may change into getters. */
function getterValue({ kind, body }: Extract<ObjectExpression['properties'][number], { type: 'ObjectMethod' }>) {
  const [statement, ...more] = body.body
  const isReturn = kind === 'get' && statement?.type === 'ReturnStatement' && more.length === 0
  return isReturn ? statement.argument : undefined
}

/** The namespaces for an element's key, from the attributes `ns` and `t`. */
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

interface ComponentUse {
  readonly place: Node
  readonly component: Node
  /** The element including its children. */
  readonly element: Node
  readonly props: Node
  readonly details?: Lookup['details']
}

/** Collects the key of a library's component, unless `readAttributes` has already read it. */
function readComponent(analysis: Analysis, { place, component, element, props, details }: ComponentUse) {
  const { collector, libraries, strings } = analysis
  const attribute = libraries.get('components', analysis.values.origin(component)?.name)
  if (attribute === undefined) return
  const { value, isOpen } = propertyOf(props, attribute)
  const otherwise = libraries.get('keyAttributes', attribute)
  if (value && !otherwise) {
    collector.readDescriptors.add(props)
    readKey(analysis, value, { place, namespaces: 'any', details: () => descriptorDetails(analysis, props) })
  }
  if (value && (!otherwise || (!isOpen && strings.exact(value) && !strings.mayBeNothing(value)))) return
  const isLiteral = props.type === 'ObjectExpression'
  const spreads = isLiteral ? props.properties.filter((each) => each.type === 'SpreadElement') : []
  const where: Omit<Lookup, 'place'> =
    otherwise && isLiteral && spreads.length === 0 ? lookupIn(analysis, props, otherwise) : { namespaces: 'any' }
  const spread = spreads.length === 1 ? spreads[0]?.argument : undefined
  const isKnown = spread && !value && readSpread(analysis, { place, ...where }, spread, attribute)
  const keys = otherwise && libraries.first((library) => library.keysOfChildren?.(element, analysis))
  if (keys) {
    const isOwn = isOfLibrary(analysis, component) && !value && spreads.length === 0
    const named = keys.filter(({ text }) => text !== '')
    const isCertain = isOwn && !named.some(({ isExcluded }) => isExcluded)
    const lookup = {
      place,
      ...where,
      isOfChildren: true,
      isTentative: !isOwn,
      details: isCertain ? details : undefined,
    }
    collector.addKeys(lookup, named)
    if (where.prefixes) collector.addKeys({ ...lookup, prefixes: undefined, isGuess: true }, named)
  }
  if (isKnown || value || (keys && !isOpen)) return
  const unless = spread && isOpen && !otherwise ? descriptorSource(analysis, spread) : undefined
  collector.addUnknown({ place, ...where, unless }, 'key')
}

/** Reads `<FormattedMessage {...messages.title} />`. Returns true if every key is known. */
function readSpread(analysis: Analysis, { place }: Lookup, spread: Node, attribute: string): boolean {
  const { nodes, isComplete } = analysis.definitions.of(spread)
  const descriptors = nodes.map((node) => {
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
