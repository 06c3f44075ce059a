import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGate, createRateLimiter, createRetryBudget } from '../../../src/api/limits.ts'
import '../../helpers/seed.ts'

test('the budget pays for a hundred retries in a row, and grows back by successes', () => {
  const budget = createRetryBudget()
  expect(Array.from({ length: 101 }, () => budget.take()).filter(Boolean)).toHaveLength(100)
  for (let i = 0; i < 4; i++) budget.refund()
  expect(budget.take()).toBe(false)
  budget.refund()
  expect([budget.take(), budget.take()]).toEqual([true, false])
})

test('no sixty seconds, wherever they begin, hold more than the limit, and no start is later than it has to be', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.nat(20_000), { maxLength: 80 }), (limit, gaps) => {
      const limiter = createRateLimiter(limit)
      let now = 0
      const starts: number[] = []
      for (const gap of gaps) {
        now += gap
        starts.push(now + limiter.reserve(now))
      }
      for (let i = limit; i < starts.length; i++) {
        expect((starts[i] as number) - (starts[i - limit] as number)).toBeGreaterThanOrEqual(60_000)
      }
      for (let i = 0; i < Math.min(limit, starts.length); i++)
        expect(starts[i]).toBe(gaps.slice(0, i + 1).reduce((a, b) => a + b, 0))
    }),
  )
})

test('a hold delays everybody, the longest counts, and ends by itself', () => {
  const limiter = createRateLimiter()
  limiter.holdUntil(500)
  limiter.holdUntil(300)
  expect([limiter.reserve(100), limiter.heldMs(100), limiter.heldMs(600), limiter.reserve(600)]).toEqual([
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
