/** How much a client may ask at once: retry budget, requests a minute, requests in flight. No clock of their own. */

export interface RetryBudget {
  /** Takes the price of one retry; false when the budget is spent. */
  take(): boolean
  /** Puts back a little after a success. */
  refund(): void
}

/** One budget per client: when everything fails, retries end soon instead of multiplying the load. */
export function createRetryBudget(capacity = 500, price = 5): RetryBudget {
  let tokens = capacity
  return {
    take() {
      if (tokens < price) return false
      tokens -= price
      return true
    },
    refund() {
      tokens = Math.min(capacity, tokens + 1)
    },
  }
}

/** Requests that were booked together. */
export interface Booking {
  readonly atMs: number
  /** How many count since `atMs`. Those of a reservation become fewer with each that starts or is given back. */
  requests: number
}

export interface RateLimiter {
  /**
   * How long until so many requests may start at once, in milliseconds. They must not be more than `requestsPerMinute`.
   */
  waitMs(nowMs: number, requests: number): number
  /** Counts so many requests for a minute. */
  book(nowMs: number, requests: number): Booking
  /** Whether a request of a reservation may still start: one is left, and the booking is younger than a minute. */
  isGood(booking: Booking, nowMs: number): boolean
  /** Starts one request of a reservation: its minute begins anew. */
  take(booking: Booking, nowMs: number): void
  /** Counts what is left of a reservation no longer. */
  release(booking: Booking): void
  /** Nobody starts before that time. */
  holdUntil(timeMs: number): void
  /** How long the hold still lasts. */
  heldMs(nowMs: number): number
}

const MINUTE_MS = 60_000

/** At most `requestsPerMinute` in any sixty seconds, wherever they begin; without a number only `holdUntil` counts. */
export function createRateLimiter(requestsPerMinute = Number.POSITIVE_INFINITY): RateLimiter {
  // Oldest first. After its minute a reservation has room for nothing: others may have started in its place.
  const counted = new Set<Booking>()
  let heldUntil = Number.NEGATIVE_INFINITY
  const isOver = ({ atMs }: Booking, nowMs: number) => atMs + MINUTE_MS <= nowMs
  const book = (nowMs: number, requests: number): Booking => {
    const booking = { atMs: nowMs, requests }
    if (requestsPerMinute < Number.POSITIVE_INFINITY) counted.add(booking)
    return booking
  }
  return {
    waitMs(nowMs, requests) {
      let free = requestsPerMinute - requests
      for (const booking of counted) {
        if (isOver(booking, nowMs)) counted.delete(booking)
        else free -= booking.requests
      }
      let atMs = Math.max(nowMs, heldUntil)
      for (const booking of counted) {
        if (free >= 0) break
        free += booking.requests
        atMs = Math.max(atMs, booking.atMs + MINUTE_MS)
      }
      return atMs - nowMs
    },
    book,
    isGood: (booking, nowMs) => booking.requests > 0 && !isOver(booking, nowMs),
    take(booking, nowMs) {
      booking.requests--
      book(nowMs, 1)
    },
    release(booking) {
      booking.requests = 0
      counted.delete(booking)
    },
    holdUntil(timeMs) {
      heldUntil = Math.max(heldUntil, timeMs)
    },
    heldMs: (nowMs) => Math.max(0, heldUntil - nowMs),
  }
}

export interface Gate {
  /** Waits for a place, first come first served; gives back the function that frees it. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<() => void>
}

/** At most `places` at once. */
export function createGate(places: number): Gate {
  let free = places
  const queue = new Set<() => void>()
  const leave = () => {
    const first = queue.values().next().value
    if (first === undefined) free++
    else {
      queue.delete(first)
      first()
    }
  }
  const once = () => {
    let left = false
    return () => {
      if (!left) {
        left = true
        leave()
      }
    }
  }
  return {
    enter(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      if (free > 0) {
        free--
        return Promise.resolve(once())
      }
      return new Promise((resolve, reject) => {
        const admit = () => {
          signal.removeEventListener('abort', giveUp)
          resolve(once())
        }
        const giveUp = () => {
          queue.delete(admit)
          reject(signal.reason)
        }
        queue.add(admit)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
  }
}
