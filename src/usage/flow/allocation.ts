/** Types for the analysis of objects and arrays, and functions for paths to an object inside an expression's value. */
import type { ArrayExpression, Node, ObjectExpression } from '@babel/types'
import type { Access, Assignment } from '../syntax/bindings.ts'
import type { FunctionNode } from '../syntax/tree.ts'
import type { Root } from './search.ts'

export type Allocation = ObjectExpression | ArrayExpression

export function isAllocation(node: Node): node is Allocation {
  return node.type === 'ObjectExpression' || node.type === 'ArrayExpression'
}

export interface Resolver {
  /** The functions that the expression may evaluate to; `undefined` if other values are possible. */
  functionsIn(node: Node): readonly FunctionNode[] | undefined
  allocationsIn(node: Node): readonly Allocation[] | undefined
  namesIn(property: Node): readonly string[] | undefined
  rootsOf(node: Node): readonly Root[]
}

export interface Write {
  /** The names of the properties that may be set; `undefined` if any property may be. */
  readonly names: readonly string[] | undefined
  readonly from: Assignment
  /** True if the properties of `from` are copied. */
  readonly isCopy?: boolean
}

/** The writes to an object. An open object may also be changed by code that is not followed. */
export interface ObjectState {
  readonly writes: readonly Write[]
  readonly isOpen: boolean
}

/** The property name for writes to any element of an array. */
export const ELEMENT = '[]'
export const ELEMENTS: Access = { kind: 'element' }
export const ANY: Access = { kind: 'unknown' }

/** The steps from an expression's value to the object being followed. */
export type Path = readonly Access[]

/** The rest of the path after one step; `undefined` if the step leads elsewhere. */
export function inner([first, ...rest]: Path, step: Access): Path | undefined {
  return first && mayBeSame(first, step) ? rest : undefined
}

/**
 * The object's path in a shallow copy of the value. `undefined` if the path is empty, because the copied object itself
 * is not in the copy.
 */
export function copied(path: Path): Path | undefined {
  return path.length > 0 ? path : undefined
}

/** The object's path in a new array with the same elements. */
export function elements(path: Path): Path | undefined {
  const rest = inner(path, ELEMENTS)
  return rest && [ELEMENTS, ...rest]
}

function mayBeSame(one: Access, other: Access): boolean {
  if (one.kind === 'property' && other.kind === 'property') return one.name === other.name
  const name = one.kind === 'property' ? one.name : other.kind === 'property' ? other.name : undefined
  const isElement = one.kind === 'element' || other.kind === 'element'
  return name === undefined || !isElement || /^\d+$/.test(name)
}
