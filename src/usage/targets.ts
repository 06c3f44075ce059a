/** Which expressions a name or a member may stand for, as far as the module itself decides it. */
import type { Node, ObjectExpression } from '@babel/types'
import type { Binding, BoundValue, Module, Step } from './scope.ts'
import { returnsOf } from './scope.ts'
import { bareNode, isCall, isFunction, isMember, memberName, staticName } from './tree.ts'

/** One expression that may be the value. */
export interface Target {
  readonly node: Node
  /** Others may have added properties: a member that is computed may be anything. */
  readonly isOpen: boolean
}

export interface Targets {
  readonly targets: readonly Target[]
  /** There is no other value. */
  readonly isComplete: boolean
}

export interface TargetFinder {
  of(node: Node): Targets
  /** The elements of a list, or of what a callback gets one by one. */
  elements(node: Node): Targets
  bound(binding: Binding): Targets
  step(from: Targets, step: Step): Targets
}

const NOTHING: Targets = { targets: [], isComplete: true }
const UNKNOWN: Targets = { targets: [], isComplete: false }
/** More alternatives than this are no longer told apart. */
const MOST = 400
const DEEPEST = 40
/** What one question may cost. */
const MOST_STEPS = 20_000

/** They give each element to their callback. */
const EACH = new Set([
  'map',
  'forEach',
  'filter',
  'flatMap',
  'some',
  'every',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
])
/** They give a list of the same elements. */
const SAME_ELEMENTS = new Set(['filter', 'slice', 'sort', 'reverse', 'toSorted', 'toReversed', 'values', 'flat'])
const ONE_ELEMENT = new Set(['at', 'find', 'findLast', 'pop', 'shift'])
const CHANGING = new Set(['push', 'unshift', 'splice', 'fill', 'copyWithin', 'set', 'add', 'append', 'assign'])
const READING_STATICS = new Set(['keys', 'values', 'entries', 'freeze', 'from', 'hasOwn', 'isArray', 'seal'])

