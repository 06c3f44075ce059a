/** Decides the state of one text from its three values. `docs/sync.md` has the same table; a test compares both. */
import { textOrGap } from '../catalog/text-id.ts'

/** The file's text and the service's text. An absent and an empty text are the same value. */
export type Pair = readonly [ours: string | undefined, theirs: string | undefined]

/**
 * The last values that both sides had at the same time. A side that has no text now, and had one then, deleted it.
 *
 * - a string, the base: both sides had this text.
 * - `met`: the first two texts that differed while no base was known.
 * - `gone`: both sides have deleted these texts since.
 */
export type Common = string | { readonly met: Pair } | { readonly gone: Pair }

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

export function decide(
  common: Common | undefined,
  given: { readonly ours: string | undefined; readonly theirs: string | undefined },
): TextState {
  const ours = textOrGap(given.ours)
  const theirs = textOrGap(given.theirs)
  if (ours === theirs) return 'equal'
  const [ourLast, theirLast] = lastOf(common)
  if (ours === undefined && theirs === theirLast) return 'deleted-here'
  if (theirs === undefined && ours === ourLast) return 'deleted-there'
  if (baseOf(common) === undefined) {
    const isNew = common === undefined || isGone(common)
    if (isNew && ours === undefined) return 'new-there'
    if (isNew && theirs === undefined) return 'new-here'
    return 'conflict'
  }
  if (theirs === theirLast) return 'edited-here'
  return ours === ourLast ? 'edited-there' : 'conflict'
}

/** The common values after both sides were seen with these texts. */
export function commonAfter(
  before: Common | undefined,
  { ours, theirs }: { readonly ours: string | undefined; readonly theirs: string | undefined },
): Common | undefined {
  const [mine, other] = [textOrGap(ours), textOrGap(theirs)]
  if (mine === other) {
    if (mine !== undefined || before === undefined) return mine
    return isGone(before) ? before : { gone: lastOf(before) }
  }
  // One side may be without its text only for now: then what both had stays.
  const haveMet = mine !== undefined && other !== undefined
  return haveMet && (before === undefined || isGone(before)) ? { met: [mine, other] } : before
}

export function baseOf(common: Common | undefined): string | undefined {
  return typeof common === 'string' ? textOrGap(common) : undefined
}

/** The service's text, as far as it follows from the common values. */
export function theirsOf(common: Common | undefined): string | undefined {
  return common === undefined || isGone(common) ? undefined : lastOf(common)[1]
}

function isGone(common: Common): common is { readonly gone: Pair } {
  return typeof common !== 'string' && 'gone' in common
}

function lastOf(common: Common | undefined): Pair {
  if (common === undefined) return [undefined, undefined]
  if (typeof common === 'string') return [textOrGap(common), textOrGap(common)]
  return 'gone' in common ? common.gone : common.met
}
