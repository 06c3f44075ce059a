/** Row 10: resource links. The client against a service that does it. */
import { expect, test } from 'vitest'
import { startClient } from '../helpers/api-client.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, environmentStatus } from '../helpers/hostile-build.ts'
import { expectApiError } from '../helpers/hostile-server.ts'
import { sendData, sendJson, startServer } from '../helpers/throwaway-server.ts'

faultRow(10)

test.each([
  '../secret',
  'pt/../../secret',
  'pt/..',
  './../x',
  '//evil.example/x',
  '///evil.example/x',
  'http://evil.example/x',
  'https:evil.example/x',
  'file:///etc/passwd',
  'javascript:0',
  '\\\\evil.example\\x',
  'pt\\..\\..\\x',
  '/\\evil.example/x',
  '%2e%2e/secret',
  'pt/%2E%2e/secret',
  'pt/.%2e/secret',
  'pt/%252e%252e/secret',
  'pt/..%2fsecret',
  'pt/..%5csecret',
  'pt/\t../x',
  '\t//evil.example/x',
  '/\n/evil.example/x',
  'pt//x',
  'pt/x#y',
  '',
  '/',
])('%j is refused and nothing is asked', async (link) => {
  const server = await startServer((_, response) => sendJson(response, {}))
  await expectApiError(startClient(server.url).hosting.resource(link), 'API_ORIGIN')
  expect(server.requests).toHaveLength(0)
})
test.each([
  ['pt/_latest/en', '/_cdn/pt/_latest/en'],
  ['/pt/_latest/en', '/_cdn/pt/_latest/en'],
  ['pt/_latest/en/views%2Fsettings', '/_cdn/pt/_latest/en/views%2Fsettings'],
  ['pt/_latest/en/a..b/...', '/_cdn/pt/_latest/en/a..b/...'],
  ['pt/_latest/en/a b', '/_cdn/pt/_latest/en/a%20b'],
  ['pt/_latest/en?v=1', '/_cdn/pt/_latest/en?v=1'],
])('%j lies under the hosting address', async (link, path) => {
  const server = await startServer((_, response) => sendJson(response, {}))
  expect(await startClient(server.url).hosting.resource(link)).toMatchObject({ kind: 'ok' })
  expect(server.requests.map(({ url }) => url)).toEqual([path])
})
test.each(['..', '.', '', '\ud800'])('a name that is %j makes no path', async (name) => {
  const server = await startServer((_, response) => sendJson(response, {}))
  const { hosting } = startClient(server.url)
  const place = { projectToken: 'pt', environment: '_latest' }
  await expect(hosting.index({ ...place, projectToken: name })).rejects.toMatchObject({ code: 'API_VALIDATION' })
  await expect(hosting.messages(place, { language: name })).rejects.toMatchObject({ code: 'API_VALIDATION' })
  await expect(hosting.messages(place, { language: 'en', namespace: `a/${name}` })).rejects.toMatchObject({
    code: 'API_VALIDATION',
  })
  expect(server.requests).toHaveLength(0)
})

test.each(['../../secret', '//127.0.0.1:1/x', 'http://evil.example/x', '..\\..\\x', 'pt/%2e%2e/%2e%2e/x'])(
  'a build whose environment lists %j fails and asks for nothing',
  async (link) => {
    const server = await startServer((seen, response) =>
      seen.path.startsWith('/api/')
        ? sendData(response, environmentStatus([{ link, size: 10, language: 'en' }]))
        : sendJson(response, { title: 'from elsewhere' }),
    )
    const { failure } = await buildFrom(server.url, { source: 'hosting', environment: '_latest' })
    expect(failure).toContain('link')
    expect(server.requests.filter(({ path }) => !path.startsWith('/api/'))).toEqual([])
  },
)
