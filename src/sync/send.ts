/**
 * The only code in sync that sets texts. Each batch waits for the rate limit, reads its texts, and writes them
 * immediately.
 */
import type { Reservation } from '../api/pace.ts'
import { keyId, partId } from '../catalog/text-id.ts'
import { LocalizationError } from '../errors.ts'
import { foldSpace } from '../shared/fold-space.ts'
import { groupBy, split } from '../shared/split.ts'
import type { OutboxEntry } from './outbox.ts'
import type { SyncProject } from './project.ts'
import { knowsKey } from './reader.ts'
import type { BatchCall, RemoteText } from './remote.ts'
import { ImportWriter } from './send-import.ts'
import { failureOf, type SendOptions, type SendResult, SendRound, type WriteCall } from './send-round.ts'

/** The maximum number of texts in a batch whose writes rely on a reading. */
const MAX_IN_BATCH = 20
/** The maximum number of texts in a batch of conditional writes. */
const MAX_CONDITIONAL = 200
/**
 * The file of translation sources can only be written as a whole. While it has fewer records than this, it is written
 * after each batch.
 */
const MAX_MADE = 1_000

/** Makes one pass over the outbox. Never throws. */
export async function sendOutbox(project: SyncProject, options: SendOptions): Promise<SendResult> {
  const round = new SendRound(project, options)
  const sender = new Sender(round)
  const open = project.store.outbox.entries().filter(({ id, parked }) => !parked && (options.only?.has(id) ?? true))
  // An import contains texts of one language and namespace, so these must be adjacent.
  const queue = options.via === 'import' ? groupBy(open, ({ ref }) => partId(ref)).flat() : [...open]
  for (let at = 0; at < queue.length && !round.isOver; ) {
    try {
      const batch = sender.batchFrom(queue, at)
      at += batch.entries.length
      queue.push(...(await sender.send(batch)))
      await project.commit(MAX_MADE)
    } catch (error) {
      round.fail(error)
    }
    await round.pause()
    round.progress(open.length - (queue.length - at))
  }
  const result = round.end()
  await project.commit()
  project.noteReviews(result.sent, false)
  return result
}

type Writer = PatchWriter | ImportWriter

interface Batch {
  readonly entries: readonly OutboxEntry[]
  readonly writer: Writer
  readonly isConditional: boolean
  readonly isByKey: boolean
}

class Sender {
  readonly #patches: PatchWriter
  readonly #imports: ImportWriter | undefined

  constructor(private readonly round: SendRound) {
    this.#patches = new PatchWriter(round)
    this.#imports = round.options.via === 'import' ? new ImportWriter(round) : undefined
  }

  /** The next texts that have the same namespace and customer, and are read and written in the same way. */
  batchFrom(queue: readonly OutboxEntry[], at: number): Batch {
    // Read once per batch: if a proxy's response changed the value partway, texts could be written without conditions
    // and without a prior read.
    const { isConditional } = this.round.project.remote
    const first = queue[at] as OutboxEntry
    const writer = this.#writerFor(first)
    const isByKey = this.round.byKey.has(first.id)
    const belongs = (entry: OutboxEntry | undefined) =>
      entry !== undefined &&
      entry.ref.namespace === first.ref.namespace &&
      entry.ref.customer === first.ref.customer &&
      this.round.byKey.has(entry.id) === isByKey &&
      (writer === this.#patches || entry.ref.language === first.ref.language) &&
      this.#writerFor(entry) === writer
    const most = writer.sizeFor(first, isConditional)
    let end = at + 1
    while (end - at < most && belongs(queue[end])) end++
    return { entries: queue.slice(at, end), writer, isConditional, isByKey }
  }

  /** Sends a batch. Resolves to the texts to try again. */
  async send({ entries: given, writer, isConditional, isByKey }: Batch): Promise<readonly OutboxEntry[]> {
    const round = this.round
    const { records, store, remote, files } = round.project
    // Texts must be on disk before they are sent.
    await store.written()
    const entries = given.filter((entry) => records.isQueued(entry))
    if (entries.length === 0) return []
    const isRead = (entry: OutboxEntry) =>
      isByKey || round.unsure.has(entry.id) || writer.isReadFirst(entry, isConditional)
    const [read, unread] = split(entries, isRead)
    const refs = read.map(({ ref }) => ref)
    const plan = remote.planRead(refs, files.seen.size, isByKey)
    let reservation: Reservation | undefined
    try {
      if (!isConditional) {
        const requests = plan.requests + writer.requestsFor(entries, unread)
        reservation = await remote.reserve(requests, round.options.signal)
      }
      const call = { reservation, signal: round.options.callSignal }
      const mark = records.mark()
      const answer = await plan.read(call)
      const { ready, again } = round.decideAgain(read, answer, mark)
      const left = await writer.write([...ready, ...unread], { ...call, isConditional, texts: answer.texts })
      return [...again, ...left]
    } catch (error) {
      round.fail(error)
      return entries
    } finally {
      reservation?.release()
    }
  }

  #writerFor(entry: OutboxEntry): Writer {
    return this.#imports?.mayTake(entry) ? this.#imports : this.#patches
  }
}

class PatchWriter {
  /** The errors from creating keys that the service may not have created. */
  readonly #keyErrors = new Map<string, unknown>()

