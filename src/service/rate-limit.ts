/** A token bucket per project (or per address where there is no key), off unless asked for. */
import { HttpError } from './http-error.ts'

export interface RateLimitOptions {
  readonly requestsPerMinute: number
  /** How many may come at once. Default: `requestsPerMinute`. */
  readonly burst?: number | undefined
  /** How `Retry-After` is written: whole seconds (the default), an HTTP date, or not at all. */
  readonly retryAfter?: 'seconds' | 'date' | 'none' | undefined
}

/** Throws 429 when the bucket of `subject` is empty. */
export type RateLimiter = (subject: string) => void

export function createRateLimiter(limit: number | RateLimitOptions, now: () => number): RateLimiter {
  const options: RateLimitOptions = typeof limit === 'number' ? { requestsPerMinute: limit } : limit
  const { requestsPerMinute, burst = requestsPerMinute, retryAfter = 'seconds' } = options
  const perMs = requestsPerMinute / 60_000
  const buckets = new Map<string, { tokens: number; at: number }>()

  return (subject) => {
    const at = now()
    const bucket = buckets.get(subject) ?? { tokens: burst, at }
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, at - bucket.at) * perMs)
    bucket.at = at
    buckets.set(subject, bucket)
    if (bucket.tokens >= 1) {
      bucket.tokens--
      return
    }
    const waitMs = (1 - bucket.tokens) / perMs
    const headers: Record<string, string> = {}
    if (retryAfter === 'seconds') headers['retry-after'] = String(Math.ceil(waitMs / 1000))
    if (retryAfter === 'date') headers['retry-after'] = new Date(at + waitMs + 999).toUTCString()
    throw new HttpError(429, 'RATE_LIMIT', `More than ${requestsPerMinute} requests in a minute.`, { headers })
  }
}
