/** Row 7: too large. The client against a service that does it. */
import { once } from 'node:events'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startClient } from '../helpers/api-client.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, startExportService } from '../helpers/hostile-build.ts'
import { expectApiError } from '../helpers/hostile-server.ts'
import { testThoroughly } from '../helpers/test-thoroughly.ts'
import { startServer } from '../helpers/throwaway-server.ts'

faultRow(7)

const maxBytes = 1024 * 1024
const bomb = Buffer.alloc(8 * maxBytes, ' ')
/** Its default quality takes a hundred times as long. */
const brotli = (content: Buffer | string) =>
  brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
test.each([
  ['gzip', gzipSync(bomb)],
  ['br', brotli(bomb)],
  ['gzip, gzip', gzipSync(gzipSync(bomb))],
])('a %s bomb stops at the cap, as an answer, a file, and an error', async (encoding, body) => {
  expect(body.length).toBeLessThan(maxBytes)
  const server = await startServer(
    (seen, response) =>
      void response.writeHead(seen.path === '/error' ? 404 : 200, { 'content-encoding': encoding }).end(body),
  )
  const client = startClient(server.url, { maxBytes })
  expect((await expectApiError(client.jobs.list(), 'API_TOO_LARGE')).hint).toContain('maxBytes')
  await expectApiError(client.exports.download(`${server.url}/f`), 'API_TOO_LARGE')
  expect(await expectApiError(client.exports.download(`${server.url}/error`), 'API_NOT_FOUND')).toMatchObject({
    status: 404,
  })
  expect(server.requests).toHaveLength(3)
})
test('100 MB: refused by its length, or cut off at the cap where it tells none', async () => {
  let sent = 0
  const server = await startServer(async (seen, response) => {
    response.on('error', () => {})
    if (seen.path === '/told') response.setHeader('content-length', String(100 * maxBytes))
    const chunk = Buffer.alloc(maxBytes)
    for (let i = 0; i < 100 && !response.destroyed; i++) {
      sent += chunk.length
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
    response.end()
  })
  const { exports } = startClient(server.url, { maxBytes })
  await expectApiError(exports.download(`${server.url}/told`), 'API_TOO_LARGE')
  await expectApiError(exports.download(`${server.url}/untold`), 'API_TOO_LARGE')
  expect(sent).toBeLessThan(100 * maxBytes)
})
test('a length over the cap is refused without waiting for the body', async () => {
  const server = await startServer((_, response) => {
    response.writeHead(200, { 'content-length': String(2 * maxBytes) }).flushHeaders()
  })
  await expectApiError(
    startClient(server.url, { maxBytes, timeoutMs: 5000 }).exports.download(server.url),
    'API_TOO_LARGE',
  )
})
test('an error with 100 MB of words is read no further than its start', async () => {
  const server = await startServer((_, response) => {
    response.on('error', () => {})
    response.writeHead(404)
    const more = (): void => void response.write(Buffer.alloc(maxBytes, 'x'), (failed) => failed || more())
    more()
  })
  expect(await expectApiError(startClient(server.url).jobs.list(), 'API_NOT_FOUND')).toMatchObject({ status: 404 })
})
test.each(['gzip', 'br', 'identity'])('what fits comes whole: %s', async (encoding) => {
  const text = JSON.stringify({ a: 'ż'.repeat(maxBytes / 4) })
  const encode = { gzip: gzipSync, br: brotli, identity: (value: string) => Buffer.from(value) }[encoding]
  const server = await startServer(
    (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(encode?.(text)),
  )
  const file = await startClient(server.url, { maxBytes }).exports.download(`${server.url}/f`)
  expect(file.toString()).toBe(text)
})

test('a build refuses a file by its length when that is over the cap', async () => {
  const service = await startExportService({
    before: (seen, response) =>
      seen.path === '/files/1.json' && response.writeHead(200, { 'content-length': 2 ** 28 + 1 }).flushHeaders(),
  })
  expect((await buildFrom(service.url)).failure).toMatch(/has more than 268,435,456 bytes/)
})

testThoroughly('a file that is larger than any catalog: the build fails at the cap, in bounded memory', async () => {
  // 1.2 GB that travel as about one.
  const part = gzipSync(Buffer.alloc(64 * maxBytes, ' '))
  const service = await startExportService({
    before(seen, response) {
      if (seen.path !== '/files/1.json') return false
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.concat(Array.from({ length: 19 }, () => part)))
    },
  })
  const { failure } = await buildFrom(service.url)
  expect(failure).toMatch(/has more than 268,435,456 bytes/)
})
