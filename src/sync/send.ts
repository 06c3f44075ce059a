/**
 * Sends what the outbox holds: the only code of sync that sets texts on the service. Texts go out in small batches.
 * Each batch waits for the rate limit first, is read next, and is written at once after that, as far as the service
 * still has what the decision was based on.
 */
import { partId, type TextRef } from '../catalog/text-id.ts'
import { LocalizationError } from '../errors.ts'
import { split } from '../shared/split.ts'
import { failureOf } from './failure.ts'
import type { OutboxEntry } from './outbox.ts'
import type { BatchCall, BatchRead, RemoteText } from './remote.ts'
import { sendByImport } from './send-import.ts'
import { type SenderContext, type SendOptions, type SendResult, SendRound } from './send-round.ts'

export type Sender = ReturnType<typeof createSender>

/** Texts between one reading and the last write that relies on it. */
const MOST_IN_BATCH = 20
/** Texts in a batch that carry what they expect, and so do not rely on a reading. */
const MOST_CONDITIONAL = 200
/** How the calls of a batch go out: with what the service must have, or right behind a reading. */
interface Batch extends BatchCall {
  readonly isConditional: boolean
}

export function createSender(context: SenderContext) {
  const { config, records, outbox, remote, sizeOf } = context
  const { requestsPerMinute } = config.service
  const mayCreate = config.push !== false && config.push.create
  /** Keys that this process made or found to be there, by namespace and key. */
  const knownKeys = new Set<string>()

  /** Whether setting the text needs its key made first. */
  const needsKey = ({ id, ref }: OutboxEntry) =>
    mayCreate && records.theirs(id) === undefined && !knownKeys.has(keyName(ref)) && !records.knowsKey(ref)

  /** The review of a text in which only white space changed is kept, so it has to be read. */
  const isSpaceOnly = ({ id, text }: OutboxEntry) => {
    const theirs = records.theirs(id)
    return theirs !== undefined && foldSpace(theirs) === foldSpace(text)
  }

  /** Without conditions all writes of a batch go out at once, right behind the answer of its reading. */
  const batchSize = (round: SendRound, isConditional: boolean) => {
    if (isConditional) return MOST_CONDITIONAL
    const most = Math.min(MOST_IN_BATCH, round.lanes)
    if (requestsPerMinute === undefined) return most
    if (requestsPerMinute < 2) throw tooFewRequests()
    return Math.min(most, Math.floor(requestsPerMinute / 2))
  }

  const setOne = async (round: SendRound, entry: OutboxEntry, present: RemoteText | undefined, call: Batch) => {
    const { id, ref, text } = entry
    const expected = call.isConditional ? { expected: records.theirs(id) ?? null } : {}
    records.sending(id)
    try {
      await remote.set({ ref, text, reviewStatus: keptStatus(present, text), ...expected }, call)
      return 'sent'
    } catch (error) {
      const kind = failureOf(error)
      if (kind === 'missing') knownKeys.delete(keyName(ref))
      if (kind === 'overtaken' || kind === 'missing') {
        if (round.tryAgain(entry)) return 'again'
        if (kind === 'missing') round.refuse(entry, error)
        return 'left'
      }
      if (kind === 'refused') round.refuse(entry, error)
      else round.fail(error)
      return kind === 'call' || kind === 'down' ? 'again' : 'left'
    } finally {
      records.sent(id)
    }
  }

  /** Makes the keys of texts that are new. */
  const createKeys = async (round: SendRound, entries: readonly OutboxEntry[], call: BatchCall) => {
    const refs = new Map(entries.map(({ ref }) => [keyName(ref), ref]))
    const made = new Set<string>()
    const found = new Set<string>()
    await inParallel([...refs], round.lanes, async ([name, ref]) => {
      if (round.hasFailed) return
      try {
        const keys = (await remote.createKey(ref, call)) ? made : found
        keys.add(name)
        knownKeys.add(name)
      } catch (error) {
        round.fail(error)
      }
    })
    return { made, found }
  }

  /** Sends texts that may go. Gives those that are to be tried again. */
  const write = async (round: SendRound, entries: readonly OutboxEntry[], texts: BatchRead['texts'], call: Batch) => {
    const sent: OutboxEntry[] = []
    const again: OutboxEntry[] = []
    await inParallel(entries, round.lanes, async (entry) => {
      if (!records.mayTravel(entry)) return
      // Behind a failure the reading is too old.
      const outcome = round.hasFailed ? 'again' : await setOne(round, entry, texts.get(entry.id), call)
      if (outcome === 'sent') {
        sent.push(entry)
        round.progress()
      } else if (outcome === 'again') again.push(entry)
    })
    await round.acknowledge(sent)
    return again
  }

  /** Reads and sends some texts of one namespace and customer. Gives those that are to be tried again. */
  const sendBatch = async (
    round: SendRound,
    given: readonly OutboxEntry[],
    isConditional: boolean,
  ): Promise<readonly OutboxEntry[]> => {
    const { signal } = round.options
    // Nothing may leave before it is on the disk.
    await outbox.written()
    const entries = given.filter((entry) => records.isQueued(entry))
    if (entries.length === 0) return []
    const [unread, trusted] = split(
      entries,
      (entry) => !isConditional || round.byKey.has(entry.id) || isSpaceOnly(entry) || !records.mayTravel(entry),
    )
    const byKey = unread.some(({ id }) => round.byKey.has(id))
    const refs = unread.map(({ ref }) => ref)
    const plan = remote.planRead(refs, sizeOf, byKey)
    const requests = plan.requests + entries.length + entries.filter(needsKey).length
    const reservation = isConditional ? undefined : await remote.reserve(requests, signal)
    const call = { isConditional, ...(reservation && { reservation }), signal: round.callSignal }
    try {
      const mark = records.mark()
      const read = await plan.read(call)
      const { ready, again } = round.decideAgain(unread, read, mark)
      const present = new Set(Array.from(read.texts.values(), ({ ref }) => keyName(ref)))
      const [fresh, old] = split([...ready, ...trusted], (entry) => needsKey(entry) && !present.has(keyName(entry.ref)))
      const writeFresh = async () => {
        const { made, found } = await createKeys(round, fresh, call)
        const ofFound = fresh.filter(({ ref }) => found.has(keyName(ref)))
        // Somebody else may have given a text to a key that was there.
        if (!isConditional) again.push(...ofFound.filter((entry) => round.tryAgain(entry)))
        const sure = fresh.filter(({ ref }) => made.has(keyName(ref)))
        if (round.hasFailed)
          again.push(...fresh.filter(({ ref }) => !found.has(keyName(ref)) && !made.has(keyName(ref))))
        return write(round, isConditional ? [...sure, ...ofFound] : sure, read.texts, call)
      }
      const outcomes = await Promise.all([write(round, old, read.texts, call), writeFresh()])
      return [...again, ...outcomes.flat()]
    } finally {
      reservation?.release()
    }
  }

  return {
    /** Goes through the outbox once. Never throws. */
    async round(options: SendOptions): Promise<SendResult> {
      const round = new SendRound(context, options)
      const { only } = options
      let queue = outbox.entries().filter(({ id, parked }) => !parked && (only?.has(id) ?? true))
      const total = queue.length
      try {
        if (options.via === 'import') {
          queue = await sendByImport(round, queue, { isSpaceOnly, mayCreate })
        }
        let at = 0
        while (at < queue.length && !round.isOver) {
          // Asked once for each batch: an answer of a proxy must not make an unconditional write of one that was not
          // read.
          const { isConditional } = remote
          const batch = batchFrom(queue, at, batchSize(round, isConditional))
          at += batch.length
          try {
            queue.push(...(await sendBatch(round, batch, isConditional)))
          } catch (error) {
            round.fail(error)
            queue.push(...batch)
          }
          await round.pause()
          round.progress(total - (queue.length - at))
        }
      } catch (error) {
        round.fail(error)
      }
      return round.end()
    },
  }
}

