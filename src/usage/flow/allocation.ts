/**
 * The types for the analysis of objects and arrays, and the paths from an expression to an object that its value holds.
 */
import type { ArrayExpression, Node, ObjectExpression } from '@babel/types'
import type { Access, Assignment } from '../syntax/bindings.ts'
import type { FunctionNode } from '../syntax/tree.ts'
import type { Root } from './search.ts'

export type Allocation = ObjectExpression | ArrayExpression

export function isAllocation(node: Node): node is Allocation {
  return node.type === 'ObjectExpression' || node.type === 'ArrayExpression'
}

/** The questions about expressions that the analysis asks. */
export interface Resolver {
  /** The functions; `undefined` if the value may also be something else. */
  functionsIn(node: Node): readonly FunctionNode[] | undefined
  allocationsIn(node: Node): readonly Allocation[] | undefined
  namesIn(property: Node): readonly string[] | undefined
  rootsOf(node: Node): readonly Root[]
}

export interface Write {
  /** The properties that the write may set; `undefined` if it may set any. */
  readonly names: readonly string[] | undefined
  readonly from: Assignment
  /** True if `from` is an object whose properties are copied. */
  readonly isCopy?: boolean
}

/** The writes to an object. If it is open, code that is not followed may write more. */
export interface ObjectState {
  readonly writes: readonly Write[]
  readonly isOpen: boolean
}

/** The name for every element of an array in writes. */
export const ELEMENT = '[]'
/** Any element of a list. */
export const ELEMENTS: Access = { kind: 'element' }
/** Any property. */
export const ANY: Access = { kind: 'unknown' }

/** The steps from an expression's value to the followed object. */
export type Path = readonly Access[]

/** The path that remains after one step, or `undefined` if the step leads elsewhere. */
export function inner([first, ...rest]: Path, step: Access): Path | undefined {
  return first && mayBeSame(first, step) ? rest : undefined
}

/** The path in a copy of the value, which holds the same objects. */
export function copied(path: Path): Path | undefined {
  return path.length > 0 ? path : undefined
}

/** The path in an array with the same elements. */
export function elements(path: Path): Path | undefined {
  const rest = inner(path, ELEMENTS)
  return rest && [ELEMENTS, ...rest]
}

/** True if both steps may lead to the same property. */
function mayBeSame(one: Access, other: Access): boolean {
  if (one.kind === 'property' && other.kind === 'property') return one.name === other.name
  const name = one.kind === 'property' ? one.name : other.kind === 'property' ? other.name : undefined
  const isElement = one.kind === 'element' || other.kind === 'element'
  return name === undefined || !isElement || /^\d+$/.test(name)
}
