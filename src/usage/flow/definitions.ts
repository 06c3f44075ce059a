/**
 * Use-def analysis: the expressions that a name or a member may stand for, as far as the module itself decides it.
 */
import type { ArrayExpression, Node, ObjectExpression } from '@babel/types'
import type { Module } from '../syntax/module.ts'
import type { Access, Assignment } from '../syntax/patterns.ts'
import type { Binding } from '../syntax/scope.ts'
import type { CallNode, FunctionNode } from '../syntax/tree.ts'
import { branchesOf, isCall, isFunction, isMember, memberName, returnsOf, staticName, unwrap } from '../syntax/tree.ts'
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
  #budget = MAX_STEPS

  constructor(private readonly module: Module) {
    this.#mutations = new Mutations(module)
  }

  of(given: Node): DefinitionSet {
    const node = unwrap(given)
    return this.#guarded(node, () => this.#find(node))
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
        if (!isResult || definition.node === node) return this.#access(definition, { kind: 'element' })
        const found = this.elements(definition.node)
        return { ...found, isComplete: found.isComplete && !definition.isOpen }
      })
    })
  }

  /** Stops at cycles and at questions that take too long. */
  #guarded(key: object, find: () => DefinitionSet): DefinitionSet {
    if (this.#visiting.size === 0) this.#budget = MAX_STEPS
    if (this.#visiting.has(key) || this.#visiting.size > MAX_DEPTH || this.#budget-- <= 0) return UNKNOWN
    this.#visiting.add(key)
    try {
      return find()
    } finally {
      this.#visiting.delete(key)
    }
  }

  #find(node: Node): DefinitionSet {
    const branches = branchesOf(node)
    if (branches) return union(branches.map((each) => this.of(each)))
    switch (node.type) {
      case 'Identifier': {
        const binding = this.module.bindingOf(node)
        if (binding) return this.#ofBinding(binding)
        return node.name === 'undefined' ? NOTHING : UNKNOWN
      }
      case 'NullLiteral':
        return NOTHING
      case 'MemberExpression':
      case 'OptionalMemberExpression': {
        const name = memberName(node)
        const names = name === undefined ? this.#constantNames(node.property) : [name]
        const object = this.of(node.object)
        if (!names) return this.#accessEach(object, { kind: 'element' })
        return union(names.map((each) => this.#accessEach(object, { kind: 'property', name: each })))
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
    if (isMember(callee)) {
      const name = memberName(callee) ?? ''
      const [first] = node.arguments
      if (first && this.module.isGlobal(callee.object, 'Object'))
        return name === 'freeze' || name === 'seal' ? this.of(first) : single(node)
      return ONE_ELEMENT.test(name) ? this.elements(callee.object) : single(node)
    }
    const functions = this.module.functionsOf(callee)
    return functions?.length ? union(functions.map((each) => this.#returned(each))) : single(node)
  }

  #returned(node: FunctionNode): DefinitionSet {
    if (node.generator) return UNKNOWN
    return this.#guarded(node, () => union(returnsOf(node).map((each) => this.of(each))))
  }

  #ofBinding(binding: Binding): DefinitionSet {
    return this.#guarded(binding, () => {
      if (binding.import) return UNKNOWN
      const found = union(binding.assignments.map((assignment) => this.#assigned(assignment)))
      const mutation = binding.isEnum ? 'none' : this.#mutations.of(binding)
      if (mutation === 'none') return found
      const isWritten = mutation === 'written' && found.definitions.some(({ node }) => isLiteral(node))
      return { ...opened(found), isComplete: found.isComplete && !isWritten }
    })
  }

  #assigned({ source, path }: Assignment): DefinitionSet {
    const follow = (from: DefinitionSet, rest = path) => rest.reduce((at, each) => this.#accessEach(at, each), from)
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

  #accessEach(from: DefinitionSet, access: Access): DefinitionSet {
    return mapDefinitions(from, (definition) => this.#access(definition, access))
  }

  #access({ node, isOpen }: Definition, access: Access): DefinitionSet {
    if (access.kind === 'unknown' || access.kind === 'rest' || !isLiteral(node)) return UNKNOWN
    if (isOpen && access.kind === 'key') return UNKNOWN
    const found = this.#accessLiteral(node, access)
    if (!isOpen) return found
    const isWritten = access.kind === 'property' && (node.type === 'ObjectExpression' || hasElement(node, access.name))
    return { ...opened(found), isComplete: isWritten && found.isComplete }
  }

  #accessLiteral(node: ObjectExpression | ArrayExpression, access: Access): DefinitionSet {
    if (node.type === 'ArrayExpression') return this.#accessArray(node, access)
    if (access.kind === 'key') return entriesOf(node, false)
    if (access.kind === 'property') return this.#accessProperty(node, access.name)
    return union(node.properties.map((property) => this.#propertyValue(property, access)))
  }

  #accessArray(node: ArrayExpression, access: Access): DefinitionSet {
    if (access.kind === 'key') return UNKNOWN
    if (access.kind === 'property' && !/^\d+$/.test(access.name)) return UNKNOWN
    if (access.kind === 'property' && !hasSpread(node)) {
      const element = node.elements[Number(access.name)]
      return element ? this.of(element) : NOTHING
    }
    return union(
      node.elements.map((element) => {
        if (!element) return NOTHING
        return element.type === 'SpreadElement' ? this.elements(element.argument) : this.of(element)
      }),
    )
  }

  #accessProperty(node: ObjectExpression, name: string): DefinitionSet {
    let possible: DefinitionSet[] = []
    for (const property of node.properties) {
      const own = property.type === 'SpreadElement' ? undefined : staticName(property.key, property.computed)
      if (own !== undefined && own !== name) continue
      const value = this.#propertyValue(property, { kind: 'property', name })
      const isCertain = own === name || property.type === 'SpreadElement'
      // A property replaces those of the same name before it.
      possible = [...(own === name ? [] : possible), { ...value, isComplete: isCertain && value.isComplete }]
    }
    // Inherited properties such as `toString` are no texts.
    return possible.length > 0 ? union(possible) : UNKNOWN
  }

  /** @param access what is asked of a spread object */
  #propertyValue(property: ObjectExpression['properties'][number], access: Access): DefinitionSet {
    if (property.type === 'SpreadElement') return this.#accessEach(this.of(property.argument), access)
    return property.type === 'ObjectProperty' ? this.of(property.value) : UNKNOWN
  }
}

function isLiteral(node: Node): node is ObjectExpression | ArrayExpression {
  return node.type === 'ObjectExpression' || node.type === 'ArrayExpression'
}

function hasSpread({ elements }: ArrayExpression): boolean {
  return elements.some((element) => element?.type === 'SpreadElement')
}

/** Whether the source writes an element at this index. */
function hasElement(node: ArrayExpression, index: string): boolean {
  return !hasSpread(node) && node.elements[Number(index)] != null
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
