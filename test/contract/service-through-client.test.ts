/** The contract once more, through the typed client: both sides agree on every endpoint. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Client, createClient } from '../../src/client.ts'
import type { LocalServiceOptions } from '../../src/service.ts'
import { createTestClock } from '../helpers/api-client.ts'
import { holdFirstPublish } from '../helpers/held-publish.ts'
import { repeats } from '../helpers/repeats.ts'
import { shareService, startService } from '../helpers/service.ts'

async function setUp(options: LocalServiceOptions = {}) {
  const service = await shareService({ customers: ['acme'], environments: ['staging'], languages: ['pl'], ...options })
  const { baseUrl, cdnUrl, personalToken } = service
  const open = (more: { apiKey?: string } = {}): Client => {
    const client = createClient({ baseUrl, cdnUrl, personalToken, proxy: false, retries: 0, ...more })
    onTestFinished(() => client.close())
    return client
  }
  const project = await open().projects.create({ name: 'Through the client' })
  const place = { projectToken: project.projectToken, environment: '_latest' }
  return { service, project, place, client: open({ apiKey: project.apiKey }), open }
}

describe('through the client', () => {
  test('Projects: create and list', async () => {
    const { client, project } = await setUp()
    expect(project).toMatchObject({
      name: 'Through the client',
      keys: 0,
      unpublishedChanges: 0,
      translatedPercentage: 0,
    })
    expect(project).not.toHaveProperty('customers')
    expect(await client.projects.list()).toEqual([{ ...project, customers: [{ key: 'acme', description: '' }] }])
    expect(await client.project.info()).toMatchObject({ projectToken: project.projectToken })
  })

  test('Translation keys: create, delete, deleteMany over 100', async () => {
    const { client } = await setUp()
    await client.keys.create({ key: 'a', namespace: 'home', tags: ['x'], charactersLimit: 5 })
    await expect(client.keys.create({ key: 'a', namespace: 'home' })).rejects.toMatchObject({ status: 409 })
    await client.keys.delete({ key: 'a', namespace: 'home' })
    await expect(client.keys.delete({ key: 'a', namespace: 'home' })).rejects.toMatchObject({ code: 'API_NOT_FOUND' })
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`k${i}`, `${i}`]))
    await client.imports.upload({ uploadFormat: 'single-language-json', languageKey: 'en', file: JSON.stringify(many) })
    const keys = [...Object.keys(many), 'absent'].map((key) => ({ key, namespace: '' }))
    expect((await client.keys.deleteMany(keys)).failures).toMatchObject([{ entry: { key: 'absent' } }])
    expect((await client.projects.list())[0]?.keys).toBe(0)
  })

  test('Translations: set, query, queryAll, update', async () => {
    const { client } = await setUp()
    const many = Object.fromEntries(Array.from({ length: 1234 }, (_, i) => [`k${i}`, `text ${i}`]))
    await client.imports.upload({ uploadFormat: 'multi-language-json', file: JSON.stringify({ en: many }) })
    await client.translations.set({ key: 'k7', language: 'en', text: 'Seven', reviewStatus: 'REVIEWED' })
    await client.translations.set({ key: 'k7', language: 'en', text: 'for acme', customerId: 'acme' })
    const { translations, pageDetails } = await client.translations.query({ reviewsStatus: 'REVIEWED' })
    expect(translations).toMatchObject([{ key: 'k7', text: 'Seven', namespace: '', reviewStatus: 'REVIEWED' }])
    expect(pageDetails?.totalElements).toBe(1)
    const all = new Map<string, string>()
    for await (const { key, text } of client.translations.queryAll()) all.set(key, text)
    expect(Object.fromEntries(all)).toEqual({ ...many, k7: 'Seven' })
    const missing = []
    for await (const { key } of client.translations.queryAll({ language: 'pl', textStatus: 'EMPTY' })) missing.push(key)
    expect(missing).toHaveLength(1234)
    const result = await client.translations.update(
      [
        { key: 'k1', language: 'en', text: 'One' },
        { key: 'new', language: 'pl', text: 'Nowy', namespace: 'home' },
        { key: 'k1', language: 'xx', text: 'x' },
      ],
      { createKeys: true },
    )
    expect(result).toMatchObject({ numberOfUpdates: 1, numberOfInserts: 1, numberOfFailures: 1 })
    expect(result.failures).toHaveLength(1)
    await expect(client.translations.set({ key: 'nope', language: 'en', text: 'x' })).rejects.toMatchObject({
      code: 'API_NOT_FOUND',
      serviceMessage: expect.stringContaining('"nope"'),
    })
  })

  test('Import and Export: v3, v4 and without v4, files on a host of their own', async () => {
    for (const exportV4 of [true, false]) {
      const { client } = await setUp({ features: { exportV4 }, filesPort: 0 })
      const imported = await client.imports.upload({
        uploadFormat: 'multi-language-json',
        namespace: 'views/settings',
        file: JSON.stringify({ en: { a: { b: 'A' } }, pl: { a: { b: 'Ą' } } }),
      })
      expect(imported).toMatchObject({ numberOfKeysFound: 2, numberOfUniqueKeysFound: 1 })
      const { url } = await client.exports.v3({ downloadFormat: 'multi-language-json' })
      expect(await client.exports.downloadJson(url)).toEqual({ en: { 'a.b': 'A' }, pl: { 'a.b': 'Ą' } })
      const v4 = await client.exports.v4({
        downloadFormat: 'single-language-json',
        downloadOptions: ['SPLIT_BY_NAMESPACES'],
      })
      if (!exportV4) expect(v4).toBe(undefined)
      else {
        expect(v4?.files).toMatchObject([
          { language: 'en', namespace: 'views/settings' },
          { language: 'pl', namespace: 'views/settings' },
        ])
        expect(await client.exports.downloadJson(v4?.files[1]?.url ?? '')).toEqual({ 'a.b': 'Ą' })
      }
      const collision = JSON.stringify({ en: { 'a.b': '1', a: { b: '2' } } })
      await expect(
        client.imports.upload({ uploadFormat: 'multi-language-json', file: collision }),
      ).rejects.toMatchObject({ code: 'API_VALIDATION', serviceMessage: expect.stringContaining('["a","b"]') })
    }
  })

  test('Publishing and hosting: status, every listed resource, etag, conflict', async () => {
    const { duringPublish, started, end } = holdFirstPublish()
    const { client, place, project } = await setUp({ duringPublish })
    await expect(client.environments.status('_latest')).rejects.toMatchObject({ code: 'API_NOT_FOUND' })
    await client.imports.upload({
      uploadFormat: 'multi-language-json',
      file: '{"en":{"a":"A","__proto__":"p"},"pl":{"a":"Ą"}}',
    })
    for (const namespace of ['views/settings', 'odd %?#&', 'with.dots', 'ünï']) {
      await client.imports.upload({
        uploadFormat: 'single-language-json',
        languageKey: 'en',
        namespace,
        file: JSON.stringify({ n: namespace }),
      })
    }
    await client.translations.set({ key: 'a', language: 'en', text: 'for acme', customerId: 'acme' })
    const publishing = client.environments.publish('_latest')
    await started()
    await expect(client.environments.publish('_latest')).rejects.toMatchObject({ code: 'API_CONFLICT', status: 409 })
    end()
    await publishing
    await client.environments.publish('staging')
    const status = await client.environments.status('_latest')
    expect(status).toMatchObject({ numberOfKeys: 6, numberOfLanguages: 2, numberOfNonEmptyTranslations: 8 })
    const found = new Map<string, unknown>()
    for (const { link, language, namespace, customer } of status.resources) {
      const answer = await client.hosting.resource(link)
      if (answer.kind !== 'ok') throw new Error(`${link} is ${answer.kind}`)
      found.set(JSON.stringify([language, namespace, customer]), answer.data)
      expect(await client.hosting.resource(link, { etag: answer.etag })).toEqual({ kind: 'not-modified' })
    }
    expect(found.get('["en","views/settings",null]')).toEqual({ n: 'views/settings' })
    expect(found.get('["en","odd %?#&",null]')).toEqual({ n: 'odd %?#&' })
    expect(Object.entries(found.get('["en","",null]') ?? {})).toEqual([
      ['__proto__', 'p'],
      ['a', 'A'],
    ])
    expect(found.get('["pl","",null]')).toEqual({ a: 'Ą' })
    expect(found.get('["en","","acme"]')).toEqual({ a: 'for acme' })
    expect(found.size).toBe(8)
    expect(await client.hosting.languages(place)).toMatchObject({
      data: [
        { key: 'en', isDefault: true },
        { key: 'pl', isDefault: false },
      ],
    })
    expect(await client.hosting.customers({ ...place, environment: 'staging' })).toMatchObject({
      data: [{ key: 'acme' }],
    })
    expect(await client.hosting.messages(place, { language: 'en', namespace: 'views/settings' })).toMatchObject({
      data: { n: 'views/settings' },
    })
    expect(await client.hosting.messages(place, { language: 'en', customer: 'acme' })).toMatchObject({
      data: { a: 'for acme' },
    })
    expect(project.projectToken).toBe(place.projectToken)
  })

  test('Auto-translate jobs: start, wait with progress, list', async () => {
    const { client } = await setUp()
    await client.imports.upload({ uploadFormat: 'multi-language-json', file: '{"en":{"a":"hello {name}"}}' })
    const { jobId, state } = await client.jobs.startAutoTranslate({
      translationProvider: 'PROVIDER_A',
      targetProjectLanguage: 'pl',
      targetLanguage: 'pl',
      options: ['AUTO_PUBLISH'],
    })
    expect(state).toBe('STARTED')
    const seen: number[] = []
    const job = await client.jobs.wait(jobId, { intervalMs: 10, onProgress: ({ progress }) => seen.push(progress) })
    expect(job).toMatchObject({ state: 'SUCCESS', progress: 1 })
    expect(seen.at(-1)).toBe(1)
    expect(await client.jobs.list()).toEqual([job])
    expect((await client.translations.query({ language: 'pl' })).translations).toMatchObject([
      { text: '[ĥéļļö {name}]' },
    ])
  })

  test('Errors: wrong credentials, rate limit, validation', async () => {
    const { open, service } = await setUp({ rateLimit: { requestsPerMinute: 6, burst: 2 }, now: () => 0 })
    await expect(open({ apiKey: 'wrong' }).jobs.list()).rejects.toMatchObject({
      code: 'API_AUTHENTICATION',
      status: 403,
    })
    const stranger = createClient({ baseUrl: service.baseUrl, personalToken: 'wrong', proxy: false, retries: 0 })
    onTestFinished(() => stranger.close())
    await expect(stranger.projects.list()).rejects.toMatchObject({ code: 'API_AUTHENTICATION' })
    const wrong = open({ apiKey: 'wrong-too' })
    await expect(wrong.jobs.list()).rejects.toMatchObject({ code: 'API_RATE_LIMIT', retryAfterMs: 10_000 })
  })
})

test.each(['seconds', 'date', 'none'] as const)(
  'Errors: the client waits as long as the rate limiter says, and gets through (Retry-After: %s)',
  async (retryAfter) => {
    const clock = createTestClock()
    const startedAt = Date.now()
    const { baseUrl, personalToken } = await startService({
      rateLimit: { requestsPerMinute: 6, burst: 1, retryAfter },
      // The answer's own `Date` is real, so the service's time starts there.
      now: () => Date.now() + clock.now(),
    })
    const client = createClient({ baseUrl, personalToken, proxy: false, clock, random: () => 0.5, retries: 8 })
    onTestFinished(() => client.close())
    for (let i = 0; i < 3; i++) expect(await client.projects.list()).toEqual([])
    // Each after the first has to wait ten seconds; told so, it waits once, else it feels its way.
    const waited = clock.sleeps.reduce((sum, ms) => sum + ms, 0)
    expect(Date.now() - startedAt + waited).toBeGreaterThanOrEqual(20_000)
    if (retryAfter !== 'none') expect(clock.sleeps.length).toBe(2)
    else expect(clock.sleeps.length).toBeGreaterThan(2)
  },
)

const CATALOGS = join(import.meta.dirname, '../../../shared/catalogs')
const FLAT = join(CATALOGS, 'mattermost-mobile/assets/base/i18n')
const EMPTY_TEXTS = join(CATALOGS, 'headlamp/frontend/src/i18n/locales')
const catalogNames = readFolder(CATALOGS)
/** The default language and some others, all in the thorough runs. */
const some = (names: readonly string[]) =>
  names.filter((name) => repeats(/^(?:en|ar|pl|zh.*)(?:\.json)?$/.test(name), true))
