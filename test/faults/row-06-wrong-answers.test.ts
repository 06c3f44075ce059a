/** Row 6: not what was asked for. The client against a service that does it. */
import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { API_KEY, PERSONAL_TOKEN, startClient } from '../helpers/api-client.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom } from '../helpers/hostile-build.ts'
import { everythingOf, expectApiError } from '../helpers/hostile-server.ts'
import { sendData, sendJson, startServer } from '../helpers/throwaway-server.ts'

faultRow(6)

const setText = (client: Client) => client.translations.set({ key: 'a', language: 'en', text: 'A' })

const job = {
  jobId: 'j',
  progress: 0.01,
  state: 'STARTED',
  started: '2026-01-01T00:00:00.000Z',
  message: 'OK',
  metadata: {},
}

const page = `<!doctype html><title>Sign in</title>${API_KEY} ${PERSONAL_TOKEN} ${'<p>'.repeat(500)}`
test.each([
  ['an HTML page', { 'content-type': 'text/html; charset=utf-8' }],
  ['an HTML page that says it is JSON', { 'content-type': 'application/json' }],
])('%s with status 200: a typed error with status, host and a short, redacted piece', async (_, headers) => {
  const server = await startServer((_seen, response) => void response.writeHead(200, headers).end(page))
  const client = startClient(server.url)
  const calls = [
    () => client.jobs.list(),
    () => client.environments.publish('_latest'),
    () => setText(client),
    () => client.keys.create({ key: 'a' }),
    () => client.exports.download(`${server.url}/f`),
    () => client.hosting.resource('pt/_latest/en'),
  ]
  for (const call of calls) {
    const error = await expectApiError(call(), 'API_UNEXPECTED_ANSWER')
    expect(error).toMatchObject({ status: 200, attempts: 1 })
    expect(error.address).toContain(new URL(server.url).host)
    expect(error.serviceMessage).toMatch(/^<!doctype html><title>Sign in<\/title>\*\*\* \*\*\* /)
  }
})

test('a secret that the cut would split is replaced before the cut', async () => {
  const server = await startServer((_, response) => void response.end('x'.repeat(190) + API_KEY))
  const error = await expectApiError(startClient(server.url).jobs.list(), 'API_UNEXPECTED_ANSWER')
  expect(JSON.stringify(error)).not.toContain(API_KEY.slice(0, 6))
})

const statuses: [number, string][] = [
  [400, 'API_VALIDATION'],
  [401, 'API_AUTHENTICATION'],
  [402, 'API_PLAN'],
  [403, 'API_AUTHENTICATION'],
  [404, 'API_NOT_FOUND'],
  [405, 'API_NOT_FOUND'],
  [409, 'API_CONFLICT'],
  [413, 'API_VALIDATION'],
  [418, 'API_VALIDATION'],
  [422, 'API_VALIDATION'],
  [500, 'API_SERVER'],
  [501, 'API_SERVER'],
]
test.each(statuses)(
  'status %i: its code, a hint, the words of the service, no secret it throws back',
  async (status, code) => {
    const server = await startServer((seen, response) =>
      sendJson(
        response,
        { status, msg: `refused ${seen.headers['x-service-token']}`, errors: ['first', { deep: 1 }] },
        status,
      ),
    )
    const error = await expectApiError(startClient(server.url, { retries: 0 }).jobs.list(), code as 'API_SERVER')
    expect(error).toMatchObject({ status, method: 'GET', attempts: 1, serviceMessage: 'refused ***; first' })
    if (status === 401 || status === 403) expect(error.hint).toContain('LOCALIZATION_API_KEY')
  },
)

test('the same statuses in an envelope under HTTP 200, and an HTML page with an error status', async () => {
  const server = await startServer((_, response, index) => {
    if (index < 2) sendJson(response, { status: 403, msg: 'no', data: null })
    else response.writeHead(502, { 'content-type': 'text/html' }).end(page)
  })
  const client = startClient(server.url, { retries: 0 })
  await expectApiError(client.jobs.list(), 'API_AUTHENTICATION')
  await expectApiError(setText(client), 'API_AUTHENTICATION')
  expect(await expectApiError(client.jobs.list(), 'API_SERVER')).toMatchObject({ status: 502 })
})

