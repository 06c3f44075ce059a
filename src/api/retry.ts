/** When a failed call is repeated and how long it waits before. Pure: time and chance come in as arguments. */

/** What went wrong, as far as repeating is concerned. */
export type Failure =
  /** The connection was never made: no byte of the request has left. */
  | { readonly kind: 'unsent' }
  /** The connection broke, or the answer is incomplete: the service may have carried it out. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs?: number | undefined }
  /** Repeating cannot help: an answer that is no JSON, too large, an unknown certificate, time is up. */
  | { readonly kind: 'final' }

export interface RetryPolicy {
  /** How often a failed call is repeated. Default 3; 0: never. */
  readonly retries: number
  /** First step of the backoff, in milliseconds. */
  readonly baseMs: number
  /** First step after a 429 without `Retry-After`. */
  readonly throttledBaseMs: number
  /** Longest step of the backoff. */
  readonly capMs: number
  /** Longest `Retry-After` that is waited for; above it the call fails and names the time. */
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
  /** False for calls that must not be carried out twice. */
  readonly idempotent: boolean
  /** Attempts made so far, 1 after the first failure. */
  readonly attempts: number
  /** The rest of the call's total time. */
  readonly remainingMs: number
  readonly policy: RetryPolicy
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number
}

/** How long to wait before the next attempt; `undefined`: the call fails. */
export function retryDelayMs({ failure, idempotent, attempts, remainingMs, policy, random }: RetryInput) {
  if (!mayRepeat(failure, idempotent) || attempts > policy.retries) return undefined
  const { status = 0, retryAfterMs = 0 } = failure.kind === 'status' ? failure : {}
  if (retryAfterMs > policy.retryAfterCapMs) return undefined
  const baseMs = status === 429 ? policy.throttledBaseMs : policy.baseMs
  // A time of zero or in the past says nothing: the service complained of repeating at once.
  const delayMs =
    retryAfterMs > 0 ? retryAfterMs + random() * policy.baseMs : backoffMs(attempts - 1, baseMs, policy.capMs, random)
  return delayMs < remainingMs ? delayMs : undefined
}

const REPEATABLE_STATUSES: readonly number[] = [408, 425, 500, 502, 503, 504]

/**
 * Which failures may be repeated. A 429 and a connection that was never made mean that nothing was carried out, so any
 * call may; after everything else only calls whose repetition changes nothing.
 */
export function mayRepeat(failure: Failure, idempotent: boolean): boolean {
  if (failure.kind === 'status') {
    return failure.status === 429 || (idempotent && REPEATABLE_STATUSES.includes(failure.status))
  }
  return failure.kind === 'unsent' || (failure.kind === 'broken' && idempotent)
}

/** Full jitter: a random part of the step, which doubles with each repetition up to the cap. `step` counts from 0. */
export function backoffMs(step: number, baseMs: number, capMs: number, random: () => number): number {
  return random() * Math.min(capMs, baseMs * 2 ** step)
}

/**
 * `Retry-After` in milliseconds, from seconds or an HTTP date; 0 for a time that has passed, `undefined` for anything
 * else. A date is compared with the answer's own `Date` where there is one, so that a wrong clock here does not matter.
 */
export function parseRetryAfter(value = '', date = '', wallNowMs: number): number | undefined {
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  // Dates begin with the day's name; `Date.parse` alone would also read "-5" or "1 day" as some date.
  const at = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const serverNow = Date.parse(date)
  return Math.max(0, at - (Number.isNaN(serverNow) ? wallNowMs : serverNow))
}
