import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mayRepeat, parseRetryAfter, retryDelayMs } from '../../../src/api/attempts.ts'
import type { Failure } from '../../../src/api/failure.ts'
import { backoffMs, DEFAULT_POLICY } from '../../../src/api/pace.ts'
import '../../helpers/seed.ts'

interface Given {
  readonly failure: Failure
  readonly idempotent: boolean
  readonly attempts: number
  readonly remainingMs: number
  readonly policy: typeof DEFAULT_POLICY
  readonly random: () => number
}
const delayOf = ({ failure, remainingMs, policy, random, ...call }: Given) =>
  retryDelayMs(failure, call, remainingMs, policy, random)

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const failure: fc.Arbitrary<Failure> = fc.oneof(
  fc.constantFrom<Failure>({ kind: 'unsent' }, { kind: 'broken' }, { kind: 'final' }),
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.integer({ min: 300, max: 599 }),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
  }),
)
const input = fc.record({
  failure,
  idempotent: fc.boolean(),
  attempts: fc.integer({ min: 1, max: 6 }),
  remainingMs: fc.integer({ min: 0, max: 120_000 }),
  policy: fc.constant(DEFAULT_POLICY),
  random: chance.map((value) => () => value),
})

describe('retryDelayMs', () => {
  test('a repetition stays within the retries, the time that is left, and what the kind of call allows', () => {
    fc.assert(
      fc.property(input, (given) => {
        const delayMs = delayOf(given)
        if (delayMs === undefined) return
        expect(given.attempts).toBeLessThanOrEqual(given.policy.retries)
        expect(delayMs).toBeLessThan(given.remainingMs)
        expect(mayRepeat(given.failure, given.idempotent)).toBe(true)
      }),
    )
  })
  test('never sooner than asked, never later than asked by more than one step', () => {
    fc.assert(
      fc.property(input, fc.integer({ min: 1, max: 60_000 }), (given, retryAfterMs) => {
        const asked: Failure = { kind: 'status', status: 429, retryAfterMs }
        const delayMs = delayOf({ ...given, failure: asked, attempts: 1, remainingMs: 120_000 })
        expect(delayMs).toBeGreaterThanOrEqual(retryAfterMs)
        expect(delayMs).toBeLessThanOrEqual(retryAfterMs + DEFAULT_POLICY.baseMs)
      }),
    )
  })
  test('a call that must not be carried out twice repeats only what was certainly not carried out', () => {
    fc.assert(
      fc.property(input, (given) => {
        const delayMs = delayOf({ ...given, idempotent: false })
        const refused = given.failure.kind === 'status' && given.failure.status === 429
        if (delayMs !== undefined) expect(given.failure.kind === 'unsent' || refused).toBe(true)
      }),
    )
  })
  const given = { idempotent: true, attempts: 1, remainingMs: 60_000, policy: DEFAULT_POLICY, random: () => 0.5 }
  test.each<[string, Partial<Given>, number | undefined]>([
    ['503', {}, 50],
    ['503, third time', { attempts: 3 }, 200],
    ['503, fourth time', { attempts: 4 }, undefined],
    ['503, no time left', { remainingMs: 50 }, undefined],
    ['503, not idempotent', { idempotent: false }, undefined],
    ['503 of a call that says when', { failure: { kind: 'status', status: 503, retryAfterMs: 2000 } }, 2050],
    ['a step over the cap', { policy: { ...DEFAULT_POLICY, capMs: 80 } }, 40],
    ['404', { failure: { kind: 'status', status: 404 } }, undefined],
    ['501', { failure: { kind: 'status', status: 501 } }, undefined],
    ['429', { failure: { kind: 'status', status: 429 } }, 250],
    ['429, third time', { failure: { kind: 'status', status: 429 }, attempts: 3 }, 1000],
    ['429 at the cap', { failure: { kind: 'status', status: 429, retryAfterMs: 60_000 }, remainingMs: 70_000 }, 60_050],
    [
      '429 over the cap',
      { failure: { kind: 'status', status: 429, retryAfterMs: 60_001 }, remainingMs: 70_000 },
      undefined,
    ],
    [
      '429 under the cap, longer than the time left',
      { failure: { kind: 'status', status: 429, retryAfterMs: 5000 }, remainingMs: 4000 },
      undefined,
    ],
    ['a time to wait of zero is no time to wait', { failure: { kind: 'status', status: 429, retryAfterMs: 0 } }, 250],
    ['no retries at all', { policy: { ...DEFAULT_POLICY, retries: 0 } }, undefined],
    ['final', { failure: { kind: 'final' } }, undefined],
  ])('%s', (_, over, expected) => {
    expect(delayOf({ failure: { kind: 'status', status: 503 }, ...given, ...over })).toBe(expected)
  })
})

