/** Contract: Authentication, Response envelope, Errors. Facts: Errors, limits, paging. */
import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createProject, request, shareService, startService } from '../helpers/service.ts'

/** Every endpoint of the contract but the two of projects. */
const PROJECT_ENDPOINTS = [
  ['POST', '/api/v1/jobs/auto-translate'],
  ['GET', '/api/v1/jobs'],
  ['GET', '/api/v1/jobs/some-id'],
  ['POST', '/api/v2/environments/_latest/publish'],
  ['GET', '/api/v2/environments/_latest'],
  ['POST', '/api/v1/translation-keys'],
  ['DELETE', '/api/v1/translation-keys?key=a'],
  ['DELETE', '/api/v1/translation-keys/bulk'],
  ['POST', '/api/v1/translation-keys/bulk'],
  ['PATCH', '/api/v2/translations'],
  ['PATCH', '/api/v2/translations/bulk'],
  ['GET', '/api/v2/translations'],
  ['PATCH', '/api/v1/translations'],
  ['GET', '/api/v3/export?downloadFormat=multi-language-json'],
  ['GET', '/api/v4/export?downloadFormat=multi-language-json'],
  ['POST', '/api/v2/import?uploadFormat=multi-language-json'],
  ['GET', '/api/v2/project'],
] as const

const CREDENTIALS_ERROR = {
  status: 403,
  title: 'Forbidden',
  msg: expect.any(String),
  code: 'CREDENTIALS',
  traceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
}

