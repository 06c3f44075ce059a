/** The limits of a client: requests a minute, and calls at once. */

import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Gate, Pace, type Reservation } from '../../../src/api/pace.ts'
import { createTestClock } from '../../helpers/api-client.ts'

import '../../helpers/seed.ts'

const { signal } = new AbortController()

/** No sixty seconds, wherever they begin, hold more than `limit` of these. */
function expectRate(starts: readonly number[], limit: number) {
  for (let i = limit; i < starts.length; i++) {
    expect((starts[i] as number) - (starts[i - limit] as number)).toBeGreaterThanOrEqual(60_000)
  }
}

test('no sixty seconds, wherever they begin, hold more than the limit, and no start is later than it has to be', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.nat(20_000), { maxLength: 80 }),
      async (limit, gaps) => {
        const clock = createTestClock()
        const pace = new Pace(clock, limit)
        const starts: number[] = []
        for (const gap of gaps) {
          await clock.sleep(gap, signal)
          const earliest = Math.max(clock.now(), (starts.at(-limit) ?? Number.NEGATIVE_INFINITY) + 60_000)
          await pace.book(1, signal)
          expect(clock.now()).toBe(earliest)
          starts.push(earliest)
        }
        expectRate(starts, limit)
      },
    ),
  )
})

test('the same holds with requests that are reserved, taken later, given back or forgotten', async () => {
  const step = fc.record({
    gap: fc.nat(30_000),
    action: fc.constantFrom('start', 'reserve', 'take', 'take', 'release'),
    pick: fc.nat(100),
  })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 120 }), async (limit, steps) => {
      const clock = createTestClock()
      const pace = new Pace(clock, limit)
      const reservations: Reservation[] = []
      const starts: number[] = []
      for (const { gap, action, pick } of steps) {
        await clock.sleep(gap, signal)
        const reservation = reservations[pick % Math.max(1, reservations.length)]
        if (action === 'start') {
          await pace.book(1, signal)
          starts.push(clock.now())
        } else if (action === 'reserve') reservations.push(await pace.reserve(1 + (pick % limit), signal))
        else if (reservation && action === 'release') reservation.release()
        else if (reservation && pace.take(reservation)) starts.push(clock.now())
      }
      expectRate(starts, limit)
    }),
  )
})

test('a reserved request counts from its start on, for a minute; one that is given back counts no longer', async () => {
  const clock = createTestClock()
  const pace = new Pace(clock, 3)
  const reservation = await pace.reserve(3, signal)
  await clock.sleep(10_000, signal)
  expect(pace.take(reservation)).toEqual({ heldMs: 0 })
  reservation.release()
  expect(pace.take(reservation)).toBe(undefined)
  const other = await pace.reserve(2, signal)
  expect(clock.now()).toBe(10_000)
  await clock.sleep(59_999, signal)
  expect(pace.take(other)).toEqual({ heldMs: 0 })
  await clock.sleep(1, signal)
  expect(pace.take(other)).toBe(undefined)
})

test('a hold delays everybody, the longest counts, and ends by itself', async () => {
  const clock = createTestClock()
  const pace = new Pace(clock)
  pace.hold(500)
  pace.hold(300)
  await clock.sleep(100, signal)
  await pace.book(1, signal)
  expect(clock.now()).toBe(500)
  await pace.book(9, signal)
  expect(clock.now()).toBe(500)
})

test('a wait leaves nothing behind with its signal, and ends with the fault of a clock', async () => {
  const caller = new AbortController()
  const clock = createTestClock()
  const pace = new Pace(clock, 1)
  await pace.book(1, caller.signal)
  await pace.book(1, caller.signal)
  expect(clock.now()).toBe(60_000)
  expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  const fault = new Error('no time')
  const broken = new Pace({ ...clock, sleep: () => Promise.reject(fault) }, 1)
  await broken.book(1, signal)
  await expect(broken.book(1, signal)).rejects.toBe(fault)
})

test('the gate lets so many in, first come first served; a caller that gives up leaves the queue', async () => {
  const gate = new Gate(1)
  await gate.enter(signal)
  const order: string[] = []
  const second = gate.enter(signal).then(() => order.push('second'))
  const impatient = new AbortController()
  const third = gate.enter(impatient.signal)
  const fourth = gate.enter(signal).then(() => order.push('fourth'))
  impatient.abort(new Error('enough'))
  await expect(third).rejects.toThrow('enough')
  await expect(gate.enter(impatient.signal)).rejects.toThrow('enough')
  gate.leave()
  await second
  expect(order).toEqual(['second'])
  gate.leave()
  await fourth
  expect(order).toEqual(['second', 'fourth'])
})
