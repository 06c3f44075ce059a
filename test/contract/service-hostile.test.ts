/** Input that is made to fail or to cost much: each gets an answer of the contract, on both stores. */
import { describe, expect, test } from 'vitest'
import '../helpers/seed.ts'
import { madeFromSchemas, type Operation } from '../helpers/hostile-requests.ts'
import { repeats } from '../helpers/repeats.ts'
import { createProject, DRIVERS, request, shareService, type TestProject, uploadForm } from '../helpers/service.ts'

const GENERATED = Number(process.env.MALFORMED_CASES ?? repeats(300, 2000))

/** Method and path of everything that takes a JSON body. */
async function jsonEndpoints(baseUrl: string): Promise<[string, string][]> {
  const { body } = await request(`${baseUrl}/openapi.json`)
  const paths = Object.entries(body.paths as Record<string, Record<string, Operation>>)
  const inContract = paths.flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]): [string, string][] =>
      requestBody?.content['application/json'] ? [[method.toUpperCase(), path]] : [],
    ),
  )
  expect(inContract.length).toBeGreaterThan(6)
  return [...inContract, ['POST', '/_service/personal-tokens'], ['POST', '/_service/personal-tokens/x/rotate']]
}

describe.each(DRIVERS)('%s', (driver) => {
  const setUp = async () => {
    const service = await shareService({ driver })
    return { service, project: await createProject(service) }
  }
  const upload = (project: TestProject, content: string, query = 'uploadFormat=multi-language-json') =>
    project.api('POST', `/api/v2/import?${query}`, uploadForm(content))

  test.each([
    ['arrays, each in the one before', '['.repeat(100_000), '100 levels deep'],
    ['objects, each in the one before', '{"a":'.repeat(100_000), '100 levels deep'],
    ['arrays in an array', `[${'[],'.repeat(100_000)}0]`, 'more than 100000 values'],
    ['numbers', `{"a":[${'1,'.repeat(100_000)}1]}`, 'more than 100000 values'],
    ['a member twice', '{"key":"a","text":"A","key":"b"}', 'the member key twice'],
    ['a member of a member twice', '{"content":[{"key":"a","key":"b"}]}', 'the member content.key twice'],
  ])('every JSON body is limited: %s', async (_what, body, message) => {
    const { service, project } = await setUp()
    const headers = { authorization: service.personalToken, 'content-type': 'application/json' }
    for (const [method, path] of await jsonEndpoints(service.baseUrl)) {
      const answer = await project.api(method, path, body, headers)
      expect([path, answer.status, answer.body]).toMatchObject([
        path,
        400,
        { status: 400, code: 'BAD_REQUEST', msg: expect.stringContaining(message) },
      ])
    }
  })

  test.each([
    ['uploadFormat=multi-language-json', (texts: string) => `{"en":${texts}}`],
    ['uploadFormat=single-language-json&languageKey=en', (texts: string) => texts],
    ['uploadFormat=multi-language-json&importOptions=LANGUAGES_NESTED', (texts: string) => texts],
  ])('every file of an import is limited: %s', async (query, file) => {
    const { project } = await setUp()
    const cases = [
      ['['.repeat(100_000), '100 levels deep'],
      [file('{"a":'.repeat(100_000)), '100 levels deep'],
      [file(`{"a":[${'[],'.repeat(800_000)}0]}`), 'more than 1500000 values'],
      [file(`{"a":"${'x'.repeat(9_000_000)}"}`), 'more than 8388608 bytes'],
      [file('{"a":"1","b":"2","a":"3"}'), 'the member'],
      [`{"en":{"a":"1"},"pl":{"a":"${'2'.repeat(70_000)}"},"en":{"b":"3"}}`, ''],
    ] as const
    for (const [content, message] of cases) {
      const { status, body } = await upload(project, content, query)
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
      expect(body.msg).toContain(message)
    }
    expect(await project.export()).toEqual({ en: {} })
  })

  test('a large file is imported in pieces: nested, with members in any order', async () => {
    const { project } = await setUp()
    const texts = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [`key${i}`, `Text number ${i}, "quoted" äß`]),
    )
    await project.import(JSON.stringify({ en: { deep: { er: texts } }, pl: texts }, null, 2))
    const exported = await project.export()
    expect(exported.pl).toEqual(texts)
    expect(exported.en['deep.er.key2999']).toBe(texts.key2999)
    expect(Object.keys(exported.en)).toHaveLength(3000)
  })

  test('NUL in a path is 404, after the credentials', async () => {
    const { service, project } = await setUp()
    // With an encoded percent sign, the path is decoded in another place.
    for (const name of ['%00', 'a%00b', '%00%25', 'a%00%2525%ff']) {
      const paths: [string, string][] = [
        ['GET', `/api/v2/environments/${name}`],
        ['POST', `/api/v2/environments/${name}/publish`],
        ['GET', `/api/v1/jobs/${name}`],
        ['DELETE', `/_service/projects/${name}/api-keys/${name}`],
        ['DELETE', `/_service/personal-tokens/${name}`],
      ]
      for (const [method, path] of paths) {
        const address = `${service.baseUrl}${path}`
        expect([path, (await request(address, { method })).status]).toEqual([path, 403])
        const { status, body } = await project.api(method, path, undefined, { authorization: service.personalToken })
        expect([path, status, body.status]).toEqual([path, 404, 404])
      }
      const hosted = [`${name}/_latest/en`, `x/${name}/en`, `x/_latest/${name}`, `x/_latest/en/${name}`]
      for (const path of hosted)
        expect([path, (await request(`${service.cdnUrl}/${path}`)).status]).toEqual([path, 404])
      expect((await request(`${service.baseUrl}/files/${name}`)).status).toBe(404)
      expect((await request(`${service.baseUrl}/nothing/${name}`)).status).toBe(404)
    }
  })

  test('every number of a request has a range that both stores hold', async () => {
    const { service, project } = await setUp()
    const { body } = await request(`${service.baseUrl}/openapi.json`)
    const numbers: Record<string, unknown>[] = []
    const look = (value: unknown) => {
      if (typeof value !== 'object' || value === null) return
      if ('type' in value && ['integer', 'number'].includes(value.type as string)) numbers.push({ ...value })
      for (const child of Object.values(value)) look(child)
    }
    for (const operations of Object.values(body.paths as Record<string, Record<string, Record<string, unknown>>>)) {
      for (const { parameters, requestBody } of Object.values(operations)) look([parameters, requestBody])
    }
    expect(numbers.length).toBeGreaterThan(3)
    for (const number of numbers) {
      expect(number).toMatchObject({ minimum: expect.any(Number), maximum: expect.any(Number) })
      expect(number.maximum).toBeLessThanOrEqual(2 ** 31 - 1)
      expect(number.minimum).toBeGreaterThanOrEqual(-1)
    }
    const create = (charactersLimit: number) =>
      project.api('POST', '/api/v1/translation-keys', { key: String(charactersLimit), charactersLimit })
    for (const limit of [-1, 0, 65_535, 2 ** 31 - 1]) expect((await create(limit)).status).toBe(200)
    for (const limit of [-2, 2 ** 31, 2 ** 53, 1e300, 0.5]) {
      expect(await create(limit)).toMatchObject({
        status: 400,
        body: { msg: expect.stringContaining('charactersLimit') },
      })
    }
    const bulk = { translationKeys: [{ key: 'good' }, { key: 'bad', charactersLimit: 2 ** 31 }, { key: 'good too' }] }
    const { status, body: made } = await project.api('POST', '/api/v1/translation-keys/bulk', bulk)
    expect([status, made.data.failures]).toEqual([
      200,
      [{ entry: bulk.translationKeys[1], message: expect.stringContaining('charactersLimit') }],
    ])
  })

  test.each([
    ['/api/v2/translations', 'page=-1', 'page'],
    ['/api/v2/translations', 'page=2147483648', 'page'],
    ['/api/v2/translations', 'page=99999999999999999999', 'page'],
    ['/api/v2/translations', 'page=1e9', 'page: "1e9" is not a whole number'],
    ['/api/v2/translations', 'page=1.0', 'page: "1.0" is not a whole number'],
    ['/api/v2/translations', 'size=501', 'size'],
    ['/api/v2/translations', 'language=en&language=pl', 'language is given 2 times'],
    ['/api/v2/translations', 'key=&key=a&key=b', 'key is given 3 times'],
    ['/api/v3/export', 'downloadFormat=multi-language-json&downloadFormat=x', 'downloadFormat is given 2 times'],
    ['/api/v2/translations', 'key=%00', 'NUL'],
    ['/api/v2/translations', '%00=1', 'NUL'],
  ])('%s?%s is 400 and says why', async (path, query, message) => {
    const { project } = await setUp()
    const { status, body } = await project.get(`${path}?${query}`)
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
    expect(body.msg).toContain(`Query parameter`)
    expect(body.msg).toContain(message)
    expect(body.msg).not.toContain('received string')
  })

  test('the last page that a number can name is empty', async () => {
    const { project } = await setUp()
    const { status, body } = await project.get('/api/v2/translations?page=2147483647&size=500')
    expect([status, body.data]).toEqual([200, []])
  })

  test(`${GENERATED} requests made from the schemas: none fails the service, each refusal has the shape of the contract`, async () => {
    const { service, project } = await setUp()
    const { body } = await request(`${service.baseUrl}/openapi.json`)
    const headers = { authorization: service.personalToken, 'content-type': 'application/json' }
    const statuses = new Map<number, number>()
    for (const { method, path, body: sent } of madeFromSchemas(body.paths, GENERATED)) {
      const answer = await project.api(method, path, sent, headers)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      const shown = `${method} ${path} ${sent?.slice(0, 300)}: ${answer.text.slice(0, 300)}`
      expect(answer.status, shown).toBeLessThan(500)
      if (answer.status < 400) continue
      expect(answer.body, shown).toMatchObject({
        status: answer.status,
        code: expect.stringMatching(/^[A-Z_]+$/),
        msg: expect.stringMatching(/./),
        traceId: expect.any(String),
      })
    }
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400]))
    expect((await project.get('/api/v2/translations')).status).toBe(200)
  })
})
