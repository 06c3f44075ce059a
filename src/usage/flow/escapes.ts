/**
 * Follows translation functions and messages out of the analyzed code. The keys that the other code may read count as
 * used.
 */
import type { NewExpression, Node } from '@babel/types'
import {
  type Analysis,
  isTranslator,
  type MessagesValue,
  type TranslatorValue,
  type Value,
} from '../libraries/library.ts'
import type { Receiver, UnknownUse } from '../model.ts'
import {
  type CallNode,
  type FunctionNode,
  isCall,
  isFunction,
  isMember,
  isTypeWrapper,
  type MemberNode,
  memberName,
  propertyName,
  staticName,
  unwrap,
} from '../syntax/tree.ts'
import { ANYTHING, literal } from './strings.ts'
import { findUse, type Use } from './uses.ts'
import { isPromiseMethod, promisesOf } from './values.ts'

/**
 * The way a value leaves the analyzed code. `none`: it does not leave. `named`: other code receives it under a name
 * that the analysis recognizes there. `Receiver`: a function receives it as an argument. `unknown`: any code may use
 * it.
 */
type Escape = 'none' | 'named' | 'unknown' | Receiver

/** The plugin's own glue. It receives translations but uses no keys. */
const OWN_PACKAGE = 'unplugin-localization/'

export class Escapes {
  /** The calls to which this module's functions pass one of their parameters, by function and parameter index. */
  readonly #passedOn = new Map<string, UnknownUse[]>()

  constructor(private readonly analysis: Analysis) {}

  /** Collects the uses of an expression's value outside its module. */
  follow(node: Node, value: Value) {
    if (value.kind === 'messages') return this.#followMessages(node, value)
    const way = escapeOf(this.analysis, node, value)
    if (way === 'none') return
    if (isTranslator(value)) return this.#followTranslator(node, value, way)
    const messages = value.kind === 'module' ? value.exports.get('default') : undefined
    const namespaces = messages?.kind === 'messages' ? messages.namespaces : 'any'
    this.analysis.collector.addUnknown({ place: node, namespaces, isExact: true }, 'messages')
  }

  /** Collects the parameters whose names identify translation functions. Must be called last. */
  finish() {
    const { module, collector } = this.analysis
    for (const node of module.nodes.filter(isFunction))
      for (const index of node.params.keys()) {
        if (!isTranslatorParameter(this.analysis, node, index)) continue
        const own = localName(this.analysis, node)
        const passedOn = this.#passedOn.get(`${own} ${index}`) ?? []
        for (const name of [module.functionName(node), own])
          if (name !== undefined) collector.addReceiver({ function: name, own, index, passedOn })
      }
  }

