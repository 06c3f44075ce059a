/**
 * The extension "conditional writes": `If-Match` and `If-None-Match` of the v2 PATCH and of the import. Digests are
 * literals here.
 */
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { repeats } from '../helpers/repeats.ts'
import { createProject, DRIVERS, request, shareService, startService, uploadForm } from '../helpers/service.ts'

const PATH = '/api/v2/translations'
const IMPORT = '/api/v2/import'
const SINGLE = 'uploadFormat=single-language-json&languageKey=en'
const REPLACE = `${SINGLE}&importOptions=REPLACE_TRANSLATION_IF_FOUND`

/** SHA-256 of the text in UTF-8, its first 32 hexadecimal digits. */
const HELLO = '"185f8db32271fe25f561a6fc938b2e26"'
const FOX = '"2025cb05aaccef847a2b6b7a928935d9"'
const NO_TEXT = '"e3b0c44298fc1c149afbf4c8996fb924"'
const OTHER = '"00000000000000000000000000000000"'

const MALFORMED = [
  '',
  ',',
  'x',
  HELLO.slice(1, -1),
  HELLO.slice(0, -1),
  `${HELLO} ${OTHER}`,
  `${HELLO}x`,
  `${HELLO}, *`,
  '*, *',
  `w/${HELLO}`,
]