describe('authentication', () => {
  test.each(PROJECT_ENDPOINTS)(
    '%s %s is refused without the project API key, with a wrong one and with the personal token',
    async (method, path) => {
      const service = await shareService()
      await createProject(service)
      const address = `${service.baseUrl}${path}`
      for (const headers of [
        {},
        { 'X-Service-Token': 'wrong' },
        { 'X-Service-Token': service.personalToken },
        { Authorization: service.personalToken },
      ]) {
        const answer = await request(address, { method, headers })
        expect(answer.status).toBe(403)
        expect(answer.body).toEqual(CREDENTIALS_ERROR)
      }
    },
  )

  test.each(['GET', 'POST'])(
    '%s /api/v2/projects is refused without the personal token and with an API key',
    async (method) => {
      const service = await shareService()
      const { apiKey } = await createProject(service)
      for (const headers of [
        {},
        { Authorization: 'wrong' },
        { Authorization: apiKey },
        { 'X-Service-Token': apiKey },
      ]) {
        const answer = await request(`${service.baseUrl}/api/v2/projects`, { method, headers })
        expect(answer.status).toBe(403)
        expect(answer.body).toEqual(CREDENTIALS_ERROR)
      }
    },
  )

  test('the header name is case-insensitive: lower case is also used', async () => {
    const service = await shareService()
    const { apiKey } = await createProject(service)
    // fetch writes names in lower case by itself; node:http sends them as they are given.
    for (const name of ['x-service-token', 'X-Service-Token', 'X-SERVICE-TOKEN']) {
      const status = await new Promise((resolve, reject) => {
        const call = httpRequest(`${service.baseUrl}/api/v1/jobs`, { headers: { [name]: apiKey } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        call.on('error', reject)
        call.end()
      })
      expect(status).toBe(200)
    }
  })

  test('an API key opens its own project only', async () => {
    const service = await shareService()
    const [mine, other] = [await createProject(service), await createProject(service)]
    await mine.import({ en: { secret: 'x' } })
    expect((await other.get('/api/v2/translations')).body.data).toEqual([])
    expect((await other.api('DELETE', '/api/v1/translation-keys?key=secret')).status).toBe(404)
    expect((await mine.get('/api/v2/translations')).body.data).toHaveLength(1)
  })

  test('the token header and the personal token can be set', async () => {
    const service = await startService({ tokenHeader: 'X-Other-Token', personalToken: 'a-fixed-token' })
    expect(service.personalToken).toBe('a-fixed-token')
    const { apiKey } = await createProject(service)
    const ask = (headers: Record<string, string>) => request(`${service.baseUrl}/api/v1/jobs`, { headers })
    expect((await ask({ 'x-other-token': apiKey })).status).toBe(200)
    expect((await ask({ 'x-service-token': apiKey })).status).toBe(403)
  })

  test('health and description need no credentials; unknown addresses are 404 with the error body', async () => {
    const service = await shareService()
    expect(await request(`${service.baseUrl}/health`)).toMatchObject({ status: 200, body: { status: 'UP' } })
    const missing = await request(`${service.baseUrl}/api/v9/nothing`)
    expect(missing).toMatchObject({ status: 404, body: { status: 404, title: 'Not Found', code: 'NOT_FOUND' } })
  })
})

describe('bodies that are not as the contract says', () => {
  const BODIES: readonly (readonly [string, string | Uint8Array])[] = [
    ['no body', ''],
    ['broken JSON', '{"key":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number for a text', '{"key":"a","language":"en","text":5}'],
    ['a NUL', '{"key":"a","language":"en","text":"x\\u0000y"}'],
    ['an unpaired surrogate', '{"key":"a","language":"en","text":"\\ud83d"}'],
    ['an unpaired surrogate in a name', '{"key":"a","language":"en","text":"x","\\ud83d":1}'],
    ['invalid UTF-8', new Uint8Array([...Buffer.from('{"key":"a","language":"en","text":"'), 0xff, 0x22, 0x7d])],
    ['a review status that does not exist', '{"key":"a","language":"en","text":"x","reviewStatus":"MAYBE"}'],
    ['a text that is too long', JSON.stringify({ key: 'a', language: 'en', text: 'x'.repeat(65_536) })],
  ]

  test.each(BODIES)('%s is 400 and changes nothing', async (_name, body) => {
    const service = await shareService()
    const project = await createProject(service)
    await project.import({ en: { a: 'as it was' } })
    const answer = await project.api('PATCH', '/api/v2/translations', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ status: 400, title: 'Bad Request', code: 'BAD_REQUEST' })
    expect(await project.export()).toEqual({ en: { a: 'as it was' } })
  })

  test.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['Application/JSON ;charset=utf-8', 200],
    ['application/vnd.api+json', 200],
    ['application/json-evil', 415],
    ['application/jsonp', 415],
    ['text/plain', 415],
    ['text/plain; application/json', 415],
    ['application/x-www-form-urlencoded', 415],
  ])('a body of the type %s: %i', async (type, status) => {
    const project = await createProject(await shareService())
    await project.import({ en: { a: 'as it was' } })
    const body = JSON.stringify({ key: 'a', language: 'en', text: 'changed' })
    const answer = await project.api('PATCH', '/api/v2/translations', body, { 'content-type': type })
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject(status === 200 ? { msg: 'OK' } : { code: 'UNSUPPORTED_TYPE' })
    expect(await project.export()).toEqual({ en: { a: status === 200 ? 'changed' : 'as it was' } })
    const form = '--b\r\ncontent-disposition: form-data; name="file"\r\n\r\n{}\r\n--b--\r\n'
    const evil = { 'content-type': 'multipart/form-data-evil; boundary=b' }
    const upload = await project.api('POST', '/api/v2/import?uploadFormat=multi-language-json', form, evil)
    expect(upload.status).toBe(400)
  })

  test('100,000 levels of nesting are 400, not the end of the process', async () => {
    const service = await shareService()
    const project = await createProject(service)
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    expect((await project.api('PATCH', '/api/v2/translations', deep)).status).toBe(400)
    expect((await project.api('PATCH', '/api/v1/translations', `{"content":${deep}}`)).status).toBe(400)
    expect((await request(`${service.baseUrl}/health`)).status).toBe(200)
  })

  test('a body above the cap is 413', async () => {
    const service = await startService({ maxBodyBytes: 1000 })
    const project = await createProject(service)
    const answer = await project.api('PATCH', '/api/v2/translations', {
      key: 'a',
      language: 'en',
      text: 'x'.repeat(2000),
    })
    expect(answer).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } })
    expect((await project.get('/api/v1/jobs')).status).toBe(200)
  })

  test('NUL in an address is 400', async () => {
    const service = await shareService()
    const project = await createProject(service)
    expect((await project.get('/api/v2/translations?key=a%00b')).status).toBe(400)
    expect((await project.api('DELETE', '/api/v1/translation-keys?key=%00')).status).toBe(400)
  })

  test('broken percent signs in an address are answered, not a failure', async () => {
    const service = await shareService()
    const project = await createProject(service)
    for (const path of ['/api/v2/environments/%E0%A4%A', '/api/v1/jobs/%', '/_cdn/%/%/%', '/files/%ff', '/%']) {
      const { status } = await project.get(path)
      expect([400, 404]).toContain(status)
    }
  })
})

