/** Contract: Resource Translation key; Endpoints Translation keys. */
import { describe, expect, test } from 'vitest'
import { createProject, DRIVERS, request, shareService, startService } from '../helpers/service.ts'

const PATH = '/api/v1/translation-keys'

describe.each(DRIVERS)('translation keys on %s', (driver) => {
  const setUp = async () => {
    const service = await shareService({ driver, customers: ['acme'] })
    return { service, project: await createProject(service) }
  }
  const countKeys = async ({ service, project }: Awaited<ReturnType<typeof setUp>>) => {
    const { body } = await request(`${service.baseUrl}/api/v2/projects`, {
      headers: { Authorization: service.personalToken },
    })
    return body.data.find(({ apiKey }: { apiKey: string }) => apiKey === project.apiKey).keys
  }

  test('Create key: the minimal body contains only key', async () => {
    const at = await setUp()
    const answer = await at.project.api('POST', PATH, { key: 'title' })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ msg: 'OK', status: 200 })
    expect(await countKeys(at)).toBe(1)
  })

  test('Create key: every field', async () => {
    const { project } = await setUp()
    const record = {
      key: 'title',
      namespace: 'home',
      description: 'The page title',
      tags: ['page', 'top'],
      codeDescription: 'shown in the tab',
      charactersLimit: 60,
    }
    const answer = await project.api('POST', PATH, record)
    expect(answer.body).toEqual({ msg: 'OK', status: 200, data: record })
  })

  test.each([
    ['key is required', {}],
    ['key is not empty', { key: '' }],
    ['key has 500 characters at most', { key: 'k'.repeat(501) }],
    ['namespace has 128 characters at most', { key: 'a', namespace: 'n'.repeat(129) }],
    ['description has 500 characters at most', { key: 'a', description: 'd'.repeat(501) }],
    ['tags are 5 at most', { key: 'a', tags: ['1', '2', '3', '4', '5', '6'] }],
    ['tags are strings', { key: 'a', tags: [1] }],
    ['charactersLimit is an integer', { key: 'a', charactersLimit: 1.5 }],
    ['a namespace that no address can carry', { key: 'a', namespace: '..' }],
    ['a namespace with a folder that no address can carry', { key: 'a', namespace: './common' }],
  ])('Create key: %s', async (_rule, body) => {
    const at = await setUp()
    expect((await at.project.api('POST', PATH, body)).status).toBe(400)
    expect(await countKeys(at)).toBe(0)
  })

  test('beyond the contract: a key tells its description, and this can be switched off', async () => {
    const { project } = await setUp()
    const record = { key: 'a', namespace: 'n', description: 'd', tags: ['t'], codeDescription: '', charactersLimit: 9 }
    await project.api('POST', PATH, record)
    expect((await project.api('GET', `${PATH}?key=a&namespace=n`)).body.data).toEqual(record)
    expect((await project.api('GET', `${PATH}?key=a`)).status).toBe(404)
    const without = await createProject(await startService({ driver, features: { keyInfo: false } }))
    expect((await without.api('GET', `${PATH}?key=a&namespace=n`)).status).toBe(404)
  })

  test('key: unique within a project and namespace', async () => {
    const at = await setUp()
    const create = (body: object) => at.project.api('POST', PATH, body)
    expect((await create({ key: 'title' })).status).toBe(200)
    expect(await create({ key: 'title' })).toMatchObject({ status: 409, body: { code: 'KEY_EXISTS' } })
    expect((await create({ key: 'title', namespace: 'home' })).status).toBe(200)
    expect((await create({ key: 'title', namespace: 'home' })).status).toBe(409)
    // Two keys that differ in case only are two keys.
    expect((await create({ key: 'Title' })).status).toBe(200)
    expect((await (await createProject(at.service)).api('POST', PATH, { key: 'title' })).status).toBe(200)
  })

  test('charactersLimit: holds for every way a text comes in, counted in characters', async () => {
    const { project } = await setUp()
    await project.api('POST', PATH, { key: 'short', charactersLimit: 3 })
    await project.api('POST', PATH, { key: 'free', charactersLimit: -1 })
    const set = (text: string, key = 'short') =>
      project.api('PATCH', '/api/v2/translations', { key, language: 'en', text })
    expect((await set('😀😀😀')).status).toBe(200)
    expect(await set('four')).toMatchObject({ status: 400, body: { code: 'CHARACTERS_LIMIT' } })
    expect((await set('any length', 'free')).status).toBe(200)
    const older = await project.api('PATCH', '/api/v1/translations', {
      content: [{ key: 'short', language: 'en', text: 'four' }],
    })
    expect(older.body.data).toMatchObject({ numberOfFailures: 1, numberOfUpdates: 0 })
    const query = 'uploadFormat=multi-language-json&importOptions=REPLACE_TRANSLATION_IF_FOUND'
    await expect(project.import({ en: { other: 'x', short: 'four' } }, query)).rejects.toThrow('CHARACTERS_LIMIT')
    expect(await project.export()).toEqual({ en: { short: '😀😀😀', free: 'any length' } })
  })

  test('Delete key: deletes the key together with its translations, customer texts included', async () => {
    const at = await setUp()
    await at.project.import({ en: { a: 'A', b: 'B' }, pl: { a: 'Ą' } })
    await at.project.import({ a: 'x' }, 'uploadFormat=single-language-json&languageKey=en&customerId=acme')
    expect((await at.project.api('DELETE', `${PATH}?key=a`)).status).toBe(200)
    expect(await at.project.export()).toEqual({ en: { b: 'B' }, pl: {} })
    expect((await at.project.get('/api/v2/translations?customerId=acme')).body.data).toEqual([])
    expect(await countKeys(at)).toBe(1)
    // A key of the same name that is made anew starts empty.
    await at.project.api('POST', PATH, { key: 'a' })
    expect((await at.project.get('/api/v2/translations?key=a')).body.data).toEqual([])
  })

  test('Delete key: namespace, when omitted, is the empty string', async () => {
    const at = await setUp()
    await at.project.api('POST', PATH, { key: 'a', namespace: 'home' })
    expect(await at.project.api('DELETE', `${PATH}?key=a`)).toMatchObject({
      status: 404,
      body: { code: 'KEY_NOT_FOUND' },
    })
    expect((await at.project.api('DELETE', `${PATH}?key=a&namespace=home`)).status).toBe(200)
    expect(await countKeys(at)).toBe(0)
    expect((await at.project.api('DELETE', PATH)).status).toBe(400)
  })

  test('Bulk delete keys: translationKeys with key and namespace, which may be the empty string', async () => {
    const at = await setUp()
    await at.project.import({ en: { a: 'A', b: 'B', 'odd ? & = key': 'C' } })
    await at.project.import({ a: 'N' }, 'uploadFormat=single-language-json&languageKey=en&namespace=home')
    const answer = await at.project.api('DELETE', `${PATH}/bulk`, {
      translationKeys: [
        { key: 'a', namespace: '' },
        { key: 'a', namespace: 'home' },
        { key: 'odd ? & = key', namespace: '' },
        { key: 'absent', namespace: '' },
      ],
    })
    expect(answer.status).toBe(200)
    expect(answer.body.data.failures).toEqual([
      { entry: { key: 'absent', namespace: '' }, message: 'Translation key "absent" does not exist in the project.' },
    ])
    expect(await at.project.export()).toEqual({ en: { b: 'B' } })
  })

  test('facts: 100 items a bulk request', async () => {
    const at = await setUp()
    const items = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, namespace: '' }))
    expect((await at.project.api('DELETE', `${PATH}/bulk`, { translationKeys: items(100) })).status).toBe(200)
    expect((await at.project.api('DELETE', `${PATH}/bulk`, { translationKeys: items(101) })).status).toBe(400)
    expect((await at.project.api('POST', `${PATH}/bulk`, { translationKeys: items(100) })).body.data).toEqual({
      failures: [],
    })
    expect((await at.project.api('POST', `${PATH}/bulk`, { translationKeys: items(101) })).status).toBe(400)
    expect(await countKeys(at)).toBe(100)
  })

  test('facts: bulk create answers what it refused, item by item, and can be switched off', async () => {
    const at = await setUp()
    const answer = await at.project.api('POST', `${PATH}/bulk`, {
      translationKeys: [{ key: 'a' }, { key: 'a' }, { key: '' }, { key: 'b', namespace: '..' }, 'x'],
    })
    expect(answer.body.data.failures).toEqual([
      { entry: { key: 'a' }, message: 'Translation key "a" already exists.' },
      { entry: { key: '' }, message: expect.stringContaining('key') },
      { entry: { key: 'b', namespace: '..' }, message: expect.stringContaining('namespace') },
      { entry: 'x', message: expect.any(String) },
    ])
    expect(await countKeys(at)).toBe(1)

    const without = await createProject(await startService({ driver, features: { bulk: false } }))
    expect((await without.api('POST', `${PATH}/bulk`, { translationKeys: [] })).status).toBe(404)
    expect((await without.api('PATCH', '/api/v2/translations/bulk', { translations: [] })).status).toBe(404)
    // The bulk delete is in the contract: it stays.
    expect((await without.api('DELETE', `${PATH}/bulk`, { translationKeys: [] })).status).toBe(200)
  })
})