  constructor(private readonly round: SendRound) {}

  /**
   * The size of a batch. Unconditional writes all follow immediately after the batch's reading. If they needed more
   * requests than the rate limit allows, the batch would be read again and again.
   */
  sizeFor({ id }: OutboxEntry, isConditional: boolean): number {
    const { isLimited, lanes, byKey } = this.round
    if (isConditional) return byKey.has(id) || isLimited ? Math.min(MAX_IN_BATCH, lanes) : MAX_CONDITIONAL
    const { requestsPerMinute = Number.POSITIVE_INFINITY } = this.round.project.config.service
    if (requestsPerMinute < 2) {
      throw new LocalizationError('one request per minute is too few to send texts', {
        code: 'CONFIG_INVALID',
        hint: 'Each text is read before it is written: set service.requestsPerMinute to 2 or more.',
      })
    }
    return Math.min(MAX_IN_BATCH, lanes, Math.floor(requestsPerMinute / 2))
  }

  isReadFirst(entry: OutboxEntry, isConditional: boolean): boolean {
    return !isConditional || this.round.isSpaceOnly(entry) || !this.round.project.records.maySend(entry)
  }

  requestsFor(entries: readonly OutboxEntry[]): number {
    return entries.length + entries.filter((entry) => this.#needsKey(entry)).length
  }

  async write(entries: readonly OutboxEntry[], call: WriteCall): Promise<OutboxEntry[]> {
    const round = this.round
    const present = new Set(Array.from(call.texts.values(), ({ ref }) => keyId(ref)))
    const mayLackKey = (entry: OutboxEntry) => this.#needsKey(entry) && !present.has(keyId(entry.ref))
    const [fresh, old] = split(entries, mayLackKey)
    const sent: OutboxEntry[] = []
    const again: OutboxEntry[] = []
    const set = async (entry: OutboxEntry) => {
      if (!round.project.records.maySend(entry)) return
      // After a failure, the reading is too old.
      const outcome = round.hasFailed ? 'again' : await this.#set(entry, call)
      if (outcome === 'again') again.push(entry)
      if (outcome !== 'sent') return
      sent.push(entry)
      round.progress()
    }
    const createAndSet = async (texts: readonly OutboxEntry[]) => {
      const answer = await this.#createKey(texts[0] as OutboxEntry, call)
      // A key that has just been created has no texts, so nothing needs to be read.
      if (answer === 'made' || (answer === 'found' && call.isConditional))
        return inParallel(texts, call.isConditional ? 1 : round.lanes, set)
      // Another user may have set a text for an existing key.
      again.push(...texts.filter((entry) => answer === 'failed' || round.tryAgain(entry)))
    }
    const keys = groupBy(fresh, ({ ref }) => keyId(ref))
    await Promise.all([inParallel(old, round.lanes, set), inParallel(keys, round.lanes, createAndSet)])
    round.acknowledge(sent)
    return again
  }

  #needsKey(entry: OutboxEntry): boolean {
    const { ref } = entry
    const mayBeMissing = this.round.isNew(entry) && !this.round.project.knownKeys.has(keyId(ref))
    return mayBeMissing && this.round.mayCreate && !knowsKey(this.round.project.records, ref)
  }

  async #createKey({ ref }: OutboxEntry, call: BatchCall): Promise<'made' | 'found' | 'failed'> {
    const round = this.round
    if (round.hasFailed) return 'failed'
    try {
      const error = await round.project.remote.createKey(ref, call)
      if (error?.code === 'API_VALIDATION') this.#keyErrors.set(keyId(ref), error)
      this.round.project.knownKeys.add(keyId(ref))
      return error ? 'found' : 'made'
    } catch (error) {
      round.fail(error)
      return 'failed'
    }
  }

  async #set(entry: OutboxEntry, { isConditional, texts, ...call }: WriteCall): Promise<'sent' | 'again' | 'left'> {
    const round = this.round
    const { records, remote } = round.project
    const { id, ref, text } = entry
    const reviewStatus = keptStatus(texts.get(id), text)
    const expected = isConditional ? (records.theirs(id) ?? null) : undefined
    records.sending(id)
    try {
      await remote.set({ ref, text, reviewStatus, expected }, call)
      return 'sent'
    } catch (error) {
      const kind = failureOf(error)
      if (kind === 'missing') this.round.project.knownKeys.delete(keyId(ref))
      if ((kind === 'superseded' || kind === 'missing') && round.tryAgain(entry)) return 'again'
      if (kind === 'missing') round.refuse(entry, this.#keyErrors.get(keyId(ref)) ?? error)
      else if (kind === 'refused') round.refuse(entry, error)
      else if (kind !== 'superseded') round.fail(error)
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

/**
 * The review status to send. Setting a text resets its review status, but a change of whitespace alone needs no new
 * review.
 */
function keptStatus(present: RemoteText | undefined, text: string): 'REVIEWED' | 'NOT_REVIEWED' | undefined {
  if (!present || foldSpace(present.text) !== foldSpace(text)) return undefined
  const { reviewStatus } = present
  return reviewStatus === 'REVIEWED' || reviewStatus === 'NOT_REVIEWED' ? reviewStatus : undefined
}