  #followTranslator(node: Node, value: TranslatorValue, way: Escape) {
    const { collector } = this.analysis
    const { namespaces, prefixes, parameter } = value
    // The keys in the other code do not contain the prefixes, so these are added here.
    if (prefixes) {
      const known = prefixes.filter(({ text }) => text !== '')
      collector.addKeys({ place: node, namespaces, prefixes: known }, [ANYTHING])
    }
    if (value.kind === 'translator' || way === 'named') return
    const lookup = { namespaces, ...(typeof way === 'object' && { unless: { receiver: way } }) }
    if (!value.isByName) return collector.addUnknown({ ...lookup, place: this.#placeOf(node) }, 'function')
    // Only the name suggests a translation function. A parameter counts if a call passes a translation function to it.
    // A name from props, a context or a hook always counts.
    if (!parameter && value.isWeak) return
    if (!parameter) return collector.addUnknown({ ...lookup, place: this.#placeOf(node) }, 'function')
    const id = `${localName(this.analysis, parameter.function)} ${parameter.index}`
    const use = collector.unknownUse({ ...lookup, place: node }, 'function')
    this.#passedOn.set(id, [...(this.#passedOn.get(id) ?? []), use])
  }

  #followMessages(node: Node, value: MessagesValue) {
    const { collector, strings, module } = this.analysis
    const { namespaces, path, level } = value
    const parent = module.parentOf(node)
    const isObject = isMember(parent) && parent.object === node
    if (path.length > 0) {
      // In `title.length` and `title.trim()`, `length` and `trim` are not keys.
      const isGuess = path.length > 1 || (isCall(parent) && parent.callee === node)
      const isOnly = isMember(node) && isObject && memberName(parent) !== undefined
      return collector.addKeys({ place: node, namespaces, isExact: true, isOnly, isGuess }, [literal(path.join('.'))])
    }
    if (escapeOf(this.analysis, node, value) === 'none') return
    if (isObject && level === 'namespace') {
      const keys = strings.of(parent.property)
      const known = keys.filter(({ text }) => text !== ANYTHING.text)
      collector.addKeys({ place: parent, namespaces, isExact: true }, known)
      if (known.length === keys.length && known.length > 0) return
      return collector.addUnknown({ place: this.#placeOf(node), namespaces, isExact: true }, 'key')
    }
    const where = level === 'language' ? 'any' : namespaces
    collector.addUnknown({ place: this.#placeOf(node), namespaces: where, isExact: true }, 'messages')
  }

  /** Returns the surrounding call, property or `return`, because a report with the name alone would say little. */
  #placeOf(node: Node): Node {
    const parent = this.analysis.module.parentOf(node)
    const tellsMore = isCall(parent) || parent?.type === 'ReturnStatement' || parent?.type === 'ObjectProperty'
    return tellsMore ? parent : node
  }
}

function escapeOf(analysis: Analysis, start: Node, value: Value): Escape {
  const { module, libraries, values } = analysis
  let use = findUse(module, start)
  for (;;) {
    if (use.kind === 'value') use = findUse(module, use.node)
    else if (use.kind === 'argument' && isWrapper(use.call)) use = findUse(module, use.call)
    else return escapeBy(analysis, use, value)
  }

  function isWrapper({ callee }: CallNode | NewExpression): boolean {
    return !isMember(unwrap(callee)) && libraries.has('wrappers', values.origin(callee)?.name)
  }
}

function escapeBy(analysis: Analysis, use: Use, value: Value): Escape {
  switch (use.kind) {
    case 'read':
    case 'callee':
      return 'none'
    case 'names':
      return value.kind === 'messages' ? 'unknown' : 'none'
    case 'member':
      return intoMember(analysis, use.member, value)
    case 'pattern':
      if (!use.pattern || !isMember(use.pattern)) return intoPattern(analysis, use.pattern, value)
      return intoProperty(analysis, memberName(use.pattern), value)
    case 'property': {
      const name = staticName(use.property.key, use.property.computed)
      return name === 't' && isPropOfComponent(analysis, use) ? 'none' : intoProperty(analysis, name, value)
    }
    case 'attribute':
    case 'exported':
      return intoProperty(analysis, use.name === 'default' ? undefined : use.name, value)
    case 'spread':
    case 'attributes':
      return intoProperty(analysis, undefined, value)
    case 'element':
      return isReadingList(analysis, use.array) ? 'none' : 'unknown'
    case 'returned':
      return returnedFrom(analysis, use.function, value)
    case 'argument':
      return intoCall(analysis, use.call, use.index, value)
    default:
      return 'unknown'
  }
}

function intoMember({ module }: Analysis, member: MemberNode, value: Value): Escape {
  if (isTranslator(value) || value.kind === 'loader') return 'none'
  const name = memberName(member)
  if (name === undefined) return 'unknown'
  if (value.kind === 'module' ? name !== 'then' : !isPromiseMethod(name)) return 'none'
  // In `.then(callback)`, the messages can be followed only into an inline function.
  const call = module.parentOf(member)
  const [callback] = name === 'then' && isCall(call) && call.callee === member ? call.arguments : []
  return name !== 'then' || (callback && isFunction(unwrap(callback))) ? 'none' : 'unknown'
}

function intoPattern(analysis: Analysis, pattern: Node | undefined, value: Value): Escape {
  if (!pattern) return 'unknown'
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

/** Collects the keys in `const { title, ...others } = messages`. */
function destructuredMessages(
  { collector }: Analysis,
  { properties }: Extract<Node, { type: 'ObjectPattern' }>,
  { level, namespaces }: MessagesValue,
): Escape {
  for (const property of properties) {
    const name = propertyName(property)
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
  // The module's own functions are followed at their calls.
  if (value.kind === 'translator') return 'named'
  const name = owner && analysis.module.functionName(owner)
  if (value.kind === 'function' && analysis.libraries.has('functions', name)) return 'named'
  // Compilers turn getters into `t: () => t`.
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
  // In `app.use(i18n)`, the app receives the instance.
  if (value.kind === 'translator') return 'named'
  return name === undefined ? 'unknown' : { name, index }
}

/**
 * Returns the parameter that receives the value. Functions of this module are identified exactly, other functions by
 * name and import.
 */
function intoFunction(analysis: Analysis, callee: Node, index: number): Escape {
  const functions = analysis.module.functionsOf(callee)
  const [only, ...others] = functions ?? []
  if (only && others.length === 0)
    return isTranslatorParameter(analysis, only, index) ? { name: localName(analysis, only), index } : 'unknown'
  const origin = functions ? undefined : analysis.values.origin(callee)
  if (!origin) return 'unknown'
  return { name: origin.name, index, ...(origin.source !== undefined && { from: origin.source }) }
}

/** True if the parameter's name suggests a translation function or an object that has one. */
function isTranslatorParameter({ libraries }: Analysis, { params }: FunctionNode, index: number): boolean {
  const given = params[index]
  const parameter = given?.type === 'AssignmentPattern' ? given.left : given
  if (parameter?.type !== 'Identifier') return false
  return libraries.has('functions', parameter.name) || libraries.has('translators', parameter.name)
}

/** Adds the function's offset to its name, because several functions may have the same name. */
export function localName({ module }: Analysis, node: FunctionNode): string {
  return `${module.functionName(node) ?? ''}#${node.start}`
}

/** True for `_jsx(Trans, { t })`. The keys of a library's component are collected elsewhere. */
function isPropOfComponent(
  { module, libraries, values }: Analysis,
  { object }: Extract<Use, { kind: 'property' }>,
): boolean {
  const call = object && module.parentOf(object)
  if (!isCall(call) || call.arguments[1] !== object || !call.arguments[0]) return false
  return libraries.get('components', values.origin(call.arguments[0])?.name) !== undefined
}

/** True for a hook's dependency list, and for the list in `const [a, b] = await Promise.all([...])`. */
function isReadingList({ module, values }: Analysis, list: Node): boolean {
  const call = module.parentOf(list)
  if (!isCall(call)) return false
  if (/^(?:use[A-Z]|watch)/.test(values.origin(call.callee)?.name ?? '')) return true
  let parent = module.parentOf(call)
  while (parent?.type === 'AwaitExpression') parent = module.parentOf(parent)
  if (!promisesOf(call) || parent?.type !== 'VariableDeclarator' || parent.id.type !== 'ArrayPattern') return false
  return parent.id.elements.every((element) => element?.type !== 'RestElement')
}
