/** What an error keeps of the service's answer, and of the requests before the one that failed. */
import { inspect } from 'node:util'
import { expect, expectTypeOf, test, vi } from 'vitest'
import {
  ApiError,
  type ApiErrorCode,
  type CreateKeyRequest,
  type ExportV3Query,
  type ExportV4Query,
  type ImportQuery,
  importQuerySchema,
  isApiError,
  PartialError,
  type StartJobRequest,
} from '../../../src/client.ts'
import { API_KEY, startClient } from '../../helpers/api-client.ts'
import { sendData, sendJson, startServer } from '../../helpers/throwaway-server.ts'

const failing = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('it should have failed'),
    (error: ApiError) => error,
  )

test("an error has the service's code, its list of errors and its trace id, without secrets", async () => {
  const body = {
    status: 404,
    msg: 'not there',
    code: 'LANGUAGE_NOT_FOUND',
    errors: ['first', `key ${API_KEY}`, { field: 'language', token: 'shown-nowhere' }, 'x'.repeat(1000)],
    traceId: `trace ${API_KEY}`,
  }
  const server = await startServer((_seen, response) => sendJson(response, body, 404))
  const error = await failing(startClient(server.url).translations.set({ key: 'a', language: 'xx', text: '' }))
  expect(error).toMatchObject({
    code: 'API_NOT_FOUND',
    serviceCode: 'LANGUAGE_NOT_FOUND',
    serviceErrors: ['first', 'key ***', '{"field":"language","token":"***"}', expect.stringMatching(/^x{199}…$/)],
    traceId: 'trace ***',
  })
  const { serviceCode, serviceErrors, traceId } = error
  expect(error.toJSON()).toMatchObject({ serviceCode, serviceErrors, traceId })
  expect(`${inspect(error)}${JSON.stringify(error)}`).not.toMatch(/canary|shown-nowhere/)
})

test('a code that is a number, a list without end, and a body without any of it', async () => {
  const bodies: unknown[] = [
    { msg: 'no', code: 4711, errors: Array.from({ length: 500 }, (_, at) => `error ${at}`) },
    'no JSON object',
  ]
  const server = await startServer((_seen, response) => sendJson(response, bodies.shift(), 400))
  const client = startClient(server.url)
  const first = await failing(client.keys.create({ key: 'a' }))
  expect(first.serviceCode).toBe('4711')
  expect(first.serviceErrors).toHaveLength(100)
  const second = await failing(client.keys.create({ key: 'a' }))
  expect(second).toMatchObject({ serviceCode: undefined, serviceErrors: [], traceId: undefined })
})

test('update: what the requests before the failed one brought is on the error', async () => {
  const counts = { numberOfUpdates: 499, numberOfFailures: 1, numberOfInserts: 0, failures: ['no such key'] }
  let request = 0
  const server = await startServer((_seen, response) =>
    ++request <= 2 ? sendData(response, counts) : sendJson(response, { msg: 'no', code: 'BAD_REQUEST' }, 400),
  )
  const items = Array.from({ length: 1200 }, (_, at) => ({ key: `k${at}`, language: 'en', text: 'x' }))
  const error = await failing(startClient(server.url).translations.update(items))
  expect(error).toBeInstanceOf(PartialError)
  expect(error).toBeInstanceOf(ApiError)
  expect(isApiError(error, 'API_VALIDATION')).toBe(true)
  const partial = {
    numberOfUpdates: 998,
    numberOfFailures: 2,
    numberOfInserts: 0,
    failures: ['no such key', 'no such key'],
  }
  expect(error).toMatchObject({
    name: 'PartialError',
    status: 400,
    serviceCode: 'BAD_REQUEST',
    partial,
    itemsDone: 1000,
  })
  expect(error.toJSON()).toMatchObject({ code: 'API_VALIDATION', status: 400, partial, itemsDone: 1000 })
  expect(error.message.match(/BAD|no/g)?.length).toBe(1)
})

test('update: a failure of the first request has nothing to add; the hint stays', async () => {
  const server = await startServer((_seen, response) => sendJson(response, { msg: 'who?' }, 403))
  const client = startClient(server.url)
  const error = await failing(client.translations.update([{ key: 'a', language: 'en', text: 'x' }]))
  expect(error).toMatchObject({ code: 'API_AUTHENTICATION', itemsDone: 0, partial: { failures: [] } })
  const plain = await failing(client.translations.query())
  expect(error.hint).toBe(plain.hint)
  expect(error.message.split(plain.hint ?? '?')).toHaveLength(2)
})

