/** How a call is carried out: its attempts, what they have left of its time, and how it ends. */
import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { type Run, Runner } from '../../../src/api/attempts.ts'
import { ApiError } from '../../../src/api/errors.ts'
import { AttemptFailure, type Failure } from '../../../src/api/failure.ts'
import { DEFAULT_POLICY } from '../../../src/api/pace.ts'
import { createTestClock } from '../../helpers/api-client.ts'
import { createManualClock } from '../../helpers/manual-clock.ts'

const CALL: Run = {
  method: 'GET',
  url: new URL('https://service.test/texts'),
  target: 'project',
  idempotent: true,
  secrets: [],
}

function failed(failure: Failure, message = 'it failed') {
  return new AttemptFailure(message, { code: 'API_SERVER', failure })
}
const status = (code: number, retryAfterMs?: number) => failed({ kind: 'status', status: code, retryAfterMs })

/** A runner on a clock where sleeps take no time; each attempt takes `takesMs` and ends as `outcomes` say. */
function start(options: Partial<ConstructorParameters<typeof Runner>[0]> = {}) {
  const clock = createTestClock()
  const runner = new Runner({
    policy: DEFAULT_POLICY,
    timeoutMs: 60_000,
    requestsPerMinute: Number.POSITIVE_INFINITY,
    concurrency: 10,
    signals: [],
    clock,
    random: () => 0.5,
    ...options,
  })
  const starts: number[] = []
  const run = async (outcomes: readonly unknown[], call: Partial<Run> = {}, takesMs = 0) => {
    let at = 0
    return runner.run({ ...CALL, ...call }, async (signal) => {
      starts.push(clock.now())
      if (takesMs > 0) await clock.sleep(takesMs, signal)
      const outcome = outcomes[Math.min(at++, outcomes.length - 1)]
      if (outcome instanceof Error) throw outcome
      return outcome
    })
  }
  return { runner, clock, starts, run }
}

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it succeeded'),
    (error: unknown) => (error instanceof ApiError ? error : expect.fail(String(error))),
  )

describe('attempts', () => {
  test('go on until one succeeds, further apart each time', async () => {
    const { run, starts } = start()
    expect(await run([status(503), status(503), failed({ kind: 'broken' }), 'done'])).toBe('done')
    expect(starts).toEqual([0, 50, 150, 350])
  })

  test('end after the retries, of the client or of the call', async () => {
    const { run, starts } = start({ policy: { ...DEFAULT_POLICY, retries: 2 } })
    expect(await errorOf(run([status(503)]))).toMatchObject({ code: 'API_SERVER', attempts: 3 })
    expect(starts).toHaveLength(3)
    expect(await errorOf(run([status(503)], { retries: 0 }))).toMatchObject({ attempts: 1 })
    expect(await errorOf(run([status(503)], { retries: 3 }))).toMatchObject({ attempts: 4 })
    expect(starts).toHaveLength(8)
  })

  test('are one where a repetition could do harm, or could not help', async () => {
    const { run } = start()
    expect(await errorOf(run([status(503)], { idempotent: false }))).toMatchObject({ attempts: 1, uncertain: true })
    expect(await errorOf(run([failed({ kind: 'final' })]))).toMatchObject({ attempts: 1 })
    expect(await run([failed({ kind: 'unsent' }), status(429), 'done'], { idempotent: false })).toBe('done')
  })

  test('have the time of the call together with the waits between them', async () => {
    const { run, starts } = start({ timeoutMs: 1000, policy: { ...DEFAULT_POLICY, retries: 9 } })
    // 400 + 50 + 400 leave 150: a wait of 100 fits in. After another 400 nothing is left.
    expect(await errorOf(run([status(503)], {}, 400))).toMatchObject({ code: 'API_SERVER', attempts: 3 })
    expect(starts).toEqual([0, 450, 950])
    // Waits of 50, 100, 200 and 400 leave 250: one of 800 does not fit in.
    expect(await errorOf(run([status(503)]))).toMatchObject({ attempts: 5 })
    expect(await errorOf(run([status(503)], { timeoutMs: 450 }, 400))).toMatchObject({ attempts: 1 })
    expect(await errorOf(run([status(503)], { timeoutMs: 451 }, 400))).toMatchObject({ attempts: 2 })
  })

  test('of another kind of error are none: it is thrown as it is, and the place is free again', async () => {
    const { run, starts } = start({ concurrency: 1 })
    const bug = new TypeError('a mistake of ours')
    await expect(run([bug])).rejects.toBe(bug)
    expect(await run(['done'])).toBe('done')
    expect(starts).toHaveLength(2)
  })
})

