/** The client against a service that does everything wrong: rows 2 to 10 of the list of faults, by their numbers. */

import { once } from 'node:events'
import { createServer } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { API_KEY, createTestClock, PERSONAL_TOKEN, startClient } from '../helpers/api-client.ts'
import { everythingOf, expectApiError, sendAndReset, sendRaw, trickle } from '../helpers/hostile-server.ts'
import { sendData, sendJson, startServer } from '../helpers/throwaway-server.ts'

const job = {
  jobId: 'j',
  progress: 0.01,
  state: 'STARTED',
  started: '2026-01-01T00:00:00.000Z',
  message: 'OK',
  metadata: {},
}
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

describe('row 2: 429', () => {
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
})

describe('row 3: 5xx, and a reset before an answer', () => {
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
    const error = await expectApiError(call(startClient(await freeAddress())), 'API_NETWORK')
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
})

describe('row 4: a body that is not whole', () => {
  const whole = JSON.stringify({ a: 'x'.repeat(1000) })
  const half = whole.slice(0, 500)
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json'
  const gzip = gzipSync(whole)
  const faults: [string, Parameters<typeof startServer>[0]][] = [
    ['reset in the middle', (_, response) => sendAndReset(response, head, `content-length: ${whole.length}`, '', half)],
    ['closed before its length', (_, response) => sendRaw(response, head, `content-length: ${whole.length}`, '', half)],
    [
      'closed before its length, connection: close',
      (_, response) => sendRaw(response, head, 'connection: close', `content-length: ${whole.length}`, '', half),
    ],
    [
      'a chunk missing',
      (_, response) => sendRaw(response, head, 'transfer-encoding: chunked', '', half.length.toString(16), half, ''),
    ],
    ['no length, cut by close', (_, response) => sendRaw(response, head, 'connection: close', '', half)],
    [
      'a gzip stream that stops',
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzip.subarray(0, gzip.length - 12))
      },
    ],
  ]
  test.each(faults)('%s: rejected each time, no part of it given out', async (_, handler) => {
    const server = await startServer(handler)
    const client = startClient(server.url)
    const error = await client.exports.downloadJson(`${server.url}/f`).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ attempts: 4, code: expect.stringMatching(/^API_(NETWORK|UNEXPECTED_ANSWER)$/) })
    expect(server.requests).toHaveLength(4)
  })
  test.each(faults)('%s: whole at the second attempt', async (_, handler) => {
    const server = await startServer((seen, response, index) =>
      index === 0 ? handler(seen, response, index) : void response.end(whole),
    )
    expect(await startClient(server.url).exports.downloadJson(`${server.url}/f`)).toEqual(JSON.parse(whole))
  })
  test('the same holds for an answer of the service itself', async () => {
    const server = await startServer((_, response) =>
      sendRaw(response, head, 'content-length: 900', '', '{"data":[{"name":"x","apiKey":"other-secret"'),
    )
    const error = await expectApiError(startClient(server.url).projects.list(), 'API_NETWORK')
    expect(error.message).not.toContain('other-secret')
  })
  test('a whole answer that is no JSON is not asked for again', async () => {
    const server = await startServer((_, response) => void response.end('{"data":[{"apiKey":"other-secret"'))
    const error = await expectApiError(startClient(server.url).projects.list(), 'API_UNEXPECTED_ANSWER')
    expect(error.attempts).toBe(1)
    expect(JSON.stringify(error) + String(error.cause)).not.toContain('other')
  })
})

describe('row 5: a server that trickles', () => {
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
})

describe('row 6: not what was asked for', () => {
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
    ['no envelope', [job], 'the answer: '],
    ['no data', { msg: 'OK', status: 200 }, 'data: '],
    ['data of another type', { data: { jobs: [] } }, 'data: '],
    ['a required field missing', { data: [{ ...job, state: undefined }] }, 'data.0.state: '],
    ['null', null, 'the answer: '],
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
})

describe('row 7: too large', () => {
  const maxBytes = 1024 * 1024
  const bomb = Buffer.alloc(64 * maxBytes, ' ')
  test.each([
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb)],
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
    const encode = { gzip: gzipSync, br: brotliCompressSync, identity: (value: string) => Buffer.from(value) }[encoding]
    const server = await startServer(
      (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(encode?.(text)),
    )
    const file = await startClient(server.url, { maxBytes }).exports.download(`${server.url}/f`)
    expect(file.toString()).toBe(text)
  })
})

describe('row 8: redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    '%i from the service is refused, to another origin and to its own',
    async (status) => {
      const other = await startServer((_, response) => sendData(response, []))
      const server = await startServer(
        (_, response, index) =>
          void response
            .writeHead(status, { location: index === 0 ? `${other.url}/x?sig=${API_KEY}` : '/api/v1/elsewhere' })
            .end(),
      )
      const client = startClient(server.url)
      const error = await expectApiError(client.jobs.list(), 'API_REDIRECT')
      expect(error.message).toContain(other.url)
      await expectApiError(setText(client), 'API_REDIRECT')
      expect([server.requests.length, other.requests.length]).toEqual([2, 0])
    },
  )

  test('a file is followed through 3, across origins and without credentials; a fourth is refused', async () => {
    const other = await startServer((_, response) => void response.end('{"a":"b"}'))
    const server = await startServer((seen, response) => {
      const left = Number(seen.query.get('left'))
      const location = left > 1 ? `/f?left=${left - 1}` : `${other.url}/f`
      response.writeHead(302, { location }).end()
    })
    const { exports, hosting } = startClient(server.url)
    expect(await exports.downloadJson(`${server.url}/f?left=3`)).toEqual({ a: 'b' })
    await expectApiError(exports.downloadJson(`${server.url}/f?left=4`), 'API_REDIRECT')
    expect(await hosting.resource('pt/_latest/en')).toMatchObject({ kind: 'ok' })
    expect(other.requests).toHaveLength(2)
    for (const { headers } of [...server.requests, ...other.requests]) {
      expect(Object.keys(headers)).not.toContain('authorization')
      expect(JSON.stringify(headers)).not.toContain('canary')
    }
  })

  test.each(['http://files.example/f', 'file:///etc/passwd', 'ftp://files.example/f', 'https://u:p@files.example/f'])(
    'a file that redirects to %s is refused',
    async (location) => {
      const server = await startServer((_, response) => void response.writeHead(302, { location }).end())
      await expectApiError(startClient(server.url).exports.download(`${server.url}/f`), 'API_ORIGIN')
      expect(server.requests).toHaveLength(1)
    },
  )
})

describe('row 9: where a file lies', () => {
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
  test('an error of a file shows neither its signature nor a hint at the key', async () => {
    const files = await startServer((_, response) => sendJson(response, { msg: 'expired' }, 403))
    const error = await expectApiError(
      startClient(files.url).exports.download(`${files.url}/f?X-Signature=s3cr3t`),
      'API_AUTHENTICATION',
    )
    expect(JSON.stringify(error)).not.toContain('s3cr3t')
    expect(error.hint).toContain('export again')
  })
})

describe('row 10: resource links', () => {
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
})

/** An address at which nobody listens. */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}
