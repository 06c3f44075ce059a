/** Names, the values that are assigned to them, and their scopes. */
import type { Identifier, JSXIdentifier, Node } from '@babel/types'
import { type FunctionNode, isNullish, isTypeWrapper, type MemberNode, staticName } from './tree.ts'

/**
 * One step into a value: to a property, any element, any property name (`key`), the remaining properties (`rest`), or a
 * computed property (`unknown`). `member` is the member expression that takes the step. Steps in patterns have none.
 */
export type Access =
  | { readonly kind: 'property'; readonly name: string; readonly member?: MemberNode }
  | { readonly kind: 'element' | 'key' | 'rest' | 'unknown'; readonly member?: MemberNode }

export interface Parameter {
  readonly function: FunctionNode
  readonly index: number
}

type Source =
  | { readonly kind: 'expression'; readonly node: Node }
  | ({ readonly kind: 'parameter' } & Parameter)
  | { readonly kind: 'unknown' }

/** An assigned value: where it comes from, and the access path from there to the value. */
export interface Assignment {
  readonly source: Source
  readonly path: readonly Access[]
}

export const UNKNOWN_ASSIGNMENT: Assignment = { source: { kind: 'unknown' }, path: [] }

export function assignmentOf(node: Node): Assignment {
  return { source: { kind: 'expression', node }, path: [] }
}

/** True if the value is certainly neither `undefined` nor `null`. */
export function isSomething({ source }: Assignment): boolean {
  return source.kind !== 'expression' || !isNullish(source.node)
}

/**
 * Yields the names and members in a pattern. A target with a default value occurs twice: with the assigned value and
 * with the default.
 */
export function* targetsIn(pattern: Node, value: Assignment): Iterable<readonly [Identifier | MemberNode, Assignment]> {
  switch (pattern.type) {
    case 'Identifier':
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      yield [pattern, value]
      break
    case 'AssignmentPattern':
      yield* targetsIn(pattern.left, value)
      yield* targetsIn(pattern.left, assignmentOf(pattern.right))
      break
    case 'RestElement':
      yield* targetsIn(pattern.argument, accessed(value, { kind: 'rest' }))
      break
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        if (property.type === 'RestElement') yield* targetsIn(property, value)
        else yield* targetsIn(property.value, accessed(value, accessTo(staticName(property.key, property.computed))))
      }
      break
    case 'ArrayPattern':
      for (const [index, element] of pattern.elements.entries()) {
        if (element?.type === 'RestElement') yield* targetsIn(element, value)
        else if (element) yield* targetsIn(element, accessed(value, accessTo(String(index))))
      }
      break
    case 'TSParameterProperty':
      yield* targetsIn(pattern.parameter, value)
      break
    default:
      if (isTypeWrapper(pattern)) yield* targetsIn(pattern.expression, value)
  }
}

export function accessOf(member: MemberNode): Access {
  return { ...accessTo(staticName(member.property, member.computed)), member }
}

export function accessTo(name: string | undefined): Access {
  return name === undefined ? { kind: 'unknown' } : { kind: 'property', name }
}

function accessed({ source, path }: Assignment, access: Access): Assignment {
  return { source, path: [...path, access] }
}

/** A name that an import declares. `imported` is the exported name, or `*` for the whole module. */
export interface ImportedName {
  readonly source: string
  readonly imported: string
  /** The importing file. */
  readonly file: string
}

export interface Binding {
  readonly name: string
  readonly assignments: Assignment[]
  readonly references: (Identifier | JSXIdentifier)[]
  import?: ImportedName
  /** True for declarations such as `export const x`. */
  isExported?: boolean
}

export class Scope {
  readonly #bindings = new Map<string, Binding>()

  constructor(
    private readonly parent?: Scope,
    private readonly isFunction = true,
  ) {}

  /** Declares the name, or adds details to its declaration. */
  declare(name: string, details: Partial<Binding> = {}): Binding {
    const binding = this.#bindings.get(name) ?? { name, assignments: [], references: [] }
    this.#bindings.set(name, Object.assign(binding, details))
    return binding
  }

  lookup(name: string): Binding | undefined {
    return this.#bindings.get(name) ?? this.parent?.lookup(name)
  }

  /** The scope to which a `var` declaration belongs. */
  functionScope(): Scope {
    return this.isFunction || !this.parent ? this : this.parent.functionScope()
  }
}
