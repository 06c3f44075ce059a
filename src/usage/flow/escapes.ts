/**
 * Escape analysis: translation functions and messages are followed as far as names tell. What they may reach beyond
 * that counts as used.
 */
import type { Node } from '@babel/types'
import type { Lookup } from '../collector.ts'
import type { Analysis } from '../libraries/library.ts'
import type { Receiver, UnknownUse } from '../model.ts'
import type { FunctionNode } from '../syntax/tree.ts'
import { isCall, isFunction, isMember, isTypeWrapper, memberName, staticName, unwrap } from '../syntax/tree.ts'
import { type Sink, Sinks } from './sinks.ts'
import { ANYTHING } from './strings.ts'
import { isTranslator, type MessagesValue, type TranslatorValue, type Value } from './value.ts'
import { isPromiseMethod } from './values.ts'

/**
 * How a value leaves the code that is followed. `none`: it stays. `named`: under a name by which other code knows it.
 * `argument`: into a parameter of a function. `unknown`: everything may happen to it.
 */
type Escape =
  | { readonly kind: 'none' | 'named' | 'unknown' }
  | { readonly kind: 'argument'; readonly receiver: Receiver | undefined }

const NONE: Escape = { kind: 'none' }
const NAMED: Escape = { kind: 'named' }
const UNKNOWN: Escape = { kind: 'unknown' }

/** The plugin's own functions for libraries: they take translations and use no keys. */
const OWN_PACKAGE = 'unplugin-localization/'

export class Escapes {
  /** What the parameters of this module's functions are passed on to, by function and index. */
  readonly #passedOn = new Map<string, UnknownUse[]>()
  readonly #sinks: Sinks

  constructor(private readonly analysis: Analysis) {
    this.#sinks = new Sinks(analysis.values, analysis.libraries)
  }

  /** Collects what may be used beyond the module, for an expression with a value of interest. */
  follow(node: Node, value: Value) {
    if (value.kind === 'messages') return this.#followMessages(node, value)
    const way = this.#escapeOf(node, value)
    if (way.kind === 'none') return
    if (isTranslator(value)) return this.#followTranslator(node, value, way)
    const messages = value.kind === 'module' ? value.exports.get('default') : undefined
    const namespaces = messages?.kind === 'messages' ? messages.namespaces : 'any'
    this.analysis.collector.addUnknown({ place: node, namespaces, isExact: true }, 'messages')
  }

  /** Collects the parameters that are known by name as translation functions. Comes last. */
  finish() {
    const { module, collector } = this.analysis
    for (const node of module.nodes) {
      if (!isFunction(node)) continue
      const name = module.functionName(node)
      for (const index of node.params.keys()) {
        if (!this.#isTranslatorParameter(node, index)) continue
        const localName = this.#localName(node)
        const passedOn = this.#passedOn.get(`${localName} ${index}`) ?? []
        if (name !== undefined) collector.addReceiver({ function: name, index, passedOn })
        collector.addReceiver({ function: localName, index, passedOn })
      }
    }
  }

  #followTranslator(node: Node, value: TranslatorValue, way: Escape) {
    const { collector } = this.analysis
    const { namespaces, prefixes, parameter } = value
    // The receiver does not know the prefixes.
    if (prefixes && way.kind !== 'unknown') {
      const known = prefixes.filter(({ text }) => text !== '')
      collector.addKeys({ place: node, namespaces, prefixes: known }, [ANYTHING])
    }
    if (value.kind === 'translator' || way.kind === 'named') return
    const receiver = way.kind === 'argument' ? way.receiver : undefined
    const lookup: Lookup = { place: node, namespaces, unless: receiver && { receiver } }
    if (value.knownBy === 'library') return collector.addUnknown({ ...lookup, place: this.#placeOf(node) }, 'function')
    // Only the name tells what it is: what it is passed on to counts if a translation function comes in here.
    if (!parameter) return
    const id = `${this.#localName(parameter.function)} ${parameter.index}`
    this.#passedOn.set(id, [...(this.#passedOn.get(id) ?? []), collector.unknownUse(lookup, 'function')])
  }

  #followMessages(node: Node, value: MessagesValue) {
    const { collector, strings } = this.analysis
    const { namespaces, path, level } = value
    const parent = this.#parentOf(node)
    const isObject = isMember(parent) && parent.object === node
    if (path.length > 0) {
      // `title.length` and `title.trim()` are no keys.
      const isGuess = path.length > 1 || (isCall(parent) && parent.callee === node)
      const isOnly = isMember(node) && isObject && memberName(parent) !== undefined
      const key = { text: path.join('.'), isPattern: false }
      return collector.addKeys({ place: node, namespaces, isExact: true, isOnly, isGuess }, [key])
    }
    if (this.#escapeOf(node, value).kind === 'none') return
    if (isObject && level === 'namespace') {
      const keys = strings.of(parent.property)
      const known = keys.filter(({ text }) => text !== ANYTHING.text)
      collector.addKeys({ place: parent, namespaces, isExact: true }, known)
      if (known.length === keys.length && known.length > 0) return
    }
    const lookup: Lookup = { place: this.#placeOf(node), namespaces: level === 'language' ? 'any' : namespaces }
    collector.addUnknown({ ...lookup, isExact: true }, 'messages')
  }

  #escapeOf(node: Node, value: Value): Escape {
    const sink = this.#sinks.of(node)
    switch (sink.kind) {
      case 'consumed':
        return NONE
      case 'in':
        return value.kind === 'messages' ? UNKNOWN : NONE
      case 'member':
        return this.#intoMember(sink.member, value)
      case 'pattern':
        return this.#intoPattern(sink.pattern, value)
      case 'property':
        return this.#intoProperty(sink.name, value)
      case 'copy':
        return value.kind === 'translator' ? NAMED : UNKNOWN
      case 'return':
        return this.#returnedFrom(sink.owner, value)
      case 'argument':
        return this.#intoCall(sink, value)
      case 'unknown':
        return UNKNOWN
    }
  }

  #intoMember(member: Node, value: Value): Escape {
    if (!isMember(member) || isTranslator(value) || value.kind === 'loader') return NONE
    const name = memberName(member)
    if (name === undefined) return UNKNOWN
    if (value.kind === 'module' ? name !== 'then' : !isPromiseMethod(name)) return NONE
    // `.then(show)`: a callback that is written there is followed.
    const call = this.#parentOf(member)
    const [callback] = name === 'then' && isCall(call) && call.callee === member ? call.arguments : []
    return name !== 'then' || (callback && isFunction(unwrap(callback))) ? NONE : UNKNOWN
  }

  #intoPattern(pattern: Node, value: Value): Escape {
    if (isTypeWrapper(pattern)) return this.#intoPattern(pattern.expression, value)
    if (pattern.type === 'Identifier') {
      const isExported = this.analysis.module.bindingOf(pattern)?.isExported === true
      return isExported ? this.#intoProperty(pattern.name, value) : NONE
    }
    if (value.kind === 'translator') return NONE
    if (pattern.type !== 'ObjectPattern') return UNKNOWN
    if (value.kind === 'messages') return this.#destructuredMessages(pattern, value)
    const hasRest = pattern.properties.some(({ type }) => type === 'RestElement')
    return value.kind === 'module' && hasRest ? UNKNOWN : NONE
  }

