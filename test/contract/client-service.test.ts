/**
 * Every method of the client against the local service: one project's life, from its creation to its published files.
 */
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { holdFirstPublish } from '../helpers/held-publish.ts'
import { startService } from '../helpers/service.ts'

async function start(options: Parameters<typeof startService>[0] = {}) {
  const service = await startService({ languages: ['en', 'pl'], customers: ['acme'], filesPort: 0, ...options })
  const { baseUrl, cdnUrl, personalToken } = service
  const owner = createClient({ baseUrl, personalToken, proxy: false })
  onTestFinished(() => owner.close())
  const project = await owner.projects.create({ name: 'Shop' })
  const client = createClient({ baseUrl, cdnUrl, personalToken, apiKey: project.apiKey, proxy: false })
  onTestFinished(() => client.close())
  return { client, project }
}

test('projects, keys, texts: made, set, asked for, updated, deleted', async () => {
  const { client, project } = await start()
  const { keys, translations } = client
  expect((await client.projects.list()).map(({ name }) => name)).toContain('Shop')
  await keys.create({ key: 'title', tags: ['page'] })
  await keys.create({ key: 'title', namespace: 'views/settings', description: 'Heading' })
  await expect(keys.create({ key: 'title' })).rejects.toMatchObject({ uncertain: false, status: expect.any(Number) })
  await translations.set({ key: 'title', language: 'en', text: 'Shop', reviewStatus: 'REVIEWED' })
  await translations.set({ key: 'title', language: 'en', text: 'Acme', customerId: 'acme' })
  await expect(translations.set({ key: 'none', language: 'en', text: 'x' })).rejects.toMatchObject({ name: 'ApiError' })
  const { translations: reviewed } = await translations.query({ reviewsStatus: 'REVIEWED' })
  expect(reviewed).toMatchObject([{ key: 'title', namespace: '', language: 'en', text: 'Shop' }])

  const items = Array.from({ length: 1200 }, (_, index) => ({ key: `k${index}`, language: 'pl', text: `t${index}` }))
  expect(await translations.update(items)).toMatchObject({ numberOfFailures: 1200, numberOfInserts: 0 })
  expect(await translations.update(items, { createKeys: true })).toMatchObject({
    numberOfFailures: 0,
    numberOfInserts: 1200,
  })
  const read = new Map<string, string>()
  for await (const { key, text } of translations.queryAll({ language: 'pl', textStatus: 'NOT_EMPTY' }))
    read.set(key, text)
  expect([...read].sort()).toEqual(items.map(({ key, text }) => [key, text]).sort())

  await keys.delete({ key: 'title', namespace: 'views/settings' })
  expect(await keys.deleteMany(items)).toEqual({ failures: [] })
  const left: string[] = []
  for await (const { key } of translations.queryAll()) left.push(key)
  expect([...new Set(left)]).toEqual(['title'])
  expect((await client.project.info())?.projectToken ?? project.projectToken).toBe(project.projectToken)
})

test('import, export, publish, hosting: the same texts all the way, `__proto__` among them', async () => {
  const { client, project } = await start()
  const texts = '{"__proto__":"p","constructor":"c","a.b":"Zażółć"}'
  const imported = await client.imports.upload({ uploadFormat: 'single-language-json', languageKey: 'en', file: texts })
  expect(imported).toMatchObject({ numberOfKeysFound: 3, numberOfUniqueKeysFound: 3 })
  const entries = Object.entries(JSON.parse(texts)).sort()

  const v3 = await client.exports.v3({ downloadFormat: 'single-language-json', languageKey: 'en' })
  expect(Object.entries(await client.exports.downloadJson(v3.url)).sort()).toEqual(entries)
  const v4 = await client.exports.v4({
    downloadFormat: 'single-language-json',
    downloadOptions: ['SPLIT_BY_LANGUAGES', 'SPLIT_BY_NAMESPACES'],
  })
  const file = v4?.files.find(({ language }) => language === 'en')
  expect(Object.entries(await client.exports.downloadJson(file?.url ?? '')).sort()).toEqual(entries)

  const place = { projectToken: project.projectToken, environment: '_production' }
  expect(await client.hosting.index(place)).toEqual({ kind: 'missing' })
  await client.environments.publish('_latest')
  await client.environments.publish('_production')
  const { resources, numberOfKeys } = await client.environments.status('_production')
  expect(numberOfKeys).toBe(3)
  for (const { link, size } of resources)
    expect(await client.hosting.resource(link), link).toMatchObject({ kind: 'ok', bytes: size })
  const messages = await client.hosting.messages(place, { language: 'en' })
  if (messages.kind !== 'ok') throw new Error(messages.kind)
  expect(Object.entries(messages.data as object).sort()).toEqual(entries)
  expect(await client.hosting.messages(place, { language: 'en' }, { etag: messages.etag })).toEqual({
    kind: 'not-modified',
  })
  expect(await client.hosting.languages(place)).toMatchObject({ kind: 'ok' })
  expect(await client.hosting.customers(place)).toMatchObject({ kind: 'ok' })
})

test('auto-translation: started, listed, waited for', async () => {
  const { client } = await start()
  await client.keys.create({ key: 'title' })
  await client.translations.set({ key: 'title', language: 'en', text: 'Hello' })
  const { jobId } = await client.jobs.startAutoTranslate({
    translationProvider: 'PROVIDER_A',
    targetProjectLanguage: 'pl',
    targetLanguage: 'pl',
    sourceProjectLanguage: 'en',
    sourceLanguage: 'en',
  })
  const seen: number[] = []
  const job = await client.jobs.wait(jobId, { intervalMs: 10, onProgress: ({ progress }) => seen.push(progress) })
  expect(job).toMatchObject({ jobId, state: 'SUCCESS', progress: 1 })
  expect(seen.at(-1)).toBe(1)
  expect((await client.jobs.list()).map((one) => one.jobId)).toEqual([jobId])
  const { translations } = await client.translations.query({ language: 'pl' })
  expect(translations[0]?.text).not.toBe('')
})

test('one publish at a time: the second is a conflict; a wrong key is named as such', async () => {
  const { duringPublish, started, end } = holdFirstPublish()
  const { client } = await start({ duringPublish })
  const running = client.environments.publish('_latest')
  await started()
  await expect(client.environments.publish('_latest')).rejects.toMatchObject({ code: 'API_CONFLICT', uncertain: false })
  end()
  await running
})

test('a service without the parts beyond the contract', async () => {
  const { client } = await start({ features: { exportV4: false, projectInfo: false, pageDetails: false, bulk: false } })
  expect(await client.exports.v4({ downloadFormat: 'single-language-json' })).toBeUndefined()
  expect(await client.project.info()).toBeUndefined()
  await client.translations.update(
    Array.from({ length: 1000 }, (_, index) => ({ key: `k${index}`, language: 'en', text: 't' })),
    { createKeys: true },
  )
  let count = 0
  for await (const { text } of client.translations.queryAll({ language: 'en' })) count += text.length
  expect(count).toBe(1000)
})
