/** Writes many texts of one language, namespace and customer in one import. */
import type { TextRef } from '../catalog/text-id.ts'
import { LocalizationError } from '../errors.ts'
import { split } from '../shared/split.ts'
import type { OutboxEntry } from './outbox.ts'
import { failureOf, type SendRound, type WriteCall } from './send-round.ts'

const MAX_TEXTS = 500
const MIN_TEXTS = 20
/**
 * The maximum time between a reading and the last write that relies on it. If the service is slower, imports get
 * smaller.
 */
const MAX_UPLOAD_MS = 250

export class ImportWriter {
  /** The parts of a name (namespace, customer) that this service is known to support in imports. */
  readonly #proven = new Set<string>()
  /** Texts that are sent one by one, because importing them together failed. */
  readonly #single = new Set<string>()
  /** The maximum number of texts in the next import. A refused or slow import halves it; a fast one doubles it. */
  #most = MAX_TEXTS
  #refusedInRow = 0

  constructor(private readonly round: SendRound) {}

  mayTake(entry: OutboxEntry): boolean {
    const round = this.round
    if (this.#single.has(entry.id) || round.byKey.has(entry.id)) return false
    // Imports create missing keys and reset reviews.
    const isSafe = !round.isSpaceOnly(entry) && (round.mayCreate || !round.isNew(entry))
    return isSafe && round.project.records.maySend(entry)
  }

  sizeFor({ ref }: OutboxEntry, isConditional: boolean): number {
    return isConditional || this.#isProven(ref) ? this.#most : 1
  }

  /**
   * True if the text must be read before it is sent. New texts need no reading, because importing them never replaces a
   * text.
   */
  isReadFirst(entry: OutboxEntry, isConditional: boolean): boolean {
    return !isConditional && !this.round.isNew(entry)
  }

  /** The number of requests that follow the first reading. */
  requestsFor(_: readonly OutboxEntry[], unread: readonly OutboxEntry[]): number {
    return 1 + (unread.length > 0 ? 1 + this.#planFor(unread).requests : 0)
  }

  /**
   * Sends the entries. Without conditional writes, new texts are imported so that they never replace a text, and are
   * read afterwards.
   */
  async write(entries: readonly OutboxEntry[], call: WriteCall): Promise<OutboxEntry[]> {
    const [fresh, edited] = split(entries, (entry) => !call.isConditional && this.round.isNew(entry))
    const left = await this.#import(edited, true, call)
    return [...left, ...(await this.#import(fresh, false, call))]
  }

  async #import(entries: readonly OutboxEntry[], replace: boolean, call: WriteCall): Promise<readonly OutboxEntry[]> {
    const round = this.round
    const part = entries[0]?.ref
    if (!part || round.hasFailed) return entries
    try {
      await this.#upload(part, entries, replace, call)
      this.#refusedInRow = 0
      if (!call.isConditional && !(replace && this.#isProven(part))) return await this.#confirm(part, entries, call)
      round.acknowledge(entries)
      return []
    } catch (error) {
      const kind = failureOf(error)
      // One bad text may be the cause, so the import is divided. Texts are not sent one by one yet, because only an
      // import can create a missing language. But if the service refuses every import, dividing would end in one
      // request per text.
      const isDivided = kind === 'refused' && entries.length > 1 && this.#refusedInRow++ <= Math.log2(MAX_TEXTS)
      if (isDivided) this.#most = Math.ceil(entries.length / 2)
      const isFinal = kind === 'refused' || kind === 'missing'
      for (const { id } of entries) {
        if ((isFinal && !isDivided) || (kind === 'superseded' && round.unsure.has(id))) this.#single.add(id)
        round.unsure.add(id)
      }
      if (!isFinal && kind !== 'superseded') round.fail(error)
      return entries
    }
  }

  async #upload(part: TextRef, texts: readonly OutboxEntry[], replace: boolean, call: WriteCall): Promise<void> {
    const { records, remote } = this.round.project
    const known = texts.flatMap(({ id, ref }) => {
      const theirs = records.theirs(id)
      return theirs === undefined ? [] : [[ref.key, theirs] as const]
    })
    const { isConditional, reservation, signal } = call
    const expected = isConditional ? new Map(known) : undefined
    const startedAt = performance.now()
    for (const { id } of texts) records.sending(id)
    try {
      await remote.upload({ part, texts, replace, expected }, { reservation, signal })
    } finally {
      for (const { id } of texts) records.sent(id)
      // A conditional import does not rely on a reading, so its duration does not matter.
      const tookMs = isConditional ? 0 : performance.now() - startedAt
      if (tookMs > MAX_UPLOAD_MS) this.#most = Math.max(MIN_TEXTS, Math.floor(this.#most / 2))
      else if (tookMs < MAX_UPLOAD_MS / 2) this.#most = Math.min(MAX_TEXTS, this.#most * 2)
    }
  }

  /** Reads the imported texts, and acknowledges those that the service has. The others are sent one by one. */
  async #confirm(part: TextRef, entries: readonly OutboxEntry[], call: WriteCall): Promise<OutboxEntry[]> {
    const round = this.round
    const mark = round.project.records.mark()
    const read = await this.#planFor(entries).read(call)
    const [arrived, others] = split(entries, ({ id, text }) => read.texts.get(id)?.text === text)
    round.acknowledge(arrived)
    if (arrived.length > 0) this.#proven.add(this.#namesOf(part))
    else if (!this.#isProven(part)) {
      throw new LocalizationError(
        `the texts did not arrive in ${part.namespace}: this service does not support namespaces in imports`,
        { code: 'API_UNEXPECTED_ANSWER', hint: 'Use push --via patch.' },
      )
    }
    const { ready, again } = round.decideAgain(others, read, mark)
    for (const { id } of ready) this.#single.add(id)
    return [...ready, ...again]
  }

  #planFor(entries: readonly OutboxEntry[]) {
    const { remote, files } = this.round.project
    const refs = entries.map(({ ref }) => ref)
    return remote.planRead(refs, files.seen.size)
  }

  #isProven(part: TextRef): boolean {
    const names = this.#namesOf(part)
    return names === '' || this.#proven.has(names)
  }

  /**
   * The parts of a name that the API contract does not cover in imports. A service that ignores them stores the texts
   * in the wrong place.
   */
  #namesOf({ namespace, customer }: TextRef): string {
    const { defaultNamespace } = this.round.project.config
    return `${namespace === defaultNamespace ? '' : 'namespace '}${customer === undefined ? '' : 'customer'}`
  }
}
