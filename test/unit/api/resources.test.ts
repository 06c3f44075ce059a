import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { API_KEY, PERSONAL_TOKEN, startClient } from '../../helpers/api-client.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { sendData, sendJson, startServer } from '../../helpers/throwaway-server.ts'

const project = {
  name: 'Shop',
  languages: [{ key: 'en', name: 'English', isDefault: true, order: 0 }],
  projectToken: 'pt',
  apiKey: 'ak',
  keys: 0,
  unpublishedChanges: 0,
  translatedPercentage: 0,
  translatedKeysByLanguage: {},
}
const job = {
  jobId: 'j/1',
  progress: 0.01,
  state: 'STARTED',
  started: '2026-01-01T00:00:00.000Z',
  message: 'OK',
  metadata: {},
}

test('projects: create and list carry the personal token as it is, and no API key', async () => {
  const server = await startServer((seen, response) => sendData(response, seen.method === 'GET' ? [project] : project))
  const client = startClient(server.url)
  expect(await client.projects.create({ name: 'Shop' })).toEqual(project)
  expect(await client.projects.list()).toEqual([project])
  const [create, list] = server.requests
  expect([create?.method, create?.path, create?.body]).toEqual(['POST', '/api/v2/projects', '{"name":"Shop"}'])
  expect([list?.method, list?.path]).toEqual(['GET', '/api/v2/projects'])
  for (const { headers } of server.requests) {
    expect(headers.authorization).toBe(PERSONAL_TOKEN)
    expect(headers['x-service-token']).toBeUndefined()
  }
})

test('jobs: start, list and get carry the API key; an id is one segment of the path', async () => {
  const server = await startServer((seen, response) => sendData(response, seen.path === '/api/v1/jobs' ? [job] : job))
  const client = startClient(server.url)
  const body = { translationProvider: 'PROVIDER_A', targetProjectLanguage: 'pl', targetLanguage: 'pl' } as const
  expect((await client.jobs.startAutoTranslate(body)).state).toBe('STARTED')
  expect(await client.jobs.list()).toHaveLength(1)
  expect((await client.jobs.get('j/1')).jobId).toBe('j/1')
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/v1/jobs/auto-translate',
    'GET /api/v1/jobs',
    'GET /api/v1/jobs/j%2F1',
  ])
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(body)
  for (const { headers } of server.requests) {
    expect(headers['x-service-token']).toBe(API_KEY)
    expect(headers.authorization).toBeUndefined()
  }
  await expect(client.jobs.get('..')).rejects.toMatchObject({ code: 'API_VALIDATION' })
  expect(server.requests).toHaveLength(3)
})

test('environments: publish needs no JSON, status is checked', async () => {
  const status = {
    numberOfKeys: 2,
    numberOfLanguages: 1,
    numberOfNonEmptyTranslations: 2,
    createdAt: '2026-01-01T00:00:00Z',
    resources: [{ link: 'pt/_production/_index', size: 10 }],
  }
  const server = await startServer((seen, response) => {
    if (seen.method === 'POST') response.end()
    else sendData(response, status)
  })
  const client = startClient(server.url)
  await client.environments.publish('_production')
  expect(await client.environments.status('_production')).toEqual(status)
  const [publish, get] = server.requests
  expect([publish?.method, publish?.path, publish?.body]).toEqual([
    'POST',
    '/api/v2/environments/_production/publish',
    '',
  ])
  expect([get?.path, get?.headers.accept]).toEqual(['/api/v2/environments/_production', 'application/json'])
})

test('keys: create, delete, and a bulk delete that splits over 100', async () => {
  const server = await startServer((seen, response) => {
    if (!seen.path.endsWith('/bulk')) response.end('done')
    else
      sendData(response, { failures: [{ entry: {}, message: `of ${JSON.parse(seen.body).translationKeys.length}` }] })
  })
  const client = startClient(server.url)
  await client.keys.create({ key: 'a', tags: ['x'] })
  await client.keys.delete({ key: 'a b' })
  await client.keys.delete({ key: 'a', namespace: 'n/s' })
  const keys = Array.from({ length: 201 }, (_, index) => ({ key: `k${index}` }))
  const { failures } = await client.keys.deleteMany(keys)
  expect(failures.map(({ message }) => message)).toEqual(['of 100', 'of 100', 'of 1'])
  expect(server.requests.slice(0, 3).map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /api/v1/translation-keys',
    'DELETE /api/v1/translation-keys?key=a+b',
    'DELETE /api/v1/translation-keys?key=a&namespace=n%2Fs',
  ])
  const sent = server.requests.slice(3).flatMap(({ body }) => JSON.parse(body).translationKeys)
  expect(sent).toEqual(keys.map(({ key }) => ({ key, namespace: '' })))
})

