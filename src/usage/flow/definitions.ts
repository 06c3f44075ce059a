/**
 * Use-def analysis: the expressions that a name or a member may stand for, as far as the module itself shows them.
 */
import type { ArrayExpression, Node, ObjectExpression } from '@babel/types'
import type { Module } from '../syntax/module.ts'
import type { Access, Assignment } from '../syntax/patterns.ts'
import type { Binding } from '../syntax/scope.ts'
import type { CallNode, FunctionNode } from '../syntax/tree.ts'
import {
  branchesOf,
  isCall,
  isFunction,
  isMember,
  memberName,
  NOTHING,
  returnsOf,
  staticName,
  unwrap,
} from '../syntax/tree.ts'
import { Conditions } from './conditions.ts'
import type { Imports } from './imports.ts'
import { Mutations } from './mutations.ts'

/** One expression that may be the value. */
export interface Definition {
  readonly node: Node
  /** Other code may have added properties: a computed member may be anything. `exported`: only other modules may. */
  readonly isOpen: boolean | 'exported'
  /** A condition may exclude it. */
  readonly isExcluded?: boolean
}

export interface DefinitionSet {
  readonly definitions: readonly Definition[]
  /** There is no other value. */
  readonly isComplete: boolean
}

const NONE: DefinitionSet = { definitions: [], isComplete: true }
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
  readonly #conditions: Conditions
  readonly #visiting = new Set<object>()
  #budget = MAX_STEPS

  /** @param imports given: names that are imported are followed */
  constructor(
    private readonly module: Module,
    private readonly imports?: Imports,
  ) {
    this.#mutations = new Mutations(module)
    this.#conditions = new Conditions(module, this)
  }

  of(given: Node): DefinitionSet {
    const node = unwrap(given)
    return this.#guarded(node, () => this.#find(node))
  }

  /** The elements of a list. */
  elements(list: Node): DefinitionSet {
    return this.#accessEach(this.of(list), { kind: 'element' })
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
    if (branches) return union(branches.map((each, at) => this.#ofBranch(node, each, at)))
    switch (node.type) {
      case 'Identifier': {
        const binding = this.module.bindingOf(node)
        if (binding) return this.#ofBinding(binding)
        return node.name === 'undefined' ? single(NOTHING) : UNKNOWN
      }
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
      case 'NewExpression': {
        const [first] = node.arguments
        return first && this.module.isGlobal(node.callee, 'Set') ? listOf([first]) : single(node)
      }
      default:
        return single(node)
    }
  }

  #ofBranch(node: Node, branch: Node, at: number): DefinitionSet {
    const found = this.of(branch)
    if (node.type !== 'ConditionalExpression' || !this.#conditions.excludes(node.test, at === 0)) return found
    return { ...found, definitions: found.definitions.map((each) => ({ ...each, isExcluded: true })) }
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
    if (isMember(callee)) return this.#ofMethodCall(node, unwrap(callee.object), memberName(callee) ?? '')
    const functions = this.module.functionsOf(callee) ?? this.#importedFunctions(callee)
    return functions?.length ? union(functions.map((each) => this.#returned(each))) : single(node)
  }

  #importedFunctions(callee: Node): readonly FunctionNode[] | undefined {
    if (!this.imports || callee.type !== 'Identifier') return undefined
    const { definitions, isComplete } = this.of(callee)
    const functions = definitions.map(({ node }) => node)
    return isComplete && functions.every(isFunction) ? functions : undefined
  }

  #ofMethodCall(node: CallNode, object: Node, method: string): DefinitionSet {
    const [first, ...others] = node.arguments
    if (first && this.module.isGlobal(object, 'Object')) return this.#ofObjectCall(node, first, method)
    if (first && this.module.isGlobal(object, 'Array'))
      return method === 'from' && others.length === 0 ? listOf([first]) : single(node)
    if (ONE_ELEMENT.test(method)) return this.elements(object)
    if (SAME_ELEMENTS.test(method)) return listOf([object])
    if (method === 'concat' && this.of(object).definitions.some((each) => each.node.type === 'ArrayExpression'))
      return listOf([object, ...node.arguments])
    const callback = method === 'map' && first ? unwrap(first) : undefined
    if (!isFunction(callback) || callback.generator) return single(node)
    return listOf([arrayOf(returnsOf(callback))])
  }

  /** `Object.keys(object)` and similar functions. */
  #ofObjectCall(node: CallNode, object: Node, method: string): DefinitionSet {
    if (method === 'freeze' || method === 'seal') return this.of(object)
    if (method === 'values') return listOf([arrayOf([anyMemberOf(object)])])
    if (method !== 'keys' && method !== 'entries') return single(node)
    return mapDefinitions(this.of(object), ({ node: literal, isOpen }) => {
      const names = literal.type === 'ObjectExpression' && !isOpen ? entriesOf(literal, method === 'entries') : UNKNOWN
      return names.isComplete ? listOf([arrayOf(names.definitions.map((each) => each.node))]) : UNKNOWN
    })
  }

  #returned(node: FunctionNode): DefinitionSet {
    if (node.generator) return UNKNOWN
    return this.#guarded(node, () => union(returnsOf(node).map((each) => this.of(each))))
  }

  #ofBinding(binding: Binding): DefinitionSet {
    return this.#guarded(binding, () => {
      if (binding.import) {
        const exported = this.imports?.valueOf(binding.import)
        return exported ? this.of(exported) : UNKNOWN
      }
      const found = union(binding.assignments.map((assignment) => this.#assigned(assignment)))
      const mutation = binding.isEnum ? 'none' : this.#mutations.of(binding)
      if (mutation === 'none') return found
      const isWritten = mutation === 'written' && found.definitions.some(({ node }) => isLiteral(node))
      const how = mutation === 'exported' ? mutation : true
      return { ...opened(found, how), isComplete: found.isComplete && !isWritten }
    })
  }

  #assigned({ source, path }: Assignment): DefinitionSet {
    const follow = (from: DefinitionSet) => path.reduce((at, access) => this.#accessEach(at, access), from)
    if (source.kind === 'unknown') return UNKNOWN
    if (source.kind === 'parameter') return follow(this.#ofParameter(source.function, source.index))
    return follow(this.of(source.node))
  }

  /** The argument that `map` and similar methods pass to their callback. */
  #ofParameter(callback: FunctionNode, index: number): DefinitionSet {
    const call = this.module.parentOf(callback)
    if (index !== 0 || !isCall(call) || call.arguments[0] !== callback) return UNKNOWN
    const callee = unwrap(call.callee)
    if (!isMember(callee) || !ITERATING.test(memberName(callee) ?? '')) return UNKNOWN
    return this.elements(callee.object)
  }

  #accessEach(from: DefinitionSet, access: Access): DefinitionSet {
    return mapDefinitions(from, (definition) => this.#access(definition, access))
  }

  #access({ node, isOpen }: Definition, access: Access): DefinitionSet {
    if (node.type === 'NullLiteral') return NONE
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
      return element ? this.of(element) : single(NOTHING)
    }
    return union(
      node.elements.map((element) => {
        if (!element) return single(NOTHING)
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

  /** @param access the property that is read from a spread object */
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

function arrayOf(elements: readonly Node[]): Node {
  return { type: 'ArrayExpression', elements } as Node
}

/** A list of the elements of these lists, in an order that is not known. */
function listOf(lists: readonly Node[]): DefinitionSet {
  return single(arrayOf(lists.map((argument) => ({ type: 'SpreadElement', argument }) as Node)))
}

/** `object[?]`. */
function anyMemberOf(object: Node): Node {
  return { type: 'MemberExpression', object, computed: true, property: { type: 'ThisExpression' } } as Node
}

function opened(found: DefinitionSet, isOpen: Definition['isOpen'] = true): DefinitionSet {
  return { ...found, definitions: found.definitions.map((definition) => ({ ...definition, isOpen })) }
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
    definitions.push({ node: withValues ? arrayOf([key, property.value]) : key, isOpen: false })
  }
  return { definitions, isComplete: true }
}
