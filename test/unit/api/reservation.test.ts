/** Requests that are reserved before they are sent: `Client.reserve()` and the option `reservation` of each call. */
import { expect, test } from 'vitest'
import { Pace } from '../../../src/api/pace.ts'
import type { Client, ClientOptions } from '../../../src/client.ts'
import { startClient } from '../../helpers/api-client.ts'
import { expectApiError } from '../../helpers/hostile-server.ts'
import { createManualClock } from '../../helpers/manual-clock.ts'
import { sendData, sendJson, startServer } from '../../helpers/throwaway-server.ts'

/** Lets everything that waits for nothing but promises happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Whether it has come to an end already. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = () => {
    settled = true
  }
  promise.then(note, note)
  await settle()
  return settled
}

async function start(options: ClientOptions = {}) {
  const clock = createManualClock()
  const server = await startServer((_, response) => sendData(response, []))
  return { clock, server, client: startClient(server.url, { clock, requestsPerMinute: 4, ...options }) }
}

const list = (client: Client, reservation?: Awaited<ReturnType<Client['reserve']>>) => client.jobs.list({ reservation })

test('reserved requests start at once, the next ones wait a minute from their start', async () => {
  const { clock, client, server } = await start()
  const reservation = await client.reserve(3)
  expect(reservation.size).toBe(3)
  clock.advance(10_000)
  await Promise.all([list(client, reservation), list(client, reservation), list(client, reservation)])
  await list(client)
  const fifth = list(client, reservation)
  await settle()
  expect(server.requests).toHaveLength(4)
  clock.advance(59_999)
  expect(await isSettled(fifth)).toBe(false)
  clock.advance(1)
  await fifth
  expect(server.requests).toHaveLength(5)
})

test('more than `requestsPerMinute` is reduced to it; without a limit it is not', async () => {
  const { client } = await start()
  expect((await client.reserve(100)).size).toBe(4)
  const { client: unlimited } = await start({ requestsPerMinute: undefined })
  expect((await unlimited.reserve(100)).size).toBe(100)
  for (const number of [0, -1, Number.NaN]) {
    await expect(client.reserve(number)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  }
})

test('it is waited for until so many may start at once, and nobody overtakes', async () => {
  const { clock, client } = await start()
  await list(client)
  clock.advance(20_000)
  await list(client)
  const reserving = client.reserve(4)
  const later = list(client)
  clock.advance(59_999)
  expect(await isSettled(reserving)).toBe(false)
  clock.advance(1)
  const reservation = await reserving
  expect(await isSettled(later)).toBe(false)
  await list(client, reservation)
  reservation.release()
  await later
})

test('a request that is given back counts no longer, and wakes a waiting call', async () => {
  const { clock, client } = await start()
  const reservation = await client.reserve(4)
  await list(client, reservation)
  const waiting = Promise.all([list(client), list(client), list(client)])
  expect(await isSettled(waiting)).toBe(false)
  reservation.release()
  reservation.release()
  await waiting
  const fifth = list(client, reservation)
  expect(await isSettled(fifth)).toBe(false)
  clock.advance(60_000)
  await fifth
})

test('after a minute a reservation is used up: what came after it may have started meanwhile', async () => {
  const { clock, client } = await start()
  const reservation = await client.reserve(4)
  clock.advance(60_000)
  await Promise.all([list(client), list(client), list(client), list(client)])
  const late = list(client, reservation)
  expect(await isSettled(late)).toBe(false)
  clock.advance(60_000)
  await late
})

test('a reserved request needs no place under `concurrency`, and takes none', async () => {
  let open = 0
  const answers: (() => void)[] = []
  const server = await startServer((_, response) => {
    open++
    answers.push(() => sendData(response, []))
  })
  const client = startClient(server.url, { concurrency: 1 })
  const reservation = await client.reserve(3)
  const calls = [list(client), ...Array.from({ length: 3 }, () => list(client, reservation)), list(client)]
  await expect.poll(() => open).toBe(4)
  for (const answer of answers.splice(0)) answer()
  await expect.poll(() => open).toBe(5)
  answers[0]?.()
  await Promise.all(calls)
})

test('while the service has the client wait, a reserved request fails before it is sent, and is not taken', async () => {
  const clock = createManualClock()
  const server = await startServer((_, response, index) => {
    if (index === 0) sendJson(response, {}, 429, { 'retry-after': '5' })
    else sendData(response, [])
  })
  const client = startClient(server.url, { clock, requestsPerMinute: 4 })
  const reservation = await client.reserve(2)
  const refused = await expectApiError(client.jobs.list({ reservation, retries: 0 }), 'API_RATE_LIMIT')
  expect(refused).toMatchObject({ attempts: 1, retryAfterMs: 5000 })
  clock.advance(2000)
  const held = await expectApiError(list(client, reservation), 'API_RATE_LIMIT')
  expect(held).toMatchObject({ attempts: 0, retryAfterMs: 3000, status: undefined, uncertain: false })
  const others = [client.reserve(1), list(client)]
  expect(await isSettled(Promise.race(others))).toBe(false)
  expect(server.requests).toHaveLength(1)
  clock.advance(3000)
  await Promise.all([list(client, reservation), ...others])
  expect(server.requests).toHaveLength(3)
})

test('a 429 that is not repeated holds the others back, unless it asks for longer than the client would wait', async () => {
  const clock = createManualClock()
  const answers = ['5', '61']
  const server = await startServer((_, response) => {
    const after = answers.shift()
    if (after) sendJson(response, {}, 429, { 'retry-after': after })
    else sendData(response, [])
  })
  const client = startClient(server.url, { clock, retries: 0 })
  await expectApiError(list(client), 'API_RATE_LIMIT')
  const second = expectApiError(list(client), 'API_RATE_LIMIT')
  expect(await isSettled(second)).toBe(false)
  clock.advance(5000)
  await second
  await list(client)
  expect(server.requests).toHaveLength(3)
})

test('a repetition is not reserved: it waits for its turn', async () => {
  const clock = createManualClock()
  const server = await startServer((_, response, index) => {
    if (index === 0) response.writeHead(503).end()
    else sendData(response, [])
  })
  const client = startClient(server.url, { clock, requestsPerMinute: 2 })
  const reservation = await client.reserve(2)
  const repeated = list(client, reservation)
  await expect.poll(() => server.requests.length).toBe(1)
  await list(client, reservation)
  clock.advance(50)
  expect(await isSettled(repeated)).toBe(false)
  await expect
    .poll(async () => {
      clock.advance(1000)
      return isSettled(repeated)
    })
    .toBe(true)
  expect(clock.now()).toBeGreaterThanOrEqual(60_000)
  expect(server.requests).toHaveLength(3)
})

test("a signal, the client's own and close() end the wait; a caller that gave up delays no other", async () => {
  const { clock, client, server } = await start()
  await client.reserve(4)
  const impatient = new AbortController()
  const given = client.reserve(2, { signal: impatient.signal })
  const next = list(client)
  impatient.abort(new Error('enough'))
  expect(await expectApiError(given, 'API_ABORTED')).toMatchObject({ attempts: 0, uncertain: false })
  await expectApiError(client.reserve(1, { signal: AbortSignal.abort() }), 'API_ABORTED')
  clock.advance(60_000)
  await next
  expect(server.requests).toHaveLength(1)

  const waiting = expectApiError(client.reserve(4), 'API_ABORTED')
  await client.close()
  await waiting
})

test('a call that was ended before takes nothing', async () => {
  const { client } = await start()
  const reservation = await client.reserve(1)
  await expectApiError(client.jobs.list({ reservation, signal: AbortSignal.abort() }), 'API_ABORTED')
  await client.reserve(3)
  await list(client, reservation)
})

test('the reservation of another client is none', async () => {
  const clock = createManualClock()
  const first = new Pace(clock, 1)
  const second = new Pace(clock, 1)
  const reservation = await first.reserve(1, new AbortController().signal)
  expect(second.take(reservation)).toBe(undefined)
  expect(first.take(reservation)).toEqual({ heldMs: 0 })
  expect(first.take(reservation)).toBe(undefined)
})