test('translations: set, query with every filter under both spellings, update with its counts added up', async () => {
  const server = await startServer((seen, response) => {
    if (seen.method === 'GET')
      return sendJson(response, { msg: 'OK', status: 200, data: [], pageDetails: { hasNext: false } })
    if (seen.path.startsWith('/api/v2')) return void response.end()
    const count = JSON.parse(seen.body).content.length
    return sendData(response, {
      numberOfUpdates: count - 1,
      numberOfFailures: 1,
      numberOfInserts: 0,
      failures: ['no such key'],
    })
  })
  const client = startClient(server.url)
  await client.translations.set({ key: 'a', language: 'en', text: 'A' })
  const query = {
    text: 'abc',
    textStatus: 'NOT_EMPTY',
    reviewsStatus: 'REVIEWED',
    key: 'a',
    namespace: '',
    language: 'en',
    customerId: 'acme',
    page: 0,
    size: 500,
  } as const
  expect(await client.translations.query(query)).toEqual({ translations: [], pageDetails: { hasNext: false } })
  const items = Array.from({ length: 501 }, (_, index) => ({ key: `k${index}`, language: 'en', text: 'x' }))
  expect(await client.translations.update(items, { createKeys: true })).toEqual({
    numberOfUpdates: 499,
    numberOfFailures: 2,
    numberOfInserts: 0,
    failures: ['no such key', 'no such key'],
  })
  const [set, get, update] = server.requests
  expect([set?.method, set?.path, set?.body]).toEqual([
    'PATCH',
    '/api/v2/translations',
    '{"key":"a","language":"en","text":"A"}',
  ])
  expect(Object.fromEntries(get?.query ?? [])).toEqual({ ...query, page: '0', size: '500', reviewStatus: 'REVIEWED' })
  expect([update?.method, update?.url]).toEqual(['PATCH', '/api/v1/translations?updateOptions=CREATE_KEY_IF_NOT_FOUND'])
  const sent = server.requests.slice(2).flatMap(({ body }) => JSON.parse(body).content)
  expect(sent).toEqual(items)
})

test('exports: v3 and v4, arrays by repetition; undefined for a 404, as without v4 or for an unknown language', async () => {
  const server = await startServer((seen, response) => {
    if (seen.path === '/api/v3/export') return sendData(response, { url: 'https://files.example/a' })
    if (seen.query.get('sort') === 'none') return sendJson(response, { status: 404, msg: 'no such path' }, 404)
    return sendData(response, { files: [{ url: 'https://files.example/b', language: 'en', namespace: '' }] })
  })
  const client = startClient(server.url)
  const v3 = {
    downloadFormat: 'multi-language-json',
    exportOptions: ['A', 'B'],
    languageKey: 'en',
    customerId: 'c',
  } as const
  expect(await client.exports.v3(v3)).toEqual({ url: 'https://files.example/a' })
  const v4 = {
    downloadFormat: 'single-language-json',
    downloadOptions: ['SPLIT_BY_LANGUAGES', 'SPLIT_BY_NAMESPACES'],
  } as const
  expect((await client.exports.v4(v4))?.files).toHaveLength(1)
  expect(server.requests[0]?.query.getAll('exportOptions')).toEqual(['A', 'B'])
  expect(server.requests[1]?.query.getAll('downloadOptions')).toEqual(v4.downloadOptions)
  expect(await client.exports.v4({ ...v4, sort: 'none' })).toBeUndefined()
  expect((await client.exports.v4(v4))?.files).toHaveLength(1)
})

test('exports: a downloaded file keeps `__proto__` as data and is fetched without a token', async () => {
  const text = '\ufeff{"__proto__":"a","constructor":{"b":"c"}}'
  const server = await startServer((_, response) => void response.end(text))
  const client = startClient('http://127.0.0.1:1')
  const value = await client.exports.downloadJson(`${server.url}/f?sig=1`)
  expect(Object.entries(value)).toEqual([
    ['__proto__', 'a'],
    ['constructor', { b: 'c' }],
  ])
  expect((await client.exports.download(`${server.url}/f`)).toString()).toBe(text)
  for (const { headers } of server.requests) expect(JSON.stringify(headers)).not.toContain('canary')
})