describe.each(DRIVERS)('conditional writes on %s', (driver) => {
  const setUp = async (features?: { conditionalWrites: boolean }) => {
    const service = await shareService({ driver, customers: ['acme'], languages: ['pl'], features })
    const project = await createProject(service)
    await project.api('POST', '/api/v1/translation-keys', { key: 'empty' })
    await project.import({ en: { title: 'Hello', fox: 'Zażółć 🦊' } })
    const set = (body: object, headers: Record<string, string>) =>
      project.api('PATCH', PATH, { key: 'title', language: 'en', text: 'New', ...body }, headers)
    const one = async (query: string) => (await project.get(`${PATH}?${query}`)).body.data[0]
    const textOf = async (key: string, language = 'en') => (await one(`key=${key}&language=${language}`))?.text
    const upload = (content: object, headers: Record<string, string>, query = REPLACE) =>
      project.api('POST', `${IMPORT}?${query}`, uploadForm(content), headers)
    return { service, project, set, one, textOf, upload }
  }

  describe('PATCH', () => {
    test('If-Match with the digest of the present text: written', async () => {
      const { set, textOf } = await setUp()
      expect((await set({ text: 'Welcome' }, { 'If-Match': HELLO })).status).toBe(200)
      expect(await textOf('title')).toBe('Welcome')
      expect((await set({ key: 'fox', text: 'Lis' }, { 'If-Match': FOX })).status).toBe(200)
      expect(await textOf('fox')).toBe('Lis')
    })

    test('If-Match with another digest: 412 PRECONDITION_FAILED in the usual shape, and nothing is written', async () => {
      const { set, one } = await setUp()
      await set({ text: 'Hello', reviewStatus: 'REVIEWED' }, {})
      const before = await one('key=title&language=en')
      const answer = await set({ text: 'Welcome', reviewStatus: 'NOT_REVIEWED' }, { 'If-Match': OTHER })
      expect(answer.status).toBe(412)
      expect(answer.body).toEqual({
        status: 412,
        title: 'Precondition Failed',
        msg: expect.stringContaining("the service's text differs"),
        code: 'PRECONDITION_FAILED',
        traceId: expect.any(String),
      })
      expect(answer.text).not.toContain('Hello')
      expect(await one('key=title&language=en')).toEqual(before)
      expect(before.reviewStatus).toBe('REVIEWED')
    })

    test('the condition is about the text: another review status does not fail it, and follows the contract', async () => {
      const { set, one } = await setUp()
      await set({ text: 'Hello', reviewStatus: 'REVIEWED' }, {})
      expect((await set({ text: 'Hello' }, { 'If-Match': HELLO })).status).toBe(200)
      expect((await one('key=title&language=en')).reviewStatus).toBe('NOT_REVIEWED')
    })

    test('a list of tags: one of them matches; weak tags never do; spaces and empty items do not matter', async () => {
      const { set } = await setUp()
      const status = async (tags: string) => (await set({ text: 'Hello' }, { 'If-Match': tags })).status
      expect(await status(`${OTHER}, ${HELLO}`)).toBe(200)
      expect(await status(`${OTHER},${HELLO},"with,comma"`)).toBe(200)
      expect(await status(`, ${HELLO} ,, `)).toBe(200)
      expect(await status(`${OTHER}, ${FOX}`)).toBe(412)
      expect(await status(`W/${HELLO}`)).toBe(412)
      expect(await status(`W/${HELLO}, ${HELLO}`)).toBe(200)
      expect(await status(HELLO.toUpperCase())).toBe(412)
    })

    test('If-Match: * wants some text; an empty text and an absent one are none', async () => {
      const { set } = await setUp()
      expect((await set({}, { 'If-Match': '*' })).status).toBe(200)
      expect((await set({ key: 'empty' }, { 'If-Match': '*' })).status).toBe(412)
      await set({ text: '' }, {})
      expect((await set({}, { 'If-Match': '*' })).status).toBe(412)
    })

    test('If-None-Match: * wants no text: an empty text and an absent one are the same', async () => {
      const { set, textOf } = await setUp()
      const none = { 'If-None-Match': '*' }
      expect((await set({ text: 'Welcome' }, none)).status).toBe(412)
      expect(await textOf('title')).toBe('Hello')
      expect((await set({ key: 'empty', text: 'First' }, none)).status).toBe(200)
      expect((await set({ key: 'empty', text: 'Second' }, none)).status).toBe(412)
      await set({ text: '' }, {})
      expect((await set({ text: 'Welcome' }, none)).status).toBe(200)
      // The digest of the empty text says the same.
      expect((await set({ language: 'pl', text: 'Cześć' }, { 'If-Match': NO_TEXT })).status).toBe(200)
      expect((await set({ language: 'pl', text: 'Witaj' }, { 'If-Match': NO_TEXT })).status).toBe(412)
    })

    test('both headers: both must hold', async () => {
      const { set } = await setUp()
      expect((await set({}, { 'If-Match': HELLO, 'If-None-Match': '*' })).status).toBe(412)
      expect((await set({ key: 'empty' }, { 'If-Match': NO_TEXT, 'If-None-Match': '*' })).status).toBe(200)
    })

    test('language and customer are part of what the text is', async () => {
      const { set } = await setUp()
      expect((await set({ language: 'pl' }, { 'If-Match': HELLO })).status).toBe(412)
      expect((await set({ customerId: 'acme' }, { 'If-Match': HELLO })).status).toBe(412)
      expect((await set({ customerId: 'acme', text: 'Hello' }, { 'If-None-Match': '*' })).status).toBe(200)
      expect((await set({ customerId: 'acme' }, { 'If-Match': HELLO })).status).toBe(200)
      expect((await set({}, { 'If-Match': HELLO })).status).toBe(200)
    })

    test.each(MALFORMED)('a malformed If-Match is a 400 and writes nothing: %j', async (value) => {
      const { set, textOf } = await setUp()
      const answer = await set({}, { 'If-Match': value })
      expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST'])
      expect(answer.body.msg).toContain('If-Match')
      expect(await textOf('title')).toBe('Hello')
    })

    test.each(['', HELLO, '*, *'])('If-None-Match takes nothing but *: %j', async (value) => {
      const { set } = await setUp()
      const answer = await set({ key: 'empty' }, { 'If-None-Match': value })
      expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST'])
      expect(answer.body.msg).toContain('If-None-Match')
    })

    test('what is missing stays a 404, and a text above a limit a 400', async () => {
      const { project, set } = await setUp()
      const failing = { 'If-Match': OTHER }
      for (const [body, code] of [
        [{ key: 'nowhere' }, 'KEY_NOT_FOUND'],
        [{ language: 'xx' }, 'LANGUAGE_NOT_FOUND'],
        [{ customerId: 'nobody' }, 'CUSTOMER_NOT_FOUND'],
      ] as const) {
        const answer = await set(body, failing)
        expect([answer.status, answer.body.code]).toEqual([404, code])
      }
      await project.api('POST', '/api/v1/translation-keys', { key: 'short', charactersLimit: 3 })
      expect((await set({ key: 'short', text: 'four' }, failing)).status).toBe(400)
    })

    test('of many at once that expect the same text, exactly one wins', async () => {
      const { set, textOf } = await setUp()
      for (const [body, headers] of [
        [{ key: 'title' }, { 'If-Match': HELLO }],
        [{ key: 'empty' }, { 'If-None-Match': '*' }],
      ] as const) {
        const texts = Array.from({ length: 30 }, (_, index) => `text ${index}`)
        const answers = await Promise.all(texts.map((text) => set({ ...body, text }, headers)))
        const winners = texts.filter((_, index) => answers[index]?.status === 200)
        expect(answers.filter(({ status }) => status === 412)).toHaveLength(29)
        expect(winners).toEqual([await textOf(body.key)])
      }
    })

    test('the older update and bulk have no condition', async () => {
      const { project, textOf } = await setUp()
      const item = { key: 'title', language: 'en' }
      const older = { content: [{ ...item, text: 'older' }] }
      expect((await project.api('PATCH', '/api/v1/translations', older, { 'If-Match': OTHER })).status).toBe(200)
      expect(await textOf('title')).toBe('older')
      const bulk = { translations: [{ ...item, text: 'bulk' }] }
      expect((await project.api('PATCH', `${PATH}/bulk`, bulk, { 'If-Match': OTHER })).status).toBe(200)
      expect(await textOf('title')).toBe('bulk')
    })
  })

  describe('import', () => {
    /** The digests of `[]`, `[["a","A"]]`, `[["a","A"],["b.c","B"]]` and `[["a","special"]]`. */
    const NONE = '"4f53cda18c2baa0c0354bb5f9a3ecbe5"'
    const A = '"9acd18d4614e1b64b1aac4f20a487655"'
    const A_AND_BC = '"625faf7eb937a019c3909414d344ebec"'
    const SPECIAL = '"7221d25ffb6245a674e50978c3451604"'

    test("the digest is that of the present texts of the file's keys, whatever else there is", async () => {
      const { upload, textOf } = await setUp()
      expect((await upload({ a: 'A' }, { 'If-Match': NONE })).status).toBe(200)
      expect((await upload({ b: { c: 'B' }, a: 'A' }, { 'If-Match': A })).status).toBe(200)
      expect((await upload({ b: { c: 'B2' }, new: 'N', a: 'A2' }, { 'If-Match': A_AND_BC })).status).toBe(200)
      expect([await textOf('a'), await textOf('b.c'), await textOf('new')]).toEqual(['A2', 'B2', 'N'])
    })

    test('another digest: 412, and neither keys nor texts nor a language are brought into being', async () => {
      const { project, upload, textOf } = await setUp()
      await upload({ a: 'A' }, {})
      const before = await project.export()
      for (const tags of [NONE, OTHER, A_AND_BC]) {
        const answer = await upload({ a: 'A2', fresh: 'F' }, { 'If-Match': tags })
        expect([answer.status, answer.body.code]).toEqual([412, 'PRECONDITION_FAILED'])
      }
      const inNewLanguage = SINGLE.replace('=en', '=xx')
      expect((await upload({ a: 'A2' }, { 'If-Match': A }, inNewLanguage)).status).toBe(412)
      expect(await project.export()).toEqual(before)
      expect(await textOf('fresh')).toBe(undefined)
    })

    test('empty texts are absent; keys are ordered by code unit', async () => {
      const { upload } = await setUp()
      await upload({ a: 'A', 'b.c': 'B', none: '' }, {})
      expect((await upload({ none: '', 'b.c': 'B', a: 'A', nowhere: '' }, { 'If-Match': A_AND_BC })).status).toBe(200)
      await upload({ é: 'e', a: 'A', Z: 'z' }, {})
      const latin = '"414a9c76ec38044893257a9b53b4e9a5"'
      expect((await upload({ é: 'e', a: 'A', Z: 'z' }, { 'If-Match': latin })).status).toBe(200)
      await upload({ '～': 'tilde', '🦊': 'fox' }, {})
      const beyond = '"7231dc9cef55c99a0dd79578a039b87a"'
      expect((await upload({ '～': 'tilde', '🦊': 'fox' }, { 'If-Match': beyond })).status).toBe(200)
    })

    test('namespace and customer are part of what the texts are', async () => {
      const { upload } = await setUp()
      await upload({ a: 'A' }, {})
      const inNamespace = `${REPLACE}&namespace=home`
      expect((await upload({ a: 'A' }, { 'If-Match': A }, inNamespace)).status).toBe(412)
      expect((await upload({ a: 'A' }, { 'If-Match': NONE }, inNamespace)).status).toBe(200)
      const ofCustomer = `${REPLACE}&customerId=acme`
      expect((await upload({ a: 'special' }, { 'If-Match': NONE }, ofCustomer)).status).toBe(200)
      expect((await upload({ a: 'special 2' }, { 'If-Match': SPECIAL }, ofCustomer)).status).toBe(200)
      expect((await upload({ a: 'A' }, { 'If-Match': A })).status).toBe(200)
    })

    test('without REPLACE_TRANSLATION_IF_FOUND, too; * and If-None-Match: * as for one text', async () => {
      const { upload, textOf } = await setUp()
      await upload({ a: 'A' }, {})
      expect((await upload({ a: 'A2' }, { 'If-Match': NONE }, SINGLE)).status).toBe(412)
      expect((await upload({ a: 'A2' }, { 'If-Match': A }, SINGLE)).status).toBe(200)
      expect(await textOf('a')).toBe('A')
      expect((await upload({ a: 'A' }, { 'If-Match': '*' })).status).toBe(200)
      expect((await upload({ a: 'A', b: 'B' }, { 'If-None-Match': '*' })).status).toBe(412)
      expect((await upload({ b: 'B' }, { 'If-Match': '*' })).status).toBe(412)
      expect((await upload({ b: 'B' }, { 'If-None-Match': '*' })).status).toBe(200)
    })

    test('files of several languages are refused, and malformed conditions', async () => {
      const { upload, project } = await setUp()
      const before = await project.export()
      for (const query of [
        'uploadFormat=multi-language-json',
        'uploadFormat=multi-language-json&languageKey=en',
        `${SINGLE}&importOptions=MULTI_LANGUAGE`,
        `${SINGLE}&importOptions=LANGUAGES_NESTED`,
      ]) {
        const answer = await upload({ en: { a: 'A' } }, { 'If-Match': NONE }, query)
        expect(answer.status, query).toBe(400)
        expect(answer.body.msg).toContain('single-language-json')
      }
      expect((await upload({ a: 'A' }, { 'If-Match': 'x' })).status).toBe(400)
      expect(await project.export()).toEqual(before)
    })

    test('of many at once that expect the same texts, exactly one wins', async () => {
      const { upload, project } = await setUp()
      const files = Array.from({ length: 12 }, (_, n) =>
        Object.fromEntries(Array.from({ length: repeats(100, 500) }, (_, index) => [`k${index}`, `${n}`])),
      )
      const answers = await Promise.all(files.map((file) => upload(file, { 'If-Match': NONE })))
      expect(answers.filter(({ status }) => status === 412)).toHaveLength(11)
      const winner = files[answers.findIndex(({ status }) => status === 200)]
      expect((await project.export()).en).toEqual({ ...winner, title: 'Hello', fox: 'Zażółć 🦊' })
    })
  })

  describe('announcement', () => {
    test('on every answer of the API, errors included; nowhere else', async () => {
      const { service, project, set, upload } = await setUp()
      const { baseUrl } = service
      const answers = [
        await project.get(PATH),
        await set({}, {}),
        await set({}, { 'If-Match': OTHER }),
        await set({}, { 'If-Match': 'malformed' }),
        await set({ key: 'nowhere' }, {}),
        await upload({ a: 'A' }, {}),
        await project.api('PATCH', PATH, '{'),
        await project.get('/api/v9/nothing'),
        await request(`${baseUrl}${PATH}`),
        await request(`${baseUrl}/api/v2/projects`, { headers: { authorization: service.personalToken } }),
        await request(`${baseUrl}/api/v2/projects`, { headers: { authorization: 'wrong' } }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 412, 400, 404, 200, 400, 404, 403, 200, 403])
      for (const { headers } of answers) expect(headers.get('conditional-writes')).toBe('text-digest=sha-256')
      for (const { headers } of answers) expect(headers.get('etag')).toBe(null)
      expect((await request(`${baseUrl}/health`)).headers.get('conditional-writes')).toBe(null)
    })

    test('on a 429, too', async () => {
      const service = await startService({ driver, rateLimit: 1 })
      await request(`${service.baseUrl}${PATH}`)
      const answer = await request(`${service.baseUrl}${PATH}`)
      expect([answer.status, answer.headers.get('conditional-writes')]).toEqual([429, 'text-digest=sha-256'])
    })

    test('described by openapi.json', async () => {
      const { service } = await setUp()
      const { paths } = (await request(`${service.baseUrl}/openapi.json`)).body
      for (const { parameters } of [paths[PATH].patch, paths[IMPORT].post]) {
        expect(parameters.filter((item: { in: string }) => item.in === 'header')).toMatchObject([
          { name: 'If-Match', required: false },
          { name: 'If-None-Match', required: false },
        ])
      }
    })
  })

  describe('through the client', () => {
    const open = async (features?: { conditionalWrites: boolean }) => {
      const parts = await setUp(features)
      const client = createClient({ baseUrl: parts.service.baseUrl, apiKey: parts.project.apiKey, proxy: false })
      onTestFinished(() => client.close())
      return { ...parts, client }
    }
    const title = { key: 'title', language: 'en' }

    test('set and upload write over what is expected, and nothing else', async () => {
      const { client, textOf } = await open()
      const { translations, imports } = client
      await expect(translations.set({ ...title, text: 'x' }, { expected: 'Bye' })).rejects.toMatchObject({
        code: 'API_PRECONDITION_FAILED',
        status: 412,
        attempts: 1,
      })
      expect(client.conditionalWrites).toBe(true)
      await expect(translations.set({ ...title, text: 'x' }, { expected: null })).rejects.toMatchObject({ status: 412 })
      await translations.set({ ...title, text: 'Welcome' }, { expected: 'Hello' })
      await translations.set({ ...title, key: 'empty', text: 'First' }, { expected: '' })

      const file = {
        uploadFormat: 'single-language-json',
        languageKey: 'en',
        importOptions: ['REPLACE_TRANSLATION_IF_FOUND'],
        file: '{"title":"T","fox":"F","new":"N"}',
      } as const
      const present = new Map([
        ['fox', 'Zażółć 🦊'],
        ['title', 'Hello'],
      ])
      await expect(imports.upload(file, { expected: present })).rejects.toMatchObject({ status: 412 })
      await imports.upload(file, { expected: present.set('title', 'Welcome').set('new', '') })
      expect([await textOf('title'), await textOf('fox'), await textOf('new')]).toEqual(['T', 'F', 'N'])
    })

    test('a service without the extension writes in any case, and the client tells', async () => {
      const { client, textOf } = await open({ conditionalWrites: false })
      await client.translations.set({ ...title, text: 'Welcome' }, { expected: 'Bye' })
      expect([client.conditionalWrites, await textOf('title')]).toEqual([false, 'Welcome'])
    })
  })

  test('switched off: nothing is announced or described, and conditions are ignored', async () => {
    const { service, set, upload, textOf } = await setUp({ conditionalWrites: false })
    for (const headers of [{ 'If-Match': OTHER }, { 'If-Match': 'malformed' }, { 'If-None-Match': '*' }] as Record<
      string,
      string
    >[]) {
      const answer = await set({ text: JSON.stringify(headers) }, headers)
      expect([answer.status, answer.headers.get('conditional-writes')]).toEqual([200, null])
      expect(await textOf('title')).toBe(JSON.stringify(headers))
    }
    expect((await upload({ title: 'imported' }, { 'If-Match': OTHER })).status).toBe(200)
    expect(await textOf('title')).toBe('imported')
    const { text } = await request(`${service.baseUrl}/openapi.json`)
    expect(text).not.toContain('If-Match')
  })
})
