/** What is known about each object and array: what is written to it, and who else may write. */
import type { Node } from '@babel/types'
import type { Module } from '../syntax/module.ts'
import type { Binding } from '../syntax/scope.ts'
import type { Leak, ObjectState, Resolver } from './allocation.ts'
import { Follower } from './follow.ts'
import { type KnownLibraries, Packages } from './packages.ts'

const CLOSED: ObjectState = { writes: [], reach: 'closed', exports: [], isReordered: false }
const CHANGED: ObjectState = { writes: [], reach: 'changed', exports: [], isReordered: true }
const MAX_NESTED = 40
/** Steps for one object, and for all objects of a module: generated code may have thousands that lead to each other. */
const MAX_STEPS = 3000
const MAX_MODULE_STEPS = 400_000

export class Objects {
  readonly #known = new Map<Node, ObjectState>()
  readonly #packages: Packages
  #nested = 0
  #steps = 0

  constructor(
    private readonly module: Module,
    private readonly resolver: Resolver,
    libraries: KnownLibraries | undefined,
  ) {
    this.#packages = new Packages(module, libraries)
  }

  /** @param site where the object is made */
  of(site: Node): ObjectState {
    const known = this.#known.get(site)
    if (known) return known
    if (!this.module.parentOf(site)) return CLOSED
    if (this.#nested > MAX_NESTED || this.#steps > MAX_MODULE_STEPS) return CHANGED
    // A question about an object that is being followed has no answer yet.
    this.#known.set(site, CHANGED)
    this.#nested++
    const follower = this.#follow(false, (each) => each.start(site))
    this.#nested--
    const state = { ...follower, reach: follower.reach }
    this.#known.set(site, state)
    return state
  }

  /** How an imported value, or what is in it, leaves the code that is understood. */
  leaksOf(binding: Binding): readonly Leak[] {
    if (this.#steps > MAX_MODULE_STEPS) return [{ path: [], reach: 'changed' }]
    return this.#follow(true, (each) => each.startAt(binding)).leaks
  }

  #follow(isImported: boolean, start: (follower: Follower) => void): Follower {
    const follower = new Follower(this.module, this.resolver, this.#packages, isImported, MAX_STEPS)
    start(follower)
    this.#steps += follower.steps
    return follower
  }
}
