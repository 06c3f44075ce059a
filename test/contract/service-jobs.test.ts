/** Contract: Auto-translate jobs, Resource Job, States and transitions. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LocalService, TranslationProvider } from '../../src/service.ts'
import { holdFirstPublish } from '../helpers/held-publish.ts'
import { createProject, DRIVERS, shareService, startService, type TestProject, waitFor } from '../helpers/service.ts'
import { tempFolder } from '../helpers/temp.ts'

const START = '/api/v1/jobs/auto-translate'
const TO_POLISH = { translationProvider: 'PROVIDER_A', targetProjectLanguage: 'pl', targetLanguage: 'pl' }

/** Upper case, so that a translation is seen; keeps what it was asked. */
function upperCase(): TranslationProvider & { calls: { texts: readonly string[]; options: object }[] } {
  const calls: { texts: readonly string[]; options: object }[] = []
  return {
    calls,
    translate: async (texts, { signal: _, ...options }) => {
      calls.push({ texts, options })
      return texts.map((text) => text.toUpperCase())
    },
  }
}

async function finished(project: TestProject, jobId: string) {
  const { body } = await waitFor(
    () => project.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => ['SUCCESS', 'FAILED'].includes(body.data.state),
  )
  return body.data
}

async function runJob(project: TestProject, request: object) {
  const { body, status } = await project.api('POST', START, request)
  expect(status).toBe(200)
  return finished(project, body.data.jobId)
}

