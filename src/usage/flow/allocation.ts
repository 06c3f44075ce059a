/**
 * The types for the analysis of objects and arrays: the place that creates an object, the expressions that refer to it,
 * and the known facts about it.
 */
import type { ArrayExpression, Node, ObjectExpression } from '@babel/types'
import type { Access, Assignment } from '../syntax/bindings.ts'
import type { FunctionNode } from '../syntax/tree.ts'
import type { ExportPath } from './holes.ts'
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

/**
 * The code that may write to an object. With `closed`, all writes are known. With `exported`, other modules may
 * write, under these names. With `lost`, any code of the app may write. With `changed`, code that is not analyzed may write.
 */
export type Reach = 'closed' | 'exported' | 'lost' | 'changed'

export interface ObjectState {
  readonly writes: readonly Write[]
  readonly reach: Reach
  readonly exports: readonly (readonly [name: string, path: ExportPath])[]
  /** True if elements may have different indices than in the source. */
  readonly isReordered: boolean
}

/** A way for an imported value to reach code that is not understood. */
export interface Leak {
  readonly path: ExportPath
  readonly reach: 'lost' | 'changed' | 'exported'
  readonly name?: string
}

/** Any element of a list. */
export const ELEMENTS: Access = { kind: 'element' }
/** Any property. */
export const ANY: Access = { kind: 'unknown' }

/** An expression that holds the object at the end of `path`, which begins at the expression's value. */
export interface Held {
  readonly path: readonly Access[]
  /** The steps from an imported value to the held value. */
  readonly read: ExportPath
}

/** The same expression, one step deeper. */
export function under(step: Access, held: Held): Held {
  return { ...held, path: [step, ...held.path] }
}
