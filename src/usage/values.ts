/** What an expression is to translations: a function that translates, an object that holds one, loaded messages. */
import type { Identifier, JSXIdentifier, Node } from '@babel/types'
import { parseRequest } from '../modules/ids.ts'
import type { UseNamespaces } from './model.ts'
import { type FunctionNames, HOLDER_MAKERS, I18NEXT_PACKAGE, LIBRARY_OBJECT, PASSING } from './names.ts'
import { type Binding, type BoundValue, type Module, returnsOf, type Step } from './scope.ts'
import type { Text } from './texts.ts'
import { bareNode, type CallNode, isCall, isFunction, isMember, memberName, propertyOf } from './tree.ts'

export type Value =
  | {
      readonly kind: 'function' | 'holder'
      readonly namespaces: UseNamespaces
      /** What is put before every key, one of these; `undefined`: nothing. */
      readonly prefixes?: readonly Text[] | undefined
      /** How sure it is: made by a library here, or only named like one. */
      readonly origin: 'library' | 'named'
      /** Where a value that is only named comes from. */
      readonly parameter?: { readonly function: Node; readonly index: number } | 'property' | undefined
    }
  /** `path` is what was taken out of them; `language`: the first step is a namespace. */
  | {
      readonly kind: 'messages'
      readonly level: 'language' | 'namespace'
      readonly namespaces: UseNamespaces
      readonly path: readonly string[]
    }
  /** The module of a message import, whole: its `default` are messages. */
  | { readonly kind: 'module'; readonly request: string }
  | { readonly kind: 'load'; readonly of: 'namespace' | 'language' }

export interface Origin {
  /** The imported name, the property's name, or the global's own. */
  readonly name: string
  readonly source?: string | undefined
  readonly isGlobal?: boolean
}

export interface ValueReader {
  of(node: Node): Value | undefined
  /** Where a function or a component comes from, by name. */
  origin(node: Node): Origin | undefined
  binding(binding: Binding): Value | undefined
}

