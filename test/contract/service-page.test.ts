/** What a browser finds at the service's address, and the OpenAPI description. */
import { request as httpRequest } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../src/logger.ts'
import { createApp } from '../../src/service/app.ts'
import type { ServiceContext } from '../../src/service/context.ts'
import { createProject, request, startService } from '../helpers/service.ts'

/** Every endpoint of the contract, as OpenAPI names it. */
const ENDPOINTS = [
  'POST /api/v2/projects',
  'GET /api/v2/projects',
  'POST /api/v1/jobs/auto-translate',
  'GET /api/v1/jobs',
  'GET /api/v1/jobs/{jobId}',
  'POST /api/v2/environments/{environmentKey}/publish',
  'GET /api/v2/environments/{environmentKey}',
  'POST /api/v1/translation-keys',
  'DELETE /api/v1/translation-keys',
  'DELETE /api/v1/translation-keys/bulk',
  'PATCH /api/v2/translations',
  'GET /api/v2/translations',
  'PATCH /api/v1/translations',
  'GET /api/v3/export',
  'POST /api/v2/import',
]
const BEYOND = [
  'GET /api/v2/project',
  'GET /api/v1/translation-keys',
  'POST /api/v1/translation-keys/bulk',
  'PATCH /api/v2/translations/bulk',
  'GET /api/v4/export',
]

describe('GET /openapi.json', () => {
  const endpoints = async (options = {}) => {
    const service = await startService(options)
    const { body } = await request(`${service.baseUrl}/openapi.json`)
    const found = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    return { body, found: found.sort() }
  }

  test('describes every endpoint, with credentials, parameters and shapes', async () => {
    const { body, found } = await endpoints()
    expect(found).toEqual([...ENDPOINTS, ...BEYOND].sort())
    expect(body.openapi).toBe('3.1.0')
    const query = body.paths['/api/v2/translations'].get
    expect(query.parameters.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining([
        'text',
        'textStatus',
        'reviewsStatus',
        'key',
        'namespace',
        'language',
        'customerId',
        'page',
        'size',
      ]),
    )
    expect(query.security).toEqual([{ project: [] }])
    const create = body.paths['/api/v2/projects'].post
    expect(create.requestBody.content['application/json'].schema).toMatchObject({ required: ['name'] })
    expect(create.responses[200].content['application/json'].schema.properties.data.properties).toHaveProperty('apiKey')
    expect(create.security).toEqual([{ personal: [] }])
  })

  test('describes query parameters as the schemas have them', async () => {
    const { body } = await endpoints()
    const parameter = (method: string, path: string, name: string) =>
      body.paths[path][method].parameters.find((item: { name: string }) => item.name === name)
    expect(parameter('get', '/api/v2/translations', 'size')).toMatchObject({
      required: false,
      schema: { type: 'integer', maximum: 500 },
    })
    expect(parameter('get', '/api/v2/translations', 'reviewsStatus').schema.enum).toEqual(['REVIEWED', 'NOT_REVIEWED'])
    expect(parameter('get', '/api/v3/export', 'downloadFormat')).toMatchObject({
      required: true,
      schema: { enum: ['multi-language-json', 'single-language-json'] },
    })
    expect(parameter('get', '/api/v3/export', 'exportOptions').schema.type).toBe('array')
    expect(parameter('post', '/api/v2/import', 'importOptions').schema.items.enum).toContain(
      'REPLACE_TRANSLATION_IF_FOUND',
    )
    expect(parameter('patch', '/api/v1/translations', 'updateOptions').schema.items.enum).toEqual([
      'CREATE_KEY_IF_NOT_FOUND',
    ])
    expect(parameter('delete', '/api/v1/translation-keys', 'key').required).toBe(true)
  })

  test.each([{}, { exportV4: false, bulk: false, projectInfo: false, keyInfo: false }])(
    'describes the routes there are, no more and no less: %j',
    async (features) => {
      const { found } = await endpoints({ features })
      const context = {
        features: { exportV4: true, bulk: true, projectInfo: true, keyInfo: true, ...features },
        tokenHeader: 'X',
        names: {},
      }
      const app = createApp(context as unknown as ServiceContext, async () => {}, silentLogger, undefined)
      const routes = app.routes
        .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
        .map(
          ({ method, path }) =>
            `${method} ${path.replace(/:environment\b/, '{environmentKey}').replace(/:(\w+)/, '{$1}')}`,
        )
      expect([...new Set(routes)].sort()).toEqual(found)
    },
  )

  test('leaves out what is switched off', async () => {
    const { found } = await endpoints({
      features: { exportV4: false, bulk: false, projectInfo: false, keyInfo: false },
    })
    expect(found).toEqual([...ENDPOINTS].sort())
  })
})

describe("the service's address in a browser", () => {
  test('leads to the pages', async () => {
    const service = await startService()
    const answer = await fetch(`${service.baseUrl}/`, { redirect: 'manual' })
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('/__localization/')
  })

  test('holds no name, count or token of a project', async () => {
    const service = await startService({ host: '0.0.0.0' })
    const { apiKey, projectToken } = await createProject(service, 'hidden')
    for (const path of ['/', '/overview', '/__localization/', '/openapi.json']) {
      const { text } = await request(`${service.baseUrl}${path}`)
      for (const secret of ['hidden', apiKey, projectToken, service.personalToken]) expect(text).not.toContain(secret)
    }
  })
})

describe('the pages at /__localization/', () => {
  const ODD = [
    '/__localization/../x',
    '/__localization/..',
    '/__localization/%2e%2e/x',
    '/__localization/..%2fx',
    '/__localization/.%2e/openapi.json',
    '/__localization/\\..\\x',
    '/__localization/api/../../x',
    '/__localization/api/../..',
    '/__localization//x',
    '/__localization/%',
    '/__localization/%00',
    '/__localization/api/%2e%2e/%2e%2e/x',
    '/__localization/..?token=1',
  ]

  test('an address that leads out of them is not found, and open pages still hear of changes', async () => {
    const service = await startService()
    const { apiKey } = await createProject(service)
    const { hostname, port, origin } = new URL(service.baseUrl)
    const ask = (path: string, method = 'GET') =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = httpRequest({ hostname, port, path, method }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode))
        })
        sent.on('error', reject).end()
      })
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const headers = { 'x-localization-token': service.personalToken, origin }
    const { body } = await fetch(`${origin}/__localization/api/events`, { headers, signal: stop.signal })
    let heard = ''
    const listen = async () => {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) heard += Buffer.from(chunk).toString()
    }
    void listen().catch(() => {})

    for (const path of ODD) {
      expect({ path, status: await ask(path) }).toEqual({ path, status: 404 })
      expect({ path, status: await ask(path, 'POST') }).toEqual({
        path,
        status: expect.toSatisfy((status: number) => status >= 400 && status < 500),
      })
    }
    heard = ''
    const key = { key: 'title', namespace: 'common' }
    const created = await request(`${service.baseUrl}/api/v1/translation-keys`, {
      method: 'POST',
      headers: { 'x-service-token': apiKey },
      body: key,
    })
    expect(created.status).toBeLessThan(300)
    await expect.poll(() => heard).toContain('change')
  })
})
