/** Decisions of people: each replaces only what the person was shown. */
import { type TextRef, textId, textOrGap } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import type { SeenValues, TextRecords } from './records.ts'
import type { Remote } from './remote.ts'
import type { SendResult } from './send-round.ts'
import type { FileWrite, FileWriteResult } from './write-files.ts'

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

export interface ResolveContext {
  readonly records: TextRecords
  readonly remote: Remote
  /** Takes in what was saved in files meanwhile. */
  readonly scan: () => Promise<void>
  readonly writeFiles: (writes: readonly FileWrite[]) => Promise<FileWriteResult>
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
  const { records, writeFiles, send, scan } = context
  const outcomes = new Map<string, ResolutionOutcome>()
  const leave = (refs: readonly TextRef[], reason: string) => {
    for (const ref of refs) outcomes.set(textId(ref), { outcome: 'left', reason })
  }
  await scan()
  const refs = resolutions.map(({ ref }) => ref)
  try {
    await readAgain(refs, context)
  } catch (error) {
    leave(refs, messageOf(error))
    return refs.map((ref) => outcomes.get(textId(ref)) ?? { outcome: 'changed' })
  }
  const current = resolutions.filter(({ ref, seen }) => {
    const record = records.get(textId(ref))
    return record?.state === 'conflict' && isSame(record, seen)
  })
  const theirs = current.filter(({ side }) => side === 'theirs')
  const { written, skipped } = await writeFiles(
    theirs.map(({ ref, seen }) => ({ ref, text: seen.theirs, basedOn: seen.ours })),
  )
  for (const { ref } of written) outcomes.set(textId(ref), { outcome: 'done' })
  for (const { writes, reason } of skipped)
    leave(
      writes.map(({ ref }) => ref),
      reason,
    )
  const ours = current.filter(({ side }) => side === 'ours')
  for (const { ref, seen } of ours) await records.keepOurs(textId(ref), seen)
  const ids = new Set(ours.map(({ ref }) => textId(ref)))
  const { refused, failure } = await send(ids)
  for (const { ref } of ours) {
    const state = records.get(textId(ref))?.state ?? 'equal'
    if (state === 'equal' || state === 'deleted-here') outcomes.set(textId(ref), { outcome: 'done' })
    else if (state !== 'conflict') leave([ref], failure === undefined ? 'it waits to be sent' : messageOf(failure))
  }
  for (const { ref, reason } of refused) leave([ref], reason)
  return refs.map((ref) => outcomes.get(textId(ref)) ?? { outcome: 'changed' })
}

/** What the service has now, by the keys: pages could have shifted. */
async function readAgain(refs: readonly TextRef[], { records, remote, sizeOf, signal }: ResolveContext): Promise<void> {
  const layers = new Map<string, TextRef[]>()
  for (const ref of refs) {
    const id = JSON.stringify([ref.namespace, ref.customer])
    layers.set(id, [...(layers.get(id) ?? []), ref])
  }
  for (const layer of layers.values()) {
    const plan = remote.planRead(layer, { sizeOf })
    const { texts, isWhole } = await plan.read({ signal })
    for (const ref of layer) {
      const found = texts.get(textId(ref))
      if (found || isWhole) records.applyRead(textId(ref), ref, found?.text, found?.modifiedAt)
    }
  }
}

function isSame(now: SeenValues, seen: SeenValues): boolean {
  return textOrGap(now.ours) === textOrGap(seen.ours) && textOrGap(now.theirs) === textOrGap(seen.theirs)
}
