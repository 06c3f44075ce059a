/** Each row of each table of the contract, by its name: what it says is asked of the service in plain HTTP. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import type { LocalService, TranslateOptions } from '../../src/service.ts'
import { holdFirstPublish } from '../helpers/held-publish.ts'
import {
  type Answer,
  createProject,
  DRIVERS,
  request,
  startService,
  type TestProject,
  uploadForm,
  waitFor,
} from '../helpers/service.ts'

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const SINGLE = 'uploadFormat=single-language-json'
const TO_POLISH = { translationProvider: 'PROVIDER_A', targetProjectLanguage: 'pl', targetLanguage: 'pl' }

let service: LocalService
/** What was asked of both providers, the latest last. */
const asked: { provider: string; texts: readonly string[]; options: TranslateOptions }[] = []

const provider = (name: string, mark: string) => ({
  translate: async (texts: readonly string[], options: TranslateOptions) => {
    asked.push({ provider: name, texts, options })
    return texts.map((text) => `${mark}${text}`)
  },
  glossary: async () => ({ sourceLanguage: 'EN', targetLanguage: 'PL' }),
})

/** A project with texts in two languages, two namespaces and for one customer. */
async function project(): Promise<TestProject> {
  const made = await createProject(service, 'Rows')
  await made.import({ en: { a: 'A', b: 'Bee' }, pl: { a: 'Ą', b: '' } })
  await made.import({ n: 'N' }, `${SINGLE}&languageKey=en&namespace=home`)
  await made.import({ a: 'for acme' }, `${SINGLE}&languageKey=pl&customerId=acme`)
  return made
}

/** What rows that change nothing look at: made once for each service. */
let kept: Record<string, Promise<unknown>> = {}
function once<T>(name: string, make: () => Promise<T>): Promise<T> {
  kept[name] ??= make()
  return kept[name] as Promise<T>
}
const unchanged = () => once('project', project)

const personal = (method: string, body?: object) =>
  request(`${service.baseUrl}/api/v2/projects`, {
    method,
    headers: { Authorization: service.personalToken },
    ...(body && { body }),
  })

async function created(): Promise<Answer['body']> {
  return (await personal('POST', { name: 'New' })).body.data
}

async function listed(): Promise<Answer['body']> {
  const { projectToken } = await unchanged()
  const { body } = await once('list', () => personal('GET'))
  return body.data.find((item: { projectToken: string }) => item.projectToken === projectToken)
}

async function started(more: object = {}): Promise<Answer> {
  return (await project()).api('POST', '/api/v1/jobs/auto-translate', { ...TO_POLISH, ...more })
}

async function refused(more: object): Promise<void> {
  const answer = await (await unchanged()).api('POST', '/api/v1/jobs/auto-translate', { ...TO_POLISH, ...more })
  expect(answer.status).toBe(400)
}

/** The job when it has ended, its project, and what the provider was asked last. */
function ended(more?: object) {
  return more ? end(more) : once('job', () => end({}))
}

async function end(more: object) {
  const made = await project()
  const start = await made.api('POST', '/api/v1/jobs/auto-translate', { ...TO_POLISH, ...more })
  expect(start.status, start.text).toBe(200)
  const { body } = await waitFor(
    () => made.get(`/api/v1/jobs/${start.body.data.jobId}`),
    (answer) => answer.body.data.progress === 1,
  )
  return { job: body.data, made, last: asked.at(-1) }
}

const published = () => once('publish', publish)

async function publish() {
  const made = await project()
  await made.publish()
  return { made, data: (await made.get('/api/v2/environments/_latest')).body.data }
}

