/** Decisions of people: each replaces only what the person was shown. */
import { type TextRef, textId } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import type { TextEdit } from '../files/edit.ts'
import { groupBy, split } from '../shared/split.ts'
import type { FileWriteResult, SyncContext } from './context.ts'
import type { SeenValues } from './records.ts'
import type { SendResult } from './send-round.ts'

export interface Resolution {
  readonly ref: TextRef
  readonly side: 'ours' | 'theirs'
  readonly seen: SeenValues
}

/** `changed`: a side is not what the person saw; nothing was done. `left`: not carried out, for the reason given. */
export interface ResolutionOutcome {
  readonly outcome: 'done' | 'changed' | 'left'
  readonly reason?: string
}

export interface ResolveSteps {
  readonly signal: AbortSignal
  readonly scan: () => Promise<void>
  readonly write: (edits: readonly TextEdit[]) => Promise<FileWriteResult>
  readonly send: (ids: ReadonlySet<string>) => Promise<SendResult>
}

export async function resolveConflicts(
  resolutions: readonly Resolution[],
  context: SyncContext,
  { signal, scan, write, send }: ResolveSteps,
): Promise<readonly ResolutionOutcome[]> {
  const { records } = context
  const outcomes = new Map<string, ResolutionOutcome>()
  const leave = (ref: TextRef, reason: string) => outcomes.set(textId(ref), { outcome: 'left', reason })
  const finish = (ref: TextRef) => outcomes.set(textId(ref), { outcome: 'done' })
  await scan()
  try {
    await readAgain(resolutions, context, signal)
  } catch (error) {
    const reason = messageOf(error)
    return resolutions.map(() => ({ outcome: 'left', reason }))
  }
  const current = resolutions.filter(({ ref, seen }) => records.isConflict(textId(ref), seen))
  const [theirs, ours] = split(current, ({ side }) => side === 'theirs')
  const edits = theirs.map(({ ref, seen }) => ({ ref, text: seen.theirs, expected: seen.ours }))
  const { written, skipped } = await write(edits)
  for (const { ref } of written) finish(ref)
  for (const { edit, reason } of skipped) leave(edit.ref, reason)
  for (const { ref, seen } of ours) await records.keepOurs(textId(ref), seen)
  const { refused, failure } = await send(new Set(ours.map(({ ref }) => textId(ref))))
  for (const { ref } of ours) {
    const state = records.get(textId(ref))?.state ?? 'equal'
    if (state === 'equal' || state === 'deleted-here') finish(ref)
    else if (state !== 'conflict') leave(ref, failure === undefined ? 'it waits to be sent' : messageOf(failure))
  }
  for (const { ref, reason } of refused) leave(ref, reason)
  return resolutions.map(({ ref }) => outcomes.get(textId(ref)) ?? { outcome: 'changed' })
}

async function readAgain(
  resolutions: readonly Resolution[],
  { records, remote, files }: SyncContext,
  signal: AbortSignal,
): Promise<void> {
  const refs = resolutions.map(({ ref }) => ref)
  for (const layer of groupBy(refs, ({ namespace, customer }) => JSON.stringify([namespace, customer]))) {
    const { texts, isWhole } = await remote.planRead(layer, files.seen.size).read({ signal })
    for (const ref of layer) {
      const found = texts.get(textId(ref))
      if (found || isWhole) records.applyRead(ref, found?.text, found?.modifiedAt)
    }
  }
}
