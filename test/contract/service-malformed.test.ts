/**
 * Requests that nobody should send: the service answers each, none with a failure of its own, and is as it was.
 * `MALFORMED_CASES` for a longer
 * run or a shorter one.
 */
import { request as httpRequest } from 'node:http'
import { availableParallelism } from 'node:os'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../helpers/seed.ts'
import { repeats } from '../helpers/repeats.ts'
import { spawnService } from '../helpers/service-process.ts'
import { tempFolder } from '../helpers/temp.ts'

const CASES = Number(process.env.MALFORMED_CASES ?? repeats(400, 10_000))
const ROUNDS = 8
/** Between the middle and the end. Texts that it stores are few and small, and the rest of it warms up: a fifth of this. */
const MOST_GROWTH_BYTES = 2 ** 20
/** Stands for a request that nobody answers. */
const UNANSWERED = 999
const JSON_ENDPOINTS: [string, string][] = [
  ['PATCH', '/api/v2/translations'],
  ['PATCH', '/api/v1/translations'],
  ['POST', '/api/v1/translation-keys'],
  ['DELETE', '/api/v1/translation-keys/bulk'],
  ['POST', '/api/v2/projects'],
  ['POST', '/api/v1/jobs/auto-translate'],
  ['POST', '/api/v2/environments/_latest/publish'],
  ['GET', '/api/v2/translations'],
  ['DELETE', '/api/v1/translation-keys'],
  ['GET', '/api/v3/export'],
  ['GET', '/api/v4/export'],
  ['PUT', '/nothing/here'],
]
const FORMATS = ['multi-language-json', 'single-language-json', 'csv', '', '__proto__']

const field = fc.constantFrom(
  'key',
  'namespace',
  'language',
  'text',
  'customerId',
  'keys',
  'name',
  'reviewStatus',
  '__proto__',
  'size',
  'page',
)
const scalar = fc.oneof(
  fc.constantFrom(
    null,
    true,
    -1,
    1e21,
    '',
    'en',
    'title',
    'common',
    '\u0000',
    '\ud800',
    'x'.repeat(70_000),
    '../../x',
    "'; DROP TABLE keys; --",
  ),
  fc.string({ unit: 'binary' }),
)
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.array(fc.tuple(field, tie('any')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
})).any
const bytes = fc.uint8Array({ maxLength: 300 }).map((all) => Buffer.from(all))
const text = value.map((json) => Buffer.from(JSON.stringify(json)))
const cut = fc.tuple(text, fc.nat(400)).map(([whole, end]) => whole.subarray(0, end))
const query = fc
  .array(
    fc.tuple(
      fc.oneof(field, fc.constantFrom('uploadFormat', 'downloadFormat', 'importOptions', 'languageKey')),
      fc.string({ unit: 'binary', maxLength: 12 }),
    ),
    { maxLength: 4 },
  )
  .map((entries) => entries.map(([name, content]) => `${name}=${percent(content)}`).join('&'))

const json = fc.record({
  endpoint: fc.constantFrom(...JSON_ENDPOINTS),
  query,
  body: fc.oneof(text, cut, bytes, fc.constant(Buffer.from(`${'{"a":'.repeat(20_000)}1`))),
  type: fc.constantFrom(
    'application/json',
    'application/json; charset=latin1',
    'text/plain',
    'application/x-www-form-urlencoded',
    '',
  ),
})

