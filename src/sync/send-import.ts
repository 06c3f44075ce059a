/**
 * Sends many texts with few requests: an import for each batch of one language, namespace and customer. What an import
 * cannot do safely is left for the batches of single texts.
 */
import { partId, type TextRef } from '../catalog/text-id.ts'
import { LocalizationError } from '../errors.ts'
import { groupBy, split } from '../shared/split.ts'
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
const MOST_CONDITIONAL = 1_000
/** So often texts that changed meanwhile are read and imported again. */
const MOST_TRIES = 3
const FEWEST_TEXTS = 20
/**
 * An upload is the time between a reading and the last write that relies on it. A service that takes longer gets fewer
 * texts at once.
 */
const LONGEST_UPLOAD_MS = 250

/** Resolves with the texts that are to be sent one by one. */
export async function sendByImport(
  round: SendRound,
  queue: readonly OutboxEntry[],
  { isSpaceOnly, mayCreate }: ImportOptions,
): Promise<OutboxEntry[]> {
  const { records, outbox, remote, config, sizeOf } = round.context
  const isNew = ({ id }: OutboxEntry) => records.theirs(id) === undefined
  const [single, many] = split(
    queue,
    (entry) => !records.mayTravel(entry) || isSpaceOnly(entry) || (!mayCreate && isNew(entry)),
  )
  const left = [...single]
  /** Which of the names that an import may carry are known to be understood. */
  const proven = new Set<string>()
  let most = MOST_TEXTS
  let done = 0

  // The contract's import names neither a namespace nor a customer: a service that does not know them puts the texts
  // elsewhere.
  const namesOf = ({ namespace, customer }: TextRef) =>
    `${namespace === config.defaultNamespace ? '' : 'namespace '}${customer === undefined ? '' : 'customer'}`
  const isProven = ({ ref }: OutboxEntry) => remote.isConditional || namesOf(ref) === '' || proven.has(namesOf(ref))
  const planFor = (entries: readonly OutboxEntry[]) =>
    remote.planRead(
      entries.map(({ ref }) => ref),
      sizeOf,
    )

  /** Reads what the service has, and returns those that may be sent over it. */
  const readAgain = async (entries: readonly OutboxEntry[], call: BatchCall): Promise<OutboxEntry[]> => {
    const mark = records.mark()
    const { ready, again } = round.decideAgain(entries, await planFor(entries).read(call), mark)
    left.push(...again)
    return ready
  }

  const upload = async (texts: Entries, replace: boolean, call: BatchCall, isConditional = false) => {
    const expected = new Map<string, string>()
    for (const { id, ref } of isConditional ? texts : []) {
      const theirs = records.theirs(id)
      if (theirs !== undefined) expected.set(ref.key, theirs)
    }
    const startedAt = performance.now()
    for (const { id } of texts) records.sending(id)
    try {
      await remote.upload({ part: texts[0].ref, texts, replace, ...(isConditional && { expected }) }, call)
    } finally {
      for (const { id } of texts) records.sent(id)
      const tookMs = performance.now() - startedAt
      if (tookMs > LONGEST_UPLOAD_MS) most = Math.max(FEWEST_TEXTS, Math.floor(most / 2))
      else if (tookMs < LONGEST_UPLOAD_MS / 2) most = Math.min(MOST_TEXTS, most * 2)
    }
  }

  /** Which of the imported texts have arrived. The others are sent one by one. */
  const confirm = async (entries: Entries, call: BatchCall) => {
    const mark = records.mark()
    const read = await planFor(entries).read(call)
    const [arrived, others] = split(entries, ({ id, text }) => read.texts.get(id)?.text === text)
    await round.acknowledge(arrived)
    const [{ ref }] = entries
    if (arrived.length > 0) proven.add(namesOf(ref))
    else if (!isProven(entries[0])) throw notArrived(ref)
    const { ready, again } = round.decideAgain(others, read, mark)
    left.push(...ready, ...again)
  }

  /**
   * New texts: the service takes only those that it does not have, so they are read behind the import. Edited texts are
   * read before.
   */
  const sendSome = async (some: readonly OutboxEntry[], areNew: boolean) => {
    if (some.length === 0) return
    const reservation = await remote.reserve(planFor(some).requests + 1, round.options.signal)
    const call = { reservation, signal: round.callSignal }
    try {
      const ready = areNew ? some : await readAgain(some, call)
      if (!isFilled(ready)) return
      await upload(ready, !areNew, call)
      if (!areNew && isProven(ready[0])) await round.acknowledge(ready)
      else await confirm(ready, call)
    } finally {
      reservation.release()
    }
  }

  const sendChunk = async (entries: readonly OutboxEntry[]) => {
    if (!isFilled(entries)) return
    await outbox.written()
    if (remote.isConditional) {
      await upload(entries, true, { signal: round.callSignal }, true)
      return round.acknowledge(entries)
    }
    const [fresh, edited] = split(entries, isNew)
    await sendSome(fresh, true)
    await sendSome(edited, false)
  }

  /** As often as failures pass. What the service does not take as it is goes one by one: one text may be the cause. */
  const sendUntilDone = async (entries: readonly OutboxEntry[]) => {
    let open = entries.filter((entry) => records.mayTravel(entry))
    for (let tries = 1; open.length > 0 && !round.isOver; tries++) {
      try {
        // After a failure some may have arrived.
        if (tries > 1) open = await readAgain(open, { signal: round.options.signal })
        return await sendChunk(open)
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

  for (const entries of groupBy(many, ({ ref }) => partId(ref))) {
    for (let at = 0; at < entries.length && !round.isOver; ) {
      const size = remote.isConditional ? MOST_CONDITIONAL : entries.slice(0, 1).every(isProven) ? most : 1
      const chunk = entries.slice(at, at + size)
      await sendUntilDone(chunk)
      at += chunk.length
      done += chunk.length
      round.progress(done - (left.length - single.length))
    }
  }
  // What has arrived since, or is in conflict now, may not go.
  return left.filter((entry) => outbox.get(entry.id)?.order === entry.order)
}

type Entries = readonly [OutboxEntry, ...OutboxEntry[]]

function isFilled(entries: readonly OutboxEntry[]): entries is Entries {
  return entries.length > 0
}

function notArrived({ namespace }: TextRef): LocalizationError {
  return new LocalizationError(
    `the texts of ${namespace} did not arrive there: this service does not take namespaces on import`,
    { code: 'API_UNEXPECTED_ANSWER', hint: 'Use push --via patch.' },
  )
}
