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

export interface RateLimiter {
  /** Books the next request and returns how long it has to wait, in milliseconds. */
  reserve(nowMs: number): number
  /** Nobody starts before that time. */
  holdUntil(timeMs: number): void
  /** How long the hold still lasts. */
  heldMs(nowMs: number): number
}

const MINUTE_MS = 60_000

/** At most `requestsPerMinute` in any sixty seconds, wherever they begin; without a number only `holdUntil` counts. */
export function createRateLimiter(requestsPerMinute?: number): RateLimiter {
  // A ring of the last booked starts: a booking comes a minute after the one `requestsPerMinute` before it, at the earliest.
  const starts: number[] = []
  let next = 0
  let heldUntil = Number.NEGATIVE_INFINITY
  return {
    reserve(nowMs) {
      let at = Math.max(nowMs, heldUntil)
      if (requestsPerMinute !== undefined) {
        const before = starts[next]
        if (before !== undefined) at = Math.max(at, before + MINUTE_MS)
        starts[next] = at
        next = (next + 1) % requestsPerMinute
      }
      return at - nowMs
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