describe('mayRepeat', () => {
  const statuses = Array.from({ length: 300 }, (_, i) => 300 + i)
  const repeated = (idempotent: boolean) =>
    statuses.filter((status) => mayRepeat({ kind: 'status', status }, idempotent))

  test('of the statuses those of a refusal, of a wait, and of a server that could not', () => {
    expect(repeated(true)).toEqual([408, 425, 429, 500, 502, 503, 504])
    expect(repeated(false)).toEqual([429])
  })
  test.each<[Failure['kind'], boolean, boolean]>([
    ['unsent', true, true],
    ['unsent', false, true],
    ['broken', true, true],
    ['broken', false, false],
    ['final', true, false],
    ['final', false, false],
  ])('%s, idempotent %s: %s', (kind, idempotent, expected) => {
    expect(mayRepeat(kind === 'status' ? { kind, status: 0 } : { kind }, idempotent)).toBe(expected)
  })
})

test('backoff: from zero to a step that doubles up to the cap', () => {
  fc.assert(
    fc.property(fc.nat(2000), chance, (step, random) => {
      const ms = backoffMs(step, 100, 20_000, () => random)
      expect(ms).toBeGreaterThanOrEqual(0)
      expect(ms).toBeLessThanOrEqual(Math.min(20_000, 100 * 2 ** step))
    }),
  )
  expect([0, 1, 2, 7, 8, 2000].map((step) => backoffMs(step, 100, 20_000, () => 1))).toEqual([
    100, 200, 400, 12_800, 20_000, 20_000,
  ])
})

test.each([
  ['120', undefined, 120_000],
  [' 1.5 ', undefined, 1500],
  ['0', undefined, 0],
  ['Thu, 01 Jan 2026 00:01:00 GMT', undefined, 60_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 'Thu, 01 Jan 2026 00:00:50 GMT', 10_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 'nonsense', 60_000],
  ['Thursday, 01-Jan-26 00:01:00 GMT', undefined, 60_000],
  ['Thu Jan 01 2026 00:01:00 GMT', undefined, 60_000],
  ['1 Jan 2026 00:01:00 GMT', undefined, undefined],
  ['Wed, 31 Dec 2025 00:00:00 GMT', undefined, 0],
  ['Thu, 01 Jan 2026 00:00:40 GMT', 'Thu, 01 Jan 2026 00:00:50 GMT', 0],
  ['1.25', undefined, 1250],
  ['5.', undefined, undefined],
  ['x5', undefined, undefined],
  ['5x', undefined, undefined],
  ['5 Thu, 01 Jan 2026 00:01:00 GMT', undefined, undefined],
  ['', undefined, undefined],
  [undefined, undefined, undefined],
  ['-5', undefined, undefined],
  ['1 day', undefined, undefined],
  ['Infinity', undefined, undefined],
  ['Soon, very', undefined, undefined],
])('Retry-After %j with Date %j: %s ms', (value, date, expected) => {
  expect(parseRetryAfter(value, date, Date.UTC(2026, 0, 1))).toBe(expected)
})