const languages = some(readFolder(FLAT))
if (catalogNames.length === 0) process.stdout.write('real catalogs skipped: ../shared/catalogs is absent\n')

describe.skipIf(catalogNames.length === 0)('real catalogs', () => {
  test(`${languages.length} languages of mattermost-mobile come back exactly, by export, hosting and query`, async () => {
    const { client } = await setUp({ languages: [], defaultLanguage: 'en' })
    const catalog = Object.fromEntries(languages.map((name) => [name.replace('.json', ''), readJson(join(FLAT, name))]))
    await client.imports.upload({ uploadFormat: 'multi-language-json', file: JSON.stringify(catalog) })
    const { url } = await client.exports.v3({ downloadFormat: 'multi-language-json' })
    expect(await client.exports.downloadJson(url)).toEqual(catalog)

    await client.environments.publish('_latest')
    const hosted: Record<string, unknown> = {}
    for (const { link, language } of (await client.environments.status('_latest')).resources) {
      const answer = await client.hosting.resource(link)
      if (language !== undefined && answer.kind === 'ok') hosted[language] = answer.data
    }
    const filled = Object.fromEntries(Object.entries(catalog).filter(([, texts]) => Object.keys(texts).length > 0))
    expect(hosted).toEqual(filled)

    const queried: Record<string, Record<string, string>> = {}
    let count = 0
    for await (const { language, key, text } of client.translations.queryAll()) {
      queried[language] ??= {}
      ;(queried[language] as Record<string, string>)[key] = text
      count++
    }
    expect(queried).toEqual(filled)
    process.stdout.write(`mattermost-mobile: ${count} texts compared three times\n`)
  })

  test('headlamp: sentences as keys, empty texts, keys that differ in case', async () => {
    const { client } = await setUp({ languages: [] })
    const expected = new Map<string, unknown>()
    let count = 0
    for (const language of some(readFolder(EMPTY_TEXTS))) {
      for (const name of readFolder(join(EMPTY_TEXTS, language))) {
        const namespace = name.replace('.json', '')
        const texts = readJson(join(EMPTY_TEXTS, language, name))
        await client.imports.upload({
          uploadFormat: 'single-language-json',
          languageKey: language,
          namespace,
          file: JSON.stringify(texts),
        })
        count += Object.keys(texts).length
        expected.set(JSON.stringify([language, namespace]), texts)
      }
    }
    const exported = await client.exports.v4({
      downloadFormat: 'single-language-json',
      downloadOptions: ['SPLIT_BY_NAMESPACES'],
    })
    expect(exported?.files).toHaveLength(expected.size)
    for (const { url, language, namespace } of exported?.files ?? []) {
      expect(await client.exports.downloadJson(url)).toEqual(expected.get(JSON.stringify([language, namespace])))
    }
    process.stdout.write(`headlamp: ${count} texts compared\n`)
  })
})

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name !== 'README.md')
  } catch {
    return []
  }
}

function readJson(file: string): Record<string, string> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
}
