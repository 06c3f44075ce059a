/**
 * Use-def analysis: the expressions that a name or a member may stand for, as far as the module itself decides it.
 */
import type { ArrayExpression, Node, ObjectExpression, TSEnumDeclaration } from '@babel/types'
import { functionsOf, type Module } from '../syntax/module.ts'
import type { Access, Assignment } from '../syntax/patterns.ts'
import type { Binding } from '../syntax/scope.ts'
import type { CallNode, FunctionNode } from '../syntax/tree.ts'
import { isCall, isFunction, isMember, memberName, returnsOf, staticName, unwrap } from '../syntax/tree.ts'
import { Mutations } from './mutations.ts'

/** One expression that may be the value. */
export interface Definition {
  readonly node: Node
  /** Other code may have added properties: a computed member may be anything. */
  readonly isOpen: boolean
}

export interface DefinitionSet {
  readonly definitions: readonly Definition[]
  /** There is no other value. */
  readonly isComplete: boolean
}

const NOTHING: DefinitionSet = { definitions: [], isComplete: true }
const UNKNOWN: DefinitionSet = { definitions: [], isComplete: false }
/** Above this number of alternatives, the value counts as unknown. */
const MAX_DEFINITIONS = 400
const MAX_DEPTH = 40
/** The steps that one question may take. */
const MAX_STEPS = 20_000

/** Methods that call their callback with each element. */
const ITERATING = /^(?:map|forEach|filter|flatMap|some|every|find|findIndex|findLast|findLastIndex)$/
/** Methods that return a list of the same elements. */
const SAME_ELEMENTS = /^(?:filter|slice|sort|reverse|toSorted|toReversed|values|flat)$/
const ONE_ELEMENT = /^(?:at|find|findLast|pop|shift)$/

export class Definitions {
  readonly #mutations: Mutations
  readonly #visiting = new Set<object>()
  #depth = 0
  #budget = MAX_STEPS

  constructor(private readonly module: Module) {
    this.#mutations = new Mutations(module)
  }

  of(node: Node): DefinitionSet {
    return this.#guarded(node, () => this.#find(unwrap(node)))
  }

