/** The search behind a question to the resolver. */
import type { Node } from '@babel/types'
import type { Access } from '../syntax/patterns.ts'
import { unwrap } from '../syntax/tree.ts'

/** Above this number of alternatives, the value counts as unknown. */
export const MAX_DEFINITIONS = 400
/** The pairs that one question may visit. */
const MAX_VISITED = 2000
/** An expression that reads ever more levels of itself is unknown. */
const MAX_LEVELS = 12

/** An expression, and the properties to read from its value. */
export interface Question {
  readonly node: Node
  readonly path: readonly Access[]
  readonly isExcluded?: boolean | undefined
}

/** Visits each pair of an expression and a path once, in the order of the source. */
export class Search {
  readonly #seen = new Map<Node, Set<string>>()
  readonly #pending: Question[] = []
  readonly #found: Question[] = []
  #isComplete = true
  #visited = 0

  /** @param isStrict an answer that is not complete is of no use */
  constructor(
    private readonly step: (question: Question, search: Search) => void,
    private readonly isStrict: boolean,
  ) {}

  get visited(): number {
    return this.#visited
  }

  run(question: Question): { readonly definitions: readonly Question[]; readonly isComplete: boolean } {
    this.ask([question])
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) {
      if (this.isStrict && !this.#isComplete) break
      if (this.#visited++ > MAX_VISITED || this.#found.length > MAX_DEFINITIONS)
        return { definitions: [], isComplete: false }
      const asked = this.#pending.length
      this.step(next, this)
      // The first of several comes first.
      this.#pending.push(...this.#pending.splice(asked).reverse())
    }
    return { definitions: this.#found, isComplete: this.#isComplete }
  }

  ask(questions: readonly Question[]) {
    for (const { node: given, path, isExcluded } of questions) {
      const node = unwrap(given)
      if (path.length > MAX_LEVELS) this.stop()
      else if (this.#isNew(node, path, isExcluded)) this.#pending.push({ node, path, isExcluded })
    }
  }

  /** The expression is an answer; if properties are still to be read from it, they are unknown. */
  end(question: Question) {
    if (question.path.length > 0) this.stop()
    else this.#found.push(question)
  }

  /** There may be other values. */
  stop() {
    this.#isComplete = false
  }

  #isNew(node: Node, path: readonly Access[], isExcluded = false): boolean {
    const seen = this.#seen.get(node) ?? new Set()
    this.#seen.set(node, seen)
    const id = `${isExcluded} ${path.map((step) => (step.kind === 'property' ? `.${step.name}` : step.kind)).join(' ')}`
    if (seen.has(id)) return false
    seen.add(id)
    return true
  }
}
