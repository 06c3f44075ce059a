/** A token bucket for each project, or for each address if a request has no key. Off by default. */
import { HttpError } from './http-error.ts'

export interface RateLimitOptions {
  readonly requestsPerMinute: number
  /** The maximum number of requests in a burst. Default: `requestsPerMinute`. */
  readonly burst?: number | undefined
  /** The format of `Retry-After`: whole seconds, an HTTP date, or no header. Default: seconds. */
  readonly retryAfter?: 'seconds' | 'date' | 'none' | undefined
}

interface Bucket {
  readonly size: number
  /** The number of requests added per millisecond. */
  readonly perMs: number
}

/**
 * Takes one request from `subject`'s bucket. Returns 0 if the bucket contained at least one request, otherwise the
 * missing fraction of a request. `at` is the current time in milliseconds.
 */
export type TakeRequest = (subject: string, bucket: Bucket, at: number) => Promise<number> | number

/** Throws 429 if `subject`'s bucket is empty. */
export type RateLimiter = (subject: string) => Promise<void>

/** Default: the buckets are in memory. */
export function createRateLimiter(
  limit: number | RateLimitOptions,
  now: () => number,
  take: TakeRequest = bucketsInMemory(),
): RateLimiter {
  const options: RateLimitOptions = typeof limit === 'number' ? { requestsPerMinute: limit } : limit
  const { requestsPerMinute, burst = requestsPerMinute, retryAfter = 'seconds' } = options
  const bucket = { size: burst, perMs: requestsPerMinute / 60_000 }

  return async (subject) => {
    const at = now()
    const missing = await take(subject, bucket, at)
    if (missing === 0) return
    const waitMs = missing / bucket.perMs
    const headers: Record<string, string> = {}
    if (retryAfter === 'seconds') headers['retry-after'] = String(Math.ceil(waitMs / 1000))
    if (retryAfter === 'date') headers['retry-after'] = new Date(at + waitMs + 999).toUTCString()
    throw new HttpError(429, 'RATE_LIMIT', `More than ${requestsPerMinute} requests in a minute.`, { headers })
  }
}

function bucketsInMemory(): TakeRequest {
  const buckets = new Map<string, { left: number; at: number }>()
  return (subject, { size, perMs }, at) => {
    const bucket = buckets.get(subject) ?? { left: size, at }
    bucket.left = Math.min(size, bucket.left + Math.max(0, at - bucket.at) * perMs)
    bucket.at = at
    buckets.set(subject, bucket)
    if (bucket.left < 1) return 1 - bucket.left
    bucket.left--
    return 0
  }
}
