/**
 * The objects and arrays that the code creates, with the values that are written to them, and the code that may write
 * more.
 */
import type { Node } from '@babel/types'
import type { Binding } from '../syntax/bindings.ts'
import type { Module } from '../syntax/module.ts'
import type { Leak, ObjectState, Resolver } from './allocation.ts'
import { Follower } from './follow.ts'
import type { KnownCode } from './known-code.ts'

const CLOSED: ObjectState = { writes: [], reach: 'closed', exports: [], isReordered: false }
const CHANGED: ObjectState = { writes: [], reach: 'changed', exports: [], isReordered: true }
const MAX_NESTED = 40
/**
 * The maximum number of steps for one object. The limit for all objects of a module is separate, because generated code
 * may have thousands of objects that lead to each other.
 */
const MAX_STEPS = 3000
const MAX_MODULE_STEPS = 400_000

export class Objects {
  /** The number of results that were returned before the final result was known. */
  guesses = 0
  readonly #known = new Map<Node, ObjectState>()
  #nested = 0
  #steps = 0

  constructor(
    private readonly module: Module,
    private readonly resolver: Resolver,
    private readonly code: KnownCode,
  ) {}

  /** @param site the place that creates the object */
  of(site: Node): ObjectState {
    const known = this.#known.get(site)
    if (known === CHANGED) this.guesses++
    if (known) return known
    if (!this.module.parentOf(site)) return CLOSED
    if (this.#nested > MAX_NESTED || this.#steps > MAX_MODULE_STEPS) {
      this.guesses++
      return CHANGED
    }
    // While an object is followed, lookups of it return the most careful result.
    this.#known.set(site, CHANGED)
    this.#nested++
    const { writes, reach, exports, isReordered } = this.#follow(false, (each) => each.start(site))
    this.#nested--
    const state = { writes, reach, exports, isReordered }
    this.#known.set(site, state)
    return state
  }

  /** The ways for an imported value, or a part of it, to reach code that is not understood. */
  leaksOf(binding: Binding): readonly Leak[] {
    if (this.#steps > MAX_MODULE_STEPS) return [{ path: [], reach: 'changed' }]
    return this.#follow(true, (each) => each.startAt(binding)).leaks
  }

  #follow(isImported: boolean, start: (follower: Follower) => void): Follower {
    const follower = new Follower(this.module, this.resolver, this.code, isImported, MAX_STEPS)
    start(follower)
    this.#steps += follower.steps
    return follower
  }
}