describe('a 429', () => {
  test('holds every call back, for as long as the repetition waits', async () => {
    const { run, starts, clock } = start()
    expect(await run([status(429, 5000), 'done'])).toBe('done')
    expect(starts).toEqual([0, 5050])
    await errorOf(run([status(429)], { retries: 0 }))
    expect(clock.now()).toBe(5050)
  })

  test('that is not repeated holds the next call for the time it asked for, if that is not too long', async () => {
    const { run, starts } = start()
    for (const retryAfterMs of [60_000, 60_001, undefined]) {
      expect(await errorOf(run([status(429, retryAfterMs)], { retries: 0 }))).toMatchObject({ attempts: 1 })
    }
    // Another status holds nobody.
    await errorOf(run([status(503, 3000)], { retries: 0 }))
    await run(['done'])
    expect(starts).toEqual([0, 60_000, 60_000, 60_000, 60_000])
  })
})

describe('the end of a call', () => {
  const forever = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

  test('by time: names the time and the failure before', async () => {
    const { runner } = start()
    const first = await errorOf(runner.run({ ...CALL, idempotent: false, timeoutMs: 30 }, forever))
    expect(first).toMatchObject({ code: 'API_TIMEOUT', attempts: 1, uncertain: true })
    expect(first.message).toContain('no complete response within 30 ms')
    expect(first.message).not.toContain('before')
    let at = 0
    const failing = (signal: AbortSignal) => (at++ === 0 ? Promise.reject(failed({ kind: 'unsent' })) : forever(signal))
    const second = await errorOf(runner.run({ ...CALL, timeoutMs: 90 }, failing))
    expect(second).toMatchObject({ code: 'API_TIMEOUT', attempts: 2, uncertain: false })
    expect(second.message).toContain('no complete response within 90 ms; the previous attempt failed: it failed')
  })

  test('by a signal of the call or of the client: before, during and between attempts', async () => {
    const both = [new AbortController(), new AbortController()] as const
    const [own, call] = both
    const { runner, run } = start({ signals: [undefined, own.signal] })
    let attempts = 0
    const during = errorOf(
      runner.run({ ...CALL, idempotent: false, signal: call.signal }, (signal) => {
        attempts++
        setImmediate(() => call.abort(new Error('enough')))
        return forever(signal)
      }),
    )
    expect(await during).toMatchObject({ code: 'API_ABORTED', attempts: 1, uncertain: true })
    expect(await errorOf(run(['never'], { signal: call.signal }))).toMatchObject({ code: 'API_ABORTED', attempts: 0 })
    own.abort()
    expect(await errorOf(run(['never']))).toMatchObject({ code: 'API_ABORTED', attempts: 0, uncertain: false })
    expect(attempts).toBe(1)
    // Nothing of the calls stays with signals that live longer than they do.
    for (const { signal } of both) expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('between two attempts is certain where the first was', async () => {
    for (const [failure, uncertain] of [
      [status(429), false],
      [failed({ kind: 'unsent' }), false],
    ] as const) {
      const stop = new AbortController()
      const clock = {
        ...createTestClock(),
        sleep: async (_: number, signal: AbortSignal) => {
          stop.abort()
          signal.throwIfAborted()
        },
      }
      const { run } = start({ clock })
      const error = await errorOf(run([failure], { idempotent: false, signal: stop.signal }))
      expect(error).toMatchObject({ code: 'API_ABORTED', attempts: 1, uncertain })
    }
  })

  test('frees the place of a call that waits, and of one that fails', async () => {
    const { runner, run } = start({ concurrency: 1 })
    const stop = new AbortController()
    const first = errorOf(runner.run({ ...CALL, signal: stop.signal }, forever))
    const waiting = run(['second'])
    stop.abort()
    await first
    expect(await waiting).toBe('second')
    await errorOf(run([failed({ kind: 'final' })]))
    expect(await run(['third'])).toBe('third')
  })
})

describe('reserved requests', () => {
  test('start at once; repetitions wait like any other request, and time that is spent waiting is nobody’s', async () => {
    const clock = createManualClock()
    const { runner } = start({ clock, requestsPerMinute: 2, timeoutMs: 1000 })
    const reservation = await runner.reserve(2, CALL)
    const started: number[] = []
    const outcomes = [status(503), 'done']
    const call = runner.run({ ...CALL, reservation }, async () => {
      started.push(clock.now())
      const outcome = outcomes.shift()
      if (outcome instanceof Error) throw outcome
      return outcome
    })
    await new Promise(setImmediate)
    expect(started).toEqual([0])
    expect(await runner.run({ ...CALL, reservation }, async () => 'another')).toBe('another')
    for (const ms of [50, 59_000, 949, 1]) {
      clock.advance(ms)
      await new Promise(setImmediate)
    }
    expect(await call).toBe('done')
    expect(started).toEqual([0, 60_000])
  })

  test('are refused while a 429 holds: nothing was sent, and the time is told', async () => {
    const { runner, run, starts } = start({ requestsPerMinute: 10 })
    const reservation = await runner.reserve(1, CALL)
    await errorOf(run([status(429, 5000)], { retries: 0 }))
    const held = await errorOf(run(['never'], { reservation, idempotent: false }))
    expect(held).toMatchObject({ code: 'API_RATE_LIMIT', attempts: 0, retryAfterMs: 5000, uncertain: false })
    expect(held.message).toContain('not sent, because another request received a 429')
    expect(starts).toHaveLength(1)
  })
})
