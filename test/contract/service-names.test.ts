/** A service that spells the providers and the members of provider B in its own way. */
import { expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { createLocalService, type LocalServiceOptions, type TranslationProvider } from '../../src/service.ts'
import { whenOver } from '../helpers/closing.ts'
import { createProject, startService, type TestProject, waitFor } from '../helpers/service.ts'

const NAMES = {
  PROVIDER_A: 'GENERAL_TRANSLATE',
  PROVIDER_B: 'SPECIAL',
  providerBGlossaryId: 'specialGlossaryId',
  providerBApiKey: 'specialApiKey',
  providerBFormality: 'specialFormality',
}
const START = '/api/v1/jobs/auto-translate'
const TARGET = { targetProjectLanguage: 'pl', targetLanguage: 'PL', sourceLanguage: 'EN' }

function recording(): TranslationProvider & { asked: object[] } {
  const asked: object[] = []
  return {
    asked,
    async translate(texts, { signal: _, ...options }) {
      asked.push(options)
      return texts
    },
    glossary: async () => ({ sourceLanguage: 'EN', targetLanguage: 'PL' }),
  }
}

async function setUp(options: LocalServiceOptions = {}) {
  const provider = recording()
  const service = await startService({
    languages: ['pl'],
    names: NAMES,
    providers: { PROVIDER_B: provider },
    ...options,
  })
  const project = await createProject(service)
  await project.import({ en: { a: 'A' } })
  return { service, provider, project }
}

const ended = (project: TestProject, id: string) =>
  waitFor(
    () => project.get(`/api/v1/jobs/${id}`),
    ({ body }) => body.data.state === 'SUCCESS',
  )

test('on the wire are the names of the service; those of the contract mean nothing to it', async () => {
  const { provider, project } = await setUp()
  const started = await project.api('POST', START, {
    ...TARGET,
    translationProvider: 'SPECIAL',
    specialGlossaryId: 'g',
    specialApiKey: 'canary-of-the-provider',
    specialFormality: 'more',
  })
  expect(started.status).toBe(200)
  const { body } = await ended(project, started.body.data.jobId)
  expect(body.data.metadata.translationProvider).toBe('SPECIAL')
  expect(provider.asked).toMatchObject([{ glossaryId: 'g', apiKey: 'canary-of-the-provider', formality: 'more' }])

  const refused = await project.api('POST', START, { ...TARGET, translationProvider: 'PROVIDER_B' })
  expect([refused.status, refused.body.code]).toEqual([400, 'BAD_REQUEST'])
  const ignored = await project.api('POST', START, {
    ...TARGET,
    translationProvider: 'SPECIAL',
    providerBFormality: 'more',
    options: ['FORCE_REPLACE'],
  })
  await ended(project, ignored.body.data.jobId)
  expect(provider.asked.at(-1)).toMatchObject({ formality: undefined })
})

test('the client with the same names: the words of the contract in code, there and back', async () => {
  const { service, provider, project } = await setUp()
  const client = createClient({ baseUrl: service.baseUrl, apiKey: project.apiKey, names: NAMES })
  whenOver(() => client.close())
  const job = await client.jobs.startAutoTranslate({
    ...TARGET,
    translationProvider: 'PROVIDER_B',
    providerBGlossaryId: 'g',
    providerBApiKey: 'canary-of-the-provider',
    providerBFormality: 'less',
  })
  const done = await client.jobs.wait(job.jobId, { intervalMs: 10 })
  expect(done.metadata?.translationProvider).toBe('PROVIDER_B')
  expect((await client.jobs.list())[0]?.metadata?.translationProvider).toBe('PROVIDER_B')
  expect(provider.asked).toMatchObject([{ glossaryId: 'g', apiKey: 'canary-of-the-provider', formality: 'less' }])
})

test('a provider that the names do not hold is passed through', async () => {
  const { service, project } = await setUp({ names: { PROVIDER_B: 'ANOTHER' } })
  const client = createClient({ baseUrl: service.baseUrl, apiKey: project.apiKey, names: { PROVIDER_A: 'X' } })
  whenOver(() => client.close())
  const { body } = await project.api('POST', START, { ...TARGET, translationProvider: 'ANOTHER' })
  expect((await client.jobs.get(body.data.jobId)).metadata?.translationProvider).toBe('ANOTHER')
})

test('names that could not be told apart are refused by both', async () => {
  const names = { PROVIDER_A: 'X', PROVIDER_B: 'X' }
  await expect(createLocalService({ names })).rejects.toMatchObject({ code: 'SERVICE_START' })
  expect(() => createClient({ names })).toThrow('`service.names` has the name "X" twice')
})
