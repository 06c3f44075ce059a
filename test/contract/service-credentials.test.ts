/** Personal tokens and API keys: list, add, revoke, rotate. Not in the contract. */
import { once } from 'node:events'
import { type IncomingMessage, request as openRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { whenOver } from '../helpers/closing.ts'
import { createProject, DRIVERS, projectOf, request, startService } from '../helpers/service.ts'
import { tempFolder } from '../helpers/temp.ts'

const HOUR_MS = 3_600_000

describe.each(DRIVERS)('credentials on %s', (driver) => {
  /** A service whose clock the test moves. */
  async function setUp() {
    const clock = { now: Date.UTC(2026, 0, 1) }
    const service = await startService({ driver, now: () => clock.now })
    const clientWith = (personalToken: string) => {
      const client = createClient({ baseUrl: service.baseUrl, personalToken, retries: 0 })
      whenOver(() => client.close())
      return client
    }
    const opens = async (apiKey: string) =>
      (await projectOf(service, { apiKey, projectToken: '' }).get('/api/v1/jobs')).status === 200
    return { service, clock, clientWith, opens, api: clientWith(service.personalToken).credentials }
  }

  test('a personal token is added, listed without its secret, rotated with an overlap, and revoked', async () => {
    const { clock, clientWith, api } = await setUp()
    const made = await api.add({}, { name: 'ci' })
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      name: 'ci',
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: null,
      isMain: false,
      secret: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    const { secret, ...listed } = made
    const all = await api.list({})
    expect(all).toHaveLength(2)
    expect(all).toContainEqual(listed)
    expect(await clientWith(secret).projects.list()).toEqual([])

    const next = await api.rotate({}, made.id, { overlapMs: HOUR_MS })
    expect(next).toMatchObject({ name: 'ci', expiresAt: null })
    expect(await api.list({})).toContainEqual({ ...listed, expiresAt: '2026-01-01T01:00:00.000Z' })
    for (const token of [secret, next.secret]) expect(await clientWith(token).projects.list()).toEqual([])
    clock.now += HOUR_MS
    await expect(clientWith(secret).projects.list()).rejects.toMatchObject({ code: 'API_AUTHENTICATION' })
    expect((await api.list({})).map(({ id }) => id)).not.toContain(made.id)

    await api.revoke({}, next.id)
    await expect(clientWith(next.secret).projects.list()).rejects.toMatchObject({ code: 'API_AUTHENTICATION' })
    const [last] = await api.list({})
    await expect(api.revoke({}, last?.id ?? '')).rejects.toMatchObject({ code: 'API_VALIDATION' })
    await expect(api.revoke({}, 'absent')).rejects.toMatchObject({ code: 'API_NOT_FOUND' })
  })

  test('a key that is revoked while a body is on its way opens nothing any more', async () => {
    const { service, clock, api } = await setUp()
    const project = await createProject(service)
    const owner = { projectToken: project.projectToken }
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n'
    const requests = [
      [
        'POST',
        '/api/v2/import?uploadFormat=multi-language-json',
        'multipart/form-data; boundary=b',
        `${head}{"en":{"a":"A"}}\r\n--b--\r\n`,
      ],
      ['POST', '/api/v1/translation-keys', 'application/json', '{"key":"b"}'],
    ] as const
    for (const [method, path, type, body] of requests) {
      const { id, secret } = await api.add(owner, { name: 'upload' })
      const headers = {
        'x-service-token': secret,
        'content-type': type,
        'content-length': body.length,
        expect: '100-continue',
      }
      const sent = openRequest(`${service.baseUrl}${path}`, { method, headers })
      sent.flushHeaders()
      await once(sent, 'continue')
      sent.write(body.slice(0, -5))
      // Answered after the part above has come.
      await request(`${service.baseUrl}/health`)
      await api.revoke(owner, id)
      clock.now += 2000
      sent.end(body.slice(-5))
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      answer.resume()
      expect([path, answer.statusCode]).toEqual([path, 403])
    }
    expect((await project.get('/api/v2/translations')).body.data).toEqual([])
  })

  test('a project has any number of keys; the list of projects shows the main one, which is rotated, not revoked', async () => {
    const { service, clock, opens, api } = await setUp()
    const [project, other] = [await createProject(service, 'one'), await createProject(service, 'two')]
    const owner = { projectToken: project.projectToken }
    const [main] = await api.list(owner)
    expect(main).toMatchObject({ name: '', isMain: true, expiresAt: null })
    const extra = await api.add(owner, { name: 'ci', expiresInMs: HOUR_MS })
    expect(await opens(extra.secret)).toBe(true)
    expect(await api.list({ projectToken: other.projectToken })).toHaveLength(1)
    await expect(api.revoke(owner, main?.id ?? '')).rejects.toMatchObject({ code: 'API_VALIDATION' })
    await expect(api.revoke({ projectToken: other.projectToken }, extra.id)).rejects.toMatchObject({
      code: 'API_NOT_FOUND',
    })

    const next = await api.rotate(owner, main?.id ?? '', { overlapMs: 0 })
    expect([await opens(project.apiKey), await opens(next.secret), await opens(other.apiKey)]).toEqual([
      false,
      true,
      true,
    ])
    const { body } = await request(`${service.baseUrl}/api/v2/projects`, {
      headers: { authorization: service.personalToken },
    })
    expect(body.data.map(({ apiKey }: { apiKey: string }) => apiKey)).toEqual([next.secret, other.apiKey])
    clock.now += HOUR_MS
    expect(await opens(extra.secret)).toBe(false)
    expect(await api.list(owner)).toMatchObject([{ id: next.id, isMain: true }])
  })

  test('of two that rotate one key at once, one gets the main key', async () => {
    const { service, api, opens } = await setUp()
    const project = await createProject(service)
    const owner = { projectToken: project.projectToken }
    const [main] = await api.list(owner)
    const made = await Promise.allSettled([1, 2].map(() => api.rotate(owner, main?.id ?? '', { overlapMs: HOUR_MS })))
    const { body } = await request(`${service.baseUrl}/api/v2/projects`, {
      headers: { authorization: service.personalToken },
    })
    expect(await opens(body.data[0].apiKey)).toBe(true)
    expect((await api.list(owner)).filter(({ isMain }) => isMain)).toHaveLength(1)
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  })

  test('only the personal token opens them, and a personal token is no API key', async () => {
    const { service, api, opens } = await setUp()
    const project = await createProject(service)
    const { secret } = await api.add({}, { name: 'ci' })
    expect(await opens(secret)).toBe(false)
    for (const path of ['personal-tokens', `projects/${project.projectToken}/api-keys`]) {
      for (const [method, rest] of [
        ['GET', ''],
        ['POST', ''],
        ['DELETE', '/x'],
        ['POST', '/x/rotate'],
      ] as const) {
        const address = `${service.baseUrl}/_service/${path}${rest}`
        for (const headers of [{}, { Authorization: project.apiKey }, { 'X-Service-Token': project.apiKey }]) {
          expect((await request(address, { method, headers })).status).toBe(403)
        }
      }
    }
    await expect(api.list({ projectToken: 'absent' })).rejects.toMatchObject({ code: 'API_NOT_FOUND' })
  })

  test('a start makes the tokens of earlier starts invalid, but not those with a name', async () => {
    const dataDir = await tempFolder()
    const first = await startService({ driver, dataDir })
    const client = createClient({ baseUrl: first.baseUrl, personalToken: first.personalToken })
    const { secret } = await client.credentials.add({}, { name: 'ci' })
    await client.close()
    await first.close()
    const second = await startService({ driver, dataDir, revokeTokens: true, personalToken: 'fixed-token' })
    const status = async (authorization: string) =>
      (await request(`${second.baseUrl}/api/v2/projects`, { headers: { authorization } })).status
    expect([await status(first.personalToken), await status(secret), await status('fixed-token')]).toEqual([
      403, 200, 200,
    ])
  })
})
