/** Carries a call out: its place in the queue, its attempts, its end. Knows nothing of HTTP. */
import { type Clock, createDeadline } from './clock.ts'
import { ApiError } from './errors.ts'
import { type AttemptFailure, attemptFailureOf, endedError, errorOf, type FailedCall } from './failure.ts'
import { createGate, createRateLimiter, createRetryBudget } from './limits.ts'
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
}

/** Rejects with an `ApiError` when the last attempt failed, time is up, or a signal ended it. */
export type Runner = <T>(call: Run, attempt: (signal: AbortSignal) => Promise<T>) => Promise<T>

export function createRunner({ policy, clock, random, ...options }: RunnerOptions): Runner {
  const gate = createGate(options.concurrency)
  const limiter = createRateLimiter(options.requestsPerMinute)
  const budget = createRetryBudget()

  /** Waits for the client's own limits. Not part of a call's time. */
  async function pace(signal: AbortSignal): Promise<void> {
    const waitMs = limiter.reserve(clock.now())
    if (waitMs > 0) await clock.sleep(waitMs, signal)
    for (let heldMs = limiter.heldMs(clock.now()); heldMs > 0; heldMs = limiter.heldMs(clock.now())) {
      await clock.sleep(heldMs, signal)
    }
    signal.throwIfAborted()
  }

  return async (call, attempt) => {
    const timeoutMs = call.timeoutMs ?? options.timeoutMs
    const ownPolicy = call.retries === undefined ? policy : { ...policy, retries: call.retries }
    const deadline = createDeadline([...options.signals, call.signal])
    let leave: (() => void) | undefined
    let attempts = 0
    let underWay = false
    let last: AttemptFailure | undefined
    try {
      leave = await gate.enter(deadline.signal)
      for (let remainingMs = timeoutMs; ; ) {
        await pace(deadline.signal)
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
        if (!decision.repeat || !budget.take()) throw errorOf(call, last, attempts)
        const { delayMs } = decision
        // What one request was told holds for all: the others would only be told the same.
        if (failure.kind === 'status' && failure.status === 429) limiter.holdUntil(clock.now() + delayMs)
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
}
