/**
 * Finds the possible values of an object's property or an array's element: the value in the literal, and values that
 * are assigned later.
 */
import type { ArrayExpression, Node, ObjectExpression } from '@babel/types'
import { groupsByKey } from '../../shared/split.ts'
import type { Access, Assignment } from '../syntax/bindings.ts'
import { NOTHING, propertyName, returnsOf, staticName } from '../syntax/tree.ts'
import type { Objects } from './follow.ts'
import {
  type Allocation,
  ELEMENT,
  ELEMENTS,
  type ObjectState,
  type Question,
  type Search,
  type Write,
} from './search.ts'

type Property = ObjectExpression['properties'][number]
type Assigned = (assignment: Assignment, at: Question, search: Search) => void

export class Properties {
  /** The arrays that method calls create, by call. `#sites` contains the calls by array. */
  readonly #made = new Map<Node, ArrayExpression>()
  readonly #sites = new Map<Node, Node>()
  /** The properties of object literals, by name. Spreads and computed names are listed under `undefined`. */
  readonly #indexes = new Map<ObjectExpression, ReadonlyMap<string | undefined, (readonly [at: number, Property])[]>>()

  constructor(
    private readonly objects: Objects,
    private readonly assigned: Assigned,
  ) {}

  /** The node that creates the object or array. */
  siteOf(node: Node): Node {
    return this.#sites.get(node) ?? node
  }

  stateOf(node: Allocation): ObjectState {
    return this.objects.of(this.siteOf(node))
  }

  readObject(node: ObjectExpression, access: Access, rest: readonly Access[], at: Question, search: Search) {
    if (access.kind === 'unknown' || access.kind === 'rest') return search.stop()
    const state = this.stateOf(node)
    if (access.kind === 'key') return this.#readNames(node, state, at, search)
    const name = access.kind === 'property' ? access.name : undefined
    let found: Question[] = []
    for (const property of name === undefined ? node.properties : this.#propertiesFor(node, name)) {
      const own = propertyName(property)
      // A property replaces all earlier properties that may have the same name.
      if (own !== undefined && own === name) found = []
      if (own === '__proto__') search.stop()
      else if (property.type === 'SpreadElement')
        found.push({ ...at, node: property.argument, path: [access, ...rest] })
      else if (property.type === 'ObjectProperty') found.push({ ...at, node: property.value, path: rest })
      else if (property.kind === 'get')
        found.push(...returnsOf(property).map((each) => ({ ...at, node: each, path: rest })))
      else if (property.kind === 'method') found.push({ ...at, node: property, path: rest })
      else search.stop()
    }
    search.ask(found)
    const isWritten = this.#readWrites(state, name, at, search)
    // An inherited property such as `toString` counts as missing, because it is not a text.
    if (found.length === 0 && !isWritten && access.kind === 'property') search.miss()
  }

  /** The properties that may define the name, in source order. */
  #propertiesFor(node: ObjectExpression, name: string): readonly Property[] {
    const known = this.#indexes.get(node) ?? groupsByKey(node.properties.entries(), ([, each]) => propertyName(each))
    this.#indexes.set(node, known)
    const found = [...new Set([name, undefined, '__proto__'])].flatMap((each) => known.get(each) ?? [])
    return found.sort(([a], [b]) => a - b).map(([, property]) => property)
  }

  readArray(node: ArrayExpression, access: Access, rest: readonly Access[], at: Question, search: Search) {
    const isIndex = access.kind === 'property' && /^\d+$/.test(access.name)
    if (access.kind !== 'element' && !isIndex) return search.stop()
    const state = this.stateOf(node)
    const hasSpread = node.elements.some((element) => element?.type === 'SpreadElement')
    // In an array that a method such as `map` returned, the index of each element is unknown.
    const isMoved = hasSpread || this.#sites.has(node) || state.writes.length > 0
    const elements = isIndex && !isMoved ? [node.elements[Number(access.name)]] : node.elements
    search.ask(
      elements.map((element) => {
        if (element?.type === 'SpreadElement') return { ...at, node: element.argument, path: [ELEMENTS, ...rest] }
        return { ...at, node: element ?? NOTHING, path: rest }
      }),
    )
    this.#readWrites(state, ELEMENT, at, search)
  }

  /** Reads the values that code assigns to elements of the array that this call returns. */
  readElementWrites(call: Node, at: Question, search: Search) {
    this.#readWrites(this.objects.of(call), ELEMENT, at, search)
  }

  /** @returns true if any write may have set the property */
  #readWrites({ writes, isOpen }: ObjectState, name: string | undefined, at: Question, search: Search): boolean {
    if (isOpen) search.stop()
    const isAbout = ({ names }: Write) =>
      !names || name === undefined || names.some((each) => each === name || (name === ELEMENT && /^\d+$/.test(each)))
    const own = writes.filter(isAbout)
    for (const { from, isCopy } of own) this.assigned(from, isCopy ? at : { ...at, path: at.path.slice(1) }, search)
    return own.length > 0
  }

  /** Reads the property names of an object, as `Object.keys` does. */
  #readNames(node: ObjectExpression, { writes, isOpen }: ObjectState, at: Question, search: Search) {
    const written = writes.map(({ names, isCopy }) => (isCopy ? undefined : names))
    const own = node.properties.map((property) =>
      property.type === 'ObjectProperty' ? staticName(property.key, property.computed) : undefined,
    )
    if (isOpen || written.includes(undefined) || own.includes(undefined)) return search.stop()
    for (const value of [...own, ...written.flat()])
      search.end({ ...at, node: { type: 'StringLiteral', value } as Node, path: [] })
  }

  /** An array with the elements of all these lists, in an unknown order. */
  listOf(site: Node, lists: readonly Node[]): ArrayExpression {
    return this.arrayOf(
      site,
      lists.map((argument) => ({ type: 'SpreadElement', argument }) as Node),
    )
  }

  arrayOf(site: Node, elements: readonly Node[]): ArrayExpression {
    const known = this.#made.get(site) ?? ({ type: 'ArrayExpression', elements } as ArrayExpression)
    this.#made.set(site, known)
    this.#sites.set(known, site)
    return known
  }
}
