/** The search for an expression's possible values, and the paths to an object inside a value. */
import type { ArrayExpression, Node, ObjectExpression } from '@babel/types'
import type { Access, Assignment, Binding, Parameter } from '../syntax/bindings.ts'
import { type FunctionNode, unwrap } from '../syntax/tree.ts'

/** The maximum number of possible values. If there are more, the value is unknown. */
export const MAX_DEFINITIONS = 400
/** The maximum number of steps in one search. */
const MAX_VISITED = 2000
/**
 * The maximum number of properties to read from a value. Without this limit, a recursive expression could read ever
 * deeper levels.
 */
const MAX_LEVELS = 12

/** An expression, and the properties to read from its value. */
export interface Question {
  readonly node: Node
  readonly path: readonly Access[]
  /** The names that led to the expression, most recent first, each with the properties that are read from its value. */
  readonly names?: Names | undefined
}

interface Names {
  readonly binding: Binding
  readonly path: readonly Access[]
  readonly before: Names | undefined
}

/** Where a value comes from: an imported name, a parameter, or an expression that is not followed further. */
export interface Root extends Question {
  readonly import?: Binding | undefined
  readonly parameter?: Parameter | undefined
}

/** Visits each pair of an expression and a path once, in source order. */
export class Search {
  readonly roots: Root[] = []
  visited = 0
  readonly #seen = new Visits()
  readonly #pending: Question[] = []
  #found: Node[] = []
  #isComplete = true
  #isMissing = false

  /** @param isAboutNames true to follow only names, without entering calls, objects or callers */
  constructor(
    private readonly step: (question: Question, search: Search) => void,
    readonly isAboutNames = false,
  ) {}

  get nodes(): readonly Node[] {
    return this.#found
  }

  /** True if every possible value was found. */
  get isComplete(): boolean {
    return this.#isComplete && !this.#isMissing
  }

  /** True if every possible value except `undefined` was found, because some object lacks the property that is read. */
  get isMissing(): boolean {
    return this.#isComplete && this.#isMissing
  }

  run(question: Question) {
    this.ask([question])
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) {
      if (this.visited++ > MAX_VISITED || this.#found.length > MAX_DEFINITIONS) {
        this.#found = []
        return this.stop()
      }
      const asked = this.#pending.length
      this.step(next, this)
      // The stack is reversed, so that the search visits the expressions in source order.
      if (this.#pending.length > asked + 1) this.#pending.push(...this.#pending.splice(asked).reverse())
    }
  }

  ask(questions: readonly Question[]) {
    for (const question of questions) {
      const node = unwrap(question.node)
      if (question.path.length > MAX_LEVELS) this.stop()
      else if (this.#seen.add(node, question.path))
        this.#pending.push(node === question.node ? question : { ...question, node })
    }
  }

  /** Adds the expression to the results. If properties have yet to be read from it, their values remain unknown. */
  end(question: Question) {
    if (this.isAboutNames) this.roots.push(question)
    else if (question.path.length === 0) this.#found.push(question.node)
    else if (/^(?:String|Numeric|Boolean)Literal$/.test(question.node.type)) this.miss()
    else this.stop()
  }

  /** Notes that the value comes from code that is not followed. */
  leave(root: Root) {
    this.roots.push(root)
    this.stop()
  }

  /** Notes that the property does not exist, or is inherited and so not a text. */
  miss() {
    this.#isMissing = true
  }

  /** Notes that other values are possible. */
  stop() {
    this.#isComplete = false
  }
}

/** The visited objects, and the paths at which they were visited. */
export class Visits {
  readonly #paths = new Map<object, Set<string>>()

  /** Returns false if the object was already visited at this path. */
  add(object: object, path: readonly Access[]): boolean {
    const known = this.#paths.get(object) ?? new Set()
    this.#paths.set(object, known)
    const { size } = known
    return (
      known.add(path.map((step) => (step.kind === 'property' ? `.${step.name}` : step.kind)).join('\0')).size > size
    )
  }
}

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
