/**
 * Sends many texts with few requests: an import for each batch of one language, namespace and customer. What an import cannot do safely is
 * left for the batches of single texts.
 */
import { partId, type TextRef } from '../catalog/text-id.ts'
import { LocalizationError } from '../errors.ts'
import { split } from '../shared/split.ts'
import { failureOf } from './failure.ts'
import type { OutboxEntry } from './outbox.ts'
import type { BatchCall } from './remote.ts'
import type { SendRound } from './send-round.ts'

export interface ImportOptions {
  /** Only white space changed: an import would reset the review. */
  readonly isSpaceOnly: (entry: OutboxEntry) => boolean
  /** An import makes the keys that do not exist. */
  readonly mayCreate: boolean
}

const MOST_TEXTS = 500
/** In imports that carry what they expect, and so rely on no reading. */
const MOST_CONDITIONAL = 2_000
/** So often texts that changed meanwhile are read and imported again. */
const MOST_TRIES = 3
const FEWEST_TEXTS = 20
/** An upload is the time between a reading and the last write that relies on it. A service that takes longer gets fewer texts at once. */
const LONGEST_UPLOAD_MS = 250

/** Gives the texts that are to be sent one by one. */
export async function sendByImport(
  round: SendRound,
  queue: readonly OutboxEntry[],
  { isSpaceOnly, mayCreate }: ImportOptions,
): Promise<OutboxEntry[]> {
  const { records, outbox, remote, config } = round.context
  const [single, many] = split(
    queue,
    (entry) => !records.mayTravel(entry) || isSpaceOnly(entry) || (!mayCreate && isNew(entry)),
  )
  const left = [...single]
  /** Which of the names that an import may carry are known to be understood. */
  const proven = new Set<string>()
  let most = MOST_TEXTS
  let done = 0

  function isNew({ id }: OutboxEntry): boolean {
    return records.theirs(id) === undefined
  }
  // The contract's import names neither a namespace nor a customer: a service that does not know them puts the texts elsewhere.
  const namesOf = ({ namespace, customer }: TextRef) =>
    `${namespace === config.defaultNamespace ? '' : 'namespace '}${customer === undefined ? '' : 'customer'}`
  const isProven = (ref: TextRef) => remote.isConditional || namesOf(ref) === '' || proven.has(namesOf(ref))

  const upload = async (entries: readonly OutboxEntry[], replace: boolean, call: BatchCall, isConditional = false) => {
    const [first] = entries as [OutboxEntry]
    const { key: _, ...part } = first.ref
    const texts = new Map(entries.map(({ ref, text }) => [ref.key, text]))
    const expected = new Map<string, string>()
    for (const { id, ref } of isConditional ? entries : []) {
      const theirs = records.theirs(id)
      if (theirs !== undefined) expected.set(ref.key, theirs)
    }
    const startedAt = performance.now()
    for (const { id } of entries) records.sending(id)
    try {
      await remote.upload({ part, texts, replace, ...(isConditional && { expected }) }, call)
    } finally {
      for (const { id } of entries) records.sent(id)
      const tookMs = performance.now() - startedAt
      if (tookMs > LONGEST_UPLOAD_MS) most = Math.max(FEWEST_TEXTS, Math.floor(most / 2))
      else if (tookMs < LONGEST_UPLOAD_MS / 2) most = Math.min(MOST_TEXTS, most * 2)
    }
  }

  /** New texts: the service takes only those that it does not have, so they are read behind the import. */
  const sendNew = async (entries: readonly OutboxEntry[], call: BatchCall) => {
    await upload(entries, false, call)
    await confirm(entries, call)
  }

  /** Edited texts: read, and replaced as far as they still are what they were. */
  const sendEdited = async (entries: readonly OutboxEntry[], call: BatchCall) => {
    const mark = records.mark()
    const plan = remote.planRead(refsOf(entries), { sizeOf: round.context.sizeOf })
    const { ready, again } = round.decideAgain(entries, await plan.read(call), mark)
    left.push(...again)
    if (ready.length === 0) return
    await upload(ready, true, call)
    if (isProven((ready[0] as OutboxEntry).ref)) await round.acknowledge(ready)
    else await confirm(ready, call)
  }

  const confirm = async (entries: readonly OutboxEntry[], call: BatchCall) => {
    const { sizeOf } = round.context
    const mark = records.mark()
    const read = await remote.planRead(refsOf(entries), { sizeOf }).read(call)
    const [arrived, others] = split(entries, ({ id, text }) => read.texts.get(id)?.text === text)
    await round.acknowledge(arrived)
    const [{ ref }] = entries as [OutboxEntry]
    if (arrived.length > 0) proven.add(namesOf(ref))
    else if (!isProven(ref)) throw notArrived(ref)
    const { ready, again } = round.decideAgain(others, read, mark)
    left.push(...ready, ...again)
  }

  /** Reads what the service has, and gives those that may still be sent: after a failure some may have arrived. */
  const readAgain = async (entries: readonly OutboxEntry[]): Promise<OutboxEntry[]> => {
    const mark = records.mark()
    const plan = remote.planRead(refsOf(entries), { sizeOf: round.context.sizeOf })
    const { ready, again } = round.decideAgain(entries, await plan.read({ signal: round.options.signal }), mark)
    left.push(...again)
    return ready
  }

  const sendChunk = async (entries: readonly OutboxEntry[]) => {
    await outbox.written()
    if (remote.isConditional) {
      await upload(entries, true, { signal: round.callSignal }, true)
      return round.acknowledge(entries)
    }
    const [fresh, edited] = split(entries, isNew)
    for (const [some, send] of [
      [fresh, sendNew],
      [edited, sendEdited],
    ] as const) {
      if (some.length === 0) continue
      const { requests } = remote.planRead(refsOf(some), { sizeOf: round.context.sizeOf })
      const reservation = await remote.reserve(requests + 1, round.options.signal)
      try {
        await send(some, { reservation, signal: round.callSignal })
      } finally {
        reservation.release()
      }
    }
  }

  /** As often as failures pass. What the service does not take as it is goes one by one: one text may be the cause. */
  const sendUntilDone = async (entries: readonly OutboxEntry[]) => {
    let open = entries.filter((entry) => records.mayTravel(entry))
    for (let tries = 1; open.length > 0 && !round.isOver; tries++) {
      try {
        if (tries > 1) open = await readAgain(open)
        if (open.length > 0) await sendChunk(open)
        return
      } catch (error) {
        const kind = failureOf(error)
        if (kind === 'overtaken' && tries < MOST_TRIES) continue
        if (kind === 'refused' || kind === 'missing' || kind === 'overtaken') {
          left.push(...open)
          return
        }
        round.fail(error)
        await round.pause()
      }
    }
  }

  for (const entries of byPart(many)) {
    for (let at = 0; at < entries.length && !round.isOver; ) {
      const [first] = entries as [OutboxEntry]
      const chunk = entries.slice(at, at + (remote.isConditional ? MOST_CONDITIONAL : isProven(first.ref) ? most : 1))
      await sendUntilDone(chunk)
      at += chunk.length
      done += chunk.length
      round.progress(done - (left.length - single.length))
    }
  }
  // What has arrived since, or is in conflict now, may not go.
  return left.filter((entry) => outbox.get(entry.id)?.order === entry.order)
}

function byPart(entries: readonly OutboxEntry[]): Iterable<OutboxEntry[]> {
  const parts = new Map<string, OutboxEntry[]>()
  for (const entry of entries) {
    const known = parts.get(partId(entry.ref))
    if (known) known.push(entry)
    else parts.set(partId(entry.ref), [entry])
  }
  return parts.values()
}

function refsOf(entries: readonly OutboxEntry[]): readonly TextRef[] {
  return entries.map(({ ref }) => ref)
}

function notArrived({ namespace }: TextRef): LocalizationError {
  return new LocalizationError(
    `the texts of ${namespace} did not arrive there: this service does not take namespaces on import`,
    { code: 'API_UNEXPECTED_ANSWER', hint: 'Use push --via patch.' },
  )
}
