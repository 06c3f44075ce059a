/** When a request may start: requests a minute, the hold after a 429, and requests that were reserved for later. */
import { type Clock, createDeadline } from './clock.ts'
import { type Booking, createGate, createRateLimiter } from './limits.ts'

/**
 * Requests that may start at once, for a writer that reads before it writes and must not wait between the two. From
 * `Client.reserve()`; given to calls of the same client as `CallOptions.reservation`.
 */
export interface Reservation {
  /** How many requests were reserved: as many as asked for, at most `requestsPerMinute`. */
  readonly size: number
  /** Gives back what no call has taken, so that it does not count under `requestsPerMinute`. May be called twice. */
  release(): void
}

export interface Pace {
  /**
   * Waits until the next request may start, first come first served, and counts it. Rejects with the signal's reason.
   */
  wait(signal: AbortSignal): Promise<void>
  /** Waits until so many requests may start at once, and books them. */
  reserve(requests: number, signal: AbortSignal): Promise<Reservation>
  /**
   * Takes a request of the reservation, to start now. `undefined`: it has none left. A `heldMs` above 0: nothing was
   * taken, because a hold lasts so long.
   */
  take(reservation: Reservation): { readonly heldMs: number } | undefined
  /** No request starts for so long. */
  hold(ms: number): void
}

export function createPace(clock: Clock, requestsPerMinute: number | undefined): Pace {
  const limiter = createRateLimiter(requestsPerMinute)
  // One waits for the limiter, the others for that one: what takes many requests is not overtaken by what takes few.
  const queue = createGate(1)
  const bookings = new WeakMap<Reservation, Booking>()
  let released = new AbortController()

  async function book(requests: number, signal: AbortSignal): Promise<Booking> {
    const leave = await queue.enter(signal)
    try {
      for (let waitMs = limiter.waitMs(clock.now(), requests); waitMs > 0; ) {
        await sleepUntilRelease(waitMs, signal)
        waitMs = limiter.waitMs(clock.now(), requests)
      }
      signal.throwIfAborted()
      return limiter.book(clock.now(), requests)
    } finally {
      leave()
    }
  }

  async function sleepUntilRelease(ms: number, signal: AbortSignal): Promise<void> {
    released = new AbortController()
    const either = createDeadline([signal, released.signal])
    try {
      await clock.sleep(ms, either.signal)
    } catch (thrown) {
      if (signal.aborted || !released.signal.aborted) throw thrown
    } finally {
      either.clear()
    }
  }

  return {
    async wait(signal) {
      await book(1, signal)
    },
    async reserve(requests, signal) {
      const size = Math.min(requests, requestsPerMinute ?? requests)
      const booking = await book(size, signal)
      const reservation: Reservation = {
        size,
        release() {
          limiter.release(booking)
          released.abort()
        },
      }
      bookings.set(reservation, booking)
      return reservation
    },
    take(reservation) {
      const booking = bookings.get(reservation)
      if (!booking || !limiter.isGood(booking, clock.now())) return undefined
      const heldMs = limiter.heldMs(clock.now())
      if (heldMs === 0) limiter.take(booking, clock.now())
      return { heldMs }
    },
    hold: (ms) => limiter.holdUntil(clock.now() + ms),
  }
}
