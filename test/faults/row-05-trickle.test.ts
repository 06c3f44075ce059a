/** Row 5: a server that trickles. The client against a service that does it. */
import { expect, test } from 'vitest'
import { createTestClock, startClient } from '../helpers/api-client.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, startExportService } from '../helpers/hostile-build.ts'
import { expectApiError, trickle } from '../helpers/hostile-server.ts'
import { sendJson, startServer } from '../helpers/throwaway-server.ts'

faultRow(5)

test('a body without end: one deadline for all of it', async () => {
  const server = await startServer((_, response) => trickle(response))
  const client = startClient(server.url, { timeoutMs: 200 })
  const error = await expectApiError(client.jobs.list(), 'API_TIMEOUT')
  expect(error.message).toContain('200 ms')
  expect(error.status).toBeUndefined()
  await expectApiError(client.exports.download(`${server.url}/f`), 'API_TIMEOUT')
})
test('an error body without end, a redirect that never ends, no answer at all', async () => {
  const server = await startServer((seen, response) => {
    if (seen.path === '/none') return
    if (seen.path === '/redirect') response.writeHead(302, { location: '/none' }).flushHeaders()
    else response.writeHead(404)
    trickle(response)
  })
  const { exports } = startClient(server.url, { timeoutMs: 200 })
  for (const path of ['/none', '/redirect', '/error']) {
    await expectApiError(exports.download(server.url + path), 'API_TIMEOUT')
  }
})
test('a publish whose answer does not come in time may have been carried out', async () => {
  const server = await startServer(() => {})
  const error = await expectApiError(
    startClient(server.url).environments.publish('_latest', { timeoutMs: 200 }),
    'API_TIMEOUT',
  )
  expect(error).toMatchObject({ uncertain: true, attempts: 1 })
})
test('retries end with the total time, not after it', async () => {
  const server = await startServer((_, response) => sendJson(response, {}, 503))
  const clock = createTestClock()
  const error = await expectApiError(
    startClient(server.url, { clock, retries: 100, timeoutMs: 10_000 }).jobs.list(),
    'API_SERVER',
  )
  expect(clock.now()).toBeLessThan(10_000)
  expect(error.attempts).toBeGreaterThan(4)
})

test.each(['/api/v4/export', '/files/1.json'])('a build ends though %s trickles', async (path) => {
  const service = await startExportService({ before: (seen, response) => seen.path === path && trickle(response) })
  const { failure } = await buildFrom(service.url, { service: { timeoutMs: 300, retries: 0 } })
  expect(failure).toMatch(/300 ms/)
})