async function query(parameters: string, made?: TestProject): Promise<Answer['body'][]> {
  const answer = await (made ?? (await unchanged())).get(`/api/v2/translations?${parameters}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const texts = async (parameters: string) => (await query(parameters)).map(({ text }) => text)

async function set(more: object) {
  const made = await project()
  const answer = await made.api('PATCH', '/api/v2/translations', { key: 'a', language: 'en', text: 'set', ...more })
  return { made, answer }
}

async function key(fields: object) {
  const made = await project()
  return { made, answer: await made.api('POST', '/api/v1/translation-keys', { key: 'new', ...fields }) }
}

async function imported(parameters: string, content: object, made?: TestProject): Promise<Answer> {
  return (made ?? (await project())).api('POST', `/api/v2/import?${parameters}`, uploadForm(content))
}

const PAIR = { translationProvider: 'PROVIDER_B', sourceLanguage: 'EN', targetLanguage: 'PL' }
const GLOSSARY = { ...PAIR, providerBGlossaryId: 'glossary', providerBApiKey: 'secret-of-b' }

const ROWS: Record<string, Record<string, () => Promise<void>>> = {
  Project: {
    name: async () => expect((await created()).name).toBe('New'),
    languages: async () => expect((await listed()).languages).toMatchObject([{ key: 'en' }, { key: 'pl' }]),
    customers: async () => {
      expect((await listed()).customers).toEqual([{ key: 'acme', description: 'ACME Inc.' }])
      expect(await created()).not.toHaveProperty('customers')
    },
    projectToken: async () => expect((await created()).projectToken).toEqual(expect.stringMatching(/./)),
    apiKey: async () => {
      const { apiKey } = await created()
      const headers = { 'X-Service-Token': apiKey }
      expect((await request(`${service.baseUrl}/api/v1/jobs`, { headers })).status).toBe(200)
    },
    keys: async () => expect([(await created()).keys, (await listed()).keys]).toEqual([0, 3]),
    unpublishedChanges: async () => {
      expect((await created()).unpublishedChanges).toBe(0)
      expect((await listed()).unpublishedChanges).toBeGreaterThan(0)
    },
    translatedPercentage: async () => {
      expect((await created()).translatedPercentage).toBe(0)
      expect((await listed()).translatedPercentage).toBeCloseTo(4 / 6)
    },
    translatedKeysByLanguage: async () => {
      expect((await created()).translatedKeysByLanguage).toEqual({})
      expect((await listed()).translatedKeysByLanguage).toEqual({ en: 3, pl: 1 })
    },
  },
  Language: {
    key: async () => expect((await listed()).languages[1].key).toBe('pl'),
    name: async () => expect((await listed()).languages[1].name).toBe('Polish'),
    isDefault: async () =>
      expect((await listed()).languages).toMatchObject([{ isDefault: true }, { isDefault: false }]),
    order: async () => expect((await listed()).languages).toMatchObject([{ order: 0 }, { order: 1 }]),
  },
  Customer: {
    key: async () => expect((await listed()).customers[0].key).toBe('acme'),
    description: async () => expect((await listed()).customers[0].description).toBe('ACME Inc.'),
  },
  'Job (auto-translate)': {
    jobId: async () => expect((await started()).body.data.jobId).toEqual(expect.stringMatching(/./)),
    progress: async () => {
      expect((await started()).body.data.progress).toBe(0.01)
      expect((await ended()).job.progress).toBe(1)
    },
    state: async () => {
      expect((await started()).body.data.state).toBe('STARTED')
      expect((await ended()).job.state).toBe('SUCCESS')
    },
    started: async () => expect((await started()).body.data.started).toMatch(TIMESTAMP),
    message: async () => {
      expect((await started()).body.data.message).toBe('OK')
      expect((await ended()).job.message).toBe('translated 2 texts (chars: 4)')
    },
    metadata: async () => {
      expect((await started()).body.data.metadata).toEqual({})
      expect((await ended({ options: ['FORCE_REPLACE'], sourceProjectLanguage: 'en' })).job.metadata).toEqual({
        targetProjectLanguage: 'pl',
        targetLanguage: 'pl',
        sourceType: 'API',
        options: 'FORCE_REPLACE',
        translationProvider: 'PROVIDER_A',
        sourceProjectLanguage: 'en',
        sourceLanguage: '',
      })
    },
  },
  'Environment status': {
    numberOfKeys: async () => expect((await published()).data.numberOfKeys).toBe(3),
    numberOfLanguages: async () => expect((await published()).data.numberOfLanguages).toBe(2),
    numberOfNonEmptyTranslations: async () => expect((await published()).data.numberOfNonEmptyTranslations).toBe(5),
    createdAt: async () => {
      const before = Date.now()
      const { createdAt } = (await publish()).data
      expect(createdAt).toMatch(TIMESTAMP)
      expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before)
    },
    resources: async () => expect((await published()).data.resources).toHaveLength(5),
  },
  Resource: {
    link: async () => {
      for (const { link } of (await published()).data.resources) {
        expect((await request(`${service.cdnUrl}/${link}`)).status).toBe(200)
      }
    },
    size: async () => {
      for (const { link, size } of (await published()).data.resources) {
        expect(Buffer.byteLength((await request(`${service.cdnUrl}/${link}`)).text)).toBe(size)
      }
    },
    language: async () =>
      expect((await published()).data.resources.map(({ language }: Answer['body']) => language)).toEqual([
        undefined,
        'en',
        'en',
        'pl',
        'pl',
      ]),
    namespace: async () =>
      expect((await published()).data.resources.map(({ namespace }: Answer['body']) => namespace)).toEqual([
        undefined,
        '',
        'home',
        '',
        '',
      ]),
    customer: async () =>
      expect((await published()).data.resources.map(({ customer }: Answer['body']) => customer)).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
        'acme',
      ]),
  },
  'Translation key': {
    key: async () => {
      const { made, answer } = await key({})
      expect(answer.status).toBe(200)
      const again = (namespace: string) => made.api('POST', '/api/v1/translation-keys', { key: 'new', namespace })
      expect((await again('')).status).toBe(409)
      expect((await again('other')).status).toBe(200)
    },
    namespace: async () => {
      const made = await project()
      await made.import({ n: 'default' }, `${SINGLE}&languageKey=en`)
      expect((await made.api('DELETE', '/api/v1/translation-keys?key=n')).status).toBe(200)
      expect(await query('key=n', made)).toMatchObject([{ namespace: 'home' }])
    },
    description: async () => expect((await key({ description: 'for translators' })).answer.status).toBe(200),
    tags: async () => {
      const { made } = await key({ tags: ['x', 'y'] })
      await made.api('PATCH', '/api/v2/translations', { key: 'new', language: 'en', text: 'tagged' })
      const { body } = await made.get('/api/v4/export?downloadFormat=single-language-json&tags=y')
      expect((await request(body.data.files[0].url)).body).toEqual({ new: 'tagged' })
    },
    codeDescription: async () => {
      expect((await key({ codeDescription: 'from code' })).answer.status).toBe(200)
      expect((await key({ codeDescription: 1 })).answer.status).toBe(400)
    },
    charactersLimit: async () => {
      const { made } = await key({ charactersLimit: 3 })
      const put = (text: string) => made.api('PATCH', '/api/v2/translations', { key: 'new', language: 'en', text })
      expect([(await put('four')).status, (await put('3 🙂')).status]).toEqual([400, 200])
    },
  },
  Translation: {
    key: async () => {
      const { made, answer } = await set({ key: 'b' })
      expect(answer.status).toBe(200)
      expect(await query('key=b&language=en', made)).toMatchObject([{ key: 'b', text: 'set' }])
    },
    namespace: async () => {
      const { made } = await set({ key: 'n', namespace: 'home' })
      expect(await query('namespace=home', made)).toMatchObject([{ namespace: 'home', text: 'set' }])
      expect((await set({ key: 'n' })).answer.status).toBe(404)
    },
    language: async () => {
      const { made } = await set({ language: 'pl' })
      expect(await query('key=a&language=pl', made)).toMatchObject([{ language: 'pl', text: 'set' }])
      expect((await set({ language: 'xx' })).answer.status).toBe(404)
    },
    text: async () => expect(await query('text=set', (await set({})).made)).toMatchObject([{ text: 'set' }]),
    reviewStatus: async () => {
      const { made } = await set({ reviewStatus: 'REVIEWED' })
      expect(await query('key=a', made)).toMatchObject([{ reviewStatus: 'REVIEWED' }, { reviewStatus: 'NOT_REVIEWED' }])
      expect((await set({ reviewStatus: 'OTHER' })).answer.status).toBe(400)
    },
    lastModifiedAt: async () => {
      const before = Date.now()
      const [{ lastModifiedAt }] = await query('key=a&language=en', (await set({})).made)
      expect(lastModifiedAt).toMatch(TIMESTAMP)
      expect(Date.parse(lastModifiedAt)).toBeGreaterThanOrEqual(before)
    },
    customerId: async () => {
      const { made } = await set({ customerId: 'acme' })
      expect(await query('key=a&language=en', made)).toMatchObject([{ text: 'A' }])
      expect(await query('key=a&language=en&customerId=acme', made)).toMatchObject([{ text: 'set' }])
    },
  },
  'Import result': {
    numberOfKeysFound: async () =>
      expect(
        (await imported('uploadFormat=multi-language-json', { en: { a: '', x: '' }, pl: { a: '' } })).body,
      ).toMatchObject({
        numberOfKeysFound: 3,
      }),
    numberOfUniqueKeysFound: async () =>
      expect(
        (await imported('uploadFormat=multi-language-json', { en: { a: '', x: '' }, pl: { a: '' } })).body,
      ).toMatchObject({
        numberOfUniqueKeysFound: 2,
      }),
    foundLanguages: async () =>
      expect((await imported('uploadFormat=multi-language-json', { pl: { a: '' }, de: {} })).body).toMatchObject({
        foundLanguages: [
          { key: 'pl', name: 'Polish' },
          { key: 'de', name: 'German' },
        ],
      }),
  },
  'Start job': {
    translationProvider: async () => {
      expect((await ended()).last?.provider).toBe('PROVIDER_A')
      expect((await ended({ translationProvider: 'PROVIDER_B' })).last?.provider).toBe('PROVIDER_B')
      await refused({ translationProvider: undefined })
    },
    targetProjectLanguage: async () => {
      const { made } = await ended()
      expect(await query('key=b&language=pl', made)).toMatchObject([{ text: 'a:Bee' }])
      await refused({ targetProjectLanguage: undefined })
    },
    targetLanguage: async () => {
      expect((await ended({ targetLanguage: 'pl-PL' })).last?.options.targetLanguage).toBe('pl-PL')
      await refused({ targetLanguage: undefined })
    },
    sourceProjectLanguage: async () => {
      const { last } = await ended({
        sourceProjectLanguage: 'pl',
        targetProjectLanguage: 'en',
        options: ['FORCE_REPLACE'],
      })
      expect(last?.texts).toEqual(['Ą'])
      expect((await ended()).job.metadata.sourceProjectLanguage).toBe('en')
    },
    sourceLanguage: async () => {
      expect((await ended({ sourceLanguage: 'en-GB' })).last?.options.sourceLanguage).toBe('en-GB')
      expect((await ended()).last?.options.sourceLanguage).toBeUndefined()
    },
    options: async () => {
      expect((await started({ options: [] })).status).toBe(200)
      await refused({ options: 'FORCE_REPLACE' })
    },
    providerBGlossaryId: async () => {
      expect((await ended(GLOSSARY)).last?.options.glossaryId).toBe('glossary')
      await refused({ ...GLOSSARY, providerBApiKey: undefined })
      await refused({ ...GLOSSARY, sourceLanguage: undefined })
      await refused({ ...GLOSSARY, targetLanguage: 'SV' })
    },
    providerBApiKey: async () => {
      const { last, made } = await ended(GLOSSARY)
      expect(last?.options.apiKey).toBe('secret-of-b')
      expect((await made.get('/api/v1/jobs')).text).not.toContain('secret-of-b')
    },
    providerBFormality: async () => {
      for (const providerBFormality of ['default', 'more', 'less']) {
        expect((await ended({ ...PAIR, providerBFormality })).last?.options.formality).toBe(providerBFormality)
      }
      await refused({ ...PAIR, providerBFormality: 'most' })
    },
  },
  '`options` values': {
    USE_TRANSLATION_KEYS: async () => {
      const from = { sourceProjectLanguage: 'pl', targetProjectLanguage: 'en' }
      expect((await ended({ ...from, options: ['FORCE_REPLACE'] })).last?.texts).toEqual(['Ą'])
      const { last } = await ended({ ...from, options: ['FORCE_REPLACE', 'USE_TRANSLATION_KEYS'] })
      expect(last?.texts).toEqual(['Ą', 'b', 'n'])
    },
    FORCE_REPLACE: async () => {
      expect(await query('key=a&language=pl', (await ended()).made)).toMatchObject([{ text: 'Ą' }])
      const { made } = await ended({ options: ['FORCE_REPLACE'] })
      expect(await query('key=a&language=pl', made)).toMatchObject([{ text: 'a:A' }])
    },
    AUTO_PUBLISH: async () => {
      expect((await (await ended()).made.hosted('pl')).status).toBe(404)
      expect((await (await ended({ options: ['AUTO_PUBLISH'] })).made.hosted('pl')).body).toMatchObject({ b: 'a:Bee' })
    },
  },
  'Query translations': {
    text: async () => expect(await texts('text=bEE')).toEqual(['Bee']),
    textStatus: async () => {
      expect(await texts('textStatus=EMPTY&language=pl')).toEqual(['', ''])
      expect(await texts('textStatus=NOT_EMPTY')).toEqual(['A', 'Ą', 'Bee', 'N'])
    },
    reviewsStatus: async () => {
      const { made } = await set({ reviewStatus: 'REVIEWED' })
      expect(await query('reviewsStatus=REVIEWED', made)).toMatchObject([{ text: 'set' }])
      expect(await query('reviewsStatus=NOT_REVIEWED', made)).toHaveLength(4)
    },
    key: async () => expect(await texts('key=b')).toEqual(['Bee', '']),
    namespace: async () => expect(await texts('namespace=home')).toEqual(['N']),
    language: async () => expect(await texts('language=pl')).toEqual(['Ą', '']),
    customerId: async () => expect(await texts('customerId=acme')).toEqual(['for acme']),
    page: async () => expect(await texts('page=1&size=2')).toEqual(['Bee', '']),
    size: async () => {
      expect(await texts('size=1')).toEqual(['A'])
      expect((await (await unchanged()).get('/api/v2/translations?size=501')).status).toBe(400)
    },
  },
  'Export v3 (deprecated)': {
    downloadFormat: async () => {
      const made = await unchanged()
      expect(await made.export('downloadFormat=multi-language-json')).toMatchObject({ en: { a: 'A' }, pl: { a: 'Ą' } })
      expect(await made.export('downloadFormat=single-language-json')).toEqual({ a: 'A', b: 'Bee', n: 'N' })
      expect((await made.get('/api/v3/export')).status).toBe(400)
    },
    exportOptions: async () => {
      const options = 'downloadFormat=single-language-json&languageKey=pl&exportOptions=ONLY_TRANSLATED'
      expect(await (await unchanged()).export(options)).toEqual({ a: 'Ą' })
    },
    languageKey: async () =>
      expect(await (await unchanged()).export('downloadFormat=multi-language-json&languageKey=pl')).toEqual({
        pl: { a: 'Ą', b: '' },
      }),
    customerId: async () =>
      expect(await (await unchanged()).export('downloadFormat=multi-language-json&customerId=acme')).toEqual({
        en: {},
        pl: { a: 'for acme' },
      }),
  },
  Import: {
    uploadFormat: async () => {
      expect((await imported('uploadFormat=multi-language-json', { en: { x: 'X' } })).status).toBe(200)
      expect((await imported(`${SINGLE}&languageKey=en`, { x: 'X' })).status).toBe(200)
      expect((await imported('', { en: {} })).status).toBe(400)
    },
    languageKey: async () => {
      const made = await project()
      await imported(`${SINGLE}&languageKey=pl`, { x: 'iks' }, made)
      expect(await query('key=x', made)).toMatchObject([{ language: 'pl', text: 'iks' }])
    },
    importOptions: async () => {
      const made = await project()
      await imported(`${SINGLE}&languageKey=en`, { a: 'other' }, made)
      expect(await query('key=a&language=en', made)).toMatchObject([{ text: 'A' }])
      await imported(`${SINGLE}&languageKey=en&importOptions=REPLACE_TRANSLATION_IF_FOUND`, { a: 'other' }, made)
      expect(await query('key=a&language=en', made)).toMatchObject([{ text: 'other' }])
    },
  },
  Authentication: {
    'Projects (create, list)': async () => {
      const { apiKey } = await unchanged()
      for (const method of ['GET', 'POST']) {
        const address = `${service.baseUrl}/api/v2/projects`
        expect((await request(address, { method, headers: { 'X-Service-Token': apiKey } })).status).toBe(403)
      }
      expect((await personal('GET')).status).toBe(200)
    },
    'Jobs, publish, environment status, translation keys, translations (v1, v2), export, import': async () => {
      const { apiKey } = await unchanged()
      const address = `${service.baseUrl}/api/v2/translations`
      expect((await request(address, { headers: { Authorization: service.personalToken } })).status).toBe(403)
      for (const name of ['X-Service-Token', 'x-service-token']) {
        expect((await request(address, { headers: { [name]: apiKey } })).status).toBe(200)
      }
    },
  },
  Limits: {
    'Page size': async () => {
      const made = await project()
      const many = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}`, 'x']))
      await made.import({ en: many })
      expect(await query('size=500', made)).toHaveLength(500)
      expect((await made.get('/api/v2/translations?size=501')).status).toBe(400)
    },
    'Publish frequency': async () => {
      const { duringPublish, started, end } = holdFirstPublish()
      const made = await createProject(await startService({ duringPublish }))
      const running = made.publish()
      await started()
      expect((await made.publish()).status).toBe(409)
      end()
      expect((await running).status).toBe(200)
    },
    Plan: async () => {
      const rules = [{ path: /\/publish$/, status: 402, body: '{"status":402,"msg":"Not in this plan."}' }]
      const { baseUrl } = await startService({ faults: rules })
      const client = createClient({ baseUrl, apiKey: 'any', proxy: false })
      onTestFinished(() => client.close())
      await expect(client.environments.publish('_latest')).rejects.toMatchObject({
        code: 'API_PLAN',
        serviceMessage: 'Not in this plan.',
      })
    },
    'Characters per key': async () => {
      const { made } = await key({ charactersLimit: 2 })
      const { body } = await made.api('PATCH', '/api/v1/translations', {
        content: [{ key: 'new', language: 'en', text: 'three' }],
      })
      expect(body.data).toMatchObject({ numberOfFailures: 1, failures: [expect.stringContaining('2 characters')] })
    },
  },
}

