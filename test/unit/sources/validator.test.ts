/** The times that a service must send before a build believes that nothing changed. */
import { expect, test } from 'vitest'
import {
  answerTime,
  cacheLifetimeMs,
  isUnchanged,
  storableValidator,
  type Validator,
} from '../../../src/sources/validator.ts'

const validator: Validator = { state: 's', answeredAt: 100_000, changedAt: 90_000 }

test('a change that is just settled', () => {
  expect(storableValidator(validator)).toEqual({ state: 's', answeredAt: 100_000 })
  expect(storableValidator({ ...validator, changedAt: 90_001 })).toBeUndefined()
  expect(storableValidator({ ...validator, changedAt: 200_000 })).toBeUndefined()
  expect(storableValidator({ ...validator, changedAt: Number.NaN })).toBeUndefined()
  expect(storableValidator(undefined)).toBeUndefined()
})

test('caches keep it longer', () => {
  expect(storableValidator({ ...validator, changedAt: 80_000 }, 10_000)).toBeDefined()
  expect(storableValidator({ ...validator, changedAt: 80_000 }, 10_001)).toBeUndefined()
  expect(storableValidator(validator, Number.POSITIVE_INFINITY)).toBeUndefined()
})

test('a proof holds, but not before it was given', () => {
  const stored = { state: 's', answeredAt: 100_000 }
  const told = (answeredAt: number, state = 's') => isUnchanged(stored, { state, answeredAt, changedAt: 0 })
  expect([told(100_000), told(99_999), told(Number.NaN), told(101_000, 'other')]).toEqual([true, false, false, false])
})

test.each([
  ['Thu, 01 Jan 2026 00:00:09 GMT', '0', Date.UTC(2026, 0, 1, 0, 0, 9)],
  ['Thu, 01 Jan 2026 00:00:04 GMT', undefined, Date.UTC(2026, 0, 1, 0, 0, 4)],
  ['Thu, 01 Jan 2026 00:00:01 GMT', '1', Number.NaN],
  ['noon', undefined, Number.NaN],
  [undefined, undefined, Number.NaN],
])('an answer with the date %s and the age %s', (date, age, time) => {
  expect(answerTime((name) => ({ date, age })[name])).toBe(time)
})

test.each([
  ['no-cache', 0],
  ['private, no-store', 0],
  ['public, max-age=3600', 3_600_000],
  ['max-age=60, s-maxage="120"', 120_000],
  ['Max-Age=60, Stale-While-Revalidate=30', 90_000],
  ['max-age=soon', Number.POSITIVE_INFINITY],
  ['public', Number.POSITIVE_INFINITY],
  [undefined, Number.POSITIVE_INFINITY],
])('Cache-Control: %s', (header, ms) => {
  expect(cacheLifetimeMs(header)).toBe(ms)
})