export function createValueReader(
  module: Module,
  readTexts: (node: Node) => Text[],
  names: FunctionNames,
): ValueReader {
  const known = new Map<Node | Binding, Value | undefined>()
  const visiting = new Set<object>()

  const memo = <K extends Node | Binding>(key: K, find: () => Value | undefined): Value | undefined => {
    if (known.has(key)) return known.get(key)
    if (visiting.has(key) || visiting.size > 300) return undefined
    visiting.add(key)
    try {
      const value = find()
      known.set(key, value)
      return value
    } finally {
      visiting.delete(key)
    }
  }

  const of = (given: Node): Value | undefined => {
    const node = bareNode(given)
    return memo(node, () => find(node))
  }

  function find(node: Node): Value | undefined {
    switch (node.type) {
      case 'Identifier':
      case 'JSXIdentifier': {
        const own = module.bindingOf(node)
        return own ? binding(own) : byName(node.name, undefined)
      }
      case 'MemberExpression':
      case 'OptionalMemberExpression': {
        const name = memberName(node)
        const object = of(node.object)
        if (object) return member(object, name, name === undefined ? node.property : undefined)
        if (name === undefined) return undefined
        if (names.isProperty(name))
          return { kind: 'function', namespaces: 'any', origin: 'named', parameter: 'property' }
        return LIBRARY_OBJECT.test(name) ? { kind: 'holder', namespaces: 'any', origin: 'library' } : undefined
      }
      case 'CallExpression':
      case 'OptionalCallExpression':
        return fromCall(node)
      case 'ConditionalExpression':
        return either(of(node.consequent), of(node.alternate))
      case 'LogicalExpression':
        return node.operator === '&&' ? of(node.right) : either(of(node.left), of(node.right))
      case 'AssignmentExpression':
        return of(node.right)
      default:
        return undefined
    }
  }

  function byName(
    name: string,
    parameter: Extract<Value, { kind: 'function' | 'holder' }>['parameter'],
  ): Value | undefined {
    if (names.isFunction(name)) return { kind: 'function', namespaces: 'any', origin: 'named', parameter }
    if (LIBRARY_OBJECT.test(name)) return { kind: 'holder', namespaces: 'any', origin: 'library' }
    return undefined
  }

  function binding(own: Binding): Value | undefined {
    return memo(own, () => {
      if (own.import) return imported(own.name, own.import.source, own.import.imported)
      const values = own.values.map(boundValue)
      const found = values.reduce<Value | undefined>((a, b) => (a && b ? either(a, b) : (a ?? b)), undefined)
      if (found) return values.every((value) => value) ? found : loosened(found)
      const taken = own.values
        .map(({ path }) => path.at(-1))
        .find((step) => step?.kind === 'property' && names.isProperty(step.name))
      const parameter = own.values.find(({ source }) => source.kind === 'parameter')
      const where =
        parameter?.source.kind === 'parameter' && parameter.path.length === 0
          ? { function: parameter.source.function, index: parameter.source.index }
          : 'property'
      if (taken) return { kind: 'function', namespaces: 'any', origin: 'named', parameter: 'property' }
      return byName(own.name, where)
    })
  }

  function boundValue({ source, path }: BoundValue): Value | undefined {
    if (source.kind === 'unknown') return undefined
    if (source.kind === 'parameter') {
      const given = ofParameter(source.function, source.index)
      return given && path.reduce<Value | undefined>(stepped, given)
    }
    const [first, ...rest] = path
    const node = bareNode(source.node)
    if (first?.kind === 'property' && isCall(node)) {
      const all = promiseAll(node)
      const element = all?.[Number(first.name)]
      if (element) {
        const value = of(element)
        return value && rest.reduce<Value | undefined>(stepped, value)
      }
    }
    if (first?.kind === 'property' && node.type === 'ObjectExpression') {
      const { value } = propertyOf(node, first.name)
      const inner = value && of(value)
      return inner && rest.reduce<Value | undefined>(stepped, inner)
    }
    const value = of(node)
    return value && path.reduce<Value | undefined>(stepped, value)
  }

  function stepped(value: Value | undefined, step: Step): Value | undefined {
    if (!value) return undefined
    if (step.kind === 'property') return member(value, step.name, undefined)
    if (step.kind === 'rest') return value
    return value.kind === 'messages' ? value : undefined
  }

  /** What a function of this module gets: from `.then`, or as the child of `<Translation>`. */
  function ofParameter(callback: Node, index: number): Value | undefined {
    const parent = module.parentOf(callback)
    if (index === 0 && isCall(parent) && parent.arguments[0] === callback) {
      const callee = bareNode(parent.callee)
      if (isMember(callee) && memberName(callee) === 'then') return of(callee.object)
    }
    const element = index === 0 && parent ? translationElement(callback, parent) : undefined
    return element
  }

  function translationElement(callback: Node, parent: Node): Value | undefined {
    if (parent.type === 'JSXExpressionContainer') {
      const element = module.parentOf(parent)
      if (element?.type !== 'JSXElement' || origin(element.openingElement.name)?.name !== 'Translation')
        return undefined
      const ns = element.openingElement.attributes.find(
        (attribute) => attribute.type === 'JSXAttribute' && attribute.name.name === 'ns',
      )
      const isOpen = element.openingElement.attributes.some(({ type }) => type === 'JSXSpreadAttribute')
      return fixed(ns?.type === 'JSXAttribute' ? (ns.value ?? undefined) : undefined, isOpen)
    }
    const props = parent.type === 'ObjectProperty' ? module.parentOf(parent) : undefined
    const call = props ? module.parentOf(props) : parent
    if (!isCall(call) || !call.arguments[0]) return undefined
    if (origin(call.arguments[0])?.name !== 'Translation' || call.arguments.indexOf(callback as never) === 0)
      return undefined
    const given = call.arguments[1] ? bareNode(call.arguments[1]) : undefined
    if (!given || given.type === 'NullLiteral') return fixed(undefined, false)
    const { value, isOpen } = propertyOf(given, 'ns')
    return fixed(value, isOpen)
  }

  function fixed(ns: Node | undefined, isOpen: boolean): Value {
    const inner = ns?.type === 'JSXExpressionContainer' ? ns.expression : ns
    return { kind: 'function', namespaces: isOpen ? 'any' : namespacesOf(inner), origin: 'library' }
  }

  function member(value: Value, name: string | undefined, computed: Node | undefined): Value | undefined {
    switch (value.kind) {
      case 'holder':
        if (name === undefined) return undefined
        if (names.isProperty(name) || name === '0') return { ...value, kind: 'function' }
        if (LIBRARY_OBJECT.test(name) || name === 'global' || name === '1' || name === 'value' || name === 'default')
          return { kind: 'holder', namespaces: value.namespaces === 'any' ? 'any' : 'default', origin: value.origin }
        return undefined
      case 'function':
        // A ref of a translation function.
        return name === 'current' || name === 'value' ? value : undefined
      case 'module':
        return fromModule(value.request, name)
      case 'messages': {
        if (value.path.length === 0 && isPromiseMethod(name)) return undefined
        const steps = name !== undefined ? [name] : computed ? plain(readTexts(computed)) : undefined
        if (!steps) return undefined
        if (value.level === 'namespace')
          return steps.length === 1 ? { ...value, path: [...value.path, steps[0] as string] } : undefined
        return { kind: 'messages', level: 'namespace', namespaces: steps, path: [] }
      }
      default:
        return undefined
    }
  }

  function imported(local: string, source: string, name: string): Value | undefined {
    const request = parseRequest(source)
    if (request && request.kind !== 'runtime') {
      const whole: Value = { kind: 'module', request: source }
      return name === '*' ? whole : fromModule(source, name)
    }
    if (/^i18next(?:\/|$)/.test(source) && name !== 't')
      return name === 'createInstance' ? undefined : { kind: 'holder', namespaces: 'default', origin: 'library' }
    if (source === 'svelte-i18n')
      return ['_', 't', 'format', 'json'].includes(name)
        ? { kind: 'function', namespaces: 'any', origin: 'library' }
        : undefined
    if (names.isFunction(local) || (name !== '*' && names.isFunction(name)))
      return { kind: 'function', namespaces: /^i18next$/.test(source) ? 'default' : 'any', origin: 'library' }
    return LIBRARY_OBJECT.test(local) || LIBRARY_OBJECT.test(name)
      ? { kind: 'holder', namespaces: 'any', origin: 'library' }
      : undefined
  }

  function fromModule(request: string, name: string | undefined): Value | undefined {
    const id = parseRequest(request)
    if (id?.kind === 'manifest') {
      if (name === 'load') return { kind: 'load', of: 'namespace' }
      if (name === 'loadLanguage') return { kind: 'load', of: 'language' }
      return undefined
    }
    if (name !== 'default') return undefined
    if (id?.kind === 'language') return { kind: 'messages', level: 'language', namespaces: 'any', path: [] }
    return id?.kind === 'namespace'
      ? { kind: 'messages', level: 'namespace', namespaces: [id.namespace], path: [] }
      : undefined
  }

  function fromCall(node: Extract<CallNode, { type: 'CallExpression' | 'OptionalCallExpression' }>): Value | undefined {
    const callee = bareNode(node.callee)
    const [first, second, third] = node.arguments
    if (callee.type === 'Import') return dynamicImport(first)
    const from = origin(callee)
    const called = of(callee)
    if (called?.kind === 'load') return loaded(called.of, second)
    if (isMember(callee)) {
      const name = memberName(callee)
      const object = of(callee.object)
      if (name === 'bind' && object?.kind === 'function') return object
      if (name === 'then' && first && isFunction(bareNode(first))) return returned(bareNode(first))
      if ((name === 'catch' || name === 'finally') && object) return object
      if (object?.kind === 'holder' && name !== undefined) {
        if (name === 'getFixedT')
          return { kind: 'function', namespaces: namespacesOf(second), prefixes: prefixesOf(third), origin: 'library' }
        if (['use', 'init', 'createInstance', 'cloneInstance', 'clone'].includes(name))
          return { ...object, kind: 'holder' }
      }
    }
    if (from && (from.name === 'useTranslations' || from.name === 'getTranslations')) return prefixed(first)
    if (from?.name === 'getFixedT')
      return { kind: 'function', namespaces: namespacesOf(second), prefixes: prefixesOf(third), origin: 'library' }
    if (from?.name === 'useTranslation') return fromUseTranslation(from, node.arguments)
    if (from && HOLDER_MAKERS.has(from.name))
      return { kind: 'holder', namespaces: from.name === 'createInstance' ? 'default' : 'any', origin: 'library' }
    if (from?.name === 'store_get') return fromStore(node.arguments)
    if (from && PASSING.has(from.name) && first) {
      const inner = isFunction(bareNode(first)) ? returned(bareNode(first)) : of(first)
      if (inner) return inner
    }
    if (from?.source === 'require' || (from?.name === 'require' && first?.type === 'StringLiteral'))
      return first?.type === 'StringLiteral' ? required(first.value) : undefined
    const local = localFunction(callee)
    if (local) return returned(local)
    // `$t()('x')`: an accessor of a store.
    if (called?.kind === 'function' && (node.arguments.length === 0 || /^use[A-Z]/.test(from?.name ?? '')))
      return called
    return undefined
  }

  /** Svelte's `store_get`: the store stands first for a page, last for a server; its name stands there in both. */
  function fromStore(given: readonly Node[]): Value | undefined {
    const store = given.map(of).find((value) => value?.kind === 'function' || value?.kind === 'holder')
    if (store) return store
    const name = given.find(({ type }) => type === 'StringLiteral')
    return name?.type === 'StringLiteral' ? byName(name.value, undefined) : undefined
  }

  function required(source: string): Value | undefined {
    const request = parseRequest(source)
    if (request && request.kind !== 'runtime') return { kind: 'module', request: source }
    return /^i18next(?:\/|$)/.test(source) ? { kind: 'holder', namespaces: 'default', origin: 'library' } : undefined
  }

  function returned(node: Node): Value | undefined {
    if (!isFunction(node)) return undefined
    const values = returnsOf(node).map(of)
    return values.reduce<Value | undefined>((a, b) => (a && b ? either(a, b) : (a ?? b)), undefined)
  }

  function localFunction(callee: Node): Node | undefined {
    if (isFunction(callee)) return callee
    if (callee.type !== 'Identifier') return undefined
    const own = module.bindingOf(callee)
    if (own?.function) return own.function
    const [only, ...others] = own?.values ?? []
    if (!only || others.length > 0 || only.path.length > 0 || only.source.kind !== 'node') return undefined
    const node = bareNode(only.source.node)
    return isFunction(node) ? node : undefined
  }

  function dynamicImport(first: Node | undefined): Value | undefined {
    if (!first) return undefined
    const texts = readTexts(first)
    const ours = texts.filter(({ text }) => /^(?:virtual:translations|unplugin-localization-virtual)/.test(text))
    const [only] = ours
    if (!only) return undefined
    if (ours.length === 1 && !only.isPattern && parseRequest(only.text)) return { kind: 'module', request: only.text }
    return { kind: 'messages', level: 'namespace', namespaces: 'any', path: [] }
  }

  function loaded(what: 'namespace' | 'language', namespace: Node | undefined): Value {
    if (what === 'language') return { kind: 'messages', level: 'language', namespaces: 'any', path: [] }
    const namespaces = namespace ? namespacesOf(namespace) : 'default'
    return { kind: 'messages', level: 'namespace', namespaces, path: [] }
  }

  function fromUseTranslation(from: Origin, given: readonly Node[]): Value {
    const isKnown = from.source !== undefined && I18NEXT_PACKAGE.test(from.source)
    const [first, ...rest] = isKnown ? given.map(bareNode) : []
    const options = isKnown ? rest[0] : given.map(bareNode).find(({ type }) => type === 'ObjectExpression')
    const namespaces = isKnown ? namespacesOf(first) : 'any'
    if (!options) return { kind: 'holder', namespaces, origin: 'library' }
    const { value, isOpen } = propertyOf(options, 'keyPrefix')
    const prefixes = value ? prefixesOf(value) : isOpen ? [{ text: '*', isPattern: true }] : undefined
    const none = { text: '', isPattern: false }
    const both = prefixes && (isOpen || !isKnown) ? [...prefixes, none] : prefixes
    return { kind: 'holder', namespaces, prefixes: both, origin: 'library' }
  }

  /** next-intl: the namespace is the first part of the key. */
  function prefixed(first: Node | undefined): Value {
    const given = first && bareNode(first)
    const name = given?.type === 'ObjectExpression' ? propertyOf(given, 'namespace').value : given
    return { kind: 'function', namespaces: 'any', prefixes: prefixesOf(name), origin: 'library' }
  }

  function namespacesOf(node: Node | undefined): UseNamespaces {
    const given = node && bareNode(node)
    if (!given || given.type === 'NullLiteral' || (given.type === 'Identifier' && given.name === 'undefined'))
      return 'default'
    if (given.type === 'ArrayExpression') {
      const all = given.elements.map((element) => (element ? namespacesOf(element) : 'any'))
      return all.some((each) => typeof each === 'string') ? 'any' : all.flat()
    }
    return plain(readTexts(given)) ?? 'any'
  }

  function prefixesOf(node: Node | undefined): readonly Text[] | undefined {
    const given = node && bareNode(node)
    if (!given || given.type === 'NullLiteral' || (given.type === 'Identifier' && given.name === 'undefined'))
      return undefined
    if (isFunction(given)) return [{ text: '*', isPattern: true }]
    const texts = readTexts(given)
    return texts.length === 0 ? undefined : texts
  }

  function promiseAll(node: Node): readonly Node[] | undefined {
    if (!isCall(node)) return undefined
    const callee = bareNode(node.callee)
    const list = node.arguments[0] && bareNode(node.arguments[0])
    if (!isMember(callee) || list?.type !== 'ArrayExpression') return undefined
    if (callee.object.type !== 'Identifier' || callee.object.name !== 'Promise') return undefined
    return list.elements.some((element) => !element || element.type === 'SpreadElement')
      ? undefined
      : (list.elements as readonly Node[])
  }

  function origin(given: Node): Origin | undefined {
    const node = bareNode(given)
    if (node.type === 'Identifier' || node.type === 'JSXIdentifier') return originOfName(node)
    if (isMember(node)) {
      const name = memberName(node)
      if (name === undefined) return undefined
      const object = bareNode(node.object)
      const from = object.type === 'Identifier' ? originOfName(object) : undefined
      return { name, source: from?.source }
    }
    if (node.type === 'JSXMemberExpression') return { name: node.property.name }
    if (isCall(node)) {
      const resolver = origin(node.callee)?.name
      const [first] = node.arguments
      if (resolver && PASSING.has(resolver) && first) return origin(first)
      return resolver === 'require' && first?.type === 'StringLiteral'
        ? { name: 'require', source: first.value }
        : undefined
    }
    return undefined
  }

  function originOfName(node: Identifier | JSXIdentifier): Origin {
    const own = module.bindingOf(node)
    if (!own) return { name: node.name, isGlobal: true }
    if (own.import)
      return {
        name: own.import.imported === 'default' || own.import.imported === '*' ? own.name : own.import.imported,
        source: own.import.source,
      }
    if (visiting.has(own) || visiting.size > 300) return { name: own.name }
    visiting.add(own)
    try {
      for (const { source, path } of own.values) {
        if (source.kind !== 'node') continue
        const last = path.at(-1)
        const inner = origin(source.node)
        if (last?.kind === 'property' && path.length === 1) return { name: last.name, source: inner?.source }
        if (path.length === 0 && inner) return inner
      }
      return { name: own.name }
    } finally {
      visiting.delete(own)
    }
  }

  return { of, origin, binding }
}