describe.each(DRIVERS)('on %s', (driver) => {
  let rows = 0

  beforeAll(async () => {
    kept = {}
    service = await startService({
      driver,
      languages: ['pl'],
      customers: [{ key: 'acme', description: 'ACME Inc.' }],
      environments: ['staging'],
      providers: { PROVIDER_A: provider('PROVIDER_A', 'a:'), PROVIDER_B: provider('PROVIDER_B', 'b:') },
    })
  })
  afterAll(() => process.stdout.write(`${rows} rows of the contract hold on ${driver}\n`))

  describe.each(Object.keys(ROWS))('%s', (table) => {
    test.each(Object.entries(ROWS[table] ?? {}))('%s', async (_row, check) => {
      await check()
      rows++
    })
  })
})

const CONTRACT = join(import.meta.dirname, '../../../shared/spec/service-api.md')
if (!existsSync(CONTRACT)) process.stdout.write('rows not held against the contract: ../shared/spec is absent\n')

test.skipIf(!existsSync(CONTRACT))('every row of every table of the contract is named above', () => {
  const rows: string[] = []
  let table = ''
  let inHead = true
  for (const line of readFileSync(CONTRACT, 'utf8').split('\n')) {
    const title = /^#+ (.+)|^\*\*(.+?)\*\*|^(`?\w+`?(?: values)?):$/.exec(line)
    if (title) table = title.slice(1).find((part) => part !== undefined) ?? ''
    if (!line.startsWith('|')) inHead = true
    else if (/^\|[-| ]+$/.test(line)) inHead = false
    else if (!inHead) rows.push(`${table}: ${line.split('|')[1]?.trim()}`)
  }
  expect(rows.length).toBeGreaterThan(60)
  const named = Object.entries(ROWS).flatMap(([name, checks]) => Object.keys(checks).map((row) => `${name}: ${row}`))
  expect(named.sort()).toEqual(rows.sort())
})
