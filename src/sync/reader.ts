/** Reads the service's texts into the records: everything, or only the changes since the last reading. */
import { parseTextId, type TextRef, textId, textOrGap } from '../catalog/text-id.ts'
import type { Clock } from '../shared/clock.ts'
import type { TextRecords } from './records.ts'
import type { Remote, RemoteText, TakePage } from './remote.ts'

/**
 * One of this many reads is a full read. The others read only changes, and can miss deletions, and edits made after a
 * clock was set back.
 */
const WHOLE_EVERY = 20
/** The average interval between the requests of full readings, in milliseconds. */
const REQUEST_MS = 1_000

export class ServiceReader {
  readonly #reviewed = new Set<string>()
  #hasReviews = false
  #canAskForChanges = true
  /** The number of incremental readings left before the next full one. */
  #left = 0
  #wholeFrom = Number.NEGATIVE_INFINITY

  constructor(
    private readonly remote: Remote,
    private readonly records: TextRecords,
    private readonly clock: Clock,
  ) {}

  /** The additional wait before the next reading, for a service that can only return all texts. */
  get restMs(): number {
    return this.#canAskForChanges ? 0 : Math.max(0, this.#wholeFrom - this.clock.now())
  }

  /** True if the text is reviewed; `undefined` if that is unknown. */
  isReviewed(id: string): boolean | undefined {
    return this.#hasReviews ? this.#reviewed.has(id) : undefined
  }

  setReview(id: string, isReviewed: boolean): void {
    if (isReviewed) this.#reviewed.add(id)
    else this.#reviewed.delete(id)
  }

  async read(signal: AbortSignal, whole: boolean): Promise<void> {
    const { records, remote, clock } = this
    const mayReadAll = clock.now() >= this.#wholeFrom
    const isWhole = whole || !records.hasRead || (mayReadAll && this.#left <= 0)
    const mark = records.mark()
    const texts = isWhole ? undefined : await remote.readChanges(signal)
    this.#canAskForChanges = isWhole || texts !== undefined
    if (texts) {
      this.#noteReviews(texts)
      this.#left = applyReading(records, { texts, mark }) ? this.#left - 1 : 0
    } else if (isWhole || mayReadAll) await this.readAll(signal)
  }

  /** Reads everything. Calls `take` with the texts of each page. Resolves to the number of requests. */
  async readAll(signal: AbortSignal, take?: TakePage): Promise<number> {
    const { records, remote, clock } = this
    const [mark, shown] = [records.mark(), !records.hasRead]
    const news: RemoteText[] = []
    const seen = new Set<string>()
    const requests = await remote.readAll(signal, (texts, share) => {
      this.#noteReviews(texts)
      for (const text of texts) {
        seen.add(text.id)
        if (isNews(records, text, mark)) news.push(text)
      }
      take?.(texts, share)
    })
    this.#wholeFrom = clock.now() + requests * REQUEST_MS
    // The service mixes texts of different files, so each file would otherwise be parsed repeatedly.
    const parsed = news.length > 0 ? await records.files.seen.parseAll() : []
    // If texts were being sent during this reading, the next reading is also a full one.
    this.#left = applyReading(records, { texts: news, mark, seen, shown }) ? WHOLE_EVERY - 1 : 0
    parsed.length = 0
    return requests
  }

  #noteReviews(texts: readonly RemoteText[]): void {
    for (const { id, reviewStatus } of texts) {
      if (reviewStatus !== undefined) this.#hasReviews = true
      this.setReview(id, reviewStatus === 'REVIEWED')
    }
  }
}

type ReadText = Pick<RemoteText, 'id' | 'ref' | 'text'> & Partial<Pick<RemoteText, 'modifiedAt'>>

export interface Reading {
  readonly texts: readonly ReadText[]
  readonly mark: number
  /** The ids of all texts on the service; `undefined` if only changes were read. */
  readonly seen?: ReadonlySet<string>
  /** True if the page already shows these texts where files have none. */
  readonly shown?: boolean
}

/** True if the text that was read is new, or has a record. Other texts need not be kept. */
export function isNews(records: TextRecords, { id, text }: Omit<ReadText, 'ref'>, mark: number): boolean {
  return records.theirs(id) !== textOrGap(text) || records.get(id) !== undefined || records.movedSince(id, mark)
}

/** Applies the service's texts. Returns false if it skipped some because they were being sent during the reading. */
export function applyReading(records: TextRecords, { texts, mark, seen, shown = false }: Reading): boolean {
  const { base, outbox, files } = records
  let isWhole = true
  for (const { id, ref, text, modifiedAt } of texts) {
    if (records.movedSince(id, mark)) {
      isWhole = false
      continue
    }
    const theirs = textOrGap(text)
    const record = records.get(id)
    if (theirs === records.theirs(id)) {
      if (record && modifiedAt !== undefined) record.modifiedAt = Math.max(record.modifiedAt ?? 0, modifiedAt)
      continue
    }
    // Both sides have this text, so only the base is out of date.
    const isEqual = theirs !== undefined && !record && !outbox.get(id) && files.seen.text(ref) === theirs
    if (isEqual) base.set(id, theirs)
    else records.take({ id, ref }, theirs, modifiedAt, { shown })
  }
  if (seen) applyMissing(records, seen, mark, shown)
  records.forgetEqual(mark)
  return isWhole
}

function applyMissing(records: TextRecords, seen: ReadonlySet<string>, mark: number, shown: boolean): void {
  const isMissing = (id: string) => !seen.has(id) && !records.movedSince(id, mark) && records.theirs(id) !== undefined
  const known = new Set([...records.base.values.keys(), ...records.ids()])
  for (const id of known) if (isMissing(id)) records.take({ id, ref: parseTextId(id) }, undefined, undefined, { shown })
  if (records.hasRead) return
  records.hasRead = true
  records.settleAll()
}

/** True if the service has the key in any language. */
export function knowsKey(records: TextRecords, ref: TextRef): boolean {
  return everyLanguage(records, ref).some((one) => records.theirs(textId(one)) !== undefined)
}

export function keyIsGone(records: TextRecords, ref: TextRef): void {
  // Deleting a customer's texts does not delete the general ones.
  if (ref.customer !== undefined) return
  for (const one of everyLanguage(records, ref))
    if (records.theirs(textId(one)) !== undefined) records.applyRead(one, undefined, undefined)
}

function everyLanguage({ files }: TextRecords, { namespace, key }: TextRef): TextRef[] {
  return Array.from(files.seen.languages(namespace), (language) => ({ language, namespace, key }))
}
