import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Booking, createGate, createRateLimiter, createRetryBudget } from '../../../src/api/limits.ts'
import '../../helpers/seed.ts'

test('the budget pays for a hundred retries in a row, and grows back by successes', () => {
  const budget = createRetryBudget()
  expect(Array.from({ length: 101 }, () => budget.take()).filter(Boolean)).toHaveLength(100)
  for (let i = 0; i < 4; i++) budget.refund()
  expect(budget.take()).toBe(false)
  budget.refund()
  expect([budget.take(), budget.take()]).toEqual([true, false])
})

/** No sixty seconds, wherever they begin, hold more than `limit` of these. */
function expectRate(starts: readonly number[], limit: number) {
  for (let i = limit; i < starts.length; i++) {
    expect((starts[i] as number) - (starts[i - limit] as number)).toBeGreaterThanOrEqual(60_000)
  }
}

test('no sixty seconds, wherever they begin, hold more than the limit, and no start is later than it has to be', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.nat(20_000), { maxLength: 80 }), (limit, gaps) => {
      const limiter = createRateLimiter(limit)
      let now = 0
      const starts: number[] = []
      for (const gap of gaps) {
        now += gap
        const waitMs = limiter.waitMs(now, 1)
        expect(waitMs).toBe(Math.max(0, (starts.at(-limit) ?? Number.NEGATIVE_INFINITY) + 60_000 - now))
        now += waitMs
        limiter.book(now, 1)
        starts.push(now)
      }
      expectRate(starts, limit)
    }),
  )
})

test('the same holds with requests that are reserved, taken later, given back or forgotten', () => {
  const step = fc.record({
    gap: fc.nat(30_000),
    action: fc.constantFrom('start', 'reserve', 'take', 'take', 'release'),
    pick: fc.nat(100),
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 120 }), (limit, steps) => {
      const limiter = createRateLimiter(limit)
      const bookings: Booking[] = []
      const starts: number[] = []
      let now = 0
      for (const { gap, action, pick } of steps) {
        now += gap
        const booking = bookings[pick % Math.max(1, bookings.length)]
        if (action === 'start' || action === 'reserve') {
          const requests = action === 'start' ? 1 : 1 + (pick % limit)
          now += limiter.waitMs(now, requests)
          const booked = limiter.book(now, requests)
          if (action === 'start') starts.push(now)
          else bookings.push(booked)
        } else if (booking && action === 'release') limiter.release(booking)
        else if (booking && limiter.isGood(booking, now)) {
          limiter.take(booking, now)
          starts.push(now)
        }
      }
      expectRate(starts, limit)
    }),
  )
})

test('a booking counts from its start on, for a minute; what is given back counts no longer', () => {
  const limiter = createRateLimiter(3)
  const booking = limiter.book(0, 3)
  limiter.take(booking, 10_000)
  expect([limiter.waitMs(10_000, 1), limiter.waitMs(10_000, 2), limiter.waitMs(10_000, 3)]).toEqual([
    50_000, 50_000, 60_000,
  ])
  limiter.release(booking)
  expect([limiter.isGood(booking, 10_000), limiter.waitMs(10_000, 2), limiter.waitMs(10_000, 3)]).toEqual([
    false,
    0,
    60_000,
  ])
  const other = limiter.book(10_000, 2)
  expect([limiter.isGood(other, 69_999), limiter.isGood(other, 70_000)]).toEqual([true, false])
})

test('a hold delays everybody, the longest counts, and ends by itself', () => {
  const limiter = createRateLimiter()
  limiter.holdUntil(500)
  limiter.holdUntil(300)
  expect([limiter.waitMs(100, 1), limiter.heldMs(100), limiter.heldMs(600), limiter.waitMs(600, 9)]).toEqual([
    400, 400, 0, 0,
  ])
})

test('the gate lets so many in, first come first served; who gives up leaves the queue', async () => {
  const gate = createGate(1)
  const { signal } = new AbortController()
  const leave = await gate.enter(signal)
  const order: string[] = []
  const second = gate.enter(signal).then((free) => {
    order.push('second')
    return free
  })
  const impatient = new AbortController()
  const third = gate.enter(impatient.signal)
  const fourth = gate.enter(signal).then(() => order.push('fourth'))
  impatient.abort(new Error('enough'))
  await expect(third).rejects.toThrow('enough')
  await expect(gate.enter(impatient.signal)).rejects.toThrow('enough')
  leave()
  // Leaving twice frees one place, not two.
  leave()
  const free = await second
  expect(order).toEqual(['second'])
  free()
  await fourth
  expect(order).toEqual(['second', 'fourth'])
})