test('a personal token that is refused, and one that is not set, name their own variable', async () => {
  const server = await startServer((_, response) => sendJson(response, {}, 401))
  const refused = await expectApiError(startClient(server.url).projects.list(), 'API_AUTHENTICATION')
  expect(refused.hint).toContain('LOCALIZATION_PERSONAL_TOKEN')
  const none = startClient(server.url, { personalToken: undefined, apiKey: '' })
  expect(await expectApiError(none.projects.list(), 'API_AUTHENTICATION')).toMatchObject({
    attempts: 0,
    status: undefined,
  })
  expect(await expectApiError(none.jobs.list(), 'API_AUTHENTICATION')).toMatchObject({
    attempts: 0,
    uncertain: false,
  })
  expect(server.requests).toHaveLength(1)
})

const wrong: [string, unknown, string][] = [
  ['no envelope', [job], 'the response: '],
  ['no data', { msg: 'OK', status: 200 }, 'data: '],
  ['data of another type', { data: { jobs: [] } }, 'data: '],
  ['a required field missing', { data: [{ ...job, state: undefined }] }, 'data.0.state: '],
  ['null', null, 'the response: '],
]
test.each(wrong)('%s: names the field and the endpoint', async (_, value, field) => {
  const server = await startServer((_seen, response) => sendJson(response, value))
  const error = await expectApiError(startClient(server.url).jobs.list(), 'API_UNEXPECTED_ANSWER')
  expect(error.message).toContain(field)
  expect(error.message).toContain('/api/v1/jobs')
  expect(error.serviceMessage).toBeUndefined()
})

test('an answer that does not fit shows none of its own secrets', async () => {
  const server = await startServer((_, response) => sendData(response, [{ apiKey: 'other-secret', name: 1 }]))
  const error = await expectApiError(startClient(server.url).projects.list(), 'API_UNEXPECTED_ANSWER')
  expect(JSON.stringify(error)).not.toContain('other-secret')
})

test('an error body without words of its own is shown without what it calls a key or token', async () => {
  const body = { reason: 'odd', apiKey: 'other-secret', nested: { access_token: 'other-secret' } }
  const server = await startServer((_, response) => sendJson(response, body, 400))
  const error = await expectApiError(startClient(server.url).jobs.list(), 'API_VALIDATION')
  expect(error.serviceMessage).toBe('{"reason":"odd","apiKey":"***","nested":{"access_token":"***"}}')
})

test('the key of a translation provider is not shown either', async () => {
  const server = await startServer((seen, response) => sendJson(response, { msg: `no glossary: ${seen.body}` }, 400))
  const error = await expectApiError(
    startClient(server.url).jobs.startAutoTranslate({
      translationProvider: 'PROVIDER_B',
      targetProjectLanguage: 'pl',
      targetLanguage: 'PL',
      providerBApiKey: 'provider-canary',
    }),
    'API_VALIDATION',
  )
  expect(everythingOf(error)).not.toContain('provider-canary')
})

test.each([
  ['publish', 400, 'another publish is running', 'API_CONFLICT'],
  ['publish', 400, 'environment key is wrong', 'API_VALIDATION'],
  ['publish', 409, '', 'API_CONFLICT'],
  ['publish', 402, 'paid plans only', 'API_PLAN'],
] as const)('%s: %i %j', async (_, status, msg, code) => {
  const server = await startServer((_seen, response) => sendJson(response, { msg }, status))
  await expectApiError(startClient(server.url).environments.publish('_latest'), code)
  expect(server.requests).toHaveLength(1)
})

test('a file that is JSON but no object, invalid UTF-8, an unknown encoding, nothing', async () => {
  const server = await startServer((seen, response) => {
    if (seen.path === '/array') response.end('["a"]')
    else if (seen.path === '/null') response.end('null')
    else if (seen.path === '/bytes') response.end(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))
    else if (seen.path === '/encoding') response.writeHead(200, { 'content-encoding': 'snappy' }).end('{}')
    else response.writeHead(200, { 'content-length': '0' }).end()
  })
  const { exports } = startClient(server.url)
  for (const path of ['/array', '/null', '/bytes', '/encoding', '/nothing']) {
    await expectApiError(exports.downloadJson(server.url + path), 'API_UNEXPECTED_ANSWER')
  }
  expect(server.requests).toHaveLength(5)
})

test.each(['["en"]', '[null]'])(
  'published languages that are %s: the build says which file is not one',
  async (languages) => {
    const server = await startServer((seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(seen.path.endsWith('_languages') ? languages : '{"title":"Title"}')
    })
    const service = { projectToken: 'token', apiKey: undefined, baseUrl: undefined }
    const { failure } = await buildFrom(server.url, { source: 'hosting', service })
    expect(failure).toContain('token/_production/_languages is not a list of languages')
  },
)
