/**
 * Contract: Resources Project, Language, Customer; Endpoints Projects. Requests and answers as the contract writes
 * them.
 */
import { describe, expect, test } from 'vitest'
import { createProject, DRIVERS, request, startService } from '../helpers/service.ts'

describe.each(DRIVERS)('projects on %s', (driver) => {
  test('Create project: POST /api/v2/projects with a name answers the project in the envelope', async () => {
    const service = await startService({ driver })
    const { status, body } = await request(`${service.baseUrl}/api/v2/projects`, {
      method: 'POST',
      headers: { Authorization: service.personalToken },
      body: { name: 'My project' },
    })
    expect(status).toBe(200)
    // A new project: one language, zero keys, zero changes; customers are absent.
    expect(body).toEqual({
      msg: 'OK',
      status: 200,
      data: {
        name: 'My project',
        languages: [{ key: 'en', name: 'English', isDefault: true, order: 0 }],
        projectToken: expect.stringMatching(/^\w{20,}$/),
        apiKey: expect.stringMatching(/^\w{20,}$/),
        keys: 0,
        unpublishedChanges: 0,
        translatedPercentage: 0,
        translatedKeysByLanguage: {},
      },
    })
  })

  test('Create project: name is required, a string, and not empty', async () => {
    const service = await startService({ driver })
    const create = (body: unknown) =>
      request(`${service.baseUrl}/api/v2/projects`, {
        method: 'POST',
        headers: { Authorization: service.personalToken },
        body,
      })
    for (const body of [{}, { name: '' }, { name: 7 }, { name: null }, [], '', 'null', '"x"']) {
      expect((await create(body)).status, JSON.stringify(body)).toBe(400)
    }
    expect((await create({})).body.errors).toEqual([expect.stringMatching(/^name: /)])
  })

  test('List projects: GET /api/v2/projects answers an array; customers are present', async () => {
    const service = await startService({ driver, customers: [{ key: 'acme', description: 'ACME Inc.' }, 'other'] })
    const list = () =>
      request(`${service.baseUrl}/api/v2/projects`, { headers: { Authorization: service.personalToken } })
    expect((await list()).body).toEqual({ msg: 'OK', status: 200, data: [] })
    const first = await createProject(service, 'First')
    await createProject(service, 'Second')
    const { body } = await list()
    expect(body.data).toHaveLength(2)
    expect(body.data[0]).toEqual({
      name: 'First',
      languages: [{ key: 'en', name: 'English', isDefault: true, order: 0 }],
      customers: [
        { key: 'acme', description: 'ACME Inc.' },
        { key: 'other', description: '' },
      ],
      projectToken: first.projectToken,
      apiKey: first.apiKey,
      keys: 0,
      unpublishedChanges: 0,
      translatedPercentage: 0,
      translatedKeysByLanguage: {},
    })
    expect(body.data[1].name).toBe('Second')
  })

  test('Project keys, translatedPercentage, translatedKeysByLanguage: counted over languages, empty and customer texts left out', async () => {
    const service = await startService({ driver, customers: ['acme'] })
    const project = await createProject(service)
    await project.import({ en: { a: 'A', b: 'B', c: 'C', d: 'D' }, pl: { a: 'Ą', b: '' } })
    await project.import({ c: 'for acme' }, 'uploadFormat=single-language-json&languageKey=pl&customerId=acme')
    const { body } = await request(`${service.baseUrl}/api/v2/projects`, {
      headers: { Authorization: service.personalToken },
    })
    expect(body.data[0]).toMatchObject({
      keys: 4,
      translatedKeysByLanguage: { en: 4, pl: 1 },
      translatedPercentage: 5 / 8,
    })
  })

  test('Project unpublishedChanges: counts what changed since the last publish to _latest', async () => {
    const service = await startService({ driver })
    const project = await createProject(service)
    const changes = async () => {
      const { body } = await request(`${service.baseUrl}/api/v2/projects`, {
        headers: { Authorization: service.personalToken },
      })
      return body.data[0].unpublishedChanges
    }
    await project.import({ en: { a: 'A', b: 'B' } })
    expect(await changes()).toBe(2)
    await project.import({ en: { a: 'A', b: 'other, but it exists' } })
    expect(await changes()).toBe(2)
    await project.api('PATCH', '/api/v2/translations', { key: 'a', language: 'en', text: 'A2' })
    expect(await changes()).toBe(3)
    await project.publish()
    expect(await changes()).toBe(0)
    await project.api('PATCH', '/api/v2/translations', { key: 'a', language: 'en', text: 'A2' })
    expect(await changes()).toBe(0)
    await project.api('DELETE', '/api/v1/translation-keys?key=a')
    expect(await changes()).toBe(1)
  })

  test('Language key, name, isDefault, order: declared ones follow the default one, imported ones follow those', async () => {
    const service = await startService({
      driver,
      defaultLanguage: 'pl',
      languages: ['de', { key: 'pt_BR', name: 'Brazilian' }],
    })
    const project = await createProject(service)
    await project.import({ en: { a: 'A' } })
    const { body } = await request(`${service.baseUrl}/api/v2/projects`, {
      headers: { Authorization: service.personalToken },
    })
    expect(body.data[0].languages).toEqual([
      { key: 'pl', name: 'Polish', isDefault: true, order: 0 },
      { key: 'de', name: 'German', isDefault: false, order: 1 },
      { key: 'pt_BR', name: 'Brazilian', isDefault: false, order: 2 },
      { key: 'en', name: 'English', isDefault: false, order: 3 },
    ])
  })

  test('facts: GET /api/v2/project with the API key describes the project, and can be switched off', async () => {
    const service = await startService({ driver, environments: ['staging'] })
    const project = await createProject(service)
    await project.import({ a: 'A' }, 'uploadFormat=single-language-json&languageKey=en&namespace=views/settings')
    await project.publish()
    const { body } = await project.get('/api/v2/project')
    expect(body.data).toMatchObject({
      projectToken: project.projectToken,
      languages: [{ key: 'en' }],
      namespaces: [{ name: 'views/settings' }],
      environments: [{ key: '_latest' }, { key: 'staging' }, { key: '_production' }],
    })
    expect(body.data).not.toHaveProperty('apiKey')

    const without = await startService({ driver, features: { projectInfo: false } })
    expect((await (await createProject(without)).get('/api/v2/project')).status).toBe(404)
  })
})