  /** The elements of a list. */
  elements(given: Node): DefinitionSet {
    return this.#guarded({}, () => {
      const node = unwrap(given)
      const ofCall = isCall(node) ? this.#elementsOfCall(node) : undefined
      if (ofCall) return ofCall
      if (node.type === 'NewExpression' && node.arguments[0] && this.module.isGlobal(node.callee, 'Set'))
        return this.elements(node.arguments[0])
      return mapDefinitions(this.of(node), (definition) => {
        // A name that holds the result of a call.
        const isResult = isCall(definition.node) || definition.node.type === 'NewExpression'
        if (isResult && definition.node !== node) return this.elements(definition.node)
        return this.#access(definition, { kind: 'element' })
      })
    })
  }

  access(from: DefinitionSet, access: Access): DefinitionSet {
    return mapDefinitions(from, (definition) => this.#access(definition, access))
  }

  /** Stops at cycles and at questions that take too long. */
  #guarded(key: object, find: () => DefinitionSet): DefinitionSet {
    if (this.#depth === 0) this.#budget = MAX_STEPS
    if (this.#visiting.has(key) || this.#depth > MAX_DEPTH || this.#budget-- <= 0) return UNKNOWN
    this.#visiting.add(key)
    this.#depth++
    try {
      return find()
    } finally {
      this.#visiting.delete(key)
      this.#depth--
    }
  }

  #find(node: Node): DefinitionSet {
    switch (node.type) {
      case 'Identifier': {
        const binding = this.module.bindingOf(node)
        if (binding) return this.#ofBinding(binding)
        return node.name === 'undefined' ? NOTHING : UNKNOWN
      }
      case 'NullLiteral':
        return NOTHING
      case 'ConditionalExpression':
        return union([this.of(node.consequent), this.of(node.alternate)])
      case 'LogicalExpression':
        return node.operator === '&&' ? this.of(node.right) : union([this.of(node.left), this.of(node.right)])
      case 'AssignmentExpression':
        return node.operator === '=' ? this.of(node.right) : UNKNOWN
      case 'MemberExpression':
      case 'OptionalMemberExpression': {
        const name = memberName(node)
        const names = name === undefined ? this.#constantNames(node.property) : [name]
        const object = this.of(node.object)
        if (!names) return this.access(object, { kind: 'element' })
        return union(names.map((each) => this.access(object, { kind: 'property', name: each })))
      }
      case 'CallExpression':
      case 'OptionalCallExpression':
        return this.#ofCall(node)
      default:
        return single(node)
    }
  }

  /** `KEYS[kind]`, where `kind` is one of a few constants. */
  #constantNames(node: Node): string[] | undefined {
    const { definitions, isComplete } = this.of(node)
    if (!isComplete || definitions.length === 0) return undefined
    const names = definitions.map((definition) => staticName(definition.node, true))
    return names.every((name) => name !== undefined) ? names : undefined
  }

  #ofCall(node: CallNode): DefinitionSet {
    const callee = unwrap(node.callee)
    const [first] = node.arguments
    if (isMember(callee)) {
      const name = memberName(callee) ?? ''
      if (first && this.module.isGlobal(callee.object, 'Object'))
        return name === 'freeze' || name === 'seal' ? this.of(first) : single(node)
      return ONE_ELEMENT.test(name) ? this.elements(callee.object) : single(node)
    }
    if (isFunction(callee)) return this.#returned(callee)
    const binding = callee.type === 'Identifier' ? this.module.bindingOf(callee) : undefined
    const functions = binding && functionsOf(binding)
    return functions ? union(functions.map((each) => this.#returned(each))) : single(node)
  }

  #returned(node: FunctionNode): DefinitionSet {
    if (node.generator) return UNKNOWN
    return this.#guarded(node, () => union(returnsOf(node).map((each) => this.of(each))))
  }

  #ofBinding(binding: Binding): DefinitionSet {
    return this.#guarded(binding, () => {
      if (binding.import || binding.function) return UNKNOWN
      if (binding.enumeration) return single(binding.enumeration)
      const found = union(binding.assignments.map((assignment) => this.#assigned(assignment)))
      const mutation = this.#mutations.of(binding)
      if (mutation === 'none') return found
      const holdsLiteral = found.definitions.some(
        ({ node }) => node.type === 'ObjectExpression' || node.type === 'ArrayExpression',
      )
      return { ...opened(found), isComplete: found.isComplete && !(mutation === 'written' && holdsLiteral) }
    })
  }

  #assigned({ source, path }: Assignment): DefinitionSet {
    const follow = (from: DefinitionSet, rest = path) => rest.reduce((at, access) => this.access(at, access), from)
    if (source.kind === 'unknown') return UNKNOWN
    if (source.kind === 'parameter') return follow(this.#ofParameter(source.function, source.index))
    if (path[0]?.kind === 'element') return follow(this.elements(source.node), path.slice(1))
    return follow(this.of(source.node))
  }

  /** What the callback of `map` and its like gets. */
  #ofParameter(callback: FunctionNode, index: number): DefinitionSet {
    const call = this.module.parentOf(callback)
    if (index !== 0 || !isCall(call) || call.arguments[0] !== callback) return UNKNOWN
    const callee = unwrap(call.callee)
    if (!isMember(callee) || !ITERATING.test(memberName(callee) ?? '')) return UNKNOWN
    return this.elements(callee.object)
  }

  #elementsOfCall(node: CallNode): DefinitionSet | undefined {
    const callee = unwrap(node.callee)
    if (!isMember(callee)) return undefined
    const name = memberName(callee) ?? ''
    const [first] = node.arguments
    if (first && this.module.isGlobal(callee.object, 'Object')) return this.#elementsOfObject(name, first)
    if (name === 'from' && node.arguments.length === 1 && first && this.module.isGlobal(callee.object, 'Array'))
      return this.elements(first)
    if (SAME_ELEMENTS.test(name)) return this.elements(callee.object)
    if (name === 'concat') return union([callee.object, ...node.arguments].map((each) => this.elements(each)))
    const callback = name === 'map' && first ? unwrap(first) : undefined
    return isFunction(callback) ? this.#returned(callback) : undefined
  }

  /** `Object.keys(object)` and its like. */
  #elementsOfObject(method: string, object: Node): DefinitionSet | undefined {
    if (method !== 'keys' && method !== 'values' && method !== 'entries') return undefined
    return mapDefinitions(this.of(object), (definition) => {
      const { node, isOpen } = definition
      if (node.type !== 'ObjectExpression' || isOpen) return UNKNOWN
      if (method === 'values') return this.#access(definition, { kind: 'element' })
      return entriesOf(node, method === 'entries')
    })
  }

  #access({ node, isOpen }: Definition, access: Access): DefinitionSet {
    if (access.kind === 'unknown' || access.kind === 'rest') return UNKNOWN
    if (node.type === 'TSEnumDeclaration') return enumMembers(node, access)
    if (node.type !== 'ObjectExpression' && node.type !== 'ArrayExpression') return UNKNOWN
    if (!isOpen) return this.#accessLiteral(node, access)
    if (access.kind === 'key') return UNKNOWN
    const found = opened(this.#accessLiteral(node, access))
    const isWritten = access.kind === 'property' && (node.type === 'ObjectExpression' || hasElement(node, access.name))
    return isWritten ? found : { ...found, isComplete: false }
  }

  #accessLiteral(node: ObjectExpression | ArrayExpression, access: Access): DefinitionSet {
    if (node.type === 'ArrayExpression') return this.#accessArray(node, access)
    if (access.kind === 'key') return entriesOf(node, false)
    if (access.kind === 'property') return this.#accessProperty(node, access.name)
    return union(
      node.properties.map((property) => {
        if (property.type === 'SpreadElement') return this.access(this.of(property.argument), access)
        return property.type === 'ObjectProperty' ? this.of(property.value) : UNKNOWN
      }),
    )
  }

  #accessArray({ elements }: ArrayExpression, access: Access): DefinitionSet {
    if (access.kind === 'key') return UNKNOWN
    if (access.kind === 'property' && !/^\d+$/.test(access.name)) return UNKNOWN
    if (access.kind === 'property' && !elements.some((element) => element?.type === 'SpreadElement')) {
      const element = elements[Number(access.name)]
      return element ? this.of(element) : NOTHING
    }
    return union(
      elements.map((element) => {
        if (!element) return NOTHING
        return element.type === 'SpreadElement' ? this.elements(element.argument) : this.of(element)
      }),
    )
  }

  #accessProperty(node: ObjectExpression, name: string): DefinitionSet {
    let found: DefinitionSet | undefined
    const possible: DefinitionSet[] = []
    for (const property of node.properties) {
      if (property.type === 'SpreadElement')
        possible.push(this.access(this.of(property.argument), { kind: 'property', name }))
      else {
        const own = staticName(property.key, property.computed)
        const value = property.type === 'ObjectProperty' ? this.of(property.value) : UNKNOWN
        if (own === name) found = value
        else if (own === undefined) possible.push({ ...value, isComplete: false })
      }
    }
    if (found) return union([found, ...possible])
    // Inherited properties such as `toString` are no texts.
    return possible.length > 0 ? union(possible) : UNKNOWN
  }
}

