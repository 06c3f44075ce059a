/** Collects the keys in calls of translation functions and in message descriptors: `{ id: 'title' }`. */

import type { Node } from '@babel/types'
import type { Lookup } from '../collector.ts'
import { ELEMENTS } from '../flow/search.ts'
import { ANYTHING, EMPTY, selectedPaths } from '../flow/strings.ts'
import { type Analysis, type Call, joinNamespaces, type TranslatorValue } from '../libraries/library.ts'
import type { UseNamespaces } from '../model.ts'
import {
  branchesOf,
  type CallNode,
  type FunctionNode,
  isCall,
  isFunction,
  isMember,
  propertyOf,
  unwrap,
} from '../syntax/tree.ts'
import { callDetails, descriptorDetails } from './details.ts'

type Arguments = readonly (Node | null)[]

/**
 * Reads calls such as `t.call(this, 'title')` and `t.rich('title')`. Returns false if no translation function is
 * called.
 */
export function readTranslationCall(analysis: Analysis, call: Call): boolean {
  const { node, name, called } = call
  const { args, object } = isReflectApply(analysis, call)
    ? { args: call.args.slice(1), object: call.args[0] && analysis.values.of(call.args[0]) }
    : call
  const value = [called, object].find((each) => each?.kind === 'function')
  if (value?.kind !== 'function') return false
  const passed = value === called ? args : argumentsPassedBy(name, args)
  // In `t.push(edge)`, `t` is probably a list, so only a literal argument counts as a key.
  if (value === object && value.isByName && !isMethodOfFunction(analysis, name)) {
    const spelled = passed?.filter((argument) => argument?.type === 'StringLiteral') ?? []
    readKeyArguments(analysis, node, spelled.slice(0, 1), value, 'asks')
  } else if (passed)
    readKeyArguments(analysis, node, passed, value, analysis.libraries.has('queries', name) ? 'asks' : 'shows')
  else analysis.collector.addUnknown({ place: node, namespaces: value.namespaces }, 'key')
  return true
}

/** Methods that show a text: those of next-intl's functions and of stores. */
const FUNCTION_METHODS = new Set(['rich', 'markup', 'subscribe'])

/** True for `Reflect.apply(t, i18n, ['title'])`, which is the same as `t.apply(i18n, ['title'])`. */
function isReflectApply({ module }: Analysis, { name, callee }: Call): boolean {
  return name === 'apply' && isMember(callee) && module.isGlobal(unwrap(callee.object), 'Reflect')
}

/** True if a translation function may have this method. `undefined` means that the name is computed. */
function isMethodOfFunction({ libraries }: Analysis, method: string | undefined): boolean {
  if (method === undefined || method in Function.prototype || FUNCTION_METHODS.has(method)) return true
  return (['methods', 'queries', 'references'] as const).some((field) => libraries.has(field, method))
}

/** The arguments that the method passes to the function on which it is called; `undefined` if they are unknown. */
function argumentsPassedBy(method: string | undefined, args: Call['args']): Arguments | undefined {
  switch (method) {
    case 'bind':
    case 'call':
      return args.slice(1)
    case 'apply': {
      const list = args[1] && unwrap(args[1])
      return list?.type === 'ArrayExpression' ? list.elements : undefined
    }
    case 'subscribe':
    case 'toString':
      return []
    default:
      return args
  }
}

/**
 * Collects the keys in the arguments of a translation function.
 * @param how `asks` if the call does not show the text, for example if it only checks whether the text exists
 */
