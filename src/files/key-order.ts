/** Keeps a sorted file sorted when a key is added. */
import { compareCodeUnits } from '../shared/split.ts'
import { type EditBranch, type EditMember, isBranch } from './formats/edit-tree.ts'

export type NameOrder = (a: string, b: string) => number

/** The minimum number of neighboring keys that prove an order. Fewer may be in order by chance. */
const FEWEST_PAIRS = 5

const ORDERS: readonly NameOrder[] = [
  compareCodeUnits,
  (a, b) => compareCodeUnits(a.toLowerCase(), b.toLowerCase()),
  new Intl.Collator('en').compare,
]

/** Returns the order that all objects in the file follow; `undefined` if there is none. */
export function nameOrderOf(root: EditBranch): NameOrder | undefined {
  const pairs: (readonly [string, string])[] = []
  const pending = [root]
  for (let node = pending.pop(); node; node = pending.pop()) {
    const { kind, members } = node
    for (const [at, { value }] of members.entries()) {
      const next = members[at + 1]
      if (next && kind === 'object') pairs.push([members[at]?.name ?? '', next.name])
      if (isBranch(value)) pending.push(value)
    }
  }
  if (pairs.length < FEWEST_PAIRS) return undefined
  return ORDERS.find((order) => pairs.every(([a, b]) => order(a, b) <= 0))
}

export function insertionIndex(members: readonly EditMember[], name: string, order: NameOrder): number {
  let [from, to] = [0, members.length]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (order(members[middle]?.name ?? '', name) <= 0) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * The index for a new member: after the nearest member that precedes it in the model or, if there is none, before the
 * nearest one that follows it.
 */
export function indexBeside(
  members: readonly EditMember[],
  byName: ReadonlyMap<string, EditMember>,
  name: string,
  model: readonly EditMember[],
): number {
  const at = model.findIndex((member) => member.name === name)
  const indexOf = (other: EditMember | undefined) => {
    const own = other && byName.get(other.name)
    return own ? members.indexOf(own) : -1
  }
  for (let before = at - 1; before >= 0; before--) {
    const index = indexOf(model[before])
    if (index >= 0) return index + 1
  }
  for (let behind = at + 1; at >= 0 && behind < model.length; behind++) {
    const index = indexOf(model[behind])
    if (index >= 0) return index
  }
  return members.length
}
