/**
 * Sends many texts with few requests: an import for each batch of one language, namespace and customer. What an import
 * cannot do safely is left for the batches of single texts.
 */
import { partId, type TextRef } from '../catalog/text-id.ts'
import { LocalizationError } from '../errors.ts'
import { groupBy, split } from '../shared/split.ts'
import { failureOf } from './failure.ts'
import type { OutboxEntry } from './outbox.ts'
import type { BatchCall, ReadPlan } from './remote.ts'
import type { SendRound } from './send-round.ts'

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

export class ImportSender {
  readonly #round: SendRound
  /** Texts that are to be sent one by one. */
  readonly #left: OutboxEntry[] = []
  /** Which of the names that an import may carry are known to be understood. */
  readonly #proven = new Set<string>()
  #most = MOST_TEXTS

  constructor(round: SendRound) {
    this.#round = round
  }

  /** Resolves with the texts that are to be sent one by one. */
  async send(queue: readonly OutboxEntry[]): Promise<OutboxEntry[]> {
    const round = this.#round
    const { records, outbox, remote } = round.context
    const [single, many] = split(
      queue,
      (entry) => !records.mayTravel(entry) || round.isSpaceOnly(entry) || (!round.mayCreate && round.isNew(entry)),
    )
    let done = 0
    for (const entries of groupBy(many, ({ ref }) => partId(ref))) {
      for (let at = 0; at < entries.length && !round.isOver; ) {
        const most = remote.isConditional ? MOST_CONDITIONAL : this.#isProven(entries) ? this.#most : 1
        const chunk = entries.slice(at, at + most)
        await this.#sendUntilDone(chunk)
        at += chunk.length
        done += chunk.length
        round.progress(done - this.#left.length)
      }
    }
    // What has arrived since, or is in conflict now, may not go.
    return [...single, ...this.#left].filter((entry) => outbox.get(entry.id)?.order === entry.order)
  }

  /** As often as failures pass. What the service does not take as it is goes one by one: one text may be the cause. */
  async #sendUntilDone(entries: readonly OutboxEntry[]): Promise<void> {
    const round = this.#round
    let open = entries.filter((entry) => round.context.records.mayTravel(entry))
    for (let tries = 1; open.length > 0 && !round.isOver; tries++) {
      try {
        // After a failure some may have arrived.
        if (tries > 1) open = await this.#readAgain(open, { signal: round.options.signal })
        return await this.#sendChunk(open)
      } catch (error) {
        const kind = failureOf(error)
        if (kind === 'overtaken' && tries < MOST_TRIES) continue
        if (kind === 'refused' || kind === 'missing' || kind === 'overtaken') {
          this.#left.push(...open)
          return
        }
        round.fail(error)
        await round.pause()
      }
    }
  }

  /**
   * New texts: the service takes only those that it does not have, so they are read behind the import. Edited texts are
   * read before.
   */
  async #sendChunk(entries: readonly OutboxEntry[]): Promise<void> {
    const round = this.#round
    const { outbox, remote } = round.context
    await outbox.written()
    if (remote.isConditional) {
      await this.#upload(entries, { replace: true, isConditional: true }, { signal: round.callSignal })
      return round.acknowledge(entries)
    }
    const [fresh, edited] = split(entries, (entry) => round.isNew(entry))
    await this.#withReservation(fresh, async (call) => {
      await this.#upload(fresh, { replace: false }, call)
      await this.#confirm(fresh, call)
    })
    await this.#withReservation(edited, async (call) => {
      const ready = await this.#readAgain(edited, call)
      await this.#upload(ready, { replace: true }, call)
      if (this.#isProven(ready)) await round.acknowledge(ready)
      else await this.#confirm(ready, call)
    })
  }

  async #withReservation(entries: readonly OutboxEntry[], work: (call: BatchCall) => Promise<void>): Promise<void> {
    if (entries.length === 0) return
    const { remote } = this.#round.context
    const reservation = await remote.reserve(this.#planFor(entries).requests + 1, this.#round.options.signal)
    try {
      await work({ reservation, signal: this.#round.callSignal })
    } finally {
      reservation.release()
    }
  }

  async #upload(
    texts: readonly OutboxEntry[],
    { replace, isConditional = false }: { readonly replace: boolean; readonly isConditional?: boolean },
    call: BatchCall,
  ): Promise<void> {
    const { records, remote } = this.#round.context
    const part = texts[0]?.ref
    if (!part) return
    const known = texts.flatMap(({ id, ref }) => {
      const theirs = records.theirs(id)
      return theirs === undefined ? [] : [[ref.key, theirs] as const]
    })
    const expected = isConditional ? new Map(known) : undefined
    const startedAt = performance.now()
    for (const { id } of texts) records.sending(id)
    try {
      await remote.upload({ part, texts, replace, expected }, call)
    } finally {
      for (const { id } of texts) records.sent(id)
      const tookMs = performance.now() - startedAt
      if (tookMs > LONGEST_UPLOAD_MS) this.#most = Math.max(FEWEST_TEXTS, Math.floor(this.#most / 2))
      else if (tookMs < LONGEST_UPLOAD_MS / 2) this.#most = Math.min(MOST_TEXTS, this.#most * 2)
    }
  }

  /** Reads what the service has, and gives the texts that may be sent over it. */
  async #readAgain(entries: readonly OutboxEntry[], call: BatchCall): Promise<OutboxEntry[]> {
    const mark = this.#round.context.records.mark()
    const { ready, again } = this.#round.decideAgain(entries, await this.#planFor(entries).read(call), mark)
    this.#left.push(...again)
    return ready
  }

  /** Acknowledges the imported texts that have arrived. The others are sent one by one. */
  async #confirm(entries: readonly OutboxEntry[], call: BatchCall): Promise<void> {
    const round = this.#round
    const mark = round.context.records.mark()
    const read = await this.#planFor(entries).read(call)
    const [arrived, others] = split(entries, ({ id, text }) => read.texts.get(id)?.text === text)
    await round.acknowledge(arrived)
    for (const { ref } of arrived.slice(0, 1)) this.#proven.add(this.#namesOf(ref))
    if (!this.#isProven(entries)) throw notArrived(entries)
    const { ready, again } = round.decideAgain(others, read, mark)
    this.#left.push(...ready, ...again)
  }

  #planFor(entries: readonly OutboxEntry[]): ReadPlan {
    const { remote, files } = this.#round.context
    return remote.planRead(
      entries.map(({ ref }) => ref),
      files.size,
    )
  }

  /** Whether an import of these texts, all of one language and namespace, is known to put them in the right place. */
  #isProven(entries: readonly OutboxEntry[]): boolean {
    return entries.slice(0, 1).every(({ ref }) => {
      const names = this.#namesOf(ref)
      return names === '' || this.#proven.has(names)
    })
  }

  /**
   * The contract's import names neither a namespace nor a customer: a service that does not know them puts the texts
   * elsewhere.
   */
  #namesOf({ namespace, customer }: TextRef): string {
    const { defaultNamespace } = this.#round.context.config
    return `${namespace === defaultNamespace ? '' : 'namespace '}${customer === undefined ? '' : 'customer'}`
  }
}

function notArrived(entries: readonly OutboxEntry[]): LocalizationError {
  return new LocalizationError(
    `the texts of ${entries[0]?.ref.namespace} did not arrive there: this service does not take namespaces on import`,
    { code: 'API_UNEXPECTED_ANSWER', hint: 'Use push --via patch.' },
  )
}
