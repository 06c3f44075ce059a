/** One pass over the outbox: what became of each text so far, and what a failed request means for the rest. */
import { ApiError, type ApiErrorCode, isApiError } from '../api/errors.ts'
import { backoffMs, DEFAULT_POLICY } from '../api/retry.ts'
import type { TextRef } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import { foldSpace } from '../shared/fold-space.ts'
import type { OutboxEntry } from './outbox.ts'
import type { SyncProject } from './project.ts'
import { keyIsGone } from './reader.ts'
import type { BatchCall, BatchRead } from './remote.ts'

export type Via = 'patch' | 'import'

export interface SendOptions {
  /** Ends the round after the current batch. */
  readonly signal: AbortSignal
  /** Ends running requests. Without it they are completed, so that their result is known. */
  readonly callSignal?: AbortSignal | undefined
  readonly via?: Via
  readonly only?: ReadonlySet<string>
  /** Called with the number of finished texts: sent, refused, or no longer to be sent. */
  readonly onProgress?: (done: number) => void
  /** Called before a wait because of the service's rate limit, with its milliseconds. */
  readonly onRateLimit?: (waitMs: number) => void
}

export interface SendResult {
  readonly sent: TextRef[]
  readonly refused: { readonly ref: TextRef; readonly reason: string }[]
  failure: unknown
}

export interface WriteCall extends BatchCall {
  /** The writes carry the text that the service must have. Other writes go out right after a reading. */
  readonly isConditional: boolean
  readonly texts: BatchRead['texts']
}

/** After this many readings with a change in between, a text waits for the next round. */
const MOST_TRIES = 4
/** A service that limits requests lets some through within this time. */
const LONGEST_PAUSE_MS = 120_000
const EXTRA_MS = 1_000
const LONGEST_EXTRA_MS = 10_000

/** The file of what translations were made from is written whole: behind each batch only while it is small. */
const MOST_MADE = 1_000

export class SendRound {
  readonly result: SendResult = { sent: [], refused: [], failure: undefined }
  /** Texts that are to be read by their keys before they are sent. */
  readonly byKey = new Set<string>()
  /** Texts that were sent without an answer: they are read before they are sent again. */
  readonly unsure = new Set<string>()
  /** The number of requests that may be under way: fewer where the service limits them. */
  lanes: number
  readonly #concurrency: number
  readonly #tries = new Map<string, number>()
  /** A failure that may pass, which has not been waited for yet. */
  #transient: unknown
  /** Such failures since the last text that was sent, and how long they were waited for. */
  #failures = 0
  #pausedMs = 0
  /** The number of answers in this round that there were too many requests. */
  #limits = 0
  #done = 0
  #isStopped = false
  #isCommitted = true
  /** The service answered with an older text than before: it is still in the outbox. */
  #isStale = false

  constructor(
    readonly project: SyncProject,
    readonly options: SendOptions,
  ) {
    const { push } = project.config
    this.#concurrency = push === false ? 1 : push.concurrency
    this.lanes = this.#concurrency
  }

  get isOver(): boolean {
    return this.#isStopped || this.options.signal.aborted
  }

  /** Nothing more is to be sent before `pause`. */
  get hasFailed(): boolean {
    return this.#transient !== undefined || this.isOver
  }

  /** The service said of late that there were too many requests. */
  get isLimited(): boolean {
    return this.lanes < this.#concurrency
  }

  get mayCreate(): boolean {
    const { push } = this.project.config
    return push !== false && push.create
  }

  isNew({ id }: OutboxEntry): boolean {
    return this.project.records.theirs(id) === undefined
  }

  /** Only white space changed: the text's review is kept, so it has to be read. */
  isSpaceOnly({ id, text }: OutboxEntry): boolean {
    const theirs = this.project.records.theirs(id)
    return theirs !== undefined && foldSpace(theirs) === foldSpace(text)
  }

