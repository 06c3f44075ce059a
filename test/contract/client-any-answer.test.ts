/** Whatever a service answers, every call ends with a value of its shape or a typed error that shows no secret. */
import { writeSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError, type Client } from '../../src/client.ts'
import { startClient } from '../helpers/api-client.ts'
import { secretsIn } from '../helpers/canary.ts'
import { everythingOf } from '../helpers/hostile-server.ts'
import { repeats } from '../helpers/repeats.ts'
import '../helpers/seed.ts'
import { startServer } from '../helpers/throwaway-server.ts'

/** One of each kind of answer there is. */
const CALLS: [string, (client: Client, url: string) => Promise<unknown>][] = [
  ['projects.list', (client) => client.projects.list()],
  ['projects.create', (client) => client.projects.create({ name: 'x' })],
  ['project.info', (client) => client.project.info()],
  ['translations.query', (client) => client.translations.query({ size: 10 })],
  ['translations.set', (client) => client.translations.set({ key: 'a', language: 'en', text: 'A' })],
  ['keys.create', (client) => client.keys.create({ key: 'a' })],
  ['keys.delete', (client) => client.keys.delete({ key: 'a' })],
  ['keys.deleteMany', (client) => client.keys.deleteMany([{ key: 'a' }])],
  [
    'imports.upload',
    (client) => client.imports.upload({ uploadFormat: 'single-language-json', languageKey: 'en', file: '{}' }),
  ],
  ['exports.v3', (client) => client.exports.v3({ downloadFormat: 'multi-language-json' })],
  ['exports.v4', (client) => client.exports.v4({ downloadFormat: 'single-language-json' })],
  ['exports.downloadJson', (client, url) => client.exports.downloadJson(`${url}/f`)],
  ['exports.downloadJsonIfChanged', (client, url) => client.exports.downloadJsonIfChanged(`${url}/f`, { etag: '"1"' })],
  ['jobs.list', (client) => client.jobs.list()],
  [
    'jobs.startAutoTranslate',
    (client) =>
      client.jobs.startAutoTranslate({
        translationProvider: 'PROVIDER_A',
        targetProjectLanguage: 'pl',
        targetLanguage: 'pl',
      }),
  ],
  ['environments.status', (client) => client.environments.status('_latest')],
  ['environments.publish', (client) => client.environments.publish('_latest')],
  ['hosting.resource', (client) => client.hosting.resource('pt/_latest/en')],
]

const FIELDS = fc.constantFrom(
  ...'msg status data errors url files language namespace key text apiKey projectToken name languages jobId progress state started message metadata resources link size pageDetails totalElements hasNext numberOfKeys createdAt __proto__ constructor toString'.split(
    ' ',
  ),
)
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1e308, '', 'OK', 'http://127.0.0.1:1/f', 'x'.repeat(3000), '\u2028</script>'),
    fc.string(),
    fc.double({ noNaN: true }),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.array(fc.tuple(FIELDS, tie('any')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
})).any
const body = fc.oneof(
  value.map((json) => Buffer.from(JSON.stringify(json))),
  value.map((data) => Buffer.from(JSON.stringify({ msg: 'OK', status: 200, data }))),
  value.map((row) => Buffer.from(JSON.stringify({ data: [row, row] }))),
  fc.tuple(value, fc.nat(200)).map(([json, end]) => Buffer.from(JSON.stringify(json)).subarray(0, end)),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
)
const status = fc.constantFrom(200, 200, 200, 200, 201, 204, 400, 404, 409, 418, 599)

const RUNS = repeats(30, 250)

test.each(CALLS)(`%s, ${RUNS} answers`, { timeout: 120_000 }, async (_, call) => {
  let answer = { status: 200, body: Buffer.alloc(0) }
  const server = await startServer((_seen, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(answer.status === 204 ? undefined : answer.body)
  })
  const client = startClient(server.url, { retries: 0 })
  await fc.assert(
    fc.asyncProperty(status, body, async (code, bytes) => {
      answer = { status: code, body: bytes }
      try {
        // What is given out can be looked at: no getter throws, no prototype is somebody's.
        structuredClone(await call(client, server.url))
      } catch (error) {
        if (!(error instanceof ApiError)) writeSync(2, everythingOf(error))
        expect(error).toBeInstanceOf(ApiError)
        const { code: name, message, serviceMessage } = error as ApiError
        expect(name).toMatch(/^API_[A-Z_]+$/)
        expect(message).not.toBe('')
        expect(serviceMessage?.length ?? 0).toBeLessThanOrEqual(200)
        expect(secretsIn(everythingOf(error))).toEqual([])
      }
    }),
    { numRuns: RUNS },
  )
})