export function createTargetFinder(module: Module): TargetFinder {
  const visiting = new Set<object>()
  let depth = 0
  let budget = MOST_STEPS

  const guarded = (key: object, find: () => Targets): Targets => {
    if (depth === 0) budget = MOST_STEPS
    if (visiting.has(key) || depth > DEEPEST || budget-- <= 0) return UNKNOWN
    visiting.add(key)
    depth++
    try {
      return find()
    } finally {
      visiting.delete(key)
      depth--
    }
  }

  const of = (given: Node): Targets => guarded(given, () => find(bareNode(given)))

  function find(node: Node): Targets {
    switch (node.type) {
      case 'Identifier': {
        const binding = module.bindingOf(node)
        if (binding) return bound(binding)
        return node.name === 'undefined' ? NOTHING : UNKNOWN
      }
      case 'ConditionalExpression':
        return join([of(node.consequent), of(node.alternate)])
      case 'LogicalExpression':
        return node.operator === '&&' ? of(node.right) : join([of(node.left), of(node.right)])
      case 'AssignmentExpression':
        return node.operator === '=' ? of(node.right) : UNKNOWN
      case 'NullLiteral':
        return NOTHING
      case 'MemberExpression':
      case 'OptionalMemberExpression': {
        const name = memberName(node)
        const names = name === undefined ? constantNames(node.property) : [name]
        const object = of(node.object)
        if (!names) return step(object, { kind: 'element' })
        return join(names.map((each) => step(object, { kind: 'property', name: each })))
      }
      case 'CallExpression':
      case 'OptionalCallExpression':
        return fromCall(node)
      default:
        return { targets: [{ node, isOpen: false }], isComplete: true }
    }
  }

  /** `KEYS[kind]`, where `kind` is one of a few constants. */
  function constantNames(node: Node): string[] | undefined {
    const { targets, isComplete } = of(node)
    if (!isComplete || targets.length === 0) return undefined
    const names = targets.map((target) => staticName(target.node, true))
    return names.every((name) => name !== undefined) ? names : undefined
  }

  function fromCall(node: Extract<Node, { type: 'CallExpression' | 'OptionalCallExpression' }>): Targets {
    const callee = bareNode(node.callee)
    const [first] = node.arguments
    const self: Targets = { targets: [{ node, isOpen: false }], isComplete: true }
    if (isMember(callee)) {
      const name = memberName(callee)
      if (name !== undefined && isGlobal(callee.object, 'Object') && first) {
        if (name === 'freeze' || name === 'seal') return of(first)
        return self
      }
      if (name !== undefined && ONE_ELEMENT.has(name)) return elements(callee.object)
      return self
    }
    if (callee.type === 'Identifier') {
      const called = module.bindingOf(callee)
      const functions = called ? functionsOf(called) : undefined
      if (functions) return join(functions.map(fromReturns))
    }
    if (isFunction(callee)) return fromReturns(callee)
    return self
  }

  function fromReturns(node: Node): Targets {
    if (!isFunction(node) || node.generator) return UNKNOWN
    return guarded(node, () => join(returnsOf(node).map(of)))
  }

  /** The functions a name may mean, where it can mean nothing else. */
  function functionsOf(binding: Binding): Node[] | undefined {
    if (binding.import) return undefined
    const all: Node[] = binding.function ? [binding.function] : []
    for (const { source, path } of binding.values) {
      const node = source.kind === 'node' && path.length === 0 ? bareNode(source.node) : undefined
      if (!node || !isFunction(node)) return undefined
      all.push(node)
    }
    return all.length > 0 ? all : undefined
  }

  function bound(binding: Binding): Targets {
    return guarded(binding, () => {
      if (binding.import || binding.function) return UNKNOWN
      if (binding.enumeration) return { targets: [{ node: binding.enumeration, isOpen: false }], isComplete: true }
      const found = join(binding.values.map(boundValue))
      const change = changeOf(binding)
      if (change === 'none') return found
      const targets = found.targets.map((target) => ({ ...target, isOpen: true }))
      const holdsList = targets.some(({ node }) => node.type === 'ObjectExpression' || node.type === 'ArrayExpression')
      return { targets, isComplete: found.isComplete && !(change === 'assigned' && holdsList) }
    })
  }

  function boundValue({ source, path }: BoundValue): Targets {
    if (source.kind === 'unknown') return UNKNOWN
    const start = source.kind === 'node' ? of(source.node) : fromParameter(source.function, source.index)
    if (source.kind === 'node' && path[0]?.kind === 'element') return path.slice(1).reduce(step, elements(source.node))
    return path.reduce(step, start)
  }

  /** What a callback of `map` and its like gets. */
  function fromParameter(callback: Node, index: number): Targets {
    const call = module.parentOf(callback)
    if (index !== 0 || !isCall(call) || call.arguments[0] !== callback) return UNKNOWN
    const callee = bareNode(call.callee)
    if (!isMember(callee) || !EACH.has(memberName(callee) ?? '')) return UNKNOWN
    return elements(callee.object)
  }

  const elements = (given: Node): Targets =>
    guarded({}, () => {
      const node = bareNode(given)
      if (isCall(node)) {
        const fromThis = elementsOfCall(node)
        if (fromThis) return fromThis
      }
      if (node.type === 'NewExpression' && node.arguments[0] && isGlobal(node.callee, 'Set'))
        return elements(node.arguments[0])
      const lists = of(node)
      // What a call gives, given to a name.
      const own = lists.targets.map((target) => {
        if (target.node !== node && (isCall(target.node) || target.node.type === 'NewExpression'))
          return elements(target.node)
        return stepOne(target, { kind: 'element' })
      })
      return join([...own, ...(lists.isComplete ? [] : [UNKNOWN])])
    })

  function elementsOfCall(
    node: Extract<Node, { type: 'CallExpression' | 'OptionalCallExpression' }>,
  ): Targets | undefined {
    const callee = bareNode(node.callee)
    if (!isMember(callee)) return undefined
    const name = memberName(callee) ?? ''
    const [first] = node.arguments
    if (isGlobal(callee.object, 'Object') && first) return elementsOfObject(name, first)
    if (isGlobal(callee.object, 'Array') && name === 'from' && first && node.arguments.length === 1)
      return elements(first)
    if (SAME_ELEMENTS.has(name)) return elements(callee.object)
    if (name === 'concat') return join([callee.object, ...node.arguments].map(elements))
    if (name === 'map' && first && isFunction(bareNode(first))) return fromReturns(bareNode(first))
    return undefined
  }

  function elementsOfObject(name: string, object: Node): Targets | undefined {
    if (name !== 'keys' && name !== 'values' && name !== 'entries') return undefined
    const objects = of(object)
    const parts = objects.targets.map(({ node, isOpen }): Targets => {
      if (node.type !== 'ObjectExpression' || isOpen) return UNKNOWN
      if (name === 'values') return stepOne({ node, isOpen }, { kind: 'element' })
      return entriesOf(node, name === 'entries')
    })
    return join([...parts, ...(objects.isComplete ? [] : [UNKNOWN])])
  }

  function step(from: Targets, way: Step): Targets {
    const parts = from.targets.map((target) => stepOne(target, way))
    return join([...parts, ...(from.isComplete ? [] : [UNKNOWN])])
  }

  function stepOne({ node, isOpen }: Target, way: Step): Targets {
    const mark = (found: Targets): Targets =>
      isOpen ? { ...found, targets: found.targets.map((target) => ({ ...target, isOpen })) } : found
    if (way.kind === 'unknown' || way.kind === 'rest') return UNKNOWN
    if (node.type === 'ObjectExpression') {
      if (way.kind === 'key') return isOpen ? UNKNOWN : entriesOf(node, false)
      if (way.kind === 'property') return mark(propertyTargets(node, way.name))
      const found = join(
        node.properties.map((property) => {
          if (property.type === 'SpreadElement') return step(of(property.argument), way)
          return property.type === 'ObjectProperty' ? of(property.value) : UNKNOWN
        }),
      )
      return isOpen ? { ...mark(found), isComplete: false } : found
    }
    if (node.type === 'ArrayExpression') {
      const hasSpread = node.elements.some((element) => element?.type === 'SpreadElement')
      if (way.kind === 'property' && !hasSpread) {
        if (!/^\d+$/.test(way.name)) return UNKNOWN
        const element = node.elements[Number(way.name)]
        return element ? mark(of(element)) : isOpen ? UNKNOWN : NOTHING
      }
      if (way.kind === 'property' && !/^\d+$/.test(way.name)) return UNKNOWN
      if (way.kind === 'key') return UNKNOWN
      const found = join(
        node.elements.map((element) => {
          if (!element) return NOTHING
          return element.type === 'SpreadElement' ? elements(element.argument) : of(element)
        }),
      )
      return isOpen ? { ...mark(found), isComplete: false } : found
    }
    if (node.type === 'TSEnumDeclaration') return enumTargets(node, way)
    return UNKNOWN
  }

  function propertyTargets(node: ObjectExpression, name: string): Targets {
    let found: Targets | undefined
    const maybe: Targets[] = []
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') maybe.push(step(of(property.argument), { kind: 'property', name }))
      else {
        const own = staticName(property.key, property.computed)
        const value = property.type === 'ObjectProperty' ? of(property.value) : UNKNOWN
        if (own === name) found = value
        else if (own === undefined) maybe.push({ ...value, isComplete: false })
      }
    }
    if (found) return join([found, ...maybe])
    // Object literals of the module have the properties they are written with; `toString` and its like are no texts.
    return maybe.length > 0 ? join(maybe) : UNKNOWN
  }

  function isGlobal(node: Node, name: string): boolean {
    return node.type === 'Identifier' && node.name === name && !module.bindingOf(node)
  }

  const changes = new Map<Binding, 'none' | 'open' | 'assigned'>()

  /** Whether the object behind a name may be another than it is written, because somebody changes it. */
  function changeOf(binding: Binding): 'none' | 'open' | 'assigned' {
    const known = changes.get(binding)
    if (known) return known
    changes.set(binding, 'open')
    let change: 'none' | 'open' | 'assigned' = binding.isExported ? 'open' : 'none'
    for (const reference of binding.references) {
      const one = changeBy(reference)
      if (one === 'assigned') {
        change = one
        break
      }
      if (one === 'open') change = one
    }
    changes.set(binding, change)
    return change
  }

  function changeBy(reference: Node): 'none' | 'open' | 'assigned' {
    let node = reference
    let parent = module.parentOf(node)
    let isMemberOf = false
    while (parent && ((isMember(parent) && parent.object === node) || isWrapper(parent))) {
      if (isMember(parent)) isMemberOf = true
      node = parent
      parent = module.parentOf(node)
    }
    switch (parent?.type) {
      case 'AssignmentExpression':
        if (parent.left === node) return isMemberOf ? 'assigned' : 'none'
        return isMemberOf ? 'none' : 'open'
      case 'UpdateExpression':
      case 'UnaryExpression':
        return isMemberOf && (parent.type === 'UpdateExpression' || parent.operator === 'delete') ? 'assigned' : 'none'
      case 'CallExpression':
      case 'OptionalCallExpression':
        if (parent.callee === node) return isMember(node) && CHANGING.has(memberName(node) ?? '') ? 'assigned' : 'none'
        return isMemberOf || isReadingCall(parent.callee) ? 'none' : 'open'
      case 'VariableDeclarator':
        return isMemberOf || parent.id.type !== 'Identifier' ? 'none' : 'open'
      case 'ExportSpecifier':
      case 'ExportDefaultDeclaration':
      case 'ArrayPattern':
      case 'AssignmentPattern':
        return 'open'
      case 'ForOfStatement':
      case 'ForInStatement':
        return parent.left === node ? (isMemberOf ? 'assigned' : 'none') : 'none'
      default:
        return 'none'
    }
  }

  function isReadingCall(callee: Node): boolean {
    const bare = bareNode(callee)
    if (isMember(bare)) {
      const name = memberName(bare) ?? ''
      if (isGlobal(bare.object, 'Object') || isGlobal(bare.object, 'Array')) return READING_STATICS.has(name)
      return isGlobal(bare.object, 'console') || name === 'concat' || name === 'includes' || /^use[A-Z]/.test(name)
    }
    return bare.type === 'Identifier' && /^use[A-Z]/.test(bare.name)
  }

  return { of, elements, bound, step }
}

