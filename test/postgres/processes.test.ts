/** Several processes of the local service on one database. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LocalService, LocalServiceOptions, TranslationProvider } from '../../src/service.ts'
import { createLocalService } from '../../src/service.ts'
import { repository } from '../helpers/bundlers.ts'
import { whenOver } from '../helpers/closing.ts'
import { holdFirstPublish } from '../helpers/held-publish.ts'
import { emptySchema } from '../helpers/postgres.ts'
import { type Answer, createProject, projectOf, request, type TestProject, waitFor } from '../helpers/service.ts'
import { spawnService } from '../helpers/service-process.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''

/** A service in this process, which may stand for another one. */
async function start(databaseUrl: string, options: LocalServiceOptions = {}): Promise<LocalService> {
  const service = await createLocalService({ databaseUrl, languages: ['pl'], ...options })
  whenOver(() => service.close())
  return service
}

/** The database as somebody else uses it. */
async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const setTitle = (project: TestProject, value: string) =>
  project.api('PATCH', '/api/v2/translations', { key: 'title', language: 'en', text: value })

describe('start and upgrade', () => {
  test('processes that start at the same time make the tables once, whatever they declare', async () => {
    const databaseUrl = await emptySchema(server)
    const declared = [{ customers: ['acme'] }, { environments: ['staging'] }, { languages: ['de', 'pl'] }]
    const first = await Promise.all(declared.map((options) => start(databaseUrl, options)))
    const projects = await Promise.all(first.map((service, i) => createProject(service, `project ${i}`)))
    await Promise.all(declared.map((options) => start(databaseUrl, options)))
    for (const { get } of projects) {
      const { languages, customers, environments } = (await get('/api/v2/project')).body.data
      expect(languages.map(({ key }: { key: string }) => key).sort()).toEqual(['de', 'en', 'pl'])
      expect(languages.map(({ order }: { order: number }) => order)).toEqual([0, 1, 2])
      expect(customers).toEqual([{ key: 'acme', description: '' }])
      expect(environments.map(({ key }: { key: string }) => key).sort()).toEqual(['_latest', '_production', 'staging'])
    }
  })

  test('when a later release changes the tables, a process that runs writes no more; the change waits for its writes', async () => {
    const databaseUrl = await emptySchema(server)
    const project = await createProject(await start(databaseUrl))
    await project.import({ en: { title: 'Title' } })
    const [other, migration] = [await connect(databaseUrl), await connect(databaseUrl)]
    await other.query('BEGIN; SELECT * FROM translations FOR UPDATE')
    const waiting = setTitle(project, 'written before')
    const migrate = () => migration.query('BEGIN; LOCK TABLE meta IN ACCESS EXCLUSIVE MODE NOWAIT')
    const refused = await waitFor(
      () => migrate().then(() => migration.query('ROLLBACK'), String),
      (result) => typeof result === 'string',
    )
    expect(refused).toContain('could not obtain lock')
    await migration.query('ROLLBACK')
    await other.query('COMMIT')
    expect((await waiting).status).toBe(200)

    await migrate()
    const late = setTitle(project, 'written after')
    await migration.query("UPDATE meta SET value = '99' WHERE name = 'schema'; COMMIT")
    const { status, body } = await late
    expect([status, body.code]).toEqual([503, 'DATABASE_UPGRADED'])
    expect(body.msg).toMatch(/version 99, .* version \d+/)
    const read = await project.get('/api/v2/translations?language=en')
    expect(read.body.data).toMatchObject([{ text: 'written before' }])
  })
})

