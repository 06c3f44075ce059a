/** Applies the user's decisions. Each one replaces only the text that the user saw. */
import { type TextRef, textId, textOrGap } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import { groupBy, split } from '../shared/split.ts'
import type { Sides } from './decide.ts'
import type { SyncProject } from './project.ts'
import type { TextRecords } from './records.ts'
import { sendOutbox } from './send.ts'

export interface Resolution {
  readonly ref: TextRef
  readonly side: 'ours' | 'theirs'
  readonly seen: Sides
  /** For `ours`: the user's own text, which replaces the file's text before it is sent. */
  readonly text?: string | undefined
}

/**
 * The outcome of a decision. `changed`: nothing was done, because a side no longer has the text that the user saw.
 * `left`: the decision was not applied, for the given `reason`.
 */
export interface ResolutionOutcome {
  readonly outcome: 'done' | 'changed' | 'left'
  readonly reason?: string
}

/** @param scan processes edits that were saved in the meantime */
export async function resolveConflicts(
  project: SyncProject,
  resolutions: readonly Resolution[],
  scan: () => Promise<void>,
  signal: AbortSignal,
): Promise<readonly ResolutionOutcome[]> {
  const { records } = project
  const outcomes = new Map<string, ResolutionOutcome>()
  const leave = (ref: TextRef, reason: string) => outcomes.set(textId(ref), { outcome: 'left', reason })
  const finish = (ref: TextRef) => outcomes.set(textId(ref), { outcome: 'done' })
  await scan()
  try {
    await readAgain(project, resolutions, signal)
  } catch (error) {
    const reason = messageOf(error)
    return resolutions.map(() => ({ outcome: 'left', reason }))
  }
  const current = resolutions.filter(({ ref, seen }) => isConflict(records, textId(ref), seen))
  const [theirs, ours] = split(current, ({ side }) => side === 'theirs')
  const edits = theirs.map(({ ref, seen }) => ({ ref, text: seen.theirs, expected: seen.ours }))
  const { written, skipped } = await project.write(edits, { signal })
  for (const { ref } of written) finish(ref)
  for (const { edit, reason } of skipped) leave(edit.ref, reason)
  const kept = await writeOwnTexts(project, ours, leave)
  for (const { ref, seen } of kept) await keepOurs(records, textId(ref), seen)
  const { refused, failure } = await sendOutbox(project, {
    signal,
    only: new Set(kept.map(({ ref }) => textId(ref))),
  })
  for (const { ref } of kept) {
    const state = records.get(textId(ref))?.state ?? 'equal'
    if (state === 'equal' || state === 'deleted-here') finish(ref)
    else if (state !== 'conflict') leave(ref, failure === undefined ? 'waiting to be sent' : messageOf(failure))
  }
  for (const { ref, reason } of refused) leave(ref, reason)
  await project.commit()
  return resolutions.map(({ ref }) => outcomes.get(textId(ref)) ?? { outcome: 'changed' })
}

/** Writes the users' own texts into the files. Resolves to the decisions whose text the file now has. */
async function writeOwnTexts(
  project: SyncProject,
  decisions: readonly Resolution[],
  leave: (ref: TextRef, reason: string) => void,
): Promise<readonly Resolution[]> {
  const [edited, others] = split(decisions, ({ text, seen }) => text !== undefined && text !== seen.ours)
  if (edited.length === 0) return others
  const edits = edited.map(({ ref, text, seen }) => ({ ref, text, expected: seen.ours, theirs: seen.theirs ?? '' }))
  const outcomes = await project.edit(edits)
  const written = edited.filter(({ ref }, at) => {
    const { [at]: outcome = 'changed' } = outcomes
    if (outcome !== 'written' && outcome !== 'changed') leave(ref, project.reasonFor(ref, outcome).reason)
    return outcome === 'written'
  })
  return [...others, ...written.map((one) => ({ ...one, seen: { ...one.seen, ours: one.text } }))]
}

export function isConflict(records: TextRecords, id: string, seen: Sides): boolean {
  const record = records.get(id)
  const isSeen = record?.ours === textOrGap(seen.ours) && record?.theirs === textOrGap(seen.theirs)
  return record?.state === 'conflict' && isSeen
}

/** Keeps the file's text. Does nothing if a side no longer has the text that the user saw. */
export async function keepOurs(records: TextRecords, id: string, seen: Sides): Promise<void> {
  const record = records.get(id)
  if (!record || !isConflict(records, id, seen)) return
  const { outbox, push } = records
  const { ref, ours } = record
  records.see(id)
  // If the file has no text, the user chose to leave it deleted. Deletions are never sent.
  if (ours === undefined) outbox.remove(outbox.get(id))
  const written = push && ours !== undefined ? outbox.put([{ ref, text: ours, assumedBase: undefined }]) : undefined
  records.settle([ref])
  await written
}

async function readAgain(
  { records, remote, files }: SyncProject,
  resolutions: readonly Resolution[],
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