function isWrapper(node: Node): boolean {
  return (
    node.type === 'TSAsExpression' ||
    node.type === 'TSSatisfiesExpression' ||
    node.type === 'TSNonNullExpression' ||
    node.type === 'TSTypeAssertion' ||
    node.type === 'ParenthesizedExpression'
  )
}

function join(parts: readonly Targets[]): Targets {
  const targets = parts.flatMap((part) => part.targets)
  if (targets.length > MOST) return UNKNOWN
  return { targets, isComplete: parts.every((part) => part.isComplete) }
}

/** Names of an object literal as texts, or pairs of name and value. */
function entriesOf(node: ObjectExpression, withValues: boolean): Targets {
  const targets: Target[] = []
  for (const property of node.properties) {
    if (property.type !== 'ObjectProperty') return UNKNOWN
    const name = staticName(property.key, property.computed)
    if (name === undefined) return UNKNOWN
    const key = textNode(name)
    const pair = { type: 'ArrayExpression', elements: [key, property.value] } as unknown as Node
    targets.push({ node: withValues ? pair : key, isOpen: false })
  }
  return { targets, isComplete: true }
}

function enumTargets(node: Extract<Node, { type: 'TSEnumDeclaration' }>, way: Step): Targets {
  const { members } = node
  const values = members
    .filter(({ id }) => {
      const name = staticName(id, false)
      return way.kind !== 'property' || name === way.name
    })
    .map(({ initializer }) => initializer)
  if (values.length === 0 || values.some((value) => !value) || way.kind === 'key') return UNKNOWN
  return {
    targets: values.flatMap((value) => (value ? [{ node: bareNode(value), isOpen: false }] : [])),
    isComplete: values.every((value) => value?.type === 'StringLiteral'),
  }
}

export function textNode(value: string): Node {
  return { type: 'StringLiteral', value } as unknown as Node
}