describe('publish', () => {
  const setUp = async (options: LocalServiceOptions) => {
    const databaseUrl = await emptySchema(server)
    const [first, second] = [await start(databaseUrl, options), await start(databaseUrl)]
    const project = await createProject(first)
    await project.import({ en: { title: 'Title' } })
    return { databaseUrl, first, second, project, elsewhere: projectOf(second, project) }
  }

  test('one at a time for each project: another process gets 409, or waits where it is asked to', async () => {
    const { duringPublish, started, end } = holdFirstPublish()
    const { first, project, elsewhere, second } = await setUp({ duringPublish })
    const other = await createProject(first)
    const publish = project.publish()
    await started()
    expect((await elsewhere.publish()).status).toBe(409)
    expect((await projectOf(second, other).publish()).status).toBe(200)
    const options = 'importOptions=REPLACE_TRANSLATION_IF_FOUND&importOptions=PUBLISH_AFTER_IMPORT'
    const imported = elsewhere.import({ en: { title: 'New title' } }, `uploadFormat=multi-language-json&${options}`)
    await waitFor(
      () => project.export(),
      ({ en }) => en.title === 'New title',
    )
    end()
    expect((await publish).status).toBe(200)
    await imported
    expect((await project.hosted('en')).body).toEqual({ title: 'New title' })
    expect((await elsewhere.publish()).status).toBe(200)
  })

  test('publishes of many projects leave connections to other requests', async () => {
    let end = () => {}
    const held = new Promise<void>((resolve) => {
      end = resolve
    })
    const { first, project } = await setUp({ duringPublish: () => held })
    const projects = await Promise.all(Array.from({ length: 25 }, () => createProject(first)))
    const publishes = Promise.all(projects.map((one) => one.publish()))
    for (let i = 0; i < 5; i++) expect((await setTitle(project, `title ${i}`)).status).toBe(200)
    end()
    expect((await publishes).map(({ status }) => status)).toEqual(projects.map(() => 200))
  })

  /** Resolves when a publish of the project runs in its process: publishes of `elsewhere` get 409. */
  const startPublish = async (project: TestProject, elsewhere: TestProject) => {
    for (;;) {
      let answer: Answer | undefined
      const publish = project.publish().then(
        (given) => {
          answer = given
          return given.status
        },
        () => 'no answer',
      )
      await waitFor(
        () => answer ?? elsewhere.publish(),
        ({ status }) => status === 409 || answer !== undefined,
      )
      // Answered: a publish of `elsewhere` was faster.
      if (!answer) return { ended: publish }
    }
  }

  test('a process that is killed frees its publish', async () => {
    const { databaseUrl, project: elsewhere } = await setUp({})
    const killed = await spawnService({ databaseUrl, holdPublishes: true })
    const { ended } = await startPublish(projectOf(killed, elsewhere), elsewhere)
    expect((await elsewhere.publish()).status).toBe(409)
    await killed.end('SIGKILL')
    expect(await ended).toBe('no answer')
    await waitFor(
      () => elsewhere.publish(),
      ({ status }) => status === 200,
    )
  })
})

/** Machine translation that keeps what it was asked, and answers when `isOpen` says so. */
async function startProvider() {
  const asked: string[][] = []
  const held: (() => void)[] = []
  const state = { isOpen: (_texts: readonly string[]): boolean => true }
  const answer = (texts: readonly string[], response: ServerResponse) =>
    response.end(
      JSON.stringify({ data: { translations: texts.map((source) => ({ translatedText: `${source} po polsku` })) } }),
    )
  const listener = createServer(async (incoming, response) => {
    const { q } = JSON.parse(await text(incoming)) as { q: string[] }
    asked.push(q)
    if (state.isOpen(q)) answer(q, response)
    else held.push(() => answer(q, response))
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    listener.closeAllConnections()
    listener.close()
  })
  const address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    providers: { PROVIDER_A: { address, apiKey: 'key', timeoutMs: 600_000 } },
    asked,
    state,
    answerHeld: () => held.splice(0).map((send) => send()),
  }
}

const KEYS = Array.from({ length: 170 }, (_, i) => `k${String(i).padStart(3, '0')}`)
const SOURCES = Object.fromEntries(KEYS.map((key) => [key, `text ${key}`]))
const CHARACTERS = Object.values(SOURCES).join('').length
const JOB = { translationProvider: 'PROVIDER_A', targetProjectLanguage: 'pl', targetLanguage: 'pl' }
const DONE = { state: 'SUCCESS', progress: 1, message: `translated 170 texts (chars: ${CHARACTERS})` }
const TRANSLATED = Object.fromEntries(KEYS.map((key) => [key, `text ${key} po polsku`]))

async function startJob(project: TestProject, request: object = { options: ['FORCE_REPLACE'] }): Promise<string> {
  const { status, body } = await project.api('POST', '/api/v1/jobs/auto-translate', { ...JOB, ...request })
  expect(status).toBe(200)
  return body.data.jobId
}

const jobOf = async (project: TestProject, id: string) => (await project.get(`/api/v1/jobs/${id}`)).body.data

const ended = (project: TestProject, id: string) =>
  waitFor(
    () => jobOf(project, id),
    ({ state }) => ['SUCCESS', 'FAILED'].includes(state),
  )

