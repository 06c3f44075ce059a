/** Executes a call with its queueing, attempts, delays and deadline. Knows nothing about HTTP. */
import { createDeadline, type Deadline } from '../shared/clock.ts'
import type { CheckedClient } from './client-options.ts'
import { ApiError } from './errors.ts'
import { AttemptFailure, endedError, errorOf, type FailedCall, type Failure, type Progress } from './failure.ts'
import { backoffMs, Gate, Pace, type Reservation, type RetryPolicy } from './pace.ts'

export interface Run extends FailedCall {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  readonly reservation?: Reservation | undefined
}

type Attempt<T> = (signal: AbortSignal) => Promise<T>

export class Runner {
  private readonly gate: Gate
  private readonly pace: Pace

  constructor(
    private readonly options: Pick<
      CheckedClient,
      'policy' | 'timeoutMs' | 'requestsPerMinute' | 'concurrency' | 'signals' | 'clock' | 'random'
    >,
  ) {
    this.gate = new Gate(options.concurrency)
    this.pace = new Pace(options.clock, options.requestsPerMinute)
  }

  /** Runs a call. Rejects with an `ApiError` if the last attempt fails, the time is up, or a signal aborts the call. */
  run<T>(call: Run, attempt: Attempt<T>): Promise<T> {
    const timeoutMs = call.timeoutMs ?? this.options.timeoutMs
    return this.untilEnded(call, timeoutMs, async (deadline, progress) => {
      if (this.takeReserved(call, deadline.signal)) return this.repeat(call, attempt, timeoutMs, deadline, progress)
      await this.gate.enter(deadline.signal)
      try {
        await this.pace.book(1, deadline.signal)
        return await this.repeat(call, attempt, timeoutMs, deadline, progress)
      } finally {
        this.gate.leave()
      }
    })
  }

  /** Waits until this many requests may start. Rejects with an `ApiError` if a signal aborts the wait. */
  reserve(requests: number, call: Run): Promise<Reservation> {
    return this.untilEnded(call, 0, ({ signal }) => this.pace.reserve(requests, signal))
  }

  /** Gives `work` a deadline. Turns a timeout or an abort into an error about the call. */
  private async untilEnded<T>(
    call: Run,
    timeoutMs: number,
    work: (deadline: Deadline, progress: Progress) => Promise<T>,
  ): Promise<T> {
    const deadline = createDeadline([...this.options.signals, call.signal])
    const progress: Progress = { attempts: 0, isUnderWay: false, last: undefined }
    try {
      return await work(deadline, progress)
    } catch (thrown) {
      if (!deadline.signal.aborted || thrown instanceof ApiError) throw thrown
      throw endedError(call, deadline, timeoutMs, progress)
    } finally {
      deadline.clear()
    }
  }

  /** Uses one of the call's reserved requests. Returns false if there is none. Throws during the pause after a 429. */
  private takeReserved(call: Run, signal: AbortSignal): boolean {
    signal.throwIfAborted()
    const taken = call.reservation && this.pace.take(call.reservation)
    if (!taken) return false
    if (taken.heldMs === 0) return true
    const failure = { kind: 'status', status: 429, retryAfterMs: taken.heldMs } as const
    const message = 'not sent, because another request received a 429'
    throw errorOf(call, new AttemptFailure(message, { code: 'API_RATE_LIMIT', failure }), 0)
  }

  /** Makes attempts until one succeeds. The first one starts immediately. */
  private async repeat<T>(call: Run, attempt: Attempt<T>, timeoutMs: number, deadline: Deadline, progress: Progress) {
    const { clock, random, policy } = this.options
    const { idempotent, retries = policy.retries } = call
    const { signal } = deadline
    // Time spent waiting because of the client's own limits does not reduce this value.
    let remainingMs = timeoutMs
    for (;;) {
      const startedAt = clock.now()
      deadline.start(remainingMs)
      progress.attempts++
      progress.isUnderWay = true
      try {
        return await attempt(signal)
      } catch (thrown) {
        if (signal.aborted || !(thrown instanceof AttemptFailure)) throw thrown
        progress.last = thrown
      }
      progress.isUnderWay = false
      remainingMs -= clock.now() - startedAt
      const { attempts, last } = progress
      const { failure } = last.details
      const delayMs = retryDelayMs(failure, { idempotent, attempts }, remainingMs, { ...policy, retries }, random)
      if (failure.kind === 'status' && failure.status === 429) {
        // A 429 concerns all requests: the service would reject the others too.
        const { retryAfterMs = 0 } = failure
        this.pace.hold(delayMs ?? (retryAfterMs > policy.retryAfterCapMs ? 0 : retryAfterMs))
      }
      if (delayMs === undefined) throw errorOf(call, last, attempts)
      await clock.sleep(delayMs, signal)
      remainingMs -= delayMs
      deadline.stop()
      await this.pace.book(1, signal)
    }
  }
}

/**
 * Returns the delay before the next attempt, or `undefined` if the call must not be retried. Pure.
 * @param attempts the number of attempts so far: 1 after the first failure
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 */
export function retryDelayMs(
  failure: Failure,
  { idempotent, attempts }: { readonly idempotent: boolean; readonly attempts: number },
  remainingMs: number,
  policy: RetryPolicy,
  random: () => number,
) {
  if (!mayRepeat(failure, idempotent) || attempts > policy.retries) return undefined
  const { status = 0, retryAfterMs = 0 } = failure.kind === 'status' ? failure : {}
  if (retryAfterMs > policy.retryAfterCapMs) return undefined
  const baseMs = status === 429 ? policy.throttledBaseMs : policy.baseMs
  // A `Retry-After` of zero, or in the past, is ignored: the service has just rejected an immediate request.
  const delayMs =
    retryAfterMs > 0 ? retryAfterMs + random() * policy.baseMs : backoffMs(attempts - 1, baseMs, policy.capMs, random)
  return delayMs < remainingMs ? delayMs : undefined
}

const REPEATABLE_STATUSES: readonly number[] = [408, 425, 500, 502, 503, 504]

/**
 * True if the failure allows a retry. After a 429 or a failed connection, the service has executed nothing, so any call
 * may be retried. After other failures, only idempotent calls may.
 */
export function mayRepeat(failure: Failure, idempotent: boolean): boolean {
  if (failure.kind === 'status') {
    return failure.status === 429 || (idempotent && REPEATABLE_STATUSES.includes(failure.status))
  }
  return failure.kind === 'unsent' || (failure.kind === 'broken' && idempotent)
}

/**
 * `Retry-After` in milliseconds, from seconds or an HTTP date; 0 for a time in the past, `undefined` for other values.
 * A date is compared with the response's own `Date` header, if there is one, because the local clock may be wrong.
 */
export function parseRetryAfter(value = '', date = '', wallNowMs: number): number | undefined {
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  // Dates start with the name of the day. `Date.parse` alone would also accept "-5" or "1 day".
  const at = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const serverNow = Date.parse(date)
  return Math.max(0, at - (Number.isNaN(serverNow) ? wallNowMs : serverNow))
}
