/** Reads the service's texts into the records: everything, or what changed since. */

import type { SeenFiles } from '../files/file-index.ts'
import type { Clock } from '../shared/clock.ts'
import type { TextRecords } from './records.ts'
import type { Remote, RemoteText, TakePage } from './remote.ts'

/** A reading of what changed may miss a deletion, or an edit by a clock that went back: so often everything is read. */
const WHOLE_EVERY = 20
/** Readings of everything may take one request of the service in this time. */
const REQUEST_MS = 1_000

export class ServiceReader {
  readonly #reviewed = new Set<string>()
  #hasReviews = false
  #canAskForChanges = true
  #left = 0
  #wholeFrom = Number.NEGATIVE_INFINITY

  constructor(
    private readonly remote: Remote,
    private readonly records: TextRecords,
    private readonly files: SeenFiles,
    private readonly clock: Clock,
  ) {}

  /** The time to wait before the next reading: a service that can only return all texts is read less often. */
  get restMs(): number {
    return this.#canAskForChanges ? 0 : Math.max(0, this.#wholeFrom - this.clock.now())
  }

  /** `undefined`: unknown. */
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
      this.#left = records.applyReading({ texts, mark }) ? this.#left - 1 : 0
    } else if (isWhole || mayReadAll) await this.readAll(signal)
  }

  /** Reads everything; `take` is called with the texts of each page. Resolves with the number of requests. */
  async readAll(signal: AbortSignal, take?: TakePage): Promise<number> {
    const { records, remote, clock, files } = this
    const [mark, shown] = [records.mark(), !records.hasRead]
    const news: RemoteText[] = []
    const seen = new Set<string>()
    const requests = await remote.readAll(signal, (texts, share) => {
      this.#noteReviews(texts)
      for (const text of texts) {
        seen.add(text.id)
        if (records.isNews(text, mark)) news.push(text)
      }
      take?.(texts, share)
    })
    this.#wholeFrom = clock.now() + requests * REQUEST_MS
    // The service's order jumps between the files: without this each would be parsed again and again.
    const parsed = news.length > 0 ? await files.seen.parseAll() : []
    // A reading that met texts on their way is taken up again from the start.
    this.#left = records.applyReading({ texts: news, mark, seen, shown }) ? WHOLE_EVERY - 1 : 0
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
