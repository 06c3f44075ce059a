/** Row 2: 429. The client against a service that does it. */
import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { createTestClock, startClient } from '../helpers/api-client.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, startExportService } from '../helpers/hostile-build.ts'
import { expectApiError } from '../helpers/hostile-server.ts'
import { sendData, sendJson, startServer } from '../helpers/throwaway-server.ts'

faultRow(2)

const setText = (client: Client) => client.translations.set({ key: 'a', language: 'en', text: 'A' })

const SOON = 'Thu, 01 Jan 2026 00:00:09 GMT'
const cases: [string, Record<string, string>, number][] = [
  ['with seconds', { 'retry-after': '7' }, 7000],
  ['with an HTTP date, this clock right', { 'retry-after': SOON }, 9000],
  // The service's clock says 23:59:59 of the day before: from there it is ten seconds, whatever this clock says.
  ['with an HTTP date, this clock off', { 'retry-after': SOON, date: 'Wed, 31 Dec 2025 23:59:59 GMT' }, 10_000],
  ['with none', {}, 250],
  ['with a date in the past', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 250],
  ['with nonsense', { 'retry-after': '-5' }, 250],
]
test.each(cases)('%s: waits as told, else half of 500 ms here', async (_, headers, expected) => {
  const server = await startServer((_seen, response, index) => {
    response.sendDate = false
    if (index === 0) sendJson(response, { status: 429, msg: 'slow down' }, 429, headers)
    else sendData(response, [])
  })
  const clock = createTestClock()
  // The jitter on top of a told time is chance as well; without chance there is neither.
  const random = () => (expected === 250 ? 0.5 : 0)
  expect(await startClient(server.url, { clock, random }).jobs.list()).toEqual([])
  expect(server.requests).toHaveLength(2)
  expect(clock.sleeps).toEqual([expected])
})

test('with 86400: fails at once and names the time', async () => {
  const server = await startServer((_, response) =>
    sendJson(response, { msg: 'slow down' }, 429, { 'retry-after': '86400' }),
  )
  const clock = createTestClock()
  const error = await expectApiError(setText(startClient(server.url, { clock })), 'API_RATE_LIMIT')
  expect(error.message).toContain('86,400 s')
  expect(error).toMatchObject({ status: 429, attempts: 1, retryAfterMs: 86_400_000, serviceMessage: 'slow down' })
  expect([server.requests.length, clock.sleeps.length]).toEqual([1, 0])
})

test('for ever: ends after the retries, each step up to twice the one before', async () => {
  const server = await startServer((_, response) => sendJson(response, {}, 429))
  const clock = createTestClock()
  const error = await expectApiError(setText(startClient(server.url, { clock })), 'API_RATE_LIMIT')
  expect(error.attempts).toBe(4)
  expect(clock.sleeps).toEqual([250, 500, 1000])
})

test('told to one call, holds for the others of the client', async () => {
  const server = await startServer((_, response, index) => {
    if (index === 0) sendJson(response, {}, 429, { 'retry-after': '30' })
    else sendData(response, [])
  })
  const clock = createTestClock()
  let release = () => {}
  const paused = new Promise<void>((resolve) => {
    release = resolve
  })
  // The first call's sleep does not end by itself, so that the second call meets the hold.
  let asleep = () => {}
  const sleeping = new Promise<void>((resolve) => {
    asleep = resolve
  })
  const slow = {
    ...clock,
    async sleep(ms: number, signal: AbortSignal) {
      if (clock.sleeps.length === 0) {
        clock.sleeps.push(ms)
        asleep()
        await paused
      } else await clock.sleep(ms, signal)
    },
  }
  const client = startClient(server.url, { clock: slow, random: () => 0, timeoutMs: 60_000 })
  const first = client.jobs.list()
  await sleeping
  await client.jobs.list()
  expect(clock.sleeps).toEqual([30_000, 30_000])
  release()
  await first
  expect(server.requests).toHaveLength(3)
})

test('a build waits as told, and fails with the time where that is too long', async () => {
  const asked: number[] = []
  const service = await startExportService({
    before(_seen, response, index) {
      asked.push(performance.now())
      return index === 0 && sendJson(response, {}, 429, { 'retry-after': '1' })
    },
  })
  expect((await buildFrom(service.url)).texts).toEqual({ title: 'Title' })
  expect((asked.at(-1) ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(950)
  const closed = await startExportService({
    before: (_seen, response) => sendJson(response, {}, 429, { 'retry-after': '86400' }),
  })
  expect((await buildFrom(closed.url)).failure).toMatch(/86,400 s/)
})
