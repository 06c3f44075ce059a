/** Lexical scopes and the bindings that they declare. */
import type { Identifier, JSXIdentifier } from '@babel/types'
import type { Assignment } from './patterns.ts'

/** `imported` is `*` for the whole module. */
export interface ImportedName {
  readonly source: string
  readonly imported: string
  /** The file that imports it. */
  readonly file: string
}

export interface Binding {
  readonly name: string
  readonly assignments: Assignment[]
  readonly references: (Identifier | JSXIdentifier)[]
  import?: ImportedName
  /** The declaration itself is exported: `export const x`. */
  isExported?: boolean
  /** An `enum`: no code changes the object. */
  isEnum?: boolean
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

  /** The scope that `var` declares in. */
  functionScope(): Scope {
    return this.isFunction || !this.parent ? this : this.parent.functionScope()
  }
}
