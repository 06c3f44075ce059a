/** Decides when a request may start, given the requests per minute, the pause after a 429, and reserved requests. */
import { type Clock, createDeadline } from '../shared/clock.ts'

/** Limits the number of concurrent holders: first come, first served. */
export class Gate {
  private readonly queue = new Set<() => void>()

  constructor(private free: number) {}

  /** Waits for a slot. Rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.free > 0) {
      this.free--
      return
    }
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.queue.delete(admit)
        reject(signal.reason)
      }
      this.queue.add(admit)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Passes the slot to the next caller in the queue. Must be called once for each `enter`. */
  leave(): void {
    const [first] = this.queue
    if (!first) {
      this.free++
      return
    }
    this.queue.delete(first)
    first()
  }
}

/**
 * Requests that may start immediately, for a writer that reads first and then must not wait before it writes. Created
 * by `Client.reserve()`. Pass it to calls of the same client as `CallOptions.reservation`.
 */
export interface Reservation {
  /** The number of reserved requests: as many as requested, but at most `requestsPerMinute`. */
  readonly size: number
  /** Gives the unused requests back, so that they do not count towards `requestsPerMinute`. May be called twice. */
  release(): void
}

/**
 * Requests that count towards the limit until a minute after `atMs`. Their number falls when a reserved request starts
 * or is given back.
 */
interface Booking {
  readonly atMs: number
  requests: number
}

const MINUTE_MS = 60_000

/** Lets at most `requestsPerMinute` requests start in any period of 60 seconds. */
export class Pace {
  /** Oldest first. */
  private readonly bookings = new Set<Booking>()
  private readonly reservations = new WeakMap<Reservation, Booking>()
  /**
   * The first caller waits until it may start. The others queue behind it, so that small requests do not overtake a
   * large one.
   */
  private readonly queue = new Gate(1)
  private heldUntilMs = Number.NEGATIVE_INFINITY
  private released = new AbortController()

  constructor(
    private readonly clock: Clock,
    private readonly requestsPerMinute = Number.POSITIVE_INFINITY,
  ) {}

  /** Waits until this many requests may start, and counts them. Rejects with the signal's reason. */
  async book(requests: number, signal: AbortSignal): Promise<Booking> {
    await this.queue.enter(signal)
    try {
      for (let ms = this.waitMs(requests); ms > 0; ms = this.waitMs(requests)) await this.sleepUntilRelease(ms, signal)
      signal.throwIfAborted()
      return this.count(requests)
    } finally {
      this.queue.leave()
    }
  }

  async reserve(requests: number, signal: AbortSignal): Promise<Reservation> {
    const size = Math.min(requests, this.requestsPerMinute)
    const booking = await this.book(size, signal)
    const release = () => {
      booking.requests = 0
      this.released.abort()
    }
    const reservation: Reservation = { size, release }
    this.reservations.set(reservation, booking)
    return reservation
  }

  /**
   * Uses one reserved request, which then counts towards the limit from now on. Returns `undefined` if none is left.
   * During a pause, uses no request, and returns the rest of the pause as `heldMs`; otherwise, `heldMs` is 0.
   */
  take(reservation: Reservation): { readonly heldMs: number } | undefined {
    const booking = this.reservations.get(reservation)
    // After a minute, other requests may take the place of the reserved ones.
    if (!booking || booking.requests === 0 || this.isOver(booking)) return undefined
    const heldMs = Math.max(0, this.heldUntilMs - this.clock.now())
    if (heldMs === 0) {
      booking.requests--
      this.count(1)
    }
    return { heldMs }
  }

  /** Starts a pause of `ms` milliseconds, in which no request may start. */
  hold(ms: number): void {
    this.heldUntilMs = Math.max(this.heldUntilMs, this.clock.now() + ms)
  }

  private isOver({ atMs }: Booking): boolean {
    return atMs + MINUTE_MS <= this.clock.now()
  }

  private count(requests: number): Booking {
    const booking = { atMs: this.clock.now(), requests }
    if (this.requestsPerMinute < Number.POSITIVE_INFINITY) this.bookings.add(booking)
    return booking
  }

  /** The time until this many requests may start. */
  private waitMs(requests: number): number {
    let free = this.requestsPerMinute - requests
    for (const booking of this.bookings) {
      if (this.isOver(booking)) this.bookings.delete(booking)
      else free -= booking.requests
    }
    let atMs = Math.max(this.clock.now(), this.heldUntilMs)
    for (const booking of this.bookings) {
      if (free >= 0) break
      free += booking.requests
      atMs = Math.max(atMs, booking.atMs + MINUTE_MS)
    }
    return atMs - this.clock.now()
  }

  private async sleepUntilRelease(ms: number, signal: AbortSignal): Promise<void> {
    this.released = new AbortController()
    const either = createDeadline([signal, this.released.signal])
    try {
      await this.clock.sleep(ms, either.signal)
    } catch (thrown) {
      if (signal.aborted || !this.released.signal.aborted) throw thrown
    } finally {
      either.clear()
    }
  }
}

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

/** Full jitter: a random part of the step, which doubles with each retry up to the cap. `step` counts from 0. */
export function backoffMs(step: number, baseMs: number, capMs: number, random: () => number): number {
  return random() * Math.min(capMs, baseMs * 2 ** step)
}
