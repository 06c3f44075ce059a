/** Row 9: where a file lies. The client against a service that does it. */
import { expect, test } from 'vitest'
import { startClient } from '../helpers/api-client.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, startExportService } from '../helpers/hostile-build.ts'
import { expectApiError } from '../helpers/hostile-server.ts'
import { sendData, sendJson, startServer } from '../helpers/throwaway-server.ts'

const row = faultRow(9)

test('on another origin: fetched with no token', async () => {
  const files = await startServer((_, response) => void response.end('{}'))
  const server = await startServer((_, response) => sendData(response, { url: `${files.url}/f?sig=secret` }))
  const { exports } = startClient(server.url)
  const { url } = await exports.v3({ downloadFormat: 'multi-language-json' })
  expect(await exports.downloadJson(url)).toEqual({})
  expect(files.requests).toHaveLength(1)
  expect(Object.keys(files.requests[0]?.headers ?? {}).sort()).toEqual(['accept-encoding', 'connection', 'host'])
})
test('even on the origin of the service: no token', async () => {
  const server = await startServer((_, response) => void response.end('{}'))
  await startClient(server.url).exports.download(`${server.url}/f`)
  expect(JSON.stringify(server.requests)).not.toContain('canary')
})
test.each([
  'http://files.example/f',
  'http://127.0.0.1.files.example/f',
  'http://localhost.files.example/f',
  'file:///etc/passwd',
  'data:application/json,{}',
  'ftp://localhost/f',
  'https://user:pass@files.example/f',
  '/relative/f',
  'no address',
  '',
])('%j is refused', async (url) => {
  const { exports } = startClient('http://127.0.0.1:1')
  await expectApiError(exports.download(url), 'API_ORIGIN')
  await expectApiError(exports.downloadJson(url), 'API_ORIGIN')
})
test("a remote service's file on this machine is not fetched", async () => {
  const { exports } = startClient('https://service.example')
  for (const url of ['http://127.0.0.1:1/f', 'https://localhost/f', 'http://[::1]:1/f'])
    await expectApiError(exports.downloadJson(url), 'API_ORIGIN')
})
test('an error of a file shows neither its signature nor a hint at the key', async () => {
  const files = await startServer((_, response) => sendJson(response, { msg: 'expired' }, 403))
  const error = await expectApiError(
    startClient(files.url).exports.download(`${files.url}/f?X-Signature=s3cr3t`),
    'API_AUTHENTICATION',
  )
  expect(JSON.stringify(error)).not.toContain('s3cr3t')
  expect(error.hint).toContain('Export again')
})

test('a build takes the file from another origin, and gives that origin nothing', async () => {
  const files = await startServer((_, response) => void response.end('{"title":"Elsewhere"}'))
  const service = await startExportService({ fileAddress: () => `${files.url}/f?sig=secret` })
  expect((await buildFrom(service.url)).texts).toEqual({ title: 'Elsewhere' })
  expect(files.requests).toHaveLength(1)
  row.silent(JSON.stringify(files.requests))
})
