/** Row 3: 5xx, and a reset before an answer. The client against a service that does it. */
import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { PERSONAL_TOKEN, startClient } from '../helpers/api-client.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, command, environmentStatus, startExportService } from '../helpers/hostile-build.ts'
import { expectApiError, sendAndReset } from '../helpers/hostile-server.ts'
import { tempFolder } from '../helpers/temp.ts'
import { freePort, sendData, sendJson, startServer } from '../helpers/throwaway-server.ts'

faultRow(3)

const setText = (client: Client) => client.translations.set({ key: 'a', language: 'en', text: 'A' })

/** Calls that are never carried out twice. */
const unrepeatable: [string, (client: Client) => Promise<unknown>, RegExp][] = [
  ['create project', (client) => client.projects.create({ name: 'x' }), /projects\.list/],
  [
    'start job',
    (client) =>
      client.jobs.startAutoTranslate({
        translationProvider: 'PROVIDER_A',
        targetProjectLanguage: 'pl',
        targetLanguage: 'pl',
      }),
    /jobs\.list/,
  ],
  ['publish', (client) => client.environments.publish('_latest'), /environments\.status/],
  ['create key', (client) => client.keys.create({ key: 'a' }), /translations\.query/],
]

/** Calls that may be repeated, writing ones among them. */
const repeatable: [string, (client: Client) => Promise<unknown>][] = [
  ['set (v2 PATCH)', setText],
  ['list jobs', (client) => client.jobs.list()],
  ['delete key', (client) => client.keys.delete({ key: 'a' })],
  ['delete keys', (client) => client.keys.deleteMany([{ key: 'a' }])],
]

test.each(repeatable)('%s is repeated after 503 and after a reset', async (_, call) => {
  const server = await startServer((_seen, response, index) => {
    if (index === 0) sendJson(response, { msg: 'busy' }, 503)
    else if (index === 1) sendAndReset(response)
    else sendData(response, [])
  })
  await call(startClient(server.url))
  expect(server.requests).toHaveLength(3)
  expect(new Set(server.requests.map(({ method, url, body }) => method + url + body)).size).toBe(1)
})

test.each(unrepeatable)('%s is not repeated after 503, and says where to look', async (_, call, look) => {
  const server = await startServer((_seen, response) => sendJson(response, { msg: 'busy' }, 503))
  const error = await expectApiError(call(startClient(server.url)), 'API_SERVER')
  expect(error).toMatchObject({ status: 503, attempts: 1, uncertain: true })
  expect(error.hint).toMatch(look)
  expect(server.requests).toHaveLength(1)
})

test.each(unrepeatable)('%s is not repeated after a reset, and says where to look', async (_, call, look) => {
  const server = await startServer((_seen, response) => sendAndReset(response))
  const error = await expectApiError(call(startClient(server.url)), 'API_NETWORK')
  expect(error).toMatchObject({ status: undefined, attempts: 1, uncertain: true })
  expect(error.hint).toMatch(look)
  expect(server.requests).toHaveLength(1)
})

test.each(unrepeatable)('%s is repeated while no connection is made: nothing was sent', async (_, call) => {
  const error = await expectApiError(call(startClient(`http://127.0.0.1:${await freePort()}`)), 'API_NETWORK')
  expect(error).toMatchObject({ status: undefined, attempts: 4, uncertain: false })
  expect(error.message).toContain('ECONNREFUSED')
})

test.each(unrepeatable)('%s is repeated after 429: it was refused, not carried out', async (_, call) => {
  const server = await startServer((_seen, response) => sendJson(response, {}, 429))
  expect(await expectApiError(call(startClient(server.url)), 'API_RATE_LIMIT')).toMatchObject({
    attempts: 4,
    uncertain: false,
  })
})

test('an upload is sent whole again, a stream is not', async () => {
  const result = { numberOfKeysFound: 1, numberOfUniqueKeysFound: 1, foundLanguages: [] }
  const server = await startServer((_, response, index) =>
    index % 2 === 0 ? sendJson(response, {}, 503) : sendJson(response, result),
  )
  const client = startClient(server.url)
  const query = { uploadFormat: 'single-language-json', languageKey: 'en' } as const
  expect(await client.imports.upload({ ...query, file: '{"a":"b"}' })).toEqual(result)
  expect(server.requests.map(({ body }) => body.includes('{"a":"b"}'))).toEqual([true, true])
  async function* stream() {
    yield Buffer.from('{}')
  }
  expect(await expectApiError(client.imports.upload({ ...query, file: stream() }), 'API_SERVER')).toMatchObject({
    attempts: 1,
  })
})

test('a key that is gone after an attempt whose answer was lost counts as deleted', async () => {
  const server = await startServer((_, response, index) =>
    index === 0 ? sendAndReset(response) : sendJson(response, { msg: 'no such key' }, 404),
  )
  const client = startClient(server.url)
  await client.keys.delete({ key: 'a' })
  await expectApiError(client.keys.delete({ key: 'a' }), 'API_NOT_FOUND')
})

test('a build goes through one 503 and one reset; commands do not publish or make a project twice', async () => {
  const service = await startExportService({
    before(_seen, response, index) {
      if (index === 0) return sendJson(response, { msg: 'busy' }, 503)
      return index === 1 && sendAndReset(response)
    },
  })
  expect((await buildFrom(service.url)).texts).toEqual({ title: 'Title' })

  const failing = await startServer((seen, response) =>
    seen.method === 'GET'
      ? sendData(response, seen.path.endsWith('projects') ? [] : environmentStatus())
      : sendAndReset(response),
  )
  const root = await tempFolder()
  const env = { LOCALIZATION_PERSONAL_TOKEN: PERSONAL_TOKEN }
  for (const args of [
    ['publish', '_latest'],
    ['projects', 'create', 'shop'],
  ]) {
    failing.requests.length = 0
    const { code, stderr } = await command(root, failing.url, args, { env })
    expect([code, failing.requests.filter(({ method }) => method !== 'GET').length], stderr).toEqual([1, 1])
  }
})

test.each([['export'], ['query']] as const)(
  '%s: a build fails where the languages of the project are not told',
  async (source) => {
    const service = await startExportService({
      before(seen, response) {
        if (seen.path === '/api/v2/project') return sendJson(response, {}, 500)
        const rows = [{ key: 'title', namespace: '', language: 'en', text: 'Title' }]
        return seen.path === '/api/v2/translations' && sendData(response, rows)
      },
    })
    const { failure } = await buildFrom(service.url, { source, service: { retries: 0 } })
    expect(failure).toMatch(/project: 500/)
  },
)
