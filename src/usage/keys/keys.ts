/** The keys that calls of translation functions ask for. */
import type { Node } from '@babel/types'
import type { Lookup } from '../collector.ts'
import { ANYTHING, EMPTY, type StringValue } from '../flow/strings.ts'
import { joinNamespaces, type TranslatorValue } from '../flow/value.ts'
import type { Analysis, Call } from '../libraries/library.ts'
import type { UseNamespaces } from '../model.ts'
import { type FunctionNode, isCall, isFunction, isMember, memberName, propertyOf, unwrap } from '../syntax/tree.ts'
import { descriptorSource, readDescriptor } from './descriptors.ts'

type Arguments = readonly (Node | null)[]

/** Collects what a call asks for: `t('title')`, `t.call(this, 'title')`, `t.rich('title')`. Returns whether it asks. */
export function readTranslationCall(analysis: Analysis, { node, name, args, called, object }: Call): boolean {
  const value = [called, object].find((each) => each?.kind === 'function')
  if (value?.kind !== 'function') return false
  const passed = value === called ? args : argumentsPassedBy(name, args)
  if (passed) readKeyArguments(analysis, node, passed, value)
  else analysis.collector.addUnknown({ place: node, namespaces: value.namespaces }, 'key')
  return true
}

/** The arguments that a method passes to the function itself. `undefined`: they are unknown. */
function argumentsPassedBy(method: string | undefined, args: Call['args']): Arguments | undefined {
  switch (method) {
    case 'bind':
    case 'call':
      return args.slice(1)
    case 'apply': {
      const list = args[1] && unwrap(args[1])
      return list?.type === 'ArrayExpression' ? list.elements : undefined
    }
    // Of a store, and of every function.
    case 'subscribe':
    case 'toString':
      return []
    default:
      return args
  }
}

/** Collects what the arguments of a translation function ask for. */
export function readKeyArguments(analysis: Analysis, place: Node, args: Arguments, value: TranslatorValue) {
  const { collector, strings } = analysis
  const [first, second] = args
  if (!first) return
  const lookup: Lookup = { place, ...readOptions(analysis, args.slice(1), value) }
  if (first.type === 'SpreadElement') return collector.addUnknown(lookup, 'key')
  readKey(analysis, unwrap(first), lookup)
  // `t(namespace, key)`, as apps define it for themselves.
  if (!value.isByName && value.namespaces !== 'any') return
  const key = second && second.type !== 'SpreadElement' ? unwrap(second) : undefined
  if (!key || isNoKey(key)) return
  const keys = strings.of(key)
  const known = keys.filter(({ text }) => text !== ANYTHING.text)
  for (const { text, isPattern } of strings.of(first)) {
    if (isPattern) continue
    const guess: Lookup = { place, namespaces: [text], isExact: true, isGuess: true }
    collector.addKeys(guess, known)
    if (known.length < keys.length) collector.addUnknown(guess, 'key')
  }
}

function isNoKey(node: Node): boolean {
  return /^(?:ObjectExpression|ArrayExpression|NumericLiteral)$/.test(node.type) || isFunction(node)
}

/** `ns` and `keyPrefix` in the options, which may be any of the later arguments. */
function readOptions(
  { definitions, strings }: Analysis,
  args: Arguments,
  value: TranslatorValue,
): Pick<Lookup, 'namespaces' | 'prefixes'> {
  let { namespaces, prefixes } = value
  for (const given of args) {
    const node = given && unwrap(given)
    if (!node || isNoOptions(node)) continue
    const found = node.type === 'SpreadElement' ? { definitions: [], isComplete: false } : definitions.of(node)
    if (!found.isComplete) namespaces = 'any'
    for (const { node: options, isOpen } of found.definitions) {
      if (isNoOptions(options)) continue
      const ns = propertyOf(options, 'ns')
      if (ns.value) {
        const named: UseNamespaces = strings.exactList(ns.value) ?? 'any'
        const isOnly = found.definitions.length === 1 && found.isComplete
        namespaces = isOnly ? named : joinNamespaces(namespaces, named)
      } else if (ns.isOpen || isOpen) namespaces = 'any'
      const prefix = propertyOf(options, 'keyPrefix').value
      if (prefix) prefixes = [...(prefixes ?? [EMPTY]), ...strings.of(prefix)]
    }
  }
  return { namespaces, prefixes }
}

