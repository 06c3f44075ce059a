/** The user's decisions about texts that differ between files and service. */

import * as z from 'zod'
import { showText } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import type { TextEdit } from '../files/edit.ts'
import type { WriteOutcome } from '../files/file-index.ts'
import type { SyncEngine } from '../sync/engine.ts'
import { get, MOST_REFS, nothing, post, ref } from './endpoint.ts'
import { type ActionAnswer, actionAnswer, CHANGED, type Reasons } from './protocol.ts'
import type { Snapshot } from './snapshot.ts'

/** Each conflict with both texts as the user saw them. */
const resolveRequest = z.strictObject({
  conflicts: z
    .array(z.strictObject({ ref, ours: z.string().optional(), theirs: z.string().optional() }))
    .min(1)
    .max(MOST_REFS),
  side: z.enum(['ours', 'theirs']),
})

/** A stale translation as the user saw it, with the default language's text. */
const confirmRequest = z.strictObject({ ref, text: z.string(), madeFrom: z.string(), source: z.string() })

/** The texts to send. `all` covers every text that is held when the request arrives. */
const heldRequest = z.strictObject({ refs: z.union([z.array(ref).max(MOST_REFS), z.literal('all')]) })
type HeldRefs = z.output<typeof heldRequest>['refs']

export const syncEndpoints = {
  sync: get(nothing, async (project) => syncListsOf(await project.snapshot())),
  resolve: post(resolveRequest, async ({ engine }, request) => resolveConflicts(engine, request)),
  confirm: post(confirmRequest, async ({ engine }, text) => {
    const changed = await engine.confirmStale([text])
    return actionAnswer([text], [changed.length > 0 ? CHANGED : undefined])
  }),
  /** Sends the file's texts instead of holding them back. */
  release: post(heldRequest, async ({ engine }, { refs }) => {
    return { done: await engine.release(refs === 'all' ? undefined : refs), problems: [] }
  }),
  drop: post(heldRequest, async ({ engine }, { refs }) => drop(engine, refs)),
  push: post(nothing, async ({ engine }) => push(engine)),
  refresh: post(nothing, async (project) => {
    await project.refresh()
    return { done: 1, problems: [] }
  }),
}

/** A longer list would not be useful. */
const MOST_ITEMS = 500

function syncListsOf({ conflicts, holds, waiting }: Snapshot) {
  // Conflicts are in the outbox too, but are shown only once.
  const open = waiting.filter(({ parked }) => parked?.kind !== 'conflict')
  return { conflicts: listed(conflicts), holds: listed(holds), waiting: listed(open) }
}

function listed<Item>(items: readonly Item[]) {
  return { total: items.length, items: items.slice(0, MOST_ITEMS) }
}

const REASONS: Readonly<Record<WriteOutcome, string | undefined>> = {
  written: undefined,
  changed: CHANGED,
  broken: 'its file cannot be read. Fix the file first',
  unmatched: 'no pattern in the option "files" matches it',
  unnameable: 'its file name would be too long',
}

/** Writes texts into their files, or removes them. Deletions are never sent to the service. */
export async function writeTexts(engine: SyncEngine, edits: readonly TextEdit[]): Promise<Reasons> {
  const outcomes = await engine.edit(edits)
  return outcomes.map((outcome) => REASONS[outcome])
}

async function resolveConflicts(
  engine: SyncEngine,
  { conflicts, side }: z.output<typeof resolveRequest>,
): Promise<ActionAnswer> {
  const seen = conflicts.map(({ ref, ours, theirs }) => ({ ref, side, seen: { ours, theirs } }))
  const reasons = (await engine.resolve(seen)).map(({ outcome, reason = '' }) => {
    return { done: undefined, changed: CHANGED, left: reason }[outcome]
  })
  return actionAnswer(conflicts, reasons)
}

/** Replaces held texts in the files with the service's texts. */
async function drop(engine: SyncEngine, refs: HeldRefs): Promise<ActionAnswer> {
  const wanted = refs === 'all' ? undefined : new Set(refs.map(showText))
  const holds = engine.status().holds.filter(({ ref }) => wanted?.has(showText(ref)) ?? true)
  const edits = holds.map(({ ref, text }) => ({ ref, text: engine.serviceText(ref).text, expected: text }))
  return actionAnswer(edits, await writeTexts(engine, edits))
}

/** Sends the outbox now. */
async function push(engine: SyncEngine): Promise<ActionAnswer> {
  const before = engine.status().outbox.length
  const left = await engine.push()
  const { failure } = engine.status()
  return { done: Math.max(0, before - left), problems: failure === undefined ? [] : [messageOf(failure)] }
}