test.each([
  ['bare', false],
  ['wrapped', true],
])('imports: a %s answer; content, path and stream come through whole', async (_, wrapped) => {
  const result = { numberOfKeysFound: 1, numberOfUniqueKeysFound: 1, foundLanguages: [{ key: 'en', name: 'English' }] }
  const server = await startServer((_seen, response) =>
    wrapped ? sendData(response, result) : sendJson(response, result),
  )
  const client = startClient(server.url)
  const folder = await tempFolder()
  const path = join(folder, 'en.json')
  const content = JSON.stringify({ a: 'ż'.repeat(100_000) })
  await writeFile(path, content)
  async function* stream() {
    yield Buffer.from(content.slice(0, 10))
    yield Buffer.from(content.slice(10))
  }
  const query = {
    uploadFormat: 'single-language-json',
    languageKey: 'en',
    importOptions: ['REPLACE_TRANSLATION_IF_FOUND'],
  } as const
  for (const file of [content, Buffer.from(content), { path }, stream()]) {
    expect(await client.imports.upload({ ...query, file, fileName: 'a"b.json' })).toEqual(result)
  }
  expect(server.requests).toHaveLength(4)
  for (const { headers, body, url } of server.requests) {
    expect(url).toBe(
      '/api/v2/import?uploadFormat=single-language-json&languageKey=en&importOptions=REPLACE_TRANSLATION_IF_FOUND',
    )
    const form = await new Response(Buffer.from(body), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData()
    const part = form.get('file')
    if (!(part instanceof File)) throw new Error('no file part')
    expect(await part.text()).toBe(content)
    expect(part.name).toBe('a"b.json')
  }
  await expect(client.imports.upload({ ...query, file: { path: join(folder, 'none') } })).rejects.toMatchObject({
    code: 'FILE_READ',
  })
})

test('hosting: resources, entity tags, what is not published, and the helpers', async () => {
  const server = await startServer((seen, response) => {
    if (seen.headers['if-none-match'] === '"1"') return void response.writeHead(304).end()
    if (seen.path.includes('missing')) return void response.writeHead(404).end('<html>')
    if (seen.path.endsWith('_languages')) return sendJson(response, [{ key: 'en', name: 'English', isDefault: true }])
    if (seen.path.endsWith('_customers')) return sendJson(response, [{ key: 'acme', description: 'Acme' }])
    return sendJson(response, { a: 'b' }, 200, { etag: '"1"' })
  })
  const { hosting } = startClient(server.url)
  expect(await hosting.resource('pt/_latest/en')).toEqual({ kind: 'ok', data: { a: 'b' }, etag: '"1"', bytes: 9 })
  expect(await hosting.resource('pt/_latest/en', { etag: '"1"' })).toEqual({ kind: 'not-modified' })
  expect(await hosting.resource('pt/missing/en')).toEqual({ kind: 'missing' })
  const place = { projectToken: 'pt', environment: '_latest' }
  expect(await hosting.languages(place)).toMatchObject({ data: [{ key: 'en' }] })
  expect(await hosting.customers(place)).toMatchObject({ data: [{ key: 'acme' }] })
  await hosting.index(place)
  await hosting.messages(place, { language: 'en' })
  await hosting.messages(place, { language: 'pt_BR', namespace: 'views/a b', customer: 'acme' })
  expect(server.requests.slice(5).map(({ url }) => url)).toEqual([
    '/_cdn/pt/_latest/_index',
    '/_cdn/pt/_latest/en',
    '/_cdn/pt/_latest/pt_BR_acme/views/a%20b',
  ])
  for (const { headers } of server.requests) expect(JSON.stringify(headers)).not.toContain('canary')
})

test('project: what the service tells, odd fields left out; nothing where there is no such endpoint', async () => {
  const server = await startServer((_, response, index) => {
    if (index === 0) sendData(response, { projectToken: 'pt', namespaces: ['a', { name: 'b' }], environments: 7 })
    else response.writeHead(404).end()
  })
  const client = startClient(server.url)
  expect(await client.project.info()).toMatchObject({
    projectToken: 'pt',
    namespaces: ['a', 'b'],
    environments: undefined,
  })
  expect(await client.project.info()).toBeUndefined()
})
