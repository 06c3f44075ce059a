/** Calls that ask for keys. */
import type { Node } from '@babel/types'
import type { Collector, UseOptions } from './collector.ts'
import type { UseNamespaces } from './model.ts'
import { COMPONENTS, DESCRIPTOR_MAKERS, type FunctionNames } from './names.ts'
import type { Module } from './scope.ts'
import type { TargetFinder } from './targets.ts'
import { ANYTHING, type Text } from './texts.ts'
import { bareNode, type CallNode, isCall, isFunction, isMember, memberName, propertyOf, staticName } from './tree.ts'
import { joinNamespaces, plain, type Value, type ValueReader } from './values.ts'

export interface Tools {
  readonly module: Module
  readonly finder: TargetFinder
  readonly readTexts: (node: Node) => Text[]
  readonly values: ValueReader
  readonly names: FunctionNames
  readonly collector: Collector
}

type Translator = Extract<Value, { kind: 'function' | 'holder' }>

/** Looks at one call. */
export function readCall(tools: Tools, call: Extract<CallNode, { type: 'CallExpression' | 'OptionalCallExpression' }>) {
  const { values, collector, module } = tools
  const callee = bareNode(call.callee)
  const value = values.of(callee)
  if (value?.kind === 'function') return readKeyCall(tools, call, call.arguments, value)
  if (value?.kind === 'load') return collector.load(call, value.of === 'language' ? 'any' : loadNamespaces(tools, call))
  if (callee.type === 'Import') return
  if (isMember(callee)) {
    const name = memberName(callee)
    const object = values.of(callee.object)
    if (object?.kind === 'function') return readMethod(tools, call, name, object)
    if (object?.kind === 'holder' && name === 'exists') return readKeyCall(tools, call, call.arguments, object)
    if (readCompiledStore(tools, call, callee)) return
  }
  const name = values.origin(callee)?.name
  if (name !== undefined && DESCRIPTOR_MAKERS.has(name)) return readDescriptors(tools, call, name)
  if (name === '_ssrGetDirectiveProps' || name === 'ssrGetDirectiveProps') {
    const [, directive, argument] = call.arguments
    if (directive && argument && isTextDirective(directive)) readDirective(tools, call, argument)
    return
  }
  const [first, second] = call.arguments
  const component = first && isComponentReference(first) ? values.origin(first)?.name : undefined
  if (component !== undefined && Object.hasOwn(COMPONENTS, component) && module.parentOf(call) !== undefined)
    readElementCall(tools, call, component, second)
}

function loadNamespaces({ values }: Tools, call: Node): UseNamespaces {
  const messages = values.of(call)
  return messages?.kind === 'messages' ? messages.namespaces : 'any'
}

/** `t.call(this, 'x')`, `t.rich('x')`. */
function readMethod(
  tools: Tools,
  call: Extract<CallNode, { type: 'CallExpression' | 'OptionalCallExpression' }>,
  name: string | undefined,
  value: Translator,
) {
  if (name === 'bind') {
    if (call.arguments.length > 1) readKeyCall(tools, call, call.arguments.slice(1), value)
    return
  }
  if (name === 'call') return readKeyCall(tools, call, call.arguments.slice(1), value)
  if (name === 'apply') {
    const list = call.arguments[1] && bareNode(call.arguments[1])
    if (list?.type === 'ArrayExpression') return readKeyCall(tools, call, list.elements, value)
    return tools.collector.unknown(call, value.namespaces, 'key', value)
  }
  // Stores, and methods every function has.
  if (name === 'subscribe' || name === 'toString') return
  readKeyCall(tools, call, call.arguments, value)
}

