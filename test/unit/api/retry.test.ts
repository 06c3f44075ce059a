import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backoffMs, DEFAULT_POLICY, decide, type Failure, mayRepeat, parseRetryAfter } from '../../../src/api/retry.ts'
import '../../helpers/seed.ts'

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

describe('decide', () => {
  test('a repetition stays within the retries, the time that is left, and what the kind of call allows', () => {
    fc.assert(
      fc.property(input, (given) => {
        const decision = decide(given)
        if (!decision.repeat) return
        expect(given.attempts).toBeLessThanOrEqual(given.policy.retries)
        expect(decision.delayMs).toBeLessThan(given.remainingMs)
        expect(mayRepeat(given.failure, given.idempotent)).toBe(true)
      }),
    )
  })
  test('never sooner than told, never later than told by more than one step', () => {
    fc.assert(
      fc.property(input, fc.integer({ min: 1, max: 60_000 }), (given, retryAfterMs) => {
        const told: Failure = { kind: 'status', status: 429, retryAfterMs }
        const decision = decide({ ...given, failure: told, attempts: 1, remainingMs: 120_000 })
        if (!decision.repeat) expect.fail(decision.reason)
        expect(decision.delayMs).toBeGreaterThanOrEqual(retryAfterMs)
        expect(decision.delayMs).toBeLessThanOrEqual(retryAfterMs + DEFAULT_POLICY.baseMs)
      }),
    )
  })
  test('a call that must not be carried out twice repeats only what was certainly not carried out', () => {
    fc.assert(
      fc.property(input, (given) => {
        const decision = decide({ ...given, idempotent: false })
        const refused = given.failure.kind === 'status' && given.failure.status === 429
        if (decision.repeat) expect(given.failure.kind === 'unsent' || refused).toBe(true)
      }),
    )
  })
  const given = { idempotent: true, attempts: 1, remainingMs: 60_000, policy: DEFAULT_POLICY, random: () => 0.5 }
  test.each<[string, Partial<Parameters<typeof decide>[0]>, object]>([
    ['503', {}, { repeat: true, delayMs: 50 }],
    ['503, third time', { attempts: 3 }, { repeat: true, delayMs: 200 }],
    ['503, fourth time', { attempts: 4 }, { repeat: false, reason: 'exhausted' }],
    ['503, no time left', { remainingMs: 50 }, { repeat: false, reason: 'deadline' }],
    ['503, not idempotent', { idempotent: false }, { repeat: false, reason: 'not-repeatable' }],
    ['404', { failure: { kind: 'status', status: 404 } }, { repeat: false, reason: 'not-repeatable' }],
    ['501', { failure: { kind: 'status', status: 501 } }, { repeat: false, reason: 'not-repeatable' }],
    [
      '429 over the cap',
      { failure: { kind: 'status', status: 429, retryAfterMs: 60_001 } },
      { repeat: false, reason: 'retry-after' },
    ],
    [
      '429 under the cap, longer than the time left',
      { failure: { kind: 'status', status: 429, retryAfterMs: 5000 }, remainingMs: 4000 },
      { repeat: false, reason: 'retry-after' },
    ],
    [
      'a told time of zero is no told time',
      { failure: { kind: 'status', status: 429, retryAfterMs: 0 } },
      { repeat: true, delayMs: 250 },
    ],
    ['no retries at all', { policy: { ...DEFAULT_POLICY, retries: 0 } }, { repeat: false, reason: 'exhausted' }],
    ['final', { failure: { kind: 'final' } }, { repeat: false, reason: 'final' }],
  ])('%s', (_, over, expected) => {
    expect(decide({ failure: { kind: 'status', status: 503 }, ...given, ...over })).toEqual(expected)
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
  ['Wed, 31 Dec 2025 00:00:00 GMT', undefined, 0],
  ['', undefined, undefined],
  [undefined, undefined, undefined],
  ['-5', undefined, undefined],
  ['1 day', undefined, undefined],
  ['Infinity', undefined, undefined],
  ['Soon, very', undefined, undefined],
])('Retry-After %j with Date %j: %s ms', (value, date, expected) => {
  expect(parseRetryAfter(value, date, Date.UTC(2026, 0, 1))).toBe(expected)
})