describe.each(DRIVERS)('auto-translate jobs on %s', (driver) => {
  const setUp = async (options = {}): Promise<{ service: LocalService; project: TestProject }> => {
    const service = await shareService({ driver, languages: ['pl'], ...options })
    const project = await createProject(service)
    await project.import({ en: { bye: 'bye {name}', hello: 'hello', empty: '' }, pl: { bye: 'pa' } })
    return { service, project }
  }
  const polish = async (project: TestProject) => (await project.export()).pl

  test('Start job: answers state STARTED, progress 0.01, message OK and empty metadata', async () => {
    const { project } = await setUp()
    const { status, body } = await project.api('POST', START, TO_POLISH)
    expect(status).toBe(200)
    expect(body).toEqual({
      msg: 'OK',
      status: 200,
      data: {
        jobId: expect.any(String),
        progress: 0.01,
        state: 'STARTED',
        started: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        message: 'OK',
        metadata: {},
      },
    })
    await finished(project, body.data.jobId)
  })

  test('Get job status: SUCCESS, progress 1, the summary, and the seven metadata fields', async () => {
    const provider = upperCase()
    const { project } = await setUp({ providers: { PROVIDER_A: provider } })
    const job = await runJob(project, { ...TO_POLISH, sourceProjectLanguage: 'en', sourceLanguage: 'en', options: [] })
    expect(job).toEqual({
      jobId: expect.any(String),
      progress: 1,
      state: 'SUCCESS',
      started: expect.any(String),
      message: 'translated 1 texts (chars: 5)',
      metadata: {
        targetProjectLanguage: 'pl',
        targetLanguage: 'pl',
        sourceType: 'API',
        options: '',
        translationProvider: 'PROVIDER_A',
        sourceProjectLanguage: 'en',
        sourceLanguage: 'en',
      },
    })
    expect(await polish(project)).toEqual({ bye: 'pa', hello: 'HELLO' })
    expect(provider.calls).toEqual([{ texts: ['hello'], options: { sourceLanguage: 'en', targetLanguage: 'pl' } }])
  })

  test('List jobs: every job of the project, the latest first', async () => {
    const { service, project } = await setUp()
    const first = await runJob(project, TO_POLISH)
    const second = await runJob(project, { ...TO_POLISH, options: ['FORCE_REPLACE', 'USE_TRANSLATION_KEYS'] })
    const { body } = await project.get('/api/v1/jobs')
    expect(body).toMatchObject({ msg: 'OK', status: 200 })
    expect(body.data).toEqual([second, first])
    expect(body.data[0].metadata.options).toBe('FORCE_REPLACE,USE_TRANSLATION_KEYS')
    expect((await (await createProject(service)).get('/api/v1/jobs')).body.data).toEqual([])
    expect(await (await createProject(service)).get(`/api/v1/jobs/${first.jobId}`)).toMatchObject({
      status: 404,
      body: { code: 'JOB_NOT_FOUND' },
    })
  })

  test('option USE_TRANSLATION_KEYS: the key is the source where there is no text', async () => {
    const { project } = await setUp({ providers: { PROVIDER_A: upperCase() } })
    expect((await runJob(project, { ...TO_POLISH, options: ['USE_TRANSLATION_KEYS'] })).message).toBe(
      'translated 2 texts (chars: 10)',
    )
    expect(await polish(project)).toEqual({ bye: 'pa', empty: 'EMPTY', hello: 'HELLO' })
  })

  test('option FORCE_REPLACE: everything is translated and replaced', async () => {
    const { project } = await setUp({ providers: { PROVIDER_A: upperCase() } })
    await runJob(project, { ...TO_POLISH, options: ['FORCE_REPLACE'] })
    expect(await polish(project)).toEqual({ bye: 'BYE {NAME}', hello: 'HELLO' })
  })

  test('option AUTO_PUBLISH: publishes to _latest after success', async () => {
    const { project } = await setUp({ providers: { PROVIDER_A: upperCase() } })
    await runJob(project, TO_POLISH)
    expect((await project.hosted('pl')).status).toBe(404)
    await runJob(project, { ...TO_POLISH, options: ['AUTO_PUBLISH'] })
    expect((await project.hosted('pl')).body).toEqual({ bye: 'pa', hello: 'HELLO' })
  })

  test('option AUTO_PUBLISH waits for a publish that is running', async () => {
    const { duringPublish, started, end } = holdFirstPublish()
    const { project } = await setUp({ duringPublish })
    const running = project.publish()
    await started()
    const job = runJob(project, { ...TO_POLISH, options: ['AUTO_PUBLISH'] })
    await waitFor(
      async () => (await project.export()).pl,
      (polish) => 'hello' in polish,
    )
    expect((await project.hosted('pl')).text).not.toContain('hello')
    end()
    expect((await running).status).toBe(200)
    expect((await job).state).toBe('SUCCESS')
    expect((await project.hosted('pl')).body).toHaveProperty('hello')
  })

  test('without a configured provider the texts are pseudo-localized, and the message says so', async () => {
    const { project } = await setUp()
    const job = await runJob(project, { ...TO_POLISH, options: ['FORCE_REPLACE'] })
    expect(job.message).toBe('translated 2 texts (chars: 15); pseudo-localized: no provider is configured')
    expect(await polish(project)).toEqual({ bye: '[ƀýé {name}]', hello: '[ĥéļļö]' })
  })

  test.each([
    ['translationProvider is required', { targetProjectLanguage: 'pl', targetLanguage: 'pl' }],
    ['translationProvider is one of two', { ...TO_POLISH, translationProvider: 'PROVIDER_C' }],
    ['targetProjectLanguage is required', { translationProvider: 'PROVIDER_A', targetLanguage: 'pl' }],
    ['targetLanguage is required', { translationProvider: 'PROVIDER_A', targetProjectLanguage: 'pl' }],
    ['targetProjectLanguage is a language of the project', { ...TO_POLISH, targetProjectLanguage: 'xx' }],
    ['sourceProjectLanguage is a language of the project', { ...TO_POLISH, sourceProjectLanguage: 'xx' }],
    ['options is always an array', { ...TO_POLISH, options: 'FORCE_REPLACE' }],
    ['options are three', { ...TO_POLISH, options: ['OTHER'] }],
    [
      'providerBFormality is default, more or less',
      { ...TO_POLISH, translationProvider: 'PROVIDER_B', providerBFormality: 'most' },
    ],
    [
      'providerBGlossaryId requires providerBApiKey',
      { ...TO_POLISH, translationProvider: 'PROVIDER_B', providerBGlossaryId: 'g', sourceLanguage: 'EN' },
    ],
    [
      'providerBGlossaryId requires sourceLanguage',
      { ...TO_POLISH, translationProvider: 'PROVIDER_B', providerBGlossaryId: 'g', providerBApiKey: 'k' },
    ],
  ])('Start job: %s', async (_rule, body) => {
    const { project } = await setUp()
    expect((await project.api('POST', START, body)).status).toBe(400)
    expect((await project.get('/api/v1/jobs')).body.data).toEqual([])
  })

  test('charactersLimit: a translation that is too long is left out, and the message says so', async () => {
    const { project } = await setUp({ providers: { PROVIDER_A: upperCase() } })
    await project.api('POST', '/api/v1/translation-keys', { key: 'short', charactersLimit: 2 })
    await project.api('PATCH', '/api/v2/translations', { key: 'short', language: 'en', text: 'ßß' })
    const job = await runJob(project, TO_POLISH)
    expect(job.message).toBe('translated 1 texts (chars: 5); 1 left out: longer than their key allows')
    expect(await polish(project)).not.toHaveProperty('short')
  })

  test('a text that a person writes while the job runs is kept', async () => {
    let answer = () => {}
    const waiting = new Promise<void>((resolve) => {
      answer = resolve
    })
    const provider: TranslationProvider = {
      async translate(texts) {
        await waiting
        return texts.map(() => 'by machine')
      },
    }
    const { project } = await setUp({ providers: { PROVIDER_A: provider } })
    const { body } = await project.api('POST', START, TO_POLISH)
    await waitFor(
      () => project.get(`/api/v1/jobs/${body.data.jobId}`),
      (status) => status.body.data.state === 'RUNNING',
    )
    await project.api('PATCH', '/api/v2/translations', { key: 'hello', language: 'pl', text: 'by hand' })
    answer()
    expect((await finished(project, body.data.jobId)).message).toBe('translated 0 texts (chars: 0)')
    expect(await polish(project)).toMatchObject({ hello: 'by hand' })
  })

  test('a key that takes the place of a deleted one while the job runs gets no text', async () => {
    let answer = () => {}
    const waiting = new Promise<void>((resolve) => {
      answer = resolve
    })
    const provider: TranslationProvider = {
      async translate(texts) {
        await waiting
        return texts.map((text) => `by machine: ${text}`)
      },
    }
    const { project } = await setUp({ providers: { PROVIDER_A: provider } })
    await project.import({ en: { last: 'Last' } })
    const { body } = await project.api('POST', START, TO_POLISH)
    await waitFor(
      () => project.get(`/api/v1/jobs/${body.data.jobId}`),
      (status) => status.body.data.state === 'RUNNING',
    )
    await project.api('DELETE', '/api/v1/translation-keys?key=last')
    await project.import({ en: { other: 'Other' } })
    answer()
    await finished(project, body.data.jobId)
    expect(await polish(project)).not.toHaveProperty('other')
  })

  test('progress grows from 0.01 to 1 while batches come in', async () => {
    const seen: number[] = []
    let project: TestProject | undefined
    const provider: TranslationProvider = {
      async translate(texts) {
        const { body } = (await project?.get('/api/v1/jobs')) ?? { body: undefined }
        seen.push(body.data[0].progress)
        return texts
      },
    }
    ;({ project } = await setUp({ providers: { PROVIDER_A: provider } }))
    const many = Object.fromEntries(Array.from({ length: 199 }, (_, i) => [`k${i}`, 'x']))
    await project.import({ en: many })
    const job = await runJob(project, TO_POLISH)
    expect(job.progress).toBe(1)
    expect(seen).toEqual([0.01, 0.25, 0.5, 0.75])
  })

  test('a failing provider fails the job, says why, and keeps what was translated', async () => {
    let calls = 0
    const provider: TranslationProvider = {
      async translate(texts) {
        if (calls++ > 0) throw new Error('out of credit for my-secret-key')
        return texts.map(() => 'translated')
      },
    }
    const { project } = await setUp({ providers: { PROVIDER_B: provider } })
    await project.import({ en: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, 'x'])) })
    const job = await runJob(project, {
      ...TO_POLISH,
      translationProvider: 'PROVIDER_B',
      providerBApiKey: 'my-secret-key',
    })
    expect(job).toMatchObject({ state: 'FAILED', message: 'The translation failed: out of credit for ***' })
    expect(Object.values(await polish(project)).filter((text) => text === 'translated')).toHaveLength(50)
  })

  test.skipIf(driver === 'postgres')('providerBApiKey is never in an answer and never on disk', async () => {
    const key = 'canary-provider-key-1234567890'
    const dataDir = await tempFolder()
    const provider = upperCase()
    const { service, project } = await setUp({ dataDir, providers: { PROVIDER_B: provider } })
    const request = {
      ...TO_POLISH,
      translationProvider: 'PROVIDER_B',
      providerBApiKey: key,
      providerBFormality: 'more',
    }
    const started = await project.api('POST', START, request)
    const job = await finished(project, started.body.data.jobId)
    const listed = await project.get('/api/v1/jobs')
    expect(provider.calls[0]?.options).toMatchObject({ apiKey: key, formality: 'more' })
    expect(started.text + JSON.stringify(job) + listed.text).not.toContain(key)
    const files = (await readdir(dataDir, { recursive: true })).filter((name) => name.startsWith('service.sqlite'))
    for (const name of files) {
      const path = join(dataDir, name)
      if ((await stat(path)).isFile()) expect((await readFile(path)).includes(key), name).toBe(false)
    }
    expect(files).toEqual(expect.arrayContaining(['service.sqlite', expect.stringMatching(/-wal$/)]))
    await service.close()
    expect((await readFile(join(dataDir, 'service.sqlite'))).includes(key)).toBe(false)
  })

  test('a job goes on after a restart; one that came with a provider key fails and says so', async () => {
    const dataDir = await tempFolder()
    const never: TranslationProvider = {
      translate: (texts, { signal }) =>
        texts.includes('k0')
          ? Promise.resolve(texts.map((text) => text.toUpperCase()))
          : new Promise((_, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason))
            }),
    }
    const { service, project } = await setUp({ dataDir, providers: { PROVIDER_A: never, PROVIDER_B: never } })
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`a${String(i).padStart(3, '0')}`, `k${i}`]))
    await project.import({ en: many })
    const { body } = await project.api('POST', START, TO_POLISH)
    const withKey = await project.api('POST', START, {
      ...TO_POLISH,
      translationProvider: 'PROVIDER_B',
      providerBApiKey: 'x',
    })
    await waitFor(
      () => project.get(`/api/v1/jobs/${body.data.jobId}`),
      (status) => status.body.data.progress > 0.01,
    )
    await service.close()

    const provider = upperCase()
    const again = await startService({ driver, dataDir, providers: { PROVIDER_A: provider, PROVIDER_B: provider } })
    const ask = async (jobId: string) => {
      const response = await fetch(`${again.baseUrl}/api/v1/jobs/${jobId}`, {
        headers: { 'X-Service-Token': project.apiKey },
      })
      return ((await response.json()) as { data: { state: string; message: string } }).data
    }
    const job = await waitFor(
      () => ask(body.data.jobId),
      ({ state }) => state === 'SUCCESS',
    )
    expect(job.message).toMatch(/^translated 121 texts \(chars: \d+\)$/)
    // Only what was left went to the provider again.
    expect(provider.calls.flatMap(({ texts }) => texts)).toHaveLength(71)
    expect(await ask(withKey.body.data.jobId)).toMatchObject({
      state: 'FAILED',
      message: expect.stringMatching(/restarted/),
    })
  })
})