/** Svelte 4 has stores in `ctx`: `ctx[3]('title')`, with the name in a comment. */
function readCompiledStore(
  tools: Tools,
  call: Extract<CallNode, { type: 'CallExpression' | 'OptionalCallExpression' }>,
  callee: Node,
): boolean {
  if (!isMember(callee) || callee.property.type !== 'NumericLiteral') return false
  if (callee.object.type !== 'Identifier' || !/^#?(?:ctx|new_ctx|child_ctx)$/.test(callee.object.name)) return false
  const start = call.start ?? 0
  const before = tools.module.code.slice(Math.max(0, start - 60), callee.start ?? start)
  const comment = /\/\*\s*([\w$]+)\s*\*\/\s*$/.exec(before)?.[1]
  const isNamed = comment !== undefined && tools.names.isFunction(comment)
  const first = call.arguments[0]
  const isText = first !== undefined && plain(tools.readTexts(first)) !== undefined
  if (!isNamed && !isText) return false
  readKeyCall(tools, call, call.arguments, { kind: 'function', namespaces: 'any', origin: 'named' })
  return true
}

/** Reads the arguments of a translation function. */
export function readKeyCall(tools: Tools, call: Node, args: readonly (Node | null)[], value: Translator) {
  const { collector, readTexts } = tools
  const [first, second] = args
  if (!first) return
  const { namespaces, prefixes } = withOptions(tools, args, value)
  const options: UseOptions = { prefixes }
  if (first.type === 'SpreadElement') return collector.unknown(call, namespaces, 'key')
  readKey(tools, call, bareNode(first), namespaces, options)
  // `t(namespace, key)`, an app's own.
  if (value.origin !== 'named' && value.namespaces !== 'any') return
  const other = second && second.type !== 'SpreadElement' ? bareNode(second) : undefined
  if (!other || isOptions(other)) return
  const texts = readTexts(other)
  const places = readTexts(bareNode(first)).filter(({ isPattern }) => !isPattern)
  for (const { text } of places) {
    const known = texts.filter((each) => each.text !== ANYTHING.text)
    collector.keys(call, known, [text], { isExact: true, isGuess: true })
    if (known.length < texts.length) collector.unknown(call, [text], 'key', { isExact: true, isGuess: true })
  }
}

function isOptions(node: Node): boolean {
  return (
    node.type === 'ObjectExpression' ||
    isFunction(node) ||
    node.type === 'ArrayExpression' ||
    node.type === 'NumericLiteral'
  )
}

/** `{ ns }` and `{ keyPrefix }` among the later arguments. */
function withOptions(
  { finder, readTexts }: Tools,
  args: readonly (Node | null)[],
  value: Translator,
): { namespaces: UseNamespaces; prefixes: readonly Text[] | undefined } {
  let namespaces = value.namespaces
  let prefixes = value.prefixes
  for (const given of args.slice(1)) {
    if (!given) continue
    const node = given.type === 'SpreadElement' ? given : bareNode(given)
    if (isNoOptions(node)) continue
    const { targets, isComplete } = node.type === 'SpreadElement' ? { targets: [], isComplete: false } : finder.of(node)
    if (!isComplete) namespaces = 'any'
    for (const { node: target, isOpen } of targets) {
      if (isNoOptions(target)) continue
      const ns = propertyOf(target, 'ns')
      if (ns.value) {
        const own = textsOfList(ns.value, readTexts)
        const named: UseNamespaces = own ?? 'any'
        namespaces = targets.length === 1 && isComplete ? named : joinNamespaces(namespaces, named)
      } else if (ns.isOpen || isOpen) namespaces = 'any'
      const prefix = propertyOf(target, 'keyPrefix').value
      if (prefix) prefixes = [...(prefixes ?? [{ text: '', isPattern: false }]), ...readTexts(prefix)]
    }
  }
  return { namespaces, prefixes }
}

function isNoOptions(node: Node): boolean {
  return (
    node.type === 'StringLiteral' ||
    node.type === 'TemplateLiteral' ||
    node.type === 'NumericLiteral' ||
    node.type === 'BooleanLiteral' ||
    node.type === 'NullLiteral' ||
    node.type === 'BinaryExpression' ||
    isFunction(node)
  )
}

function textsOfList(node: Node, readTexts: Tools['readTexts']): string[] | undefined {
  const list = bareNode(node)
  if (list.type !== 'ArrayExpression') return plain(readTexts(list))
  const all = list.elements.map((element) => (element ? plain(readTexts(element)) : undefined))
  return all.every((each) => each !== undefined) ? all.flat() : undefined
}

/** A key, several in a list, a descriptor with an `id`, or a selector. */
export function readKey(tools: Tools, call: Node, key: Node, namespaces: UseNamespaces, options: UseOptions) {
  const { collector, finder, readTexts } = tools
  if (isFunction(key)) return readSelector(tools, call, key, namespaces, options)
  if (key.type === 'ArrayExpression') {
    for (const element of key.elements) {
      if (!element) continue
      if (element.type === 'SpreadElement') readElements(tools, call, element.argument, namespaces, options)
      else readKey(tools, call, bareNode(element), namespaces, options)
    }
    return
  }
  if (key.type === 'ConditionalExpression' || (key.type === 'LogicalExpression' && key.operator !== '&&')) {
    const [one, other] = key.type === 'ConditionalExpression' ? [key.consequent, key.alternate] : [key.left, key.right]
    readKey(tools, call, bareNode(one), namespaces, options)
    readKey(tools, call, bareNode(other), namespaces, options)
    return
  }
  if (key.type === 'ObjectExpression') return readDescriptor(tools, call, key, namespaces, options)
  if (key.type !== 'Identifier' && !isMember(key) && !isCall(key))
    return collector.keys(call, readTexts(key), namespaces, options)
  const { targets, isComplete } = finder.of(key)
  const structured = targets.filter(({ node }) => isStructured(node))
  if (structured.length === 0) {
    const texts = readTexts(key)
    const unless = isComplete ? undefined : descriptorSource(tools, key)
    return collector.keys(call, texts, namespaces, unless ? { ...options, unless } : options)
  }
  for (const { node } of targets) {
    if (isStructured(node)) {
      const inner = isCall(node) ? (node.arguments[0] ? bareNode(node.arguments[0]) : node) : node
      if (inner !== key) readKey(tools, call, inner, namespaces, options)
    } else collector.keys(call, readTexts(node), namespaces, options)
  }
  if (!isComplete) collector.keys(call, [ANYTHING], namespaces, options)

  function isStructured(node: Node): boolean {
    if (node.type === 'ArrayExpression' || node.type === 'ObjectExpression') return true
    return isCall(node) && tools.values.origin(node.callee)?.name === 'defineMessage'
  }
}

function readElements(tools: Tools, call: Node, list: Node, namespaces: UseNamespaces, options: UseOptions) {
  const { targets, isComplete } = tools.finder.elements(list)
  for (const { node } of targets) tools.collector.keys(call, tools.readTexts(node), namespaces, options)
  if (!isComplete) tools.collector.keys(call, [ANYTHING], namespaces, options)
}

/** `formatMessage(messages.title)`: the module that `messages` is imported from names its ids itself, if it is one that defines them. */
function descriptorSource({ module, finder, values }: Tools, node: Node): UseOptions['unless'] {
  let at = node
  while (isMember(at)) at = bareNode(at.object)
  if (at.type !== 'Identifier') return undefined
  const binding = module.bindingOf(at)
  if (binding?.import) return { descriptorsOf: binding.import.source }
  // Defined here: `defineMessages` names every id.
  const { targets, isComplete } = finder.of(at)
  const isDefined =
    isComplete && targets.length > 0 && targets.every(({ node: target }) => isCall(target) && isMaker(values, target))
  return isDefined ? { descriptorsOf: '.' } : undefined
}

function isMaker(
  values: ValueReader,
  call: Extract<Node, { type: 'CallExpression' | 'OptionalCallExpression' }>,
): boolean {
  const name = values.origin(call.callee)?.name
  return name !== undefined && DESCRIPTOR_MAKERS.has(name)
}

/** `{ id: 'title' }`. */
export function readDescriptor(
  tools: Tools,
  call: Node,
  descriptor: Node,
  namespaces: UseNamespaces,
  options: UseOptions,
) {
  const { value, isOpen } = propertyOf(descriptor, 'id')
  if (value) return tools.collector.keys(call, tools.readTexts(value), namespaces, options)
  const key = propertyOf(descriptor, 'path').value ?? propertyOf(descriptor, 'key').value
  if (key && !isOpen) return tools.collector.keys(call, tools.readTexts(key), namespaces, options)
  tools.collector.unknown(call, namespaces, 'key', options)
}

/** `t($ => $.section.title)`. */
function readSelector(tools: Tools, call: Node, selector: Node, namespaces: UseNamespaces, options: UseOptions) {
  const unknown = () => tools.collector.keys(call, [ANYTHING], namespaces, options)
  if (!isFunction(selector) || selector.body.type === 'BlockStatement') return unknown()
  const [parameter] = selector.params
  const steps: Text[] = []
  let at = bareNode(selector.body)
  while (isMember(at)) {
    const name = memberName(at)
    steps.unshift(name === undefined ? ANYTHING : { text: name, isPattern: false })
    at = bareNode(at.object)
  }
  if (parameter?.type !== 'Identifier' || at.type !== 'Identifier' || at.name !== parameter.name || steps.length === 0)
    return unknown()
  tools.collector.keys(
    call,
    [{ text: steps.map(({ text }) => text).join('.'), isPattern: steps.some(({ isPattern }) => isPattern) }],
    namespaces,
    options,
  )
}

function readDescriptors(
  tools: Tools,
  call: Extract<CallNode, { type: 'CallExpression' | 'OptionalCallExpression' }>,
  maker: string,
) {
  const { collector, finder } = tools
  collector.descriptors.defined = true
  const [first] = call.arguments
  const { targets, isComplete } = first ? finder.of(first) : { targets: [], isComplete: false }
  if (!isComplete || targets.length === 0) collector.unknown(call, 'any', 'key')
  for (const { node } of targets) {
    if (maker === 'defineMessage') readDescriptor(tools, call, node, 'any', {})
    else if (node.type !== 'ObjectExpression' && node.type !== 'ArrayExpression') collector.unknown(call, 'any', 'key')
    else {
      const all = finder.elements(node).targets
      const inner =
        node.type === 'ArrayExpression'
          ? all
          : finder.step({ targets: [{ node, isOpen: false }], isComplete: true }, { kind: 'element' }).targets
      const open = node.type === 'ObjectExpression' && node.properties.some(({ type }) => type === 'SpreadElement')
      if (open) collector.descriptors.unclear = true
      for (const { node: descriptor } of inner) {
        const made = isCall(descriptor) && isMaker(tools.values, descriptor)
        if (!made) readDescriptor(tools, descriptor.loc ? descriptor : call, descriptor, 'any', {})
      }
    }
  }
}

/** `_directive_t` and `vT`, as Vue compiles `v-t`. */
export function isTextDirective(node: Node): boolean {
  const bare = bareNode(node)
  if (isMember(bare)) return memberName(bare) === 'vT'
  if (isCall(bare)) return bare.arguments[0] !== undefined && isTextDirective(bare.arguments[0])
  return bare.type === 'Identifier' && (bare.name === '_directive_t' || bare.name === 'vT')
}

export function readDirective(tools: Tools, place: Node, argument: Node) {
  const { targets, isComplete } = tools.finder.of(argument)
  const at = place.loc ? place : argument
  for (const { node } of targets) {
    if (node.type === 'ObjectExpression') readDescriptor(tools, at, node, 'any', {})
    else tools.collector.keys(at, tools.readTexts(node), 'any')
  }
  if (!isComplete) tools.collector.unknown(at, 'any', 'key')
}

function isComponentReference(node: Node): boolean {
  const bare = bareNode(node)
  return bare.type === 'Identifier' || isMember(bare) || isCall(bare)
}

/** `jsx(Trans, { ... })`, `createElement(FormattedMessage, ...)`. */
function readElementCall(tools: Tools, call: Node, component: string, props: Node | undefined) {
  const { collector, finder } = tools
  const property = COMPONENTS[component] as string
  const { targets, isComplete } =
    props && props.type !== 'SpreadElement' ? finder.of(props) : { targets: [], isComplete: props === undefined }
  if (!isComplete || targets.length === 0) return collector.unknown(call, 'any', 'key')
  for (const { node } of targets) {
    const { value, isOpen } = propertyOf(node, property)
    if (value && property === 'id') collector.keys(call, tools.readTexts(value), 'any')
    else if (value === undefined) {
      const spread = spreadSource(node)
      const unless = spread && property === 'id' && isOpen ? descriptorSource(tools, spread) : undefined
      const known = spread ? readSpread(tools, call, spread, property) : false
      if (!known) collector.unknown(call, property === 'id' ? 'any' : 'any', 'key', { unless })
    }
  }
}

/** `<FormattedMessage {...messages.title} />`. */
export function readSpread(tools: Tools, place: Node, spread: Node, property: string): boolean {
  const { targets, isComplete } = tools.finder.of(spread)
  const found = targets.map(({ node }) => {
    const inner = isCall(node) && isMaker(tools.values, node) && node.arguments[0] ? bareNode(node.arguments[0]) : node
    return propertyOf(inner, property).value
  })
  if (!isComplete || found.length === 0 || found.some((value) => !value)) return false
  for (const value of found) if (value) tools.collector.keys(place, tools.readTexts(value), 'any')
  return true
}

export function spreadCondition(tools: Tools, spread: Node): UseOptions['unless'] {
  return descriptorSource(tools, spread)
}

function spreadSource(node: Node): Node | undefined {
  if (node.type !== 'ObjectExpression') return undefined
  const spreads = node.properties.filter((property) => property.type === 'SpreadElement')
  return spreads.length === 1 ? spreads[0]?.argument : undefined
}

/** Whether an object literal looks like a message descriptor wherever it stands. */
export function isDescriptor(node: Node): boolean {
  if (node.type !== 'ObjectExpression') return false
  const has = (name: string) =>
    node.properties.some(
      (property) => property.type !== 'SpreadElement' && staticName(property.key, property.computed) === name,
    )
  return has('id') && has('defaultMessage')
}
