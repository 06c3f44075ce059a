/** Whether the object that a name holds may be changed after it is created. */
import type { Node } from '@babel/types'
import type { Module } from '../syntax/module.ts'
import type { Binding } from '../syntax/scope.ts'
import { isMember, isTypeWrapper, memberName, unwrap } from '../syntax/tree.ts'

/** `exported`, `shared`: other code has the object and may change it. `written`: this module changes it. */
export type Mutation = 'none' | 'exported' | 'shared' | 'written'

const MUTATING_METHODS = new Set(['push', 'unshift', 'splice', 'fill', 'copyWithin', 'set', 'add', 'append', 'assign'])
const READING_STATICS = new Set(['keys', 'values', 'entries', 'freeze', 'from', 'hasOwn', 'isArray', 'seal'])
/** Hooks, methods of lists, and those that set up i18next. */
const READING_NAME = /^(?:use[A-Z].*|concat|includes|init|createInstance)$/

export class Mutations {
  readonly #known = new Map<Binding, Mutation>()

  constructor(private readonly module: Module) {}

  of(binding: Binding): Mutation {
    const known = this.#known.get(binding) ?? this.#find(binding)
    this.#known.set(binding, known)
    return known
  }

  #find({ isExported, references }: Binding): Mutation {
    const all = new Set(references.map((reference) => this.#by(reference)))
    if (all.has('written')) return 'written'
    if (all.has('shared')) return 'shared'
    return isExported || all.has('exported') ? 'exported' : 'none'
  }

  /** What one use of the name does with the object. */
  #by(reference: Node): Mutation {
    let node = reference
    let parent = this.module.parentOf(node)
    while (parent && ((isMember(parent) && parent.object === node) || isTypeWrapper(parent))) {
      node = parent
      parent = this.module.parentOf(node)
    }
    const isInside = isMember(unwrap(node))
    const writtenInside: Mutation = isInside ? 'written' : 'none'
    const sharedWhole: Mutation = isInside ? 'none' : 'shared'
    switch (parent?.type) {
      case 'AssignmentExpression':
        return parent.left === node ? writtenInside : sharedWhole
      case 'UpdateExpression':
        return writtenInside
      case 'UnaryExpression':
        return parent.operator === 'delete' ? writtenInside : 'none'
      case 'CallExpression':
      case 'OptionalCallExpression':
        if (parent.callee !== node) return this.#isReading(unwrap(parent.callee)) ? 'none' : sharedWhole
        return isMember(node) && MUTATING_METHODS.has(memberName(node) ?? '') ? 'written' : 'none'
      case 'VariableDeclarator':
        return parent.id.type === 'Identifier' ? sharedWhole : 'none'
      case 'ExportSpecifier':
      case 'ExportDefaultDeclaration':
        return 'exported'
      case 'ArrayPattern':
      case 'AssignmentPattern':
        return 'shared'
      case 'ForOfStatement':
      case 'ForInStatement':
        return parent.left === node ? writtenInside : 'none'
      default:
        return 'none'
    }
  }

  /** Whether a function is known not to change its arguments. */
  #isReading(callee: Node): boolean {
    if (!isMember(callee)) return callee.type === 'Identifier' && /^use[A-Z]/.test(callee.name)
    const name = memberName(callee) ?? ''
    if (['Object', 'Array'].some((global) => this.module.isGlobal(callee.object, global)))
      return READING_STATICS.has(name)
    return this.module.isGlobal(callee.object, 'console') || READING_NAME.test(name)
  }
}