function isNoOptions(node: Node): boolean {
  return /^(?:(?:String|Template|Numeric|Boolean|Null)Literal|BinaryExpression)$/.test(node.type) || isFunction(node)
}

/** Collects a key, several in a list, a message descriptor, or a selector. */
export function readKey(analysis: Analysis, key: Node, lookup: Lookup) {
  const { collector, strings } = analysis
  switch (key.type) {
    case 'ArrayExpression':
      for (const element of key.elements)
        if (element?.type === 'SpreadElement') readElements(analysis, element.argument, lookup)
        else if (element) readKey(analysis, unwrap(element), lookup)
      break
    case 'ConditionalExpression':
      readKey(analysis, unwrap(key.consequent), lookup)
      readKey(analysis, unwrap(key.alternate), lookup)
      break
    case 'LogicalExpression':
      if (key.operator === '&&') return collector.addKeys(lookup, strings.of(key))
      readKey(analysis, unwrap(key.left), lookup)
      readKey(analysis, unwrap(key.right), lookup)
      break
    case 'ObjectExpression':
      return readDescriptor(analysis, key, lookup)
    default:
      if (isFunction(key)) readSelector(analysis, key, lookup)
      else if (key.type === 'Identifier' || isMember(key) || isCall(key)) readDefinedKey(analysis, key, lookup)
      else collector.addKeys(lookup, strings.of(key))
  }
}

/** Collects the keys of an expression that has its value from elsewhere. */
function readDefinedKey(analysis: Analysis, key: Node, lookup: Lookup) {
  const { collector, strings, values } = analysis
  const { definitions, isComplete } = analysis.definitions.of(key)
  const isDescriptor = (node: Node) => isCall(node) && values.origin(node.callee)?.name === 'defineMessage'
  const isStructured = (node: Node) =>
    node.type === 'ArrayExpression' || node.type === 'ObjectExpression' || isDescriptor(node)
  if (!definitions.some(({ node }) => isStructured(node))) {
    const unless = isComplete ? undefined : descriptorSource(analysis, key)
    return collector.addKeys(unless ? { ...lookup, unless } : lookup, strings.of(key))
  }
  for (const { node } of definitions) {
    const [first] = isCall(node) ? node.arguments : []
    const inner = isCall(node) && first ? unwrap(first) : node
    if (!isStructured(node)) collector.addKeys(lookup, strings.of(node))
    else if (inner !== key) readKey(analysis, inner, lookup)
  }
  if (!isComplete) collector.addKeys(lookup, [ANYTHING])
}

function readElements({ definitions, strings, collector }: Analysis, list: Node, lookup: Lookup) {
  const elements = definitions.elements(list)
  for (const { node } of elements.definitions) collector.addKeys(lookup, strings.of(node))
  if (!elements.isComplete) collector.addKeys(lookup, [ANYTHING])
}

/** `t(($) => $.section.title)`. */
function readSelector({ collector }: Analysis, { params: [parameter], body }: FunctionNode, lookup: Lookup) {
  const path: StringValue[] = []
  let object = unwrap(body)
  for (; isMember(object); object = unwrap(object.object)) {
    const name = memberName(object)
    path.unshift(name === undefined ? ANYTHING : { text: name, isPattern: false })
  }
  const isPath =
    parameter?.type === 'Identifier' &&
    object.type === 'Identifier' &&
    object.name === parameter.name &&
    path.length > 0
  const text = path.map((each) => each.text).join('.')
  const isPattern = path.some((each) => each.isPattern)
  collector.addKeys(lookup, [isPath ? { text, isPattern } : ANYTHING])
}