export function readKeyArguments(
  analysis: Analysis,
  place: Node,
  args: Arguments,
  value: TranslatorValue,
  how: 'shows' | 'asks' = 'shows',
) {
  const { collector, strings } = analysis
  const [first, second] = args
  if (!first) return
  const more = args.slice(1)
  const isQuery = how === 'asks'
  const details = isQuery ? undefined : () => callDetails(analysis, place, more, value)
  const { mayHavePrefix, ...where } = readOptions(analysis, more, value)
  const { isByName, isWeak: isTentative } = value
  const lookup: Lookup = { place, ...where, isQuery, mayBeNamespace: isQuery, isByName, isTentative, details }
  if (mayHavePrefix && first.type !== 'SpreadElement')
    readKey(analysis, first, { place, ...where, prefixes: [ANYTHING], isGuess: true })
  if (first.type === 'SpreadElement') return collector.addUnknown(lookup, 'key')
  readKey(analysis, first, lookup)
  // The app's own function may have the form `t(namespace, key)`.
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

/** Reads `ns` and `keyPrefix` from the options, which may be any argument after the key. */
function readOptions(
  analysis: Analysis,
  args: Arguments,
  value: TranslatorValue,
): Pick<Lookup, 'namespaces' | 'prefixes'> & { readonly mayHavePrefix: boolean } {
  let { namespaces, prefixes } = value
  const { definitions, strings, values } = analysis
  let mayHavePrefix = false
  for (const given of args) {
    const node = given && unwrap(given)
    if (!node || isNoOptions(node)) continue
    const found = node.type === 'SpreadElement' ? { nodes: [], isComplete: false } : definitions.of(node)
    if (!found.isComplete) {
      namespaces = 'any'
      mayHavePrefix = true
    }
    for (const options of found.nodes) {
      if (isNoOptions(options)) continue
      const ns = propertyOf(options, 'ns')
      if (ns.value) {
        const named: UseNamespaces = strings.namespaces(ns.value) ?? 'any'
        const isOnly = found.nodes.length === 1 && found.isComplete
        namespaces = isOnly ? named : joinNamespaces(namespaces, named)
      } else if (ns.isOpen) namespaces = 'any'
      for (const library of analysis.libraries.all) library.readCallOptions?.(options, analysis)
      const { value: prefix, isOpen: mayReplace } = propertyOf(options, 'keyPrefix')
      mayHavePrefix ||= mayReplace
      if (prefix) prefixes = [...(prefixes ?? [EMPTY]), ...(values.prefixesOf(prefix) ?? [])]
    }
  }
  return { namespaces, prefixes, mayHavePrefix }
}

function isNoOptions(node: Node): boolean {
  return /^(?:(?:String|Template|Numeric|Boolean|Null)Literal|BinaryExpression)$/.test(node.type) || isFunction(node)
}

/** Collects one key, a list of keys, a message descriptor, or a selector. */
export function readKey(analysis: Analysis, given: Node, lookup: Lookup): void {
  const { collector, strings } = analysis
  const key = unwrap(given)
  const alternatives = branchesOf(key)
  if (alternatives) readAlternatives(analysis, key, alternatives, lookup)
  else if (key.type === 'ArrayExpression') readList(analysis, key, lookup)
  else if (key.type === 'ObjectExpression') readDescriptor(analysis, key, lookup)
  else if (isFunction(key)) readSelector(analysis, key, lookup)
  else if (makesDescriptors(analysis, key) && key.arguments[0]) readKey(analysis, key.arguments[0], lookup)
  else if (key.type === 'Identifier' || isMember(key) || isCall(key)) readDefinedKey(analysis, key, lookup)
  else collector.addKeys(lookup, strings.of(key))
}

function readAlternatives(analysis: Analysis, key: Node, alternatives: readonly Node[], lookup: Lookup) {
  for (const [at, each] of alternatives.entries()) {
    const isExcluded = key.type === 'ConditionalExpression' && analysis.conditions.excludes(key.test, at === 0)
    readKey(analysis, each, isExcluded ? { ...lookup, isTentative: true } : lookup)
  }
}

function readList(analysis: Analysis, list: Node, lookup: Lookup) {
  const { nodes, isComplete } = analysis.definitions.at(list, ELEMENTS)
  // Only the last key must exist, because the library tries the next key if one is missing.
  const earlier: Lookup = { ...lookup, details: undefined, isTentative: true }
  for (const node of nodes) readKey(analysis, node, node === nodes.at(-1) ? lookup : earlier)
  if (!isComplete) analysis.collector.addKeys(lookup, [ANYTHING])
}

/** Collects the keys of an expression whose value is defined elsewhere. */
function readDefinedKey(analysis: Analysis, key: Node, lookup: Lookup) {
  const { collector, strings } = analysis
  const { nodes, isComplete } = analysis.definitions.of(key)
  const isStructured = (node: Node) =>
    /^(?:Array|Object)Expression$/.test(node.type) || isFunction(node) || makesDescriptors(analysis, node)
  if (!nodes.some(isStructured)) {
    const unless = isComplete ? undefined : descriptorSource(analysis, key)
    return collector.addKeys({ ...lookup, unless: unless ?? lookup.unless }, strings.of(key))
  }
  for (const node of nodes) readKey(analysis, node, lookup)
  if (!isComplete) collector.addKeys(lookup, [ANYTHING])
}

/** Reads `t(($) => $.section.title)`. The first property may name any of the function's namespaces but the first. */
function readSelector({ collector, strings }: Analysis, selector: FunctionNode, lookup: Lookup) {
  const { namespaces, prefixes } = lookup
  const others = typeof namespaces === 'object' ? namespaces.slice(1) : undefined
  for (const path of selectedPaths(selector, strings)) {
    const [, first = '', rest = ''] = /^([^.*]+)\.(.+)$/s.exec(path.text) ?? []
    const isNamespace = others?.includes(first) && !prefixes
    collector.addKeys(lookup, [isNamespace ? { ...path, text: `${first}:${rest}` } : path])
    if (first !== '' && !others && !prefixes)
      collector.addKeys({ ...lookup, namespaces: [first], isGuess: true, isSelector: true }, [{ ...path, text: rest }])
  }
}

/** Collects a descriptor's key from `id`, or from `path` or `key` in the `v-t` directive. */
export function readDescriptor(analysis: Analysis, descriptor: Node, lookup: Lookup) {
  const { strings, collector } = analysis
  const { value, isOpen } = propertyOf(descriptor, 'id')
  const other = isOpen ? undefined : (propertyOf(descriptor, 'path').value ?? propertyOf(descriptor, 'key').value)
  const key = value ?? other
  const details = () => descriptorDetails(analysis, descriptor)
  if (lookup.namespaces === 'any' && !lookup.isTentative && !lookup.isGuess) collector.readDescriptors.add(descriptor)
  if (key) collector.addKeys({ ...lookup, details }, strings.of(key))
  else collector.addUnknown(lookup, 'key')
}

/** True for calls such as `defineMessages(...)`. */
export function makesDescriptors({ values, libraries }: Analysis, node: Node): node is CallNode {
  return isCall(node) && libraries.has('descriptorMakers', values.origin(node.callee)?.name)
}

/**
 * For `messages.title`, returns the module that exports `messages`. If that module defines descriptors, their IDs are
 * collected there.
 */
export function descriptorSource(analysis: Analysis, node: Node): Lookup['unless'] {
  let object = node
  while (isMember(object)) object = unwrap(object.object)
  if (object.type !== 'Identifier') return undefined
  const source = analysis.module.bindingOf(object)?.import?.source
  if (source !== undefined) return { descriptorsOf: source }
  const { nodes, isComplete } = analysis.definitions.of(object)
  const isOwn = nodes.length > 0 && nodes.every((each) => makesDescriptors(analysis, each))
  return isComplete && isOwn ? { descriptorsOf: '.' } : undefined
}
