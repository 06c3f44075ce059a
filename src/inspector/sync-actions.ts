/** The user's actions on texts between files and service. */
import { showText } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import type { WriteOutcome } from '../files/file-index.ts'
import type { SyncEngine } from '../sync/engine.ts'
import { type ActionAnswer, actionAnswer } from './protocol.ts'
import type { ConfirmRequest, HeldRefs, ResolveRequest } from './requests.ts'
import type { SeenText } from './service-texts.ts'

const CHANGED = 'someone changed it in the meantime. Reload and try again'
const REASONS: Readonly<Record<WriteOutcome, string | undefined>> = {
  written: undefined,
  changed: CHANGED,
  broken: 'its file cannot be read. Fix the file first',
  unmatched: 'no pattern of the option files matches it',
  unnameable: 'its file name would be too long',
}

export async function writeTexts(engine: SyncEngine, edits: Parameters<SyncEngine['edit']>[0]): Promise<ActionAnswer> {
  const outcomes = await engine.edit(edits)
  return actionAnswer(
    edits,
    outcomes.map((outcome) => REASONS[outcome]),
  )
}

/** Removes texts from their files. They stay on the service: deletions are never sent. */
export async function removeTexts(engine: SyncEngine, texts: readonly SeenText[]) {
  const outcomes = await engine.edit(texts.map(({ ref, text }) => ({ ref, text: undefined, expected: text })))
  const reasons = outcomes.map((outcome) => REASONS[outcome])
  return { ...actionAnswer(texts, reasons), left: texts.filter((_, at) => reasons[at] !== undefined) }
}

export async function resolveConflicts(engine: SyncEngine, { conflicts, side }: ResolveRequest): Promise<ActionAnswer> {
  const seen = conflicts.map(({ ref, ours, theirs }) => ({ ref, side, seen: { ours, theirs } }))
  const reasons = (await engine.resolve(seen)).map(({ outcome, reason = '' }) => {
    return { done: undefined, changed: CHANGED, left: reason }[outcome]
  })
  return actionAnswer(conflicts, reasons)
}

/** Marks a stale translation as up to date. */
export async function confirm(engine: SyncEngine, text: ConfirmRequest): Promise<ActionAnswer> {
  const changed = await engine.confirmStale([text])
  return actionAnswer([text], [changed.length > 0 ? CHANGED : undefined])
}

/** Accepts held texts for sending. */
export async function release(engine: SyncEngine, refs: HeldRefs): Promise<ActionAnswer> {
  return { done: await engine.release(refs === 'all' ? undefined : refs), problems: [] }
}

/** Overwrites held texts in the files with the service's texts. */
export async function drop(engine: SyncEngine, refs: HeldRefs): Promise<ActionAnswer> {
  const wanted = refs === 'all' ? undefined : new Set(refs.map(showText))
  const holds = engine.status().holds.filter(({ ref }) => wanted?.has(showText(ref)) ?? true)
  const edits = holds.map(({ ref, text }) => ({ ref, text: engine.serviceText(ref).text, expected: text }))
  return writeTexts(engine, edits)
}

/** Sends the outbox now. */
export async function push(engine: SyncEngine): Promise<ActionAnswer> {
  const before = engine.status().outbox.length
  const left = await engine.push()
  const { failure } = engine.status()
  return { done: Math.max(0, before - left), problems: failure === undefined ? [] : [messageOf(failure)] }
}
