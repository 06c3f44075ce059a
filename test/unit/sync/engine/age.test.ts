import { expect, test } from 'vitest'
import { startAge } from '../../../../src/sync/engine/age.ts'
import { createManualClock } from '../../../helpers/manual-clock.ts'

test('time that passes counts, time that was slept through as well, and a clock that went back proves nothing', () => {
  const clock = createManualClock()
  const age = startAge(clock)
  expect(age()).toBe(0)
  clock.advance(300)
  expect(age()).toBe(300)
  // The machine slept: only the wall clock knows.
  clock.jump(60_000)
  expect(age()).toBe(60_300)
  expect(startAge(clock)()).toBe(0)
  clock.jump(-3_600_000)
  expect(age()).toBe(Number.POSITIVE_INFINITY)
})
