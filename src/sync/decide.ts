/** Decides the state of one text from its three values. `docs/sync.md` has the same table, and a test compares both. */
import { textOrGap } from '../catalog/text-id.ts'

/** The file's text and the service's text. */
type Pair = readonly [ours: string, theirs: string]

/**
 * The last texts that both sides had at the same time. If a side has no text now but had one then, it deleted the text.
 *
 * - a string, the base: both sides had this text.
 * - `met`: the first two texts that differed while no base was known.
 * - `gone`: both sides have deleted these texts since then.
 */
export type Common = string | { readonly met: Pair } | { readonly gone: readonly string[] }

/** The file's text and the service's text. An absent and an empty text are the same value. */
export interface Sides {
  readonly ours: string | undefined
  readonly theirs: string | undefined
}

export interface Values extends Sides {
  /** The text that both sides last had in common; `undefined` if there was none yet. */
  readonly base: string | undefined
}

/**
 * The effect of a decision.
 *
 * - `base`: the text becomes the base.
 * - `send`: the file's text may go to the service.
 * - `write`: the service's text may go into the file.
 * - `keep`: a deletion is not repeated on the other side until the user requests it (`push --prune`, `pull --prune`,
 * `pull --restore`).
 * - `ask`: a person decides. Nothing is overwritten.
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

export function decide(common: Common | undefined, sides: Sides): TextState {
  const ours = textOrGap(sides.ours)
  const theirs = textOrGap(sides.theirs)
  if (ours === theirs) return 'equal'
  const [ourLast, theirLast] = lastOf(common)
  if (ours === undefined && isAmong(theirs, theirLast)) return 'deleted-here'
  if (theirs === undefined && isAmong(ours, ourLast)) return 'deleted-there'
  if (typeof common === 'string') {
    if (theirs === common) return 'edited-here'
    return ours === common ? 'edited-there' : 'conflict'
  }
  if (common !== undefined && 'met' in common) return 'conflict'
  if (ours === undefined) return 'new-there'
  return theirs === undefined ? 'new-here' : 'conflict'
}

/** The common texts after a reading of both sides. `oursBefore` is the file's previous text. */
export function commonAfter(before: Common | undefined, sides: Sides, oursBefore?: string): Common | undefined {
  const ours = textOrGap(sides.ours)
  const theirs = textOrGap(sides.theirs)
  if (ours !== undefined && ours === theirs) return ours
  const isKnown = before !== undefined && (typeof before === 'string' || 'met' in before)
  if (ours !== undefined && theirs !== undefined) return isKnown ? before : { met: [ours, theirs] }
  if (ours !== undefined || theirs !== undefined || !isKnown) return before
  return { gone: [...new Set([...lastOf(before).flat(), ...(oursBefore ? [oursBefore] : [])])] }
}

export function baseOf(common: Common | undefined): string | undefined {
  return typeof common === 'string' ? common : undefined
}

/** The service's text, if the common texts determine it. */
export function theirsOf(common: Common | undefined): string | undefined {
  if (common === undefined || typeof common === 'string') return common
  return 'met' in common ? common.met[1] : undefined
}

/** The texts of the file and of the service that are already known. */
function lastOf(common: Common | undefined): readonly [ours: readonly string[], theirs: readonly string[]] {
  if (common === undefined) return [[], []]
  if (typeof common === 'string') return [[common], [common]]
  return 'met' in common ? [[common.met[0]], [common.met[1]]] : [common.gone, common.gone]
}

function isAmong(text: string | undefined, texts: readonly string[]): boolean {
  return text !== undefined && texts.includes(text)
}
