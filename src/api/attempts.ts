/** Carries a call out: its place in the queue, its attempts, its end. Knows nothing of HTTP. */
import { type Clock, createDeadline } from './clock.ts'
import { ApiError } from './errors.ts'
import { AttemptFailure, attemptFailureOf, endedError, errorOf, type FailedCall } from './failure.ts'
import { createGate, createRetryBudget } from './limits.ts'
import { createPace, type Reservation } from './pace.ts'
import { decide, type RetryPolicy } from './retry.ts'

export interface RunnerOptions {
  readonly policy: RetryPolicy
  readonly timeoutMs: number
  readonly requestsPerMinute: number | undefined
  readonly concurrency: number
  /** Each of them ends every call. */
  readonly signals: readonly (AbortSignal | undefined)[]
  readonly clock: Clock
  readonly random: () => number
}

export interface Run extends FailedCall {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  readonly reservation?: Reservation | undefined
}

export interface Runner {
  /** Rejects with an `ApiError` when the last attempt failed, time is up, or a signal ended it. */
  run<T>(call: Run, attempt: (signal: AbortSignal) => Promise<T>): Promise<T>
  /**
   * Waits until so many requests may start at once. Rejects with an `ApiError` about `call` when a signal ends the
   * wait.
   */
  reserve(requests: number, call: FailedCall & Pick<Run, 'signal'>): Promise<Reservation>
}

export function createRunner({ policy, clock, random, ...options }: RunnerOptions): Runner {
  const gate = createGate(options.concurrency)
  const pace = createPace(clock, options.requestsPerMinute)
  const budget = createRetryBudget()

  /** Whether the call's first request is one that was reserved. */
  function takeReserved(call: Run, signal: AbortSignal): boolean {
    signal.throwIfAborted()
    const taken = call.reservation && pace.take(call.reservation)
    if (taken && taken.heldMs > 0) throw errorOf(call, heldBack(taken.heldMs), 0)
    return taken !== undefined
  }

  async function run<T>(call: Run, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const timeoutMs = call.timeoutMs ?? options.timeoutMs
    const ownPolicy = call.retries === undefined ? policy : { ...policy, retries: call.retries }
    const deadline = createDeadline([...options.signals, call.signal])
    let leave: (() => void) | undefined
    let attempts = 0
    let underWay = false
    let last: AttemptFailure | undefined
    try {
      const isReserved = takeReserved(call, deadline.signal)
      if (!isReserved) leave = await gate.enter(deadline.signal)
      for (let remainingMs = timeoutMs; ; ) {
        // Waits for the client's own limits are no part of the call's time. Repetitions are not reserved.
        if (!isReserved || attempts > 0) await pace.wait(deadline.signal)
        const startedAt = clock.now()
        deadline.start(remainingMs)
        attempts++
        underWay = true
        try {
          const value = await attempt(deadline.signal)
          budget.refund()
          return value
        } catch (thrown) {
          if (deadline.signal.aborted) throw thrown
          underWay = false
          last = attemptFailureOf(thrown)
        }
        remainingMs -= clock.now() - startedAt
        const { failure } = last
        const { idempotent } = call
        const decision = decide({ failure, idempotent, attempts, remainingMs, policy: ownPolicy, random })
        const delayMs = decision.repeat && budget.take() ? decision.delayMs : undefined
        if (failure.kind === 'status' && failure.status === 429) {
          // What one request was told holds for all: the others would only be told the same.
          const { retryAfterMs = 0 } = failure
          pace.hold(delayMs ?? (retryAfterMs > policy.retryAfterCapMs ? 0 : retryAfterMs))
        }
        if (delayMs === undefined) throw errorOf(call, last, attempts)
        await clock.sleep(delayMs, deadline.signal)
        remainingMs -= delayMs
        deadline.stop()
      }
    } catch (thrown) {
      if (!deadline.signal.aborted || thrown instanceof ApiError) throw thrown
      const { timedOut, signal } = deadline
      throw endedError(call, { timedOut, timeoutMs, attempts, underWay, last, reason: signal.reason })
    } finally {
      leave?.()
      deadline.clear()
    }
  }

  return {
    run,
    async reserve(requests, call) {
      const { signal, clear } = createDeadline([...options.signals, call.signal])
      try {
        return await pace.reserve(requests, signal)
      } catch (thrown) {
        if (!signal.aborted) throw thrown
        const ended = { timedOut: false, timeoutMs: 0, attempts: 0, underWay: false, last: undefined }
        throw endedError(call, { ...ended, reason: signal.reason })
      } finally {
        clear()
      }
    },
  }
}

function heldBack(retryAfterMs: number): AttemptFailure {
  const failure = { kind: 'status', status: 429, retryAfterMs } as const
  return new AttemptFailure('not sent after a 429 of another request', { code: 'API_RATE_LIMIT', failure })
}