describe('providers over HTTP', () => {
  const fakeProvider = async (
    answer: (request: {
      path: string
      body: never
      headers: NodeJS.Dict<string | string[]>
    }) => [number, unknown, Record<string, string>?],
  ) => {
    const requests: { path: string; body: unknown; headers: NodeJS.Dict<string | string[]> }[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const seen = {
          path: request.url ?? '',
          body: (text ? JSON.parse(text) : undefined) as never,
          headers: request.headers,
        }
        requests.push(seen)
        const [status, body, headers] = answer(seen)
        response.writeHead(status, { 'content-type': 'application/json', ...headers })
        response.end(JSON.stringify(body))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
  }
  const setUp = async (providers: object) => {
    const project = await createProject(await startService({ languages: ['pl'], providers }))
    await project.import({ en: { hello: 'hello' } })
    return project
  }

  test('PROVIDER_A: its request, its key in the header, retried when it is busy', async () => {
    let calls = 0
    const { address, requests } = await fakeProvider(() =>
      calls++ === 0
        ? [429, {}, { 'retry-after': '0' }]
        : [200, { data: { translations: [{ translatedText: 'cześć' }] } }],
    )
    const project = await setUp({ PROVIDER_A: { address, apiKey: 'a-key', header: { name: 'X-Key', value: '{key}' } } })
    const job = await runJob(project, { ...TO_POLISH, sourceLanguage: 'en' })
    expect(job).toMatchObject({ state: 'SUCCESS', message: 'translated 1 texts (chars: 5)' })
    expect(requests).toHaveLength(2)
    expect(requests[1]).toMatchObject({
      path: '/',
      headers: { 'x-key': 'a-key' },
      body: { q: ['hello'], source: 'en', target: 'pl', format: 'text' },
    })
    expect((await project.export()).pl).toEqual({ hello: 'cześć' })
  })

  test("PROVIDER_B: glossary and formality; the glossary's language pair must be the request's", async () => {
    const { address, requests } = await fakeProvider(({ path }) => {
      if (path === '/v2/glossaries/good') return [200, { source_lang: 'en', target_lang: 'pl' }]
      if (path === '/v2/glossaries/other') return [200, { source_lang: 'en', target_lang: 'de' }]
      if (path === '/v2/translate') return [200, { translations: [{ text: 'witaj' }] }]
      return [404, {}]
    })
    const project = await setUp({ PROVIDER_B: { address } })
    const request = {
      translationProvider: 'PROVIDER_B',
      targetProjectLanguage: 'pl',
      targetLanguage: 'PL',
      sourceLanguage: 'EN-GB',
      providerBApiKey: 'b-key',
      providerBFormality: 'less',
    }
    const refused = await project.api('POST', START, { ...request, providerBGlossaryId: 'other' })
    expect(refused).toMatchObject({ status: 400, body: { msg: 'The glossary translates en to de, not EN-GB to PL.' } })
    expect((await project.api('POST', START, { ...request, providerBGlossaryId: 'missing' })).status).toBe(400)
    expect(requests.some(({ path }) => path === '/v2/translate')).toBe(false)
    expect((await runJob(project, { ...request, providerBGlossaryId: 'good' })).state).toBe('SUCCESS')
    expect(requests.at(-1)).toMatchObject({
      path: '/v2/translate',
      headers: { authorization: 'Bearer b-key' },
      body: { text: ['hello'], source_lang: 'EN-GB', target_lang: 'PL', glossary_id: 'good', formality: 'less' },
    })
  })

  test('wrong answers fail the job with a message, without the key', async () => {
    const { address } = await fakeProvider(() => [403, { error: 'key a-key is not valid' }])
    const project = await setUp({ PROVIDER_A: { address, apiKey: 'a-key' } })
    expect(await runJob(project, TO_POLISH)).toMatchObject({
      state: 'FAILED',
      message: 'PROVIDER_A returned status 403.',
    })
    const short = await fakeProvider(() => [200, { data: { translations: [] } }])
    const other = await setUp({ PROVIDER_A: { address: short.address, apiKey: 'k' } })
    expect(await runJob(other, TO_POLISH)).toMatchObject({
      state: 'FAILED',
      message: 'PROVIDER_A did not return one translation per text.',
    })
    const keyless = await setUp({ PROVIDER_B: { address } })
    expect((await runJob(keyless, { ...TO_POLISH, translationProvider: 'PROVIDER_B' })).message).toMatch(/has no key/)
  })
})