  /** True if the text may be tried once more in this round, read by its key first. */
  tryAgain({ id }: OutboxEntry): boolean {
    const tries = (this.#tries.get(id) ?? 0) + 1
    this.#tries.set(id, tries)
    this.byKey.add(id)
    return tries < MOST_TRIES
  }

  /** Counts this many texts as finished; without a figure, one. */
  progress(done = this.#done + 1): void {
    if (done <= this.#done) return
    this.#done = done
    this.options.onProgress?.(done)
  }

  fail(error: unknown): void {
    const kind = failureOf(error)
    if (kind === 'call' || kind === 'down') this.#transient ??= error
    else this.#stop(error)
  }

  /** Waits as the last failure requires, or ends the round after too many failures. */
  async pause(): Promise<void> {
    const error = this.#transient
    if (error === undefined) return
    this.#transient = undefined
    const { config, clock, random } = this.project
    const { retries } = config.service
    const { baseMs, throttledBaseMs, capMs, retryAfterCapMs } = DEFAULT_POLICY
    const isLimit = isApiError(error, 'API_RATE_LIMIT')
    if (isLimit) this.lanes = Math.max(1, Math.floor(this.lanes / 2))
    const askedMs = isApiError(error) ? (error.retryAfterMs ?? 0) : 0
    const stepMs = backoffMs(this.#failures++, isLimit ? throttledBaseMs : baseMs, capMs, random)
    // A service that gives out requests one by one gets the time for several: otherwise every other one is refused.
    const extraMs = isLimit ? Math.min(LONGEST_EXTRA_MS, EXTRA_MS * this.#limits++) : 0
    const waitMs = askedMs > 0 ? askedMs + extraMs + random() * baseMs : stepMs
    const mayGoOn = isLimit && retries > 0 ? this.#pausedMs < LONGEST_PAUSE_MS : this.#failures <= retries
    if (!mayGoOn || askedMs > retryAfterCapMs) return this.#stop(error)
    this.#pausedMs += waitMs
    if (isLimit) this.options.onRateLimit?.(waitMs)
    await clock.sleep(waitMs, this.options.signal).catch(() => undefined)
  }

  refuse(entry: OutboxEntry, error: unknown): void {
    const reason = messageOf(error)
    const { outbox } = this.project.store
    if (outbox.get(entry.id)?.order === entry.order) outbox.park(entry.id, { kind: 'refused', reason })
    this.result.refused.push({ ref: entry.ref, reason })
  }

  /** In memory; `commit` writes it to the disk. Until then these texts count as sent without an answer. */
  acknowledge(entries: readonly OutboxEntry[]): void {
    if (entries.length === 0) return
    this.#isCommitted = false
    if (this.#transient === undefined) this.lanes = Math.min(this.#concurrency, this.lanes + 1)
    this.#failures = 0
    this.#pausedMs = 0
    for (const entry of entries) {
      this.project.records.acknowledge(entry)
      this.result.sent.push(entry.ref)
    }
  }

  /** Once for all batches that were under way. */
  async commit(): Promise<void> {
    if (this.#isCommitted) return
    this.#isCommitted = true
    await this.project.commit(MOST_MADE)
  }

  /** Takes in what the service has for these texts now. `ready`: may be sent over it; `again`: not known yet. */
  decideAgain(entries: readonly OutboxEntry[], { texts, isWhole, isByKey }: BatchRead, mark: number) {
    const { records } = this.project
    const keys = new Set(Array.from(texts.values(), ({ ref }) => ref.key))
    const ready: OutboxEntry[] = []
    const again: OutboxEntry[] = []
    for (const entry of entries) {
      const found = texts.get(entry.id)
      // It was not among the pages, which may have shifted: it has to be looked for by its key.
      const isUnproven = !found && !isWhole
      if (records.movedSince(entry.id, mark) || isUnproven) {
        if (this.tryAgain(entry)) again.push(entry)
        continue
      }
      if (isByKey && !keys.has(entry.ref.key)) keyIsGone(records, entry.ref)
      const state = records.applyRead(entry.ref, found?.text, found?.modifiedAt)
      if (state === false) this.#isStale = true
      else if (records.maySend(entry)) ready.push(entry)
    }
    return { ready, again }
  }

  /** A text that is still in the outbox without an error was changed, or answered with older texts, repeatedly. */
  end(): SendResult {
    const { result } = this
    const isUnsettled = [...this.#tries].some(([id, tries]) => {
      const entry = tries < MOST_TRIES ? undefined : this.project.store.outbox.get(id)
      return entry && entry.parked === undefined
    })
    if (result.failure === undefined && (this.#isStale || isUnsettled)) {
      const why = this.#isStale ? 'an older text than before' : 'another text each time that it was asked'
      result.failure = new ApiError(`the service answered with ${why}: nothing is sent over it`, {
        code: 'API_SERVER',
        method: 'GET',
        address: 'api/v2/translations',
        hint: 'A cache in front of the service does that.',
      })
    }
    return result
  }

  #stop(error: unknown): void {
    this.result.failure ??= error
    this.#isStopped = true
  }
}

/**
 * - `refused`: the service refuses this text. Sending the same text again would fail again.
 * - `missing`: the key, the language or the customer does not exist (any longer).
 * - `superseded`: the service has another text than the one that was to be replaced.
 * - `call`: this one call failed; others may pass.
 * - `down`: nothing passes now: no network, no answer, too many requests.
 * - `settings`: nothing passes until the user corrects the settings.
 * - `ended`: the call was ended on purpose.
 */
type SyncFailure = 'refused' | 'missing' | 'superseded' | 'call' | 'down' | 'settings' | 'ended'

const FAILURES: Partial<Record<ApiErrorCode, SyncFailure>> = {
  API_VALIDATION: 'refused',
  API_CONFLICT: 'refused',
  API_TOO_LARGE: 'refused',
  API_NOT_FOUND: 'missing',
  API_PRECONDITION_FAILED: 'superseded',
  API_SERVER: 'call',
  API_NETWORK: 'down',
  API_TIMEOUT: 'down',
  API_RATE_LIMIT: 'down',
  API_ABORTED: 'ended',
}

export function failureOf(error: unknown): SyncFailure {
  return (isApiError(error) && FAILURES[error.code]) || 'settings'
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000

/** 50 to 100% of a step that doubles with each failure in a row, or what the service asked for. */
export function waitAfter(failures: number, error: unknown, random: () => number): number {
  const askedMs = isApiError(error) ? (error.retryAfterMs ?? 0) : 0
  const doubledMs = failureOf(error) === 'settings' ? LONGEST_WAIT_MS : FIRST_WAIT_MS * 2 ** (failures - 1)
  return Math.max(askedMs, Math.min(LONGEST_WAIT_MS, doubledMs) * (0.5 + random() / 2))
}
