/** Collects texts that code reads as data, without a translation function: `i18next.getResource(lng, ns, key)`. */
import type { Node, ObjectPattern } from '@babel/types'
import { hasPieces } from '../../shared/split.ts'
import { literal, type StringValue } from '../flow/strings.ts'
import type { Analysis, DataMember } from '../libraries/library.ts'
import { isCall, isMember, isTypeWrapper, type MemberNode, memberName, staticName } from '../syntax/tree.ts'
import { readKeyArguments } from './keys.ts'

/** Collects the texts that a destructuring pattern reads as data. */
export function readPatternData(node: ObjectPattern, analysis: Analysis) {
  const isOfTranslator = () => destructuresTranslator(analysis, analysis.module.parentOf(node))
  for (const property of node.properties) {
    const name = property.type === 'ObjectProperty' ? staticName(property.key, property.computed) : undefined
    if (membersOf(analysis, name, isOfTranslator).length > 0)
      analysis.collector.addUnknown({ place: property, namespaces: 'any' }, 'messages')
  }
}

/** Collects the texts that a member reads as data. */
export function readMemberData(node: MemberNode, analysis: Analysis) {
  const { module, strings, collector, libraries } = analysis
  const name = memberName(node)
  if (name === undefined) return readComputed(analysis, node)
  const all = membersOf(analysis, name, () => isTranslator(analysis, node.object))
  if (all.length === 0 || isWritten(analysis, node)) return
  const owners = namesOf(analysis, node.object)
  const member = all.find(({ of }) => of && owners.some((owner) => of.test(owner))) ?? all.find(({ of }) => !of) ?? {}
  const call = module.parentOf(node)
  const isCalled = isCall(call) && call.callee === node
  const place = isCalled ? call : node
  const path = pathBehind(analysis, place)
  while (path[0]?.every(({ text }) => libraries.has('references', text))) path.shift()
  if (member.language) path.shift()
  if (path[0]?.every(({ text }) => member.except?.test(text))) return
  const args = isCalled && call.arguments.every(({ type }) => type !== 'SpreadElement') ? call.arguments : []
  const take = (from: DataMember['key']): readonly StringValue[] | undefined => {
    const argument = typeof from === 'number' ? args[from] : undefined
    return from === 'next' ? path.shift() : argument && strings.of(argument)
  }
  const named = take(member.namespace)
  const isKnown = named !== undefined && named.length > 0 && !named.some(({ isPattern }) => isPattern)
  const namespaces = isKnown ? named.map(({ text }) => text) : 'any'
  const keys = take(member.key)
  // The uses are tentative, because code may read texts without showing them.
  const how = { isTentative: true, mayBeNamespace: !isKnown }
  if (keys) collector.addKeys({ place, namespaces, isExact: isKnown, ...how }, keys)
  else collector.addUnknown({ place, namespaces, isExact: isKnown }, 'messages')
}

/** Reads `i18next[name]('key')`, where `name` may select any of several members. */
function readComputed(analysis: Analysis, node: MemberNode) {
  if (!isTranslator(analysis, node.object)) return
  const { module, strings, values, libraries, collector } = analysis
  const call = module.parentOf(node)
  const isCalled = isCall(call) && call.callee === node
  const value = values.of(node.object)
  const names = [...libraries.all.flatMap(({ methods = [] }) => methods), ...libraries.data.keys()]
  for (const { text, isPattern } of strings.of(node.property)) {
    if (!isPattern && isCalled && value?.kind === 'translator' && libraries.has('methods', text))
      readKeyArguments(analysis, call, call.arguments, { ...value, kind: 'function' })
    else if (names.some((name) => (isPattern ? hasPieces(name, text.split('*')) : name === text)))
      collector.addUnknown({ place: isCalled ? call : node, namespaces: 'any' }, 'function')
  }
}

function membersOf({ libraries }: Analysis, name = '', isOfTranslator: () => boolean): readonly DataMember[] {
  const all = libraries.data.get(name) ?? []
  return all.filter(({ isCommon }) => !isCommon || isOfTranslator())
}

/**
 * True if a pattern destructures a translator, as in `const { messages } = useIntl()` and `({ intl: { messages } }) =>
 * ...`.
 */
function destructuresTranslator(analysis: Analysis, around: Node | undefined): boolean {
  if (around?.type === 'ObjectProperty')
    return analysis.libraries.has('translators', staticName(around.key, around.computed))
  if (around?.type === 'VariableDeclarator') return around.init ? isTranslator(analysis, around.init) : false
  return around?.type === 'AssignmentExpression' && isTranslator(analysis, around.right)
}

/** True if the object is a translator, and not just an object literal whose name suggests one. */
function isTranslator({ values, definitions }: Analysis, object: Node): boolean {
  if (values.of(object)?.kind !== 'translator') return false
  const found = definitions.of(object)
  return !found.isComplete || found.nodes.some(({ type }) => type !== 'ObjectExpression')
}

/** The name of the object, and the names of the functions that may have returned it. */
function namesOf({ values, definitions }: Analysis, object: Node): string[] {
  const makers = definitions.of(object).nodes.flatMap((node) => (isCall(node) ? node.callee : []))
  return [object, ...makers].flatMap((each) => values.origin(each)?.name ?? [])
}

/** True if the code writes to the member or below it, as in `i18n.global.messages.value = texts`. */
function isWritten({ module }: Analysis, member: Node): boolean {
  let node = member
  let parent = module.parentOf(node)
  for (; parent && isMember(parent) && parent.object === node; parent = module.parentOf(node)) node = parent
  return parent?.type === 'AssignmentExpression' && parent.left === node && parent.operator === '='
}

/** The properties that are read from the value, in order. */
function pathBehind({ module, strings }: Analysis, value: Node): (readonly StringValue[])[] {
  const path: (readonly StringValue[])[] = []
  for (let node = value, parent = module.parentOf(node); parent; node = parent, parent = module.parentOf(node)) {
    if (isTypeWrapper(parent)) continue
    if (!isMember(parent) || parent.object !== node) break
    const name = memberName(parent)
    path.push(name === undefined ? strings.of(parent.property) : [literal(name)])
  }
  return path
}
