/** Decides the state of one text from its three values. `docs/sync.md` has the same table; a test compares both. */
import { textOrGap } from '../catalog/text-id.ts'

export interface Values {
  /** The text that both sides last had in common; `undefined`: none yet. */
  readonly base: string | undefined
  /** The file's text. An absent and an empty text are the same value. */
  readonly ours: string | undefined
  /** The service's text, likewise. */
  readonly theirs: string | undefined
}

/**
 * - `base`: the text becomes the base.
 * - `send`: the file's text may go to the service.
 * - `write`: the service's text may go into the file.
 * - `keep`: a deletion stays on its side until somebody asks for more (`push --prune`, `pull --prune`, `pull
 * --restore`).
 * - `ask`: a person decides; nothing is overwritten.
 */
export type Action = 'base' | 'send' | 'write' | 'keep' | 'ask'

export const ACTIONS = {
  equal: 'base',
  'new-here': 'send',
  'new-there': 'write',
  'edited-here': 'send',
  'edited-there': 'write',
  'deleted-here': 'keep',
  'deleted-there': 'keep',
  conflict: 'ask',
} as const satisfies Record<string, Action>
export type TextState = keyof typeof ACTIONS

export function decide(values: Values): TextState {
  const base = textOrGap(values.base)
  const ours = textOrGap(values.ours)
  const theirs = textOrGap(values.theirs)
  if (ours === theirs) return 'equal'
  if (base === undefined) {
    if (ours === undefined) return 'new-there'
    return theirs === undefined ? 'new-here' : 'conflict'
  }
  if (theirs === base) return ours === undefined ? 'deleted-here' : 'edited-here'
  if (ours === base) return theirs === undefined ? 'deleted-there' : 'edited-there'
  return 'conflict'
}
