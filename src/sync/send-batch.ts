/**
 * Sends texts one by one, in small batches. Each batch waits for the rate limit first, is read next, and is written at
 * once after that, as far as the service still has what the decision was based on.
 */
import type { TextRef } from '../catalog/text-id.ts'
import { LocalizationError } from '../errors.ts'
import { split } from '../shared/split.ts'
import { failureOf } from './failure.ts'
import type { OutboxEntry } from './outbox.ts'
import type { BatchCall, BatchRead, RemoteText } from './remote.ts'
import { foldSpace, type SendRound } from './send-round.ts'

/** Texts between one reading and the last write that relies on it. */
const MOST_IN_BATCH = 20
/** Texts in a batch that carry what they expect, and so do not rely on a reading. */
const MOST_CONDITIONAL = 200

/** How the calls of a batch go out: with what the service must have, or right behind a reading. */
interface Batch extends BatchCall {
  readonly isConditional: boolean
  readonly texts: BatchRead['texts']
}

export class BatchSender {
  readonly #round: SendRound
  /** Keys that this process made or found to be there, by namespace and key. */
  readonly #knownKeys: Set<string>

  constructor(round: SendRound, knownKeys: Set<string>) {
    this.#round = round
    this.#knownKeys = knownKeys
  }

  /** Without conditions all writes of a batch go out at once, right behind the answer of its reading. */
  sizeOf(isConditional: boolean): number {
    if (isConditional) return MOST_CONDITIONAL
    const { requestsPerMinute = Number.POSITIVE_INFINITY } = this.#round.context.config.service
    if (requestsPerMinute < 2) throw tooFewRequests()
    return Math.min(MOST_IN_BATCH, this.#round.lanes, Math.floor(requestsPerMinute / 2))
  }

  /** Reads and sends some texts of one namespace and customer. Gives those that are to be tried again. */
  async send(given: readonly OutboxEntry[], isConditional: boolean): Promise<readonly OutboxEntry[]> {
    const round = this.#round
    const { records, outbox, remote, files } = round.context
    // Nothing may leave before it is on the disk.
    await outbox.written()
    const entries = given.filter((entry) => records.isQueued(entry))
    if (entries.length === 0) return []
    const [unread, trusted] = split(
      entries,
      (entry) => !isConditional || round.byKey.has(entry.id) || round.isSpaceOnly(entry) || !records.mayTravel(entry),
    )
    const byKey = unread.some(({ id }) => round.byKey.has(id))
    const refs = unread.map(({ ref }) => ref)
    const plan = remote.planRead(refs, files.size, byKey)
    const requests = plan.requests + entries.length + entries.filter((entry) => this.#needsKey(entry)).length
    const reservation = isConditional ? undefined : await remote.reserve(requests, round.options.signal)
    const call = { reservation, signal: round.callSignal }
    try {
      const mark = records.mark()
      const read = await plan.read(call)
      const { ready, again } = round.decideAgain(unread, read, mark)
      const batch = { ...call, isConditional, texts: read.texts }
      const present = new Set(Array.from(read.texts.values(), ({ ref }) => keyName(ref)))
      const mayLackKey = (entry: OutboxEntry) => this.#needsKey(entry) && !present.has(keyName(entry.ref))
      const [fresh, old] = split([...ready, ...trusted], mayLackKey)
      const outcomes = await Promise.all([this.#write(old, batch), this.#writeFresh(fresh, batch)])
      return [...again, ...outcomes.flat()]
    } finally {
      reservation?.release()
    }
  }

  /** Whether setting the text needs its key made first. */
  #needsKey(entry: OutboxEntry): boolean {
    const { ref } = entry
    const mayBeMissing = this.#round.isNew(entry) && !this.#knownKeys.has(keyName(ref))
    return mayBeMissing && this.#round.mayCreate && !this.#round.context.records.knowsKey(ref)
  }

  /** Makes the keys of new texts, and sends those that surely have no text yet. Gives those to be tried again. */
  async #writeFresh(fresh: readonly OutboxEntry[], batch: Batch): Promise<OutboxEntry[]> {
    const round = this.#round
    const { made, found } = await this.#createKeys(fresh, batch)
    const isIn = (keys: ReadonlySet<string>) => (entry: OutboxEntry) => keys.has(keyName(entry.ref))
    const [ofFound, others] = split(fresh, isIn(found))
    const [sure, unmade] = split(others, isIn(made))
    const sent = await this.#write(batch.isConditional ? [...sure, ...ofFound] : sure, batch)
    // Somebody else may have given a text to a key that was there.
    const unsure = batch.isConditional ? [] : ofFound.filter((entry) => round.tryAgain(entry))
    return [...sent, ...unsure, ...unmade]
  }

  async #createKeys(entries: readonly OutboxEntry[], call: BatchCall) {
    const round = this.#round
    const refs = new Map(entries.map(({ ref }) => [keyName(ref), ref]))
    const made = new Set<string>()
    const found = new Set<string>()
    await inParallel([...refs], round.lanes, async ([name, ref]) => {
      if (round.hasFailed) return
      try {
        const keys = (await round.context.remote.createKey(ref, call)) ? made : found
        keys.add(name)
        this.#knownKeys.add(name)
      } catch (error) {
        round.fail(error)
      }
    })
    return { made, found }
  }

  /** Sends texts that may go. Gives those that are to be tried again. */
  async #write(entries: readonly OutboxEntry[], batch: Batch): Promise<OutboxEntry[]> {
    const round = this.#round
    const sent: OutboxEntry[] = []
    const again: OutboxEntry[] = []
    await inParallel(entries, round.lanes, async (entry) => {
      if (!round.context.records.mayTravel(entry)) return
      // Behind a failure the reading is too old.
      const outcome = round.hasFailed ? 'again' : await this.#set(entry, batch)
      if (outcome === 'again') again.push(entry)
      if (outcome !== 'sent') return
      sent.push(entry)
      round.progress()
    })
    await round.acknowledge(sent)
    return again
  }

  async #set(entry: OutboxEntry, { isConditional, texts, ...call }: Batch): Promise<'sent' | 'again' | 'left'> {
    const round = this.#round
    const { records, remote } = round.context
    const { id, ref, text } = entry
    const reviewStatus = keptStatus(texts.get(id), text)
    const expected = isConditional ? (records.theirs(id) ?? null) : undefined
    records.sending(id)
    try {
      await remote.set({ ref, text, reviewStatus, expected }, call)
      return 'sent'
    } catch (error) {
      const kind = failureOf(error)
      if (kind === 'missing') this.#knownKeys.delete(keyName(ref))
      if ((kind === 'overtaken' || kind === 'missing') && round.tryAgain(entry)) return 'again'
      if (kind === 'refused' || kind === 'missing') round.refuse(entry, error)
      else if (kind !== 'overtaken') round.fail(error)
      return kind === 'call' || kind === 'down' ? 'again' : 'left'
    } finally {
      records.sent(id)
    }
  }
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

function keyName({ namespace, key }: TextRef): string {
  return JSON.stringify([namespace, key])
}

function tooFewRequests(): LocalizationError {
  return new LocalizationError('one request a minute is too few to send texts', {
    code: 'CONFIG_INVALID',
    hint: 'Each text is read before it is written: set service.requestsPerMinute to 2 or more.',
  })
}
