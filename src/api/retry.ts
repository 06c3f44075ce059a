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

export type Decision =
  | { readonly repeat: true; readonly delayMs: number }
  | { readonly repeat: false; readonly reason: 'final' | 'not-repeatable' | 'exhausted' | 'deadline' | 'retry-after' }

export interface DecisionInput {
  readonly failure: Failure
  /** False for calls that must not be carried out twice. */
  readonly idempotent: boolean
  /** Attempts made so far, 1 after the first failure. */
  readonly attempts: number
  /** What is left of the call's total time. */
  readonly remainingMs: number
  readonly policy: RetryPolicy
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number
}

/** Whether to repeat, and after how long. */
export function decide({ failure, idempotent, attempts, remainingMs, policy, random }: DecisionInput): Decision {
  if (failure.kind === 'final') return { repeat: false, reason: 'final' }
  if (!mayRepeat(failure, idempotent)) return { repeat: false, reason: 'not-repeatable' }
  const told = failure.kind === 'status' ? failure.retryAfterMs : undefined
  if (told !== undefined && told > policy.retryAfterCapMs) return { repeat: false, reason: 'retry-after' }
  if (attempts > policy.retries) return { repeat: false, reason: 'exhausted' }
  const throttled = failure.kind === 'status' && failure.status === 429
  // A time of zero or in the past tells nothing: repeating at once is what the service complained of.
  const delayMs =
    told !== undefined && told > 0
      ? told + random() * policy.baseMs
      : backoffMs(attempts - 1, throttled ? policy.throttledBaseMs : policy.baseMs, policy.capMs, random)
  if (delayMs >= remainingMs)
    return { repeat: false, reason: told !== undefined && told > 0 ? 'retry-after' : 'deadline' }
  return { repeat: true, delayMs }
}

/**
 * Which failures may be repeated. A 429 and a connection that was never made mean that nothing was carried out, so any call may;
 * after everything else only calls whose repetition changes nothing.
 */
export function mayRepeat(failure: Failure, idempotent: boolean): boolean {
  switch (failure.kind) {
    case 'unsent':
      return true
    case 'broken':
      return idempotent
    case 'final':
      return false
    case 'status':
      if (failure.status === 429) return true
      return idempotent && REPEATABLE_STATUS.has(failure.status)
  }
}

const REPEATABLE_STATUS: ReadonlySet<number> = new Set([408, 425, 500, 502, 503, 504])

/** Full jitter: anything from 0 to the step, which doubles with each repetition (`step` counts from 0) up to the cap. */
export function backoffMs(step: number, baseMs: number, capMs: number, random: () => number): number {
  return random() * Math.min(capMs, baseMs * 2 ** Math.min(step, 30))
}

/**
 * `Retry-After` in milliseconds, from seconds or an HTTP date; 0 for a time that has passed, `undefined` for anything else.
 * A date is compared with the answer's own `Date` where there is one, so that a wrong clock here does not matter.
 */
export function parseRetryAfter(
  value: string | undefined,
  date: string | undefined,
  wallNowMs: number,
): number | undefined {
  const text = value?.trim()
  if (text === undefined || text === '') return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  // Dates begin with the day's name; `Date.parse` alone would also read "-5" or "1 day" as some date.
  if (!/^[A-Z][a-z]+,? /.test(text)) return undefined
  const at = Date.parse(text)
  if (Number.isNaN(at)) return undefined
  const now = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, at - (Number.isNaN(now) ? wallNowMs : now))
}
