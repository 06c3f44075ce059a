/** Contract: Import, Export, Import result, Export result. Facts: Export, Import. */
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repeats } from '../helpers/repeats.ts'
import {
  createProject,
  DRIVERS,
  request,
  shareService,
  startService,
  type TestProject,
  uploadForm,
} from '../helpers/service.ts'
import { tempFolder } from '../helpers/temp.ts'

const IMPORT = '/api/v2/import'
const MULTI = 'uploadFormat=multi-language-json'
const SINGLE = 'uploadFormat=single-language-json'
const REPLACE = 'importOptions=REPLACE_TRANSLATION_IF_FOUND'
/** Of a large project; each has two texts. */
const KEYS = repeats(10_000, 50_000)

/** Languages in one import: each of many times each of 1,000 would take minutes. */
const MANY = repeats(2_000, 100_000)

describe.each(DRIVERS)('import on %s', (driver) => {
  const setUp = async () => createProject(await shareService({ driver, customers: ['acme'] }))
  const refuse = async (project: TestProject, content: string | object, query = MULTI) => {
    const answer = await project.api('POST', `${IMPORT}?${query}`, uploadForm(content))
    expect(answer.status).toBe(400)
    return answer.body
  }

  test('a form whose part has a head that never ends is refused, not waited for', async () => {
    const project = await setUp()
    const body = `--b\r\n${'x'.repeat(20_000)}`
    const type = { 'content-type': 'multipart/form-data; boundary=b' }
    for (const ending of ['\r\n\r\n{}\r\n--b--\r\n', '\r\n\r\n{}\r\n--b', '']) {
      const answer = await project.api('POST', `${IMPORT}?${MULTI}`, body + ending, type)
      expect(answer.status).toBe(400)
    }
  })

  test('Import result: not wrapped in the envelope', async () => {
    const project = await setUp()
    const answer = await project.api(
      'POST',
      `${IMPORT}?${MULTI}`,
      uploadForm({ en: { title: 'Hello', bye: 'Bye' }, pl: { title: 'Cześć' } }),
    )
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      numberOfKeysFound: 3,
      numberOfUniqueKeysFound: 2,
      foundLanguages: [
        { key: 'en', name: 'English' },
        { key: 'pl', name: 'Polish' },
      ],
    })
    expect(await project.export()).toEqual({ en: { title: 'Hello', bye: 'Bye' }, pl: { title: 'Cześć' } })
  })

  test('uploadFormat single-language-json with languageKey', async () => {
    const project = await setUp()
    const answer = await project.import({ title: 'Hallo' }, `${SINGLE}&languageKey=de`)
    expect(answer.body).toEqual({
      numberOfKeysFound: 1,
      numberOfUniqueKeysFound: 1,
      foundLanguages: [{ key: 'de', name: 'German' }],
    })
    expect(await project.export()).toEqual({ en: {}, de: { title: 'Hallo' } })
  })

  test('uploadFormat is required and one of the values seen; single-language-json needs languageKey', async () => {
    const project = await setUp()
    expect((await refuse(project, {}, '')).msg).toContain('uploadFormat')
    expect((await refuse(project, {}, 'uploadFormat=csv')).msg).toContain('multi-language-json')
    expect((await refuse(project, {}, SINGLE)).msg).toContain('languageKey')
    expect((await refuse(project, {}, `${MULTI}&importOptions=REPLACE`)).msg).toContain('REPLACE_TRANSLATION_IF_FOUND')
  })

  test('default: only new translations are imported; an empty one counts as new', async () => {
    const project = await setUp()
    await project.import({ en: { a: 'A', empty: '' } })
    await project.import({ en: { a: 'other', empty: 'filled', b: 'B' } })
    expect(await project.export()).toEqual({ en: { a: 'A', empty: 'filled', b: 'B' } })
  })

  test('REPLACE_TRANSLATION_IF_FOUND: existing translations are updated, and are no longer reviewed', async () => {
    const project = await setUp()
    await project.import({ en: { a: 'A', b: 'B', c: 'C' } })
    for (const key of ['a', 'b']) {
      const text = key.toUpperCase()
      await project.api('PATCH', '/api/v2/translations', { key, language: 'en', text, reviewStatus: 'REVIEWED' })
    }
    await project.import({ en: { a: 'A2', b: 'B', c: '' } }, `${MULTI}&${REPLACE}`)
    expect(await project.export()).toEqual({ en: { a: 'A2', b: 'B', c: '' } })
    expect((await project.get('/api/v2/translations?reviewsStatus=REVIEWED')).body.data).toMatchObject([{ key: 'b' }])
  })

  test('facts: nested JSON is flattened with "."', async () => {
    const project = await setUp()
    await project.import({ en: { home: { title: 'T', deep: { er: 'D' } }, 'flat.key': 'F' } })
    expect(await project.export()).toEqual({ en: { 'home.title': 'T', 'home.deep.er': 'D', 'flat.key': 'F' } })
  })

  test.each([
    ['two paths that join to one key', { en: { ok: 'x', 'a.b': '1', a: { b: '2' } } }, ['["a","b"]', '["a.b"]']],
    ['a number', { en: { ok: 'x', list: { n: 5 } } }, ['["list","n"]', 'number']],
    ['null', { en: { ok: 'x', n: null } }, ['["n"]', 'null']],
    ['an array', { en: { ok: 'x', n: ['y'] } }, ['["n"]', 'array']],
    ['a text where a language should be', { en: 'x' }, ['en', 'string']],
    ['an array as the whole', ['x'], ['array']],
    ['an empty key', { en: { ok: 'x', '': 'y' } }, ['empty']],
    ['a key that is too long', { en: { ok: 'x', ['k'.repeat(501)]: 'y' } }, ['500']],
    ['a text that is too long', { en: { ok: 'x', long: 'y'.repeat(65_536) } }, ['"long"', '65535']],
    ['NUL in a text', { en: { ok: 'x', n: 'a\0b' } }, ['"n"', 'NUL']],
    ['an unpaired surrogate in a text', { en: { ok: 'x', n: '\ud83d' } }, ['"n"', 'surrogate']],
    ['an unpaired surrogate in a key', { en: { ok: 'x', '\ud83d': 'n' } }, ['surrogate']],
    ['a language that hosting uses for itself', { _index: { ok: 'x' } }, ['_index']],
    ['a language without a name', { '': { ok: 'x' } }, ['language']],
    ['broken JSON', '{"en":{"ok":"x"}', ['JSON']],
    ['nothing', '', ['JSON']],
  ])('%s is 400, says where, and changes nothing', async (_what, content, said) => {
    const project = await setUp()
    const { msg, code } = await refuse(project, content)
    expect(code).toBe('BAD_REQUEST')
    for (const part of said) expect(msg).toContain(part)
    expect(await project.export()).toEqual({ en: {} })
    expect((await project.get('/api/v2/project')).body.data.languages).toHaveLength(1)
  })

  test('names such as __proto__, control characters and empty texts come back exactly', async () => {
    const project = await setUp()
    const text =
      '{"en":{"__proto__":"p","constructor":"c","\\b":"\\b","toString":"","emoji":"😀","line":"\\u2028","a":"x\\r\\ny"},"__proto__":{"__proto__":"in a language of that name"}}'
    await project.import(text)
    const { body } = await project.get('/api/v3/export?downloadFormat=multi-language-json')
    const file = await request(body.data.url)
    const languages = new Map(Object.entries(file.body as Record<string, Record<string, string>>))
    expect([...languages.keys()]).toEqual(['en', '__proto__'])
    expect(new Map(Object.entries(languages.get('en') ?? {}))).toEqual(
      new Map([
        ['__proto__', 'p'],
        ['\b', '\b'],
        ['a', 'x\r\ny'],
        ['constructor', 'c'],
        ['emoji', '😀'],
        ['line', '\u2028'],
        ['toString', ''],
      ]),
    )
    expect(Object.entries(languages.get('__proto__') ?? {})).toEqual([['__proto__', 'in a language of that name']])
    expect(Object.prototype).not.toHaveProperty('p')
  })

  test('a BOM is no part of the file', async () => {
    const project = await setUp()
    await project.import(`\ufeff${JSON.stringify({ en: { a: 'A' } })}`)
    expect(await project.export()).toEqual({ en: { a: 'A' } })
  })

  test('facts: namespace, customerId and tags', async () => {
    const project = await setUp()
    await project.import({ en: { a: 'home' } }, `${MULTI}&namespace=views/settings&tags=x&tags=y`)
    await project.import({ en: { a: 'root' } }, `${MULTI}&tags=z`)
    await project.import({ en: { a: 'for acme' } }, `${MULTI}&namespace=views/settings&customerId=acme`)
    const texts = async (query: string) =>
      (await project.get(`/api/v2/translations?${query}`)).body.data.map(({ text }: { text: string }) => text)
    expect(await texts('namespace=views/settings')).toEqual(['home'])
    expect(await texts('namespace=')).toEqual(['root'])
    expect(await texts('customerId=acme')).toEqual(['for acme'])
    const tagged = await project.get('/api/v4/export?downloadFormat=multi-language-json&tags=y')
    expect((await request(tagged.body.data.files[0].url)).body).toEqual({ en: { a: 'home' } })
    const unknown = await project.api('POST', `${IMPORT}?${MULTI}&customerId=nobody`, uploadForm({}))
    expect(unknown).toMatchObject({ status: 404, body: { code: 'CUSTOMER_NOT_FOUND' } })
    await refuse(project, {}, `${MULTI}&namespace=${'n'.repeat(129)}`)
    await refuse(project, {}, `${MULTI}&tags=1,2,3,4,5,6`)
  })

  test('facts: more import options', async () => {
    const project = await setUp()
    const options = [
      'TRIM_LEADING_TRAILING_SPACES',
      'UNESCAPE_NEW_LINES',
      'UNESCAPE_SINGLE_QUOTES',
      'PUBLISH_AFTER_IMPORT',
    ]
    await project.import({ en: { a: "  x\\ny \\' " } }, `${MULTI}&importOptions=${options.join(',')}`)
    expect(await project.export()).toEqual({ en: { a: "x\ny '" } })
    expect((await project.hosted('en')).body).toEqual({ a: "x\ny '" })
  })

  test('facts: MULTI_LANGUAGE and LANGUAGES_NESTED say where the languages stand, whatever the format', async () => {
    const project = await setUp()
    const single = 'uploadFormat=single-language-json&importOptions'
    await project.import({ en: { a: 'A' }, pl: { a: 'Ą' } }, `${single}=MULTI_LANGUAGE`)
    const nested = { b: { en: 'B', pl: 'Be' }, deep: { c: { en: 'C', pt_BR: 'Cê' } }, __proto__x: { en: 'x' } }
    const { body } = await project.import(nested, `${MULTI}&importOptions=LANGUAGES_NESTED`)
    expect(body).toMatchObject({ numberOfKeysFound: 5, numberOfUniqueKeysFound: 3 })
    expect(await project.export()).toEqual({
      en: { a: 'A', b: 'B', 'deep.c': 'C', __proto__x: 'x' },
      pl: { a: 'Ą', b: 'Be' },
      pt_BR: { 'deep.c': 'Cê' },
    })
    await project.import({ d: { en: 'D', pl: 'De' } }, `${single}=LANGUAGES_NESTED,MULTI_LANGUAGE&languageKey=pl`)
    expect(await project.export('downloadFormat=single-language-json&languageKey=pl')).toHaveProperty('d', 'De')
    for (const file of [{ a: 'no language' }, { a: { b: { en: 'x' } }, 'a.b': { en: 'y' } }, { a: { en: 1 } }]) {
      await refuse(project, file, `${MULTI}&importOptions=LANGUAGES_NESTED`)
    }
  })

  test(`${2 * KEYS} texts are imported and exported in one go`, async () => {
    const project = await setUp()
    const texts = Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [`section${i % 7}.key${i}`, `text ${i}`]))
    const { body } = await project.import({ en: texts, pl: texts })
    expect(body.numberOfKeysFound).toBe(2 * KEYS)
    expect(await project.export()).toEqual({ en: texts, pl: texts })
  })
})

