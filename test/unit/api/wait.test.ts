import { expect, test } from 'vitest'
import { JobError, type WaitOptions } from '../../../src/client.ts'
import { createTestClock, startClient } from '../../helpers/api-client.ts'
import { everythingOf } from '../../helpers/hostile-server.ts'
import { sendData, startServer } from '../../helpers/throwaway-server.ts'

type Step = readonly [state: string, progress: number, message?: string]

/** Waits for a job that goes through these steps, one a look, and stays at the last. */
async function waitThrough(steps: readonly Step[], options: WaitOptions = {}) {
  const server = await startServer((_, response, index) => {
    const [state, progress, message = 'OK'] = steps[Math.min(index, steps.length - 1)] as Step
    sendData(response, { jobId: 'j', started: '2026-01-01T00:00:00.000Z', metadata: {}, state, progress, message })
  })
  const seen: number[] = []
  const clock = createTestClock()
  const client = startClient(server.url, { clock })
  const onProgress = ({ progress }: { progress: number }) => seen.push(progress)
  const result = await client.jobs.wait('j', { onProgress, ...options }).catch((thrown: unknown) => thrown)
  return { result, seen, clock, looks: server.requests.length }
}

test('success: gives the job, told of each change once', async () => {
  const { result, seen, looks } = await waitThrough([
    ['STARTED', 0.01],
    ['STARTED', 0.01],
    ['RUNNING', 0.5],
    ['SUCCESS', 1, 'translated 3 texts'],
  ])
  expect(result).toMatchObject({ state: 'SUCCESS', message: 'translated 3 texts' })
  expect([seen, looks]).toEqual([[0.01, 0.5, 1], 4])
})

test.each(['FAILED', 'failed', 'CANCELLED'])('%s: an error with the reason and the job', async (state) => {
  const { result } = await waitThrough([
    ['RUNNING', 0.5],
    [state, 0.5, 'quota used up'],
  ])
  if (!(result instanceof JobError)) throw result
  expect(result.code).toBe('API_JOB_FAILED')
  expect(result.message).toContain('quota used up')
  expect(result.job?.state).toBe(state)
})

test('what a failed job says is shown without secrets', async () => {
  const { result } = await waitThrough([['FAILED', 0.5, 'key canary-api-key-7f3a91 refused']])
  expect(everythingOf({ ...(result as object), shown: String(result) })).toContain('key *** refused')
  expect(String(result) + JSON.stringify(result)).not.toContain('canary')
})

test('an unknown state that stalls ends the wait; one that moves does not', async () => {
  const stalled = await waitThrough([['PAUSED', 0.5]], { stallMs: 10_000, intervalMs: 1000 })
  expect(stalled.result).toMatchObject({ code: 'API_TIMEOUT', message: expect.stringContaining('PAUSED') })
  expect(stalled.looks).toBe(11)
  const moving = await waitThrough(
    [
      ['A', 0.1],
      ['B', 0.1],
      ['B', 0.2],
      ['C', 0.3],
      ['SUCCESS', 1],
    ],
    {
      stallMs: 1500,
      intervalMs: 1000,
    },
  )
  expect(moving.result).toMatchObject({ state: 'SUCCESS' })
})

test('a known state may stay as long as the limit allows', async () => {
  const { result, clock } = await waitThrough([['RUNNING', 0.5]], { timeoutMs: 100_000, stallMs: 1000 })
  expect(result).toMatchObject({ code: 'API_TIMEOUT', message: expect.stringContaining('100,000 ms') })
  expect((result as JobError).job?.progress).toBe(0.5)
  expect(clock.now()).toBe(100_000)
})

test('a signal ends it', async () => {
  const controller = new AbortController()
  const { result } = await waitThrough([['RUNNING', 0.5]], {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  })
  expect(result).toMatchObject({ code: 'API_ABORTED' })
})