/** `load()` gives a promise. A key of such a name is kept with the whole namespace. */
export function isPromiseMethod(name: string | undefined): boolean {
  return name === 'then' || name === 'catch' || name === 'finally'
}

/** Exact texts only; `undefined` where one is a pattern or there are none. */
export function plain(texts: readonly Text[]): string[] | undefined {
  return texts.length > 0 && texts.every(({ isPattern }) => !isPattern) ? texts.map(({ text }) => text) : undefined
}

/** One of two: together they look wherever either looks. */
function either(a: Value | undefined, b: Value | undefined): Value | undefined {
  if (!a || !b) return a ? loosened(a) : b && loosened(b)
  if (a.kind === 'messages' && b.kind === 'messages')
    return a.level === b.level && samePath(a.path, b.path)
      ? { ...a, namespaces: joinNamespaces(a.namespaces, b.namespaces) }
      : { ...a, namespaces: 'any', path: [] }
  if ((a.kind !== 'function' && a.kind !== 'holder') || a.kind !== b.kind) return a
  const other = b as typeof a
  const none = { text: '', isPattern: false }
  const prefixes = a.prefixes || other.prefixes ? [...(a.prefixes ?? [none]), ...(other.prefixes ?? [none])] : undefined
  return {
    ...a,
    namespaces: joinNamespaces(a.namespaces, other.namespaces),
    prefixes,
    origin: a.origin === 'library' || other.origin === 'library' ? 'library' : 'named',
  }
}

/** It may also be something that is not seen here. */
function loosened(value: Value): Value {
  if (value.kind !== 'function' && value.kind !== 'holder') return value
  const none = { text: '', isPattern: false }
  return { ...value, namespaces: 'any', prefixes: value.prefixes && [...value.prefixes, none] }
}

export function joinNamespaces(a: UseNamespaces, b: UseNamespaces): UseNamespaces {
  if (a === 'any' || b === 'any') return 'any'
  if (a === 'default' || b === 'default') return a === b ? a : 'any'
  return [...new Set([...a, ...b])]
}

function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((step, at) => step === b[at])
}