describe('rate limiting', () => {
  test('above the limit 429 comes with Retry-After, per project; hosting is not limited', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const service = await startService({ rateLimit: { requestsPerMinute: 60, burst: 3 }, now: () => now })
    const [project, other] = [await createProject(service), await createProject(service)]
    for (let i = 0; i < 3; i++) expect((await project.get('/api/v1/jobs')).status).toBe(200)
    const blocked = await project.get('/api/v1/jobs')
    expect(blocked.status).toBe(429)
    expect(blocked.headers.get('retry-after')).toBe('1')
    expect(blocked.body).toMatchObject({ status: 429, title: 'Too Many Requests', code: 'RATE_LIMIT' })
    expect((await other.get('/api/v1/jobs')).status).toBe(200)
    expect((await project.hosted('en')).status).toBe(404)
    // Invented keys share the address's bucket: guessing is limited too.
    const guesses = []
    for (let i = 0; i < 4; i++) {
      guesses.push((await request(`${service.baseUrl}/api/v1/jobs`, { headers: { 'X-Service-Token': `${i}` } })).status)
    }
    expect(guesses).toEqual([403, 403, 403, 429])
    now += 1000
    expect((await project.get('/api/v1/jobs')).status).toBe(200)
    expect((await project.get('/api/v1/jobs')).status).toBe(429)
  })

  test('Retry-After can be an HTTP date or left out', async () => {
    const now = () => Date.parse('2026-01-01T00:00:00Z')
    const dated = await startService({ rateLimit: { requestsPerMinute: 2, burst: 1, retryAfter: 'date' }, now })
    const plain = await startService({ rateLimit: { requestsPerMinute: 2, burst: 1, retryAfter: 'none' }, now })
    for (const [service, expected] of [
      [dated, 'Thu, 01 Jan 2026 00:00:30 GMT'],
      [plain, null],
    ] as const) {
      await request(`${service.baseUrl}/api/v1/jobs`)
      const blocked = await request(`${service.baseUrl}/api/v1/jobs`)
      expect(blocked.status).toBe(429)
      expect(blocked.headers.get('retry-after')).toBe(expected)
    }
  })
})

describe('faults on purpose', () => {
  test('status, with its headers, for as many requests as asked', async () => {
    const service = await startService({
      faults: [
        { method: 'GET', path: '/api/v1/jobs', status: 503, headers: { 'retry-after': '1' }, times: 2, after: 1 },
      ],
    })
    const project = await createProject(service)
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await project.get('/api/v1/jobs')).status)
    expect(statuses).toEqual([200, 503, 503, 200])
  })

  test('reset before: nothing was done; reset after: it was done and the answer is lost', async () => {
    const service = await startService({
      faults: [
        { method: 'PATCH', reset: 'before', times: 1 },
        { method: 'PATCH', reset: 'after', times: 1 },
      ],
    })
    const project = await createProject(service)
    await project.import({ en: { a: '' } })
    const patch = () => project.api('PATCH', '/api/v2/translations', { key: 'a', language: 'en', text: 'set' })
    await expect(patch()).rejects.toThrow()
    expect(await project.export()).toEqual({ en: { a: '' } })
    await expect(patch()).rejects.toThrow()
    expect(await project.export()).toEqual({ en: { a: 'set' } })
    expect((await patch()).status).toBe(200)
  })

  test('a truncated body ends the connection after that many bytes', async () => {
    const service = await startService({ faults: [{ path: /^\/files\//, truncateAt: 5 }] })
    const project = await createProject(service)
    await project.import({ en: { a: 'A' } })
    const { body } = await project.get('/api/v3/export?downloadFormat=multi-language-json')
    const response = await fetch(body.data.url)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  test('delay holds the answer back', async () => {
    const service = await startService({ faults: [{ path: '/health', delayMs: 60_000 }] })
    await expect(fetch(`${service.baseUrl}/health`, { signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/i)
  })

  test('onRequest is told of every request', async () => {
    const seen: string[] = []
    const service = await startService({
      onRequest: ({ method, path, query }) => seen.push(`${method} ${path} ${query.get('downloadFormat') ?? ''}`),
    })
    const project = await createProject(service)
    await project.export()
    expect(seen).toEqual([
      'POST /api/v2/projects ',
      'GET /api/v3/export multi-language-json',
      expect.stringMatching(/^GET \/files\/\w+ $/),
    ])
  })
})
