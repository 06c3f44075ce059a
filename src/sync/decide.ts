/**
 * Decides the state of a text from its base and its texts on both sides. `docs/sync.md` has the same rules as a table,
 * and a test compares the two.
 */
import { textOrGap } from '../catalog/text-id.ts'

type Pair = readonly [ours: string, theirs: string]

/**
 * The last known texts of the two sides. A side that no longer has its text has deleted it.
 *
 * - A string: the base, which is the text that both sides had.
 * - `met`: there is no base yet. This is the first pair of different texts that was found.
 * - `gone`: the texts that the sides had before both deleted the text.
 */
export type Common = string | { readonly met: Pair } | { readonly gone: readonly string[] }

/** The file's text and the service's text. A missing text and an empty text are equal. */
export interface Sides {
  readonly ours: string | undefined
  readonly theirs: string | undefined
}

export interface Values extends Sides {
  /** The last text that both sides had; `undefined` if there was none yet. */
  readonly base: string | undefined
}

/**
 * The action for a text.
 *
 * - `base`: the text becomes the base.
 * - `send`: the file's text may be sent to the service.
 * - `write`: the service's text may be written into the file.
 * - `keep`: one side deleted the text. The other side keeps it until the user runs `push --prune`, `pull --prune` or
 * `pull --restore`.
 * - `ask`: the user must decide. Nothing is overwritten.
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

/** The new `Common` after both sides were read. `oursBefore` is the file's previous text. */
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

/** The service's text; `undefined` if `common` does not determine it. */
export function theirsOf(common: Common | undefined): string | undefined {
  if (common === undefined || typeof common === 'string') return common
  return 'met' in common ? common.met[1] : undefined
}

function lastOf(common: Common | undefined): readonly [ours: readonly string[], theirs: readonly string[]] {
  if (common === undefined) return [[], []]
  if (typeof common === 'string') return [[common], [common]]
  return 'met' in common ? [[common.met[0]], [common.met[1]]] : [common.gone, common.gone]
}

function isAmong(text: string | undefined, texts: readonly string[]): boolean {
  return text !== undefined && texts.includes(text)
}