const part = fc.record({
  head: fc.oneof(
    fc.constantFrom(
      'Content-Disposition: form-data; name="file"; filename="a.json"\r\nContent-Type: application/json',
      'Content-Disposition: form-data; name="file"',
      'Content-Disposition: form-data; name="other"; filename="../../x"',
      'Content-Disposition: form-data',
      'Content-Type: application/json',
      'Content-Disposition: form-data; name="file"; filename="a"\r\nContent-Transfer-Encoding: base64',
      'x'.repeat(20_000),
      '',
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
  ),
  content: fc.oneof(text, cut, bytes),
})
const upload = fc.record({
  format: fc.constantFrom(...FORMATS),
  query,
  boundary: fc.constantFrom('b', 'x'.repeat(70), '"b"', '', 'b b'),
  parts: fc.array(part, { maxLength: 4 }),
  ending: fc.constantFrom('--\r\n', '', '\r\n', '--'),
  keep: fc.double({ min: 0, max: 1, noNaN: true }),
})

function percent(content: string): string {
  return [...Buffer.from(content)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly type: string
  readonly body: Buffer
}

const sentJson = json.map(
  ({ endpoint: [method, path], query: search, body, type }): Sent => ({
    method,
    path: `${path}?${search}`,
    type,
    body,
  }),
)
const sentUpload = upload.map(({ format, query: search, boundary, parts, ending, keep }): Sent => {
  const pieces = parts.flatMap(({ head, content }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ])
  const whole = Buffer.concat([...pieces, Buffer.from(`--${boundary}${ending}`)])
  return {
    method: 'POST',
    path: `/api/v2/import?uploadFormat=${format}&languageKey=en&${search}`,
    type: `multipart/form-data; boundary=${boundary}`,
    body: keep < 0.5 ? whole : whole.subarray(0, Math.floor(whole.length * keep)),
  }
})

test(`${CASES.toLocaleString('en')} malformed requests: no 500, no crash, memory bounded`, {
  timeout: 600_000,
}, async () => {
  const service = await spawnService({ dataDir: await tempFolder() })
  const created = await fetch(`${service.baseUrl}/api/v2/projects`, {
    method: 'POST',
    headers: { authorization: service.personalToken, 'content-type': 'application/json' },
    body: '{"name":"target"}',
  })
  const { apiKey } = ((await created.json()) as { data: { apiKey: string } }).data
  const headers = { 'x-service-token': apiKey, authorization: service.personalToken }
  const send = ({ method, path, type, body }: Sent) =>
    new Promise<number>((resolve) => {
      const request = httpRequest(
        `${service.baseUrl}${path}`,
        {
          method,
          headers: { ...headers, ...(type !== '' && { 'content-type': type }), 'content-length': body.length },
        },
        (response) => {
          response.resume()
          response.on('close', () => resolve(response.statusCode ?? 0))
        },
      )
      // An answer may come, and the connection end, before all of a body was taken.
      request.on('error', () => resolve(0))
      request.setTimeout(30_000, () => resolve(UNANSWERED))
      request.end(body)
    })

  const inUse = async () => {
    const { heapUsed, external } = await service.memory()
    return heapUsed + external
  }

  const statuses = new Map<number, number>()
  const memory: number[] = []
  const perRound = Math.ceil(CASES / ROUNDS)
  for (let round = 0; round < ROUNDS; round++) {
    const cases = fc.sample(fc.oneof(sentJson, sentUpload), {
      numRuns: perRound,
      ...(round > 0 && { seed: seedOf(round) }),
    })
    let next = 0
    const work = async () => {
      for (let one = cases[next++]; one; one = cases[next++]) {
        const status = await send(one)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status >= 500 && status !== 501) {
          expect.fail(
            `${status} for ${one.method} ${one.path} ${one.type} ${JSON.stringify(one.body.toString('latin1').slice(0, 500))}`,
          )
        }
      }
    }
    await Promise.all(Array.from({ length: availableParallelism() * 2 }, work))
    memory.push(await inUse())
  }
  const shown = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  process.stdout.write(
    `${CASES.toLocaleString('en')} malformed requests: ${shown.join(', ')}; MB in use after each round: ${memory.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(' ')}\n`,
  )
  // It answered nearly all of them, and still does what it is there for.
  expect(statuses.get(0) ?? 0).toBeLessThan(CASES / 10)
  expect((statuses.get(400) ?? 0) + (statuses.get(404) ?? 0)).toBeGreaterThan(CASES / 4)
  const set = await fetch(`${service.baseUrl}/api/v1/translation-keys`, {
    method: 'POST',
    headers: { 'x-service-token': apiKey, 'content-type': 'application/json' },
    body: '{"key":"after all of that"}',
  })
  expect(set.status).toBe(200)
  expect(service.err()).toBe('')
  // The first half warms up. What a request that just ended still has goes away; a leak stays, however often one looks.
  const middle = memory[ROUNDS / 2 - 1] as number
  await expect.poll(async () => (await inUse()) - middle).toBeLessThan(MOST_GROWTH_BYTES)
  expect(await service.end('SIGTERM')).toBe(0)
})

function seedOf(round: number): number {
  return (fc.readConfigureGlobal().seed ?? 0) + round
}