describe('jobs', () => {
  /** A job whose third batch is with the provider. `startFirst` starts the process that has the job. */
  const setUp = async <T extends Pick<LocalService, 'baseUrl' | 'cdnUrl' | 'personalToken'>>(
    startFirst: (options: LocalServiceOptions) => Promise<T>,
  ) => {
    const databaseUrl = await emptySchema(server)
    const provider = await startProvider()
    provider.state.isOpen = (texts) => !texts.includes('text k100')
    const options = { databaseUrl, languages: ['pl'], providers: provider.providers }
    const first = await startFirst(options)
    const project = await createProject(first)
    await project.import({ en: SOURCES })
    const id = await startJob(project)
    const half = await waitFor(
      () => provider.asked,
      ({ length }) => length === 3,
    )
    const startSecond = async (more: LocalServiceOptions = {}) =>
      projectOf(await start(databaseUrl, { ...options, ...more }), project)
    return { databaseUrl, provider, first, project, id, half, startSecond }
  }

  test('another process goes on with the job of a killed one: only the batch that was not kept is translated again', async () => {
    const { databaseUrl, provider, first, id, startSecond } = await setUp(spawnService)
    const elsewhere = await startSecond()
    await first.end('SIGKILL')
    provider.state.isOpen = () => true
    await (await connect(databaseUrl)).query("UPDATE jobs SET lease_until = '2000'")
    expect(await ended(elsewhere, id)).toMatchObject(DONE)
    expect(provider.asked.flat().sort()).toEqual([...KEYS, ...KEYS.slice(100, 150)].map((key) => `text ${key}`).sort())
    expect((await elsewhere.export()).pl).toEqual(TRANSLATED)
  })

  test('a process that was paused for longer than its lease writes nothing any more', async () => {
    const { databaseUrl, provider, first, project, id, startSecond } = await setUp(spawnService)
    const elsewhere = await startSecond()
    process.kill(first.pid, 'SIGSTOP')
    provider.state.isOpen = () => true
    await (await connect(databaseUrl)).query("UPDATE jobs SET lease_until = '2000'")
    expect(await ended(elsewhere, id)).toMatchObject(DONE)
    await elsewhere.api('PATCH', '/api/v2/translations', { key: 'k100', language: 'pl', text: 'by hand' })
    provider.answerHeld()
    const asked = provider.asked.length
    process.kill(first.pid, 'SIGCONT')
    expect(await jobOf(project, id)).toMatchObject(DONE)
    expect(await first.end('SIGTERM')).toBe(0)
    expect(provider.asked).toHaveLength(asked)
    expect((await elsewhere.export()).pl).toEqual({ ...TRANSLATED, k100: 'by hand' })
    expect(await jobOf(elsewhere, id)).toMatchObject(DONE)
  })

  test('a translation that comes after the job was lost is not written', async () => {
    const { databaseUrl, provider, first, project, id } = await setUp((options) =>
      start(options.databaseUrl ?? '', options),
    )
    await (await connect(databaseUrl)).query("UPDATE jobs SET owner = 'other', lease_until = '9999'")
    provider.state.isOpen = () => true
    provider.answerHeld()
    await first.close()
    const elsewhere = projectOf(await start(databaseUrl), project)
    expect(Object.keys((await elsewhere.export()).pl)).toEqual(KEYS.slice(0, 100))
    expect(await jobOf(elsewhere, id)).toMatchObject({ state: 'RUNNING' })
    expect(provider.asked).toHaveLength(3)
  })

  test('a process that ends hands its jobs over at once; a job that came with a key fails and says so', async () => {
    const silent: TranslationProvider = {
      translate: (_texts, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    }
    const { first, provider, project, id, startSecond } = await setUp(({ databaseUrl = '', providers, ...options }) =>
      start(databaseUrl, { ...options, providers: { ...providers, PROVIDER_B: silent } }),
    )
    const withKey = await startJob(project, { translationProvider: 'PROVIDER_B', providerBApiKey: 'secret' })
    const elsewhere = await startSecond({ providers: { ...provider.providers, PROVIDER_B: silent } })
    provider.state.isOpen = () => true
    await first.close()
    expect(await ended(elsewhere, id)).toMatchObject(DONE)
    expect(await ended(elsewhere, withKey)).toMatchObject({
      state: 'FAILED',
      message: expect.stringContaining('provider key is not stored, so start the job again.'),
    })
  })

  test('a job whose processes die one after the other fails', async () => {
    const { databaseUrl, first, id, startSecond } = await setUp((options) => start(options.databaseUrl ?? '', options))
    await first.close()
    const client = await connect(databaseUrl)
    await client.query("UPDATE jobs SET owner = 'dead', lease_until = '2000', takeovers = 4")
    const elsewhere = await startSecond()
    expect(await ended(elsewhere, id)).toMatchObject({
      state: 'FAILED',
      message: expect.stringMatching(/^5 processes/),
    })
    expect(Object.keys((await elsewhere.export()).pl)).toEqual(KEYS.slice(0, 100))
  })
})

test.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])('a process whose clock is an hour %s writes the time of the database, and its leases end', async (_, shift) => {
  const databaseUrl = await emptySchema(server)
  const provider = await startProvider()
  const options = { databaseUrl, languages: ['pl'], providers: provider.providers }
  const preload = pathToFileURL(join(repository, 'test/helpers/shifted-clock.mjs'))
  const shifted = await spawnService(options, ['env', `NODE_OPTIONS=--import ${preload}`, `CLOCK_SHIFT_MS=${shift}`])
  const there = await createProject(shifted)
  const here = projectOf(await start(databaseUrl, options), there)
  await there.import({ en: { title: 'Title' } })
  const times: string[] = []
  for (const [i, project] of [here, there, here, there].entries()) {
    const { body } = await setTitle(project, `title ${i}`)
    expect(body.status).toBe(200)
    times.push((await project.get('/api/v2/translations?language=en')).body.data[0].lastModifiedAt)
    if (i === 1) process.kill(shifted.pid, 'SIGUSR2')
  }
  for (const time of times) expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(600_000)
  expect(times.toSorted()).toEqual(times)

  provider.state.isOpen = () => false
  const id = await startJob(there)
  await waitFor(
    () => provider.asked,
    ({ length }) => length === 1,
  )
  const client = await connect(databaseUrl)
  const { rows } = await client.query(
    'SELECT extract(epoch FROM lease_until::timestamptz - clock_timestamp())::float AS seconds FROM jobs',
  )
  expect(rows[0].seconds).toBeLessThan(16)
  expect(rows[0].seconds).toBeGreaterThan(0)
  await shifted.end('SIGKILL')
  provider.state.isOpen = () => true
  expect(await ended(here, id)).toMatchObject({ state: 'SUCCESS', message: 'translated 1 texts (chars: 7)' })
})

