/** Decisions of people: each replaces only what the person was shown. */
import { type TextRef, textId, textOrGap } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import type { TextEdit } from '../files/edit.ts'
import { groupBy, split } from '../shared/split.ts'
import type { SeenValues, TextRecords } from './records.ts'
import type { Remote } from './remote.ts'
import type { SendResult } from './send-round.ts'
import type { FileWriteResult } from './write-files.ts'

export interface Resolution {
  readonly ref: TextRef
  readonly side: 'ours' | 'theirs'
  readonly seen: SeenValues
}

/**
 * - `done`: both sides have the text that was decided for.
 * - `changed`: a side is not what the person saw; nothing was done.
 * - `left`: it could not be carried out, for the reason given.
 */
export interface ResolutionOutcome {
  readonly outcome: 'done' | 'changed' | 'left'
  readonly reason?: string
}

const CHANGED: ResolutionOutcome = { outcome: 'changed' }

export interface ResolveContext {
  readonly records: TextRecords
  readonly remote: Remote
  /** Takes in what was saved in files meanwhile. */
  readonly scan: () => Promise<void>
  readonly write: (edits: readonly TextEdit[]) => Promise<FileWriteResult>
  /** Sends these texts of the outbox. */
  readonly send: (ids: ReadonlySet<string>) => Promise<SendResult>
  readonly sizeOf: (part: { readonly language: string; readonly namespace: string }) => number
  readonly signal: AbortSignal
}

/** One outcome for each resolution, in their order. */
export async function resolveConflicts(
  resolutions: readonly Resolution[],
  context: ResolveContext,
): Promise<readonly ResolutionOutcome[]> {
  const { records, write, send, scan } = context
  const outcomes = new Map<string, ResolutionOutcome>()
  const leave = (ref: TextRef, reason: string) => outcomes.set(textId(ref), { outcome: 'left', reason })
  const result = () => resolutions.map(({ ref }) => outcomes.get(textId(ref)) ?? CHANGED)
  await scan()
  try {
    await readAgain(
      resolutions.map(({ ref }) => ref),
      context,
    )
  } catch (error) {
    for (const { ref } of resolutions) leave(ref, messageOf(error))
    return result()
  }
  const current = resolutions.filter(({ ref, seen }) => {
    const record = records.get(textId(ref))
    return record?.state === 'conflict' && isSame(record, seen)
  })
  const [theirs, ours] = split(current, ({ side }) => side === 'theirs')
  const { written, skipped } = await write(
    theirs.map(({ ref, seen }) => ({ ref, text: seen.theirs, expected: seen.ours })),
  )
  for (const { ref } of written) outcomes.set(textId(ref), { outcome: 'done' })
  for (const { edit, reason } of skipped) leave(edit.ref, reason)
  for (const { ref, seen } of ours) await records.keepOurs(textId(ref), seen)
  const { refused, failure } = await send(new Set(ours.map(({ ref }) => textId(ref))))
  for (const { ref } of ours) {
    const state = records.get(textId(ref))?.state ?? 'equal'
    if (state === 'equal' || state === 'deleted-here') outcomes.set(textId(ref), { outcome: 'done' })
    else if (state !== 'conflict') leave(ref, failure === undefined ? 'it waits to be sent' : messageOf(failure))
  }
  for (const { ref, reason } of refused) leave(ref, reason)
  return result()
}

/** What the service has now, by the keys: pages could have shifted. */
async function readAgain(refs: readonly TextRef[], { records, remote, sizeOf, signal }: ResolveContext): Promise<void> {
  for (const layer of groupBy(refs, ({ namespace, customer }) => JSON.stringify([namespace, customer]))) {
    const { texts, isWhole } = await remote.planRead(layer, sizeOf).read({ signal })
    for (const ref of layer) {
      const found = texts.get(textId(ref))
      if (found || isWhole) records.applyRead(textId(ref), ref, found?.text, found?.modifiedAt)
    }
  }
}

function isSame(now: SeenValues, seen: SeenValues): boolean {
  return textOrGap(now.ours) === textOrGap(seen.ours) && textOrGap(now.theirs) === textOrGap(seen.theirs)
}
