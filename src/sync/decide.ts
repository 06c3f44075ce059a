/** Who wins, text by text. Pure. */
import { textOrGap } from '../catalog/text-id.ts'

/**
 * - `equal`: both sides agree; what they have becomes the base.
 * - `take-ours`: only the file changed, or only it has a text.
 * - `take-theirs`: only the service changed, or only it has a text.
 * - `conflict`: both changed, or differ with no base: nothing may be overwritten.
 * - `gone-ours`: the file has it no longer. Deletions never travel, and the service's text does not come back by itself.
 * - `gone-theirs`: the service has it no longer, the file has it unchanged. It stays in the file and is not sent again.
 */
export type Decision = 'equal' | 'take-ours' | 'take-theirs' | 'conflict' | 'gone-ours' | 'gone-theirs'

export interface Sides {
  /** What both sides last agreed on; `undefined`: nothing yet. */
  readonly base: string | undefined
  /** The file's text. Absent and empty are the same: a gap. */
  readonly ours: string | undefined
  /** The service's text; a gap likewise. */
  readonly theirs: string | undefined
}

export function decide(sides: Sides): Decision {
  const base = textOrGap(sides.base)
  const ours = textOrGap(sides.ours)
  const theirs = textOrGap(sides.theirs)
  if (ours === theirs) return 'equal'
  if (base === undefined) {
    if (ours === undefined) return 'take-theirs'
    return theirs === undefined ? 'take-ours' : 'conflict'
  }
  // An edit on the service does not bring back what was deleted here: it would undo the deletion unasked.
  if (ours === undefined) return 'gone-ours'
  if (ours === base) return theirs === undefined ? 'gone-theirs' : 'take-theirs'
  return theirs === base ? 'take-ours' : 'conflict'
}