test('a rate limit counts the requests to all processes', async () => {
  const databaseUrl = await emptySchema(server)
  let now = Date.now()
  const options = { rateLimit: { requestsPerMinute: 60, burst: 10 }, now: () => now }
  const services = [await start(databaseUrl, options), await start(databaseUrl, options)]
  const [first, second] = services.map((service) => (key: string) => {
    return request(`${service.baseUrl}/api/v1/jobs`, { headers: { 'X-Service-Token': key } })
  })
  const ask = async (count: number) => {
    const asked = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? first : second)?.('unknown'))
    return (await Promise.all(asked)).map((answer) => answer?.status === 429)
  }
  expect((await ask(30)).filter((isRefused) => !isRefused)).toHaveLength(10)
  const refused = await second?.('unknown')
  expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT' } })
  expect(refused?.headers.get('retry-after')).toBe('1')
  now += 3000
  expect((await ask(10)).filter((isRefused) => !isRefused)).toHaveLength(3)
  // Full buckets do not pile up.
  const client = await connect(databaseUrl)
  await client.query("INSERT INTO rate_limits SELECT 'address ' || i, 1, 0, 0 FROM generate_series(1, 1000) i")
  now += 120_000
  expect((await ask(2)).filter((isRefused) => !isRefused)).toHaveLength(2)
  expect((await client.query('SELECT subject FROM rate_limits')).rows).toHaveLength(1)
})

test('open pages of one process hear of what another one writes', async () => {
  const databaseUrl = await emptySchema(server)
  const [first, second] = [await start(databaseUrl), await start(databaseUrl)]
  const project = await createProject(first)
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const headers = { 'x-localization-token': second.personalToken, origin: second.baseUrl }
  const { body } = await fetch(`${second.baseUrl}/__localization/api/events`, { headers, signal: stop.signal })
  let heard = ''
  const listen = async () => {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) heard += Buffer.from(chunk).toString()
  }
  void listen().catch(() => {})
  for (let i = 0; i < 2; i++) {
    heard = ''
    await project.import({ en: { [`key${i}`]: 'x' } })
    await expect.poll(() => heard).toContain('change')
  }
})

test('requests to each process see what the others wrote', async () => {
  const databaseUrl = await emptySchema(server)
  const [first, second] = [await start(databaseUrl), await start(databaseUrl)]
  const project = await createProject(first)
  const elsewhere = projectOf(second, project)
  const keysOf = async ({ baseUrl, personalToken: authorization }: LocalService) =>
    (await request(`${baseUrl}/api/v2/projects`, { headers: { authorization } })).body.data[0].keys
  for (let i = 0; i < 4; i++) {
    const [writer, reader] = i % 2 === 0 ? [project, second] : [elsewhere, first]
    expect(await keysOf(reader)).toBe(i)
    expect((await projectOf(reader, project).get('/api/v2/translations?page=0&size=10')).body.data).toHaveLength(i)
    await writer.import({ en: { [`key${i}`]: 'x' } })
  }
})