/** Texts of one namespace and customer, from a place of the queue on. */
function batchFrom(queue: readonly OutboxEntry[], at: number, most: number): readonly OutboxEntry[] {
  const layerOf = ({ ref }: OutboxEntry) => partId({ ...ref, language: '' })
  const layer = layerOf(queue[at] as OutboxEntry)
  let end = at + 1
  while (end < queue.length && end - at < most && layerOf(queue[end] as OutboxEntry) === layer) end++
  return queue.slice(at, end)
}

async function inParallel<T>(items: readonly T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  const next = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, next))
}

/** Setting a text resets its review; a change of white space alone is no reason to review it again. */
function keptStatus(present: RemoteText | undefined, text: string): 'REVIEWED' | 'NOT_REVIEWED' | undefined {
  if (!present || foldSpace(present.text) !== foldSpace(text)) return undefined
  const { reviewStatus } = present
  return reviewStatus === 'REVIEWED' || reviewStatus === 'NOT_REVIEWED' ? reviewStatus : undefined
}

function foldSpace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}

function keyName({ namespace, key }: TextRef): string {
  return JSON.stringify([namespace, key])
}

function tooFewRequests(): LocalizationError {
  return new LocalizationError('one request a minute is too few to send texts', {
    code: 'CONFIG_INVALID',
    hint: 'Each text is read before it is written: set service.requestsPerMinute to 2 or more.',
  })
}