test('deleteMany: the same', async () => {
  const failures = [{ entry: { key: 'k1', namespace: '' }, message: 'not there' }]
  let request = 0
  const server = await startServer((_seen, response) =>
    ++request === 1 ? sendData(response, { failures }) : sendJson(response, { msg: 'no' }, 400),
  )
  const keys = Array.from({ length: 150 }, (_, at) => ({ key: `k${at}` }))
  const error = await failing(startClient(server.url).keys.deleteMany(keys))
  expect(error).toMatchObject({ name: 'PartialError', itemsDone: 100, partial: { failures } })
})

test('formats and options beyond those shown are taken, and arrays may be readonly', async () => {
  const tags = ['a', 'b'] as const
  expectTypeOf({ key: 'a', tags }).toExtend<CreateKeyRequest>()
  expectTypeOf({ downloadFormat: 'android-xml' }).toExtend<ExportV3Query>()
  expectTypeOf({ downloadFormat: 'xliff', downloadOptions: ['NEW'] }).toExtend<ExportV4Query>()
  expectTypeOf({ uploadFormat: 'xliff', importOptions: ['NEW'] as const }).toExtend<ImportQuery>()
  expectTypeOf<{ readonly options: readonly 'FORCE_REPLACE'[] }>().toExtend<Pick<StartJobRequest, 'options'>>()
  expect(importQuerySchema.parse({ uploadFormat: 'xliff' })).toEqual({ uploadFormat: 'xliff' })
  const server = await startServer((_seen, response) => sendData(response, { url: 'https://files.example/1' }))
  const client = startClient(server.url)
  await client.keys.create({ key: 'a', tags })
  await client.exports.v3({ downloadFormat: 'android-xml' })
  expect(server.requests[0]?.body).toBe('{"key":"a","tags":["a","b"]}')
  expect(server.requests[1]?.query.get('downloadFormat')).toBe('android-xml')
})

test('isApiError narrows the code, and switch (error.code) the error', async () => {
  const server = await startServer((_seen, response) => sendJson(response, { msg: 'no' }, 409))
  const error: unknown = await failing(startClient(server.url).keys.create({ key: 'a' }))
  if (!isApiError(error)) return expect.fail('it should be one')
  expectTypeOf(error.code).toEqualTypeOf<ApiErrorCode>()
  switch (error.code) {
    case 'API_CONFLICT': {
      const conflict: { readonly code: 'API_CONFLICT'; readonly status: number | undefined } = error
      expect(conflict.status).toBe(409)
      break
    }
    default:
      expectTypeOf(error).not.toExtend<{ readonly code: 'API_CONFLICT' }>()
      expect.fail(error.code)
  }
  const given: unknown = error
  if (isApiError(given, 'API_CONFLICT')) expectTypeOf(given.code).toEqualTypeOf<'API_CONFLICT'>()
  if (isApiError(given, 'API_CONFLICT', 'API_PLAN'))
    expectTypeOf(given.code).toEqualTypeOf<'API_CONFLICT' | 'API_PLAN'>()
  // @ts-expect-error no such code
  expect(isApiError(given, 'API_CONFLICTS')).toBe(false)
  expect(isApiError(given, 'API_PLAN', 'API_CONFLICT')).toBe(true)
})

test('isApiError knows the errors of another copy, and nothing else', async () => {
  vi.resetModules()
  const copy = (await import('../../../src/client.ts')) as typeof import('../../../src/client.ts')
  const error = new copy.ApiError('no', { code: 'API_PLAN', method: 'GET', address: '/' })
  expect(error).not.toBeInstanceOf(ApiError)
  expect([isApiError(error), isApiError(error, 'API_PLAN'), isApiError(error, 'API_SERVER')]).toEqual([
    true,
    true,
    false,
  ])
  for (const other of [undefined, null, 'API_PLAN', new Error('API_PLAN'), { name: 'ApiError', code: 'API_PLAN' }])
    expect([isApiError(other), isApiError(other, 'API_PLAN')]).toEqual([false, false])
  expect(Reflect.ownKeys(error).filter((key) => typeof key === 'symbol')).toEqual([])
})