  /** `const { title, ...others } = messages`. */
  #destructuredMessages({ properties }: Extract<Node, { type: 'ObjectPattern' }>, value: MessagesValue): Escape {
    for (const property of properties) {
      const name = property.type === 'RestElement' ? undefined : staticName(property.key, property.computed)
      if (name === undefined) return UNKNOWN
      if (value.level === 'language') continue
      const lookup: Lookup = { place: property, namespaces: value.namespaces, isExact: true }
      this.analysis.collector.addKeys(lookup, [{ text: name, isPattern: false }])
    }
    return NONE
  }

  #intoProperty(name: string | undefined, value: Value): Escape {
    if (value.kind === 'translator') return NAMED
    return value.kind === 'function' && this.analysis.libraries.has('methods', name) ? NAMED : UNKNOWN
  }

  #returnedFrom(owner: FunctionNode | undefined, value: Value): Escape {
    // Functions of this module are followed where they are called.
    if (value.kind === 'translator') return NAMED
    const name = owner && this.analysis.module.functionName(owner)
    if (value.kind === 'function' && this.analysis.libraries.has('functions', name)) return NAMED
    // `t: () => t`, as compilers write getters.
    const property = owner && this.#parentOf(owner)
    if (property?.type === 'ObjectProperty')
      return this.#intoProperty(staticName(property.key, property.computed), value)
    return owner?.type === 'ObjectMethod' ? this.#intoProperty(name, value) : UNKNOWN
  }

  #intoCall({ call, index }: Extract<Sink, { kind: 'argument' }>, value: Value): Escape {
    const callee = unwrap(call.callee)
    const origin = this.analysis.values.origin(callee)
    if (callee.type === 'Import' || origin?.source?.startsWith(OWN_PACKAGE)) return NONE
    if (!isMember(callee)) return value.kind === 'translator' ? NAMED : this.#intoFunction(callee, index)
    const name = memberName(callee)
    const object = unwrap(callee.object)
    if (object.type === 'Identifier' && object.name === 'console') return NONE
    if (name === 'bind' || name === 'call' || name === 'apply')
      return value.kind === 'translator' || index === 0 ? NONE : UNKNOWN
    // `app.use(i18n)`.
    if (value.kind === 'translator') return NAMED
    return { kind: 'argument', receiver: name === undefined ? undefined : { name, index } }
  }

  /** A function of this module is known exactly, others are known by their names and by where they come from. */
  #intoFunction(callee: Node, index: number): Escape {
    const local = this.analysis.module.localFunction(callee)
    if (local) {
      const isKnown = this.#isTranslatorParameter(local, index)
      return { kind: 'argument', receiver: isKnown ? { name: this.#localName(local), index } : undefined }
    }
    const origin = local === undefined ? this.analysis.values.origin(callee) : undefined
    const from = origin?.source
    return {
      kind: 'argument',
      receiver: origin && { name: origin.name, index, ...(from !== undefined && { from }) },
    }
  }

  /** Whether the name of a parameter tells that it is a translation function, or an object with one. */
  #isTranslatorParameter({ params }: FunctionNode, index: number): boolean {
    const given = params[index]
    const parameter = given?.type === 'AssignmentPattern' ? given.left : given
    if (parameter?.type !== 'Identifier') return false
    const { libraries } = this.analysis
    return libraries.has('functions', parameter.name) || libraries.has('translators', parameter.name)
  }

  /** Tells functions with the same name apart. */
  #localName(node: FunctionNode): string {
    return `${this.analysis.module.functionName(node) ?? ''}#${node.start}`
  }

  /** The call or the property around the expression tells more than the name alone. */
  #placeOf(node: Node): Node {
    const parent = this.#parentOf(node)
    const tellsMore = isCall(parent) || parent?.type === 'ReturnStatement' || parent?.type === 'ObjectProperty'
    return tellsMore ? parent : node
  }

  #parentOf(node: Node): Node | undefined {
    return this.analysis.module.parentOf(node)
  }
}
