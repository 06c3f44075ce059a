/** Decides whether a failed call is retried, and after how long. Pure: time and randomness are parameters. */

/** Determines whether a call may be retried. */
export type Failure =
  /** The connection failed before any byte of the request was sent. */
  | { readonly kind: 'unsent' }
  /** The connection broke or the response is incomplete, so the service may have executed the request. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs?: number | undefined }
  /** A retry cannot help, for example because the response is not JSON, or because the certificate is unknown. */
  | { readonly kind: 'final' }

export interface RetryPolicy {
  /** The maximum number of retries after a failure. Default 3; 0 for none. */
  readonly retries: number
  /** The first step of the backoff, in milliseconds. */
  readonly baseMs: number
  /** The first step after a 429 without `Retry-After`. */
  readonly throttledBaseMs: number
  /** The longest step of the backoff. */
  readonly capMs: number
  /**
   * The longest `Retry-After` that the client waits for. If the service asks for more, the call fails and its error
   * says so.
   */
  readonly retryAfterCapMs: number
}

export const DEFAULT_POLICY: RetryPolicy = {
  retries: 3,
  baseMs: 100,
  throttledBaseMs: 500,
  capMs: 20_000,
  retryAfterCapMs: 60_000,
}

export interface RetryInput {
  readonly failure: Failure
  /** False for calls that must not be executed twice. */
  readonly idempotent: boolean
  /** The number of attempts so far: 1 after the first failure. */
  readonly attempts: number
  /** The time left for the call. */
  readonly remainingMs: number
  readonly policy: RetryPolicy
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
}

/** Returns the delay before the next attempt, or `undefined` if the call must not be retried. */
export function retryDelayMs({ failure, idempotent, attempts, remainingMs, policy, random }: RetryInput) {
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

/** Full jitter: a random part of the step, which doubles with each retry up to the cap. `step` counts from 0. */
export function backoffMs(step: number, baseMs: number, capMs: number, random: () => number): number {
  return random() * Math.min(capMs, baseMs * 2 ** step)
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
