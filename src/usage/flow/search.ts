/** The search that finds an expression's possible values. */
import type { Node } from '@babel/types'
import type { Access, Binding, Parameter } from '../syntax/bindings.ts'
import { unwrap } from '../syntax/tree.ts'

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
  /** The paths, by object. A single path is stored as a string, because most objects are visited only once. */
  readonly #ids = new Map<object, string | Set<string>>()

  /** Returns false if the object was already visited at this path. */
  add(object: object, path: readonly Access[]): boolean {
    let id = ''
    for (const step of path) id += step.kind === 'property' ? `.${step.name}\0` : `${step.kind}\0`
    const known = this.#ids.get(object)
    if (known === undefined) this.#ids.set(object, id)
    else if (typeof known !== 'string') return known.size < known.add(id).size
    else if (known === id) return false
    else this.#ids.set(object, new Set([known, id]))
    return true
  }
}
