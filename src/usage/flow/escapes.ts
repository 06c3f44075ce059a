/**
 * Escape analysis: follows translation functions and messages through names. If they leave the code that can be
 * followed, the keys that they may reach count as used.
 */
import type { Node } from '@babel/types'
import type { Analysis } from '../libraries/library.ts'
import type { UnknownUse } from '../model.ts'
import { isCall, isFunction, isMember, memberName } from '../syntax/tree.ts'
import { type Escape, escapeOf, isTranslatorParameter, localName } from './escape.ts'
import { ANYTHING, literal } from './strings.ts'
import { isTranslator, type MessagesValue, type TranslatorValue, type Value } from './values.ts'

export class Escapes {
  /** What the parameters of this module's functions are passed on to, by function and index. */
  readonly #passedOn = new Map<string, UnknownUse[]>()

  constructor(private readonly analysis: Analysis) {}

  /** Collects what may be used beyond the module, for an expression with a value of interest. */
  follow(node: Node, value: Value) {
    if (value.kind === 'messages') return this.#followMessages(node, value)
    const way = escapeOf(this.analysis, node, value)
    if (way === 'none') return
    if (isTranslator(value)) return this.#followTranslator(node, value, way)
    const messages = value.kind === 'module' ? value.exports.get('default') : undefined
    const namespaces = messages?.kind === 'messages' ? messages.namespaces : 'any'
    this.analysis.collector.addUnknown({ place: node, namespaces, isExact: true }, 'messages')
  }

  /** Collects the parameters that are known by name as translation functions. Comes last. */
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
    // Other code does not use the prefixes.
    if (prefixes) {
      const known = prefixes.filter(({ text }) => text !== '')
      collector.addKeys({ place: node, namespaces, prefixes: known }, [ANYTHING])
    }
    if (value.kind === 'translator' || way === 'named') return
    const lookup = { namespaces, ...(typeof way === 'object' && { unless: { receiver: way } }) }
    if (!value.isByName) return collector.addUnknown({ ...lookup, place: this.#placeOf(node) }, 'function')
    // Recognized by its name only: the uses behind it count if a translation function is passed in here.
    if (!parameter) return
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
      // `title.length` and `title.trim()` are no keys.
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

  /** The place to report: the call or the property around the expression shows more than the name alone. */
  #placeOf(node: Node): Node {
    const parent = this.analysis.module.parentOf(node)
    const tellsMore = isCall(parent) || parent?.type === 'ReturnStatement' || parent?.type === 'ObjectProperty'
    return tellsMore ? parent : node
  }
}