/** Whether the source writes an element at this index. */
function hasElement({ elements }: ArrayExpression, index: string): boolean {
  return !elements.some((element) => element?.type === 'SpreadElement') && elements[Number(index)] != null
}

function single(node: Node): DefinitionSet {
  return { definitions: [{ node, isOpen: false }], isComplete: true }
}

function opened(found: DefinitionSet): DefinitionSet {
  return { ...found, definitions: found.definitions.map((definition) => ({ ...definition, isOpen: true })) }
}

function union(sets: readonly DefinitionSet[]): DefinitionSet {
  const definitions = sets.flatMap((set) => set.definitions)
  if (definitions.length > MAX_DEFINITIONS) return UNKNOWN
  return { definitions, isComplete: sets.every((set) => set.isComplete) }
}

function mapDefinitions(set: DefinitionSet, map: (definition: Definition) => DefinitionSet): DefinitionSet {
  return union([...set.definitions.map(map), ...(set.isComplete ? [] : [UNKNOWN])])
}

/** The names of an object literal's properties as texts, or pairs of name and value. */
function entriesOf(node: ObjectExpression, withValues: boolean): DefinitionSet {
  const definitions: Definition[] = []
  for (const property of node.properties) {
    const name = property.type === 'ObjectProperty' ? staticName(property.key, property.computed) : undefined
    if (property.type !== 'ObjectProperty' || name === undefined) return UNKNOWN
    const key = { type: 'StringLiteral', value: name } as Node
    const pair = { type: 'ArrayExpression', elements: [key, property.value] } as Node
    definitions.push({ node: withValues ? pair : key, isOpen: false })
  }
  return { definitions, isComplete: true }
}

function enumMembers({ members }: TSEnumDeclaration, access: Access): DefinitionSet {
  const values = members
    .filter(({ id }) => access.kind !== 'property' || staticName(id, false) === access.name)
    .map(({ initializer }) => initializer)
  const known = values.filter((value) => value != null)
  if (known.length === 0 || known.length < values.length || access.kind === 'key') return UNKNOWN
  return {
    definitions: known.map((value) => ({ node: unwrap(value), isOpen: false })),
    isComplete: known.every((value) => value.type === 'StringLiteral'),
  }
}
