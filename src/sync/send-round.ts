/** One pass over the outbox: its results so far, and how a failed request affects the remaining texts. */

import { ApiError, type ApiErrorCode, isApiError } from '../api/errors.ts'
import { backoffMs, DEFAULT_POLICY } from '../api/pace.ts'
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
  /** Aborts running requests. Otherwise they are completed, so that their result is known. */
  readonly callSignal?: AbortSignal | undefined
  readonly via?: Via
  readonly only?: ReadonlySet<string>
  /** Called with the number of finished texts: those that were sent, were refused or no longer need to be sent. */
  readonly onProgress?: (done: number) => void
  /** Called before waiting for the service's rate limit, with the wait in milliseconds. */
  readonly onRateLimit?: (waitMs: number) => void
}

export interface SendResult {
  readonly sent: TextRef[]
  readonly refused: { readonly ref: TextRef; readonly reason: string }[]
  failure: unknown
}

export interface WriteCall extends BatchCall {
  /** True if each write says which text the service must have. Other writes must follow a reading immediately. */
  readonly isConditional: boolean
  readonly texts: BatchRead['texts']
}

/** A text that changed in this many readings waits for the next round. */
const MAX_TRIES = 4
/** Even a rate-limited service accepts some requests within this time. */
const MAX_PAUSE_MS = 120_000
const EXTRA_MS = 1_000
const MAX_EXTRA_MS = 10_000

export class SendRound {
  readonly result: SendResult = { sent: [], refused: [], failure: undefined }
  /** The ids of texts to read by key before sending them. */
  readonly byKey = new Set<string>()
  /** The ids of texts that were sent without a response. They are read before they are sent again. */
  readonly unsure = new Set<string>()
  /** The number of concurrent requests. Falls if the service limits them. */
  lanes: number
  readonly #concurrency: number
  readonly #tries = new Map<string, number>()
  /** The last temporary failure, until `pause` has waited. */
  #transient: unknown
  /** The number of temporary failures since a text was last sent, and the total wait for them. */
  #failures = 0
  #pausedMs = 0
  /** The number of rate-limit responses in this round. */
  #limits = 0
  #done = 0
  #isStopped = false
  /** True if a text stays in the outbox because the service returned an older text than before. */
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

  /** True if nothing may be sent until `pause` resolves. */
  get hasFailed(): boolean {
    return this.#transient !== undefined || this.isOver
  }

  /** True if the service recently reported a rate limit. */
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

  /** True if only whitespace changed. Such a text must be read first, to keep its review status. */
  isSpaceOnly({ id, text }: OutboxEntry): boolean {
    const theirs = this.project.records.theirs(id)
    return theirs !== undefined && foldSpace(theirs) === foldSpace(text)
  }

  /** Returns true if the text may be tried again in this round. It is then read by key. */
  tryAgain({ id }: OutboxEntry): boolean {
    const tries = (this.#tries.get(id) ?? 0) + 1
    this.#tries.set(id, tries)
    this.byKey.add(id)
    return tries < MAX_TRIES
  }

  /** Reports the number of finished texts. Default: one more than before. */
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

  /** Waits after a temporary failure, or ends the round after too many. */
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
    // If the service grants one request at a time, wait until it grants several. Otherwise, it would refuse every
    // second request.
    const extraMs = isLimit ? Math.min(MAX_EXTRA_MS, EXTRA_MS * this.#limits++) : 0
    const waitMs = askedMs > 0 ? askedMs + extraMs + random() * baseMs : stepMs
    const canContinue = isLimit && retries > 0 ? this.#pausedMs < MAX_PAUSE_MS : this.#failures <= retries
    if (!canContinue || askedMs > retryAfterCapMs) return this.#stop(error)
    this.#pausedMs += waitMs
    if (isLimit) this.options.onRateLimit?.(waitMs)
    await clock.sleep(waitMs, this.options.signal).catch(() => undefined)
  }

  refuse(entry: OutboxEntry, error: unknown): void {
    const reason = messageOf(error)
    const { outbox } = this.project.store
    if (outbox.get(entry.id) === entry) outbox.park(entry.id, { kind: 'refused', reason })
    this.result.refused.push({ ref: entry.ref, reason })
  }

  /** Acknowledges entries in memory. Until the batch is committed, the stored entries look unanswered. */
  acknowledge(entries: readonly OutboxEntry[]): void {
    if (entries.length === 0) return
    if (this.#transient === undefined) this.lanes = Math.min(this.#concurrency, this.lanes + 1)
    this.#failures = 0
    this.#pausedMs = 0
    for (const entry of entries) {
      this.project.records.acknowledge(entry)
      this.result.sent.push(entry.ref)
    }
  }

  /**
   * Applies the texts that were read. Returns the entries that may overwrite them (`ready`), and the entries to read
   * again because the service's text is still unknown (`again`).
   */
  decideAgain(entries: readonly OutboxEntry[], { texts, isWhole, isByKey }: BatchRead, mark: number) {
    const { records } = this.project
    const keys = new Set(Array.from(texts.values(), ({ ref }) => ref.key))
    const ready: OutboxEntry[] = []
    const again: OutboxEntry[] = []
    for (const entry of entries) {
      const found = texts.get(entry.id)
      // The text may have moved between the pages, so it must be read by key.
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

  /**
   * Returns the result. Adds a failure if a text is still in the outbox because it changed repeatedly or the service
   * returned older texts.
   */
  end(): SendResult {
    const { result } = this
    const isUnsettled = [...this.#tries].some(([id, tries]) => {
      const entry = tries < MAX_TRIES ? undefined : this.project.store.outbox.get(id)
      return entry && entry.parked === undefined
    })
    if (result.failure === undefined && (this.#isStale || isUnsettled)) {
      const why = this.#isStale ? 'an older text than before' : 'a different text each time'
      result.failure = new ApiError(`the service returned ${why}, so nothing was sent`, {
        code: 'API_SERVER',
        method: 'GET',
        address: 'api/v2/translations',
        hint: 'A cache in front of the service may cause this.',
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
 * The kinds of failures.
 *
 * - `refused`: the service refuses this text, and would refuse it again.
 * - `missing`: the key, language or customer does not exist (any more).
 * - `superseded`: the service does not have the expected text.
 * - `call`: this call failed, but others may succeed.
 * - `down`: no call succeeds at the moment: no network, no response or a rate limit.
 * - `settings`: no call succeeds until the user corrects the settings.
 * - `ended`: the call was aborted on purpose.
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
const MAX_WAIT_MS = 60_000

/**
 * The wait that the service requested, or a random wait if that is longer: 50 to 100% of a time that doubles with each
 * consecutive failure.
 */
export function waitAfter(failures: number, error: unknown, random: () => number): number {
  const askedMs = isApiError(error) ? (error.retryAfterMs ?? 0) : 0
  const doubledMs = failureOf(error) === 'settings' ? MAX_WAIT_MS : FIRST_WAIT_MS * 2 ** (failures - 1)
  return Math.max(askedMs, Math.min(MAX_WAIT_MS, doubledMs) * (0.5 + random() / 2))
}