describe('uploads that are not as they should be', () => {
  const setUp = async (options = {}) => {
    const service = await shareService(options)
    return { service, project: await createProject(service) }
  }
  const multipart = 'multipart/form-data; boundary=xx'
  const head = '--xx\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n'

  test.each<readonly [string, string | FormData | undefined, string | undefined]>([
    ['no body', undefined, undefined],
    ['JSON instead of a form', '{"en":{"a":"A"}}', 'application/json'],
    ['a form without a boundary', 'x', 'multipart/form-data'],
    ['a form that never ends', `${head}{"en":{"a":"A"}}`, multipart],
    ['a form that ends in its head', '--xx\r\nContent-Dispo', multipart],
    ['a form without a file', '--xx\r\nContent-Disposition: form-data; name="other"\r\n\r\nx\r\n--xx--\r\n', multipart],
    ['rubbish', 'rubbish', multipart],
    ['two files', `${head}{}\r\n${head}{}\r\n--xx--\r\n`, multipart],
  ])('%s is 400 and changes nothing', async (_name, body, type) => {
    const { project } = await setUp()
    const answer = await project.api(
      'POST',
      `${IMPORT}?${MULTI}`,
      body,
      type === undefined ? {} : { 'content-type': type },
    )
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
    expect(await project.export()).toEqual({ en: {} })
  })

  test('a file above the cap is 413 and changes nothing', async () => {
    const { project } = await setUp({ maxUploadBytes: 1000 })
    const answer = await project.api('POST', `${IMPORT}?${MULTI}`, uploadForm({ en: { a: 'x'.repeat(2000) } }))
    expect(answer).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } })
    expect(await project.export()).toEqual({ en: {} })
  })

  test('a file far above the cap does not have to be read to its end', async () => {
    const { project } = await setUp({ maxUploadBytes: 1000 })
    const form = uploadForm('x'.repeat(5_000_000))
    const outcome = await project.api('POST', `${IMPORT}?${MULTI}`, form).then(
      ({ status }) => status,
      () => 'cut off',
    )
    expect([413, 'cut off']).toContain(outcome)
    expect(await project.export()).toEqual({ en: {} })
  })

  test('a connection that is lost in the middle changes nothing, and the service goes on', async () => {
    let arrived = () => {}
    const seen = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const { service, project } = await setUp({
      onRequest: ({ path }: { path: string }) => path === IMPORT && arrived(),
    })
    const { hostname, port } = new URL(service.baseUrl)
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST ${IMPORT}?${MULTI} HTTP/1.1\r\nHost: ${hostname}\r\nX-Service-Token: ${project.apiKey}\r\n` +
            `Content-Type: ${multipart}\r\nContent-Length: 100000\r\n\r\n${head}{"en":{"a":"A"`,
        )
        void seen.then(() => socket.resetAndDestroy())
      })
      socket.on('close', () => resolve())
      socket.on('error', () => {})
    })
    expect(await project.export()).toEqual({ en: {} })
    await project.import({ en: { a: 'A' } })
    expect(await project.export()).toEqual({ en: { a: 'A' } })
  })
})

describe.each(DRIVERS)('export on %s', (driver) => {
  const setUp = async (options = {}) => {
    const service = await shareService({ driver, customers: ['acme'], ...options })
    const project = await createProject(service)
    await project.import({ en: { b: 'B', a: 'A', only: 'en' }, pl: { a: 'Ą', b: '' } })
    await project.import({ a: 'second', n: 'N' }, `${SINGLE}&languageKey=en&namespace=zoo`)
    await project.import({ a: 'first', m: 'M' }, `${SINGLE}&languageKey=en&namespace=bar`)
    await project.import({ m: 'second', n: 'second' }, `${SINGLE}&languageKey=en&namespace=zoo`)
    await project.import({ a: 'for acme' }, `${SINGLE}&languageKey=pl&customerId=acme`)
    return { service, project }
  }

  test('Export result: data.url in the envelope; the file needs no credentials', async () => {
    const { service, project } = await setUp()
    const { body } = await project.get('/api/v3/export?downloadFormat=multi-language-json')
    expect(body).toEqual({ msg: 'OK', status: 200, data: { url: expect.any(String) } })
    expect(body.data.url.startsWith(`${service.baseUrl}/files/`)).toBe(true)
    const file = await request(body.data.url)
    expect(file.headers.get('content-type')).toMatch('application/json')
    // One file carries no namespaces: the default one counts first, then the first by name.
    expect(file.text).toBe('{"en":{"a":"A","b":"B","only":"en","m":"M","n":"N"},"pl":{"a":"Ą","b":""}}')
    const again = await project.get('/api/v3/export?downloadFormat=multi-language-json')
    expect((await request(again.body.data.url)).text).toBe(file.text)
  })

  test('downloadFormat single-language-json, languageKey', async () => {
    const { project } = await setUp()
    expect(await project.export('downloadFormat=single-language-json&languageKey=pl')).toEqual({ a: 'Ą', b: '' })
    expect(await project.export('downloadFormat=single-language-json')).toMatchObject({ a: 'A' })
    expect(await project.export('downloadFormat=multi-language-json&languageKey=pl')).toEqual({ pl: { a: 'Ą', b: '' } })
  })

  test("customerId: only the customer's translations", async () => {
    const { project } = await setUp()
    expect(await project.export('downloadFormat=multi-language-json&customerId=acme')).toEqual({
      en: {},
      pl: { a: 'for acme' },
    })
  })

  test('downloadFormat is required; unknown values, languages and customers are refused', async () => {
    const { project } = await setUp()
    const status = async (query: string) => (await project.get(`/api/v3/export?${query}`)).status
    expect(await status('')).toBe(400)
    expect(await status('downloadFormat=csv')).toBe(400)
    expect(await status('downloadFormat=multi-language-json&exportOptions=NO_SUCH')).toBe(400)
    expect(await status('downloadFormat=multi-language-json&languageKey=xx')).toBe(404)
    expect(await status('downloadFormat=multi-language-json&customerId=nobody')).toBe(404)
  })

  test('exportOptions: repeated or joined; those that make several files are refused, for version 3 answers one', async () => {
    const { project } = await setUp()
    const multi = 'downloadFormat=multi-language-json&exportOptions'
    expect(await project.export(`${multi}=ONLY_TRANSLATED&languageKey=pl`)).toEqual({ pl: { a: 'Ą' } })
    expect(await project.export(`${multi}=ONLY_NOT_TRANSLATED&languageKey=pl`)).toMatchObject({ pl: { b: '' } })
    await project.api('PATCH', '/api/v1/translations?updateOptions=CREATE_KEY_IF_NOT_FOUND', {
      content: [{ key: 'x.y', language: 'pl', text: "it's\n" }],
    })
    for (const options of ['WRITE_NESTED,ESCAPE_NEW_LINES', 'WRITE_NESTED&exportOptions=ESCAPE_NEW_LINES']) {
      expect(await project.export(`${multi}=${options}&languageKey=pl`)).toMatchObject({ pl: { x: { y: "it's\\n" } } })
    }
    const { x } = (await project.export(`${multi}=ESCAPE_SINGLE_QUOTES,WRITE_NESTED&languageKey=pl`)).pl
    expect(x).toEqual({ y: "it\\'s\n" })
    for (const option of ['SPLIT_BY_LANGUAGES', 'SPLIT_BY_NAMESPACES', 'SPLIT_BY_CUSTOMERS', 'ZIP_FILES']) {
      const refused = await project.get(`/api/v3/export?${multi}=${option}`)
      expect(refused).toMatchObject({ status: 400, body: { msg: expect.stringContaining(option) } })
    }
  })

  test("a file's address expires, and cannot be guessed", async () => {
    let now = 0
    const { service, project } = await setUp({ now: () => now, fileLifetimeMs: 1000 })
    const { body } = await project.get('/api/v3/export?downloadFormat=multi-language-json')
    now = 999
    expect((await request(body.data.url)).status).toBe(200)
    now = 1000
    expect(await request(body.data.url)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    expect((await request(`${service.baseUrl}/files/guess`)).status).toBe(404)
  })

  test('a file outlives the process that exported it, and is the same in both encodings', async () => {
    const dataDir = join(await tempFolder(), 'data')
    const first = await startService({ driver, dataDir })
    const project = await createProject(first)
    await project.import({ en: { a: 'A'.repeat(1000) } })
    const { body } = await project.get('/api/v3/export?downloadFormat=multi-language-json')
    await first.close()
    const second = await startService({ driver, dataDir })
    const address = `${second.baseUrl}${new URL(body.data.url).pathname}`
    const texts = { en: { a: 'A'.repeat(1000) } }
    const gzip = await request(address, { headers: { 'accept-encoding': 'gzip' } })
    expect(gzip).toMatchObject({ status: 200, body: texts })
    expect(gzip.headers.get('content-encoding')).toBe('gzip')
    expect(Number(gzip.headers.get('content-length'))).toBeLessThan(200)
    const plain = await request(address, { headers: { 'accept-encoding': 'identity' } })
    expect(plain).toMatchObject({ status: 200, body: texts })
    expect(plain.headers.get('content-encoding')).toBe(null)
    expect(Number(plain.headers.get('content-length'))).toBe(plain.text.length)
    const head = await request(address, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
    expect([head.text, head.headers.get('content-length')]).toEqual(['', String(plain.text.length)])
  })

  test('files can be on a host of their own, which serves nothing else', async () => {
    const { service, project } = await setUp({ filesPort: 0 })
    const { body } = await project.get('/api/v3/export?downloadFormat=multi-language-json')
    expect(new URL(body.data.url).origin).toBe(service.filesUrl)
    expect(service.filesUrl).not.toBe(service.baseUrl)
    expect((await request(body.data.url)).status).toBe(200)
    expect(
      (await request(`${service.filesUrl}/api/v1/jobs`, { headers: { 'x-service-token': project.apiKey } })).status,
    ).toBe(404)
  })

  test('1,000 languages a project; an import that brings more is refused at once and changes nothing', async () => {
    const project = await createProject(await shareService({ driver }))
    const named = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${from + at}`, { a: 'A' }]))
    const send = (content: object, query = 'uploadFormat=multi-language-json') =>
      project.api('POST', `/api/v2/import?${query}`, uploadForm(content))
    expect((await send(named(0, 998))).status).toBe(200)
    const startedAt = process.cpuUsage()
    for (const [count, query] of [
      [2, undefined],
      [MANY, undefined],
      [MANY, 'uploadFormat=multi-language-json&importOptions=LANGUAGES_NESTED'],
    ] as const) {
      const content = query
        ? { a: Object.fromEntries(Array.from({ length: count }, (_, at) => [`y-${at}`, 'A'])) }
        : named(1000, count)
      expect(await send(content, query)).toMatchObject({ status: 400, body: { code: 'LANGUAGES_LIMIT' } })
    }
    // Of work, in µs: it does not grow with the names times the languages.
    expect(process.cpuUsage(startedAt).user).toBeLessThan(10_000_000)
    expect((await send(named(998, 1))).status).toBe(200)
    expect((await send(named(0, 999))).status).toBe(200)
    const { body } = await project.get('/api/v2/project')
    expect(body.data.languages).toHaveLength(1000)
    expect(body.data.languages.at(-1)).toMatchObject({ key: 'x-998', order: 999 })
  })

  describe('facts: version 4', () => {
    const files = async (project: TestProject, query: string) => {
      const { body } = await project.get(`/api/v4/export?${query}`)
      expect(body).toMatchObject({ msg: 'OK', status: 200 })
      return Promise.all(
        body.data.files.map(async ({ url, ...file }: { url: string }) => ({
          ...file,
          content: (await request(url)).body,
        })),
      )
    }

    test('SPLIT_BY_NAMESPACES: one file per language and namespace, the default namespace is ""', async () => {
      const { project } = await setUp()
      expect(await files(project, 'downloadFormat=single-language-json&downloadOptions=SPLIT_BY_NAMESPACES')).toEqual([
        { language: 'en', namespace: '', content: { a: 'A', b: 'B', only: 'en' } },
        { language: 'en', namespace: 'bar', content: { a: 'first', m: 'M' } },
        { language: 'en', namespace: 'zoo', content: { a: 'second', m: 'second', n: 'N' } },
        { language: 'pl', namespace: '', content: { a: 'Ą', b: '' } },
      ])
      expect(await files(project, 'downloadFormat=multi-language-json&downloadOptions=SPLIT_BY_NAMESPACES')).toEqual([
        { namespace: '', content: { en: { a: 'A', b: 'B', only: 'en' }, pl: { a: 'Ą', b: '' } } },
        { namespace: 'bar', content: { en: { a: 'first', m: 'M' } } },
        { namespace: 'zoo', content: { en: { a: 'second', m: 'second', n: 'N' } } },
      ])
    })

    test('without a split: one file; languageKeys, customerId and SPLIT_BY_CUSTOMERS', async () => {
      const { project } = await setUp()
      expect(await files(project, 'downloadFormat=multi-language-json&languageKeys=pl')).toEqual([
        { content: { pl: { a: 'Ą', b: '' } } },
      ])
      expect(
        await files(project, 'downloadFormat=multi-language-json&downloadOptions=SPLIT_BY_LANGUAGES&languageKeys=pl'),
      ).toEqual([{ language: 'pl', content: { pl: { a: 'Ą', b: '' } } }])
      expect(await files(project, 'downloadFormat=single-language-json&customerId=acme')).toEqual([
        { language: 'pl', content: { a: 'for acme' } },
      ])
      expect(
        await files(project, 'downloadFormat=single-language-json&downloadOptions=SPLIT_BY_CUSTOMERS&languageKeys=pl'),
      ).toEqual([
        { language: 'pl', content: { a: 'Ą', b: '' } },
        { language: 'pl', customer: 'acme', content: { a: 'for acme' } },
      ])
    })

    test('ONLY_TRANSLATED, ONLY_NOT_TRANSLATED, WRITE_NESTED, ESCAPE_*; ZIP_FILES and INCLUDE_DESCRIPTIONS are refused', async () => {
      const { project } = await setUp()
      const query = 'downloadFormat=multi-language-json&downloadOptions'
      expect(await files(project, `${query}=ONLY_TRANSLATED&languageKeys=pl`)).toEqual([
        { content: { pl: { a: 'Ą' } } },
      ])
      expect(await files(project, `${query}=ONLY_NOT_TRANSLATED,SPLIT_BY_NAMESPACES&languageKeys=pl`)).toEqual([
        { namespace: '', content: { pl: { b: '', only: '' } } },
        { namespace: 'bar', content: { pl: { a: '', m: '' } } },
        { namespace: 'zoo', content: { pl: { a: '', m: '', n: '' } } },
      ])
      const nested = await createProject(await shareService({ driver }))
      await nested.import({ en: { 'x.y': "it's", 'x.z': 'a\nb' } })
      expect(
        await files(nested, `${query}=WRITE_NESTED&downloadOptions=ESCAPE_NEW_LINES,ESCAPE_SINGLE_QUOTES`),
      ).toEqual([{ content: { en: { x: { y: "it\\'s", z: 'a\\nb' } } } }])
      for (const option of ['ZIP_FILES', 'INCLUDE_DESCRIPTIONS']) {
        const refused = await project.get(`/api/v4/export?${query}=${option}`)
        expect(refused).toMatchObject({ status: 400, body: { msg: expect.stringContaining(option) } })
      }
    })

    test('sort is taken; the order is always that of namespaces and keys', async () => {
      const { project } = await setUp()
      const [file] = await files(project, 'downloadFormat=single-language-json&languageKeys=pl&sort=anything')
      expect(Object.keys(file?.content)).toEqual(['a', 'b'])
    })

    test('can be switched off', async () => {
      const { project } = await setUp({ features: { exportV4: false } })
      expect((await project.get('/api/v4/export?downloadFormat=multi-language-json')).status).toBe(404)
    })
  })
})
