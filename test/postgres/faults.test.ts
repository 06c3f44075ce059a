/** What goes wrong with PostgreSQL while the service runs: each has a limit in time and a clear answer. */
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/service/store/postgres-open.ts'
import { createLocalService } from '../../src/service.ts'
import { repository } from '../helpers/bundlers.ts'
import { whenOver } from '../helpers/closing.ts'
import { emptySchema } from '../helpers/postgres.ts'
import { type Answer, createProject, projectOf, type TestProject, waitFor } from '../helpers/service.ts'
import { spawnService } from '../helpers/service-process.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'
import { listen } from '../helpers/throwaway-server.ts'

const SHIFTED_CLOCK = pathToFileURL(join(repository, 'test/helpers/shifted-clock.mjs')).href
const server = process.env.TEST_POSTGRES_URL ?? ''

async function start(databaseUrl: string) {
  const service = await createLocalService({ databaseUrl })
  whenOver(() => service.close())
  return service
}

/** A connection beside the service. */
async function connectBeside(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  whenOver(() => client.end())
  return client
}

const set = (project: TestProject, key: string, text: string) =>
  project.api('PATCH', '/api/v2/translations', { key, language: 'en', text })
const numbered = (count: number, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, `${text} ${i}`]))
const codeOf = ({ status, body }: Answer) => (status === 200 ? 200 : `${status} ${body.code}`)

const BUSY = '503 DATABASE_BUSY'
const UNAVAILABLE = '503 DATABASE_UNAVAILABLE'

test('processes whose clocks are two hours apart write the times of the database, and keep their jobs', async () => {
  const provider = createServer()
  const isAsked = new Promise<() => void>((resolve) => {
    provider.on('request', (_, response) => {
      const body = JSON.stringify({ data: { translations: [{ translatedText: 'Guten Tag' }] } })
      resolve(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body))
    })
  })
  let asked = 0
  provider.on('request', () => asked++)
  const address = `http://127.0.0.1:${await listen(provider)}`
  const url = await emptySchema(server)
  const shifted = (hours: number) =>
    spawnService(
      {
        databaseUrl: url,
        languages: ['de'],
        personalToken: 'the same token',
        revokeTokens: false,
        providers: { PROVIDER_A: { address, apiKey: 'none' } },
      },
      ['env', `CLOCK_SHIFT_MS=${hours * 3_600_000}`, `NODE_OPTIONS=--import=${SHIFTED_CLOCK}`],
    )
  const [early, late] = [await shifted(-1), await shifted(1)]
  const project = await createProject(early)
  await project.import({ en: { a: 'Good day' } })
  for (const service of [early, late]) {
    const answer = await set(projectOf(service, project), 'a', 'Hello')
    expect(Math.abs(Date.parse(answer.body.data.lastModifiedAt) - Date.now())).toBeLessThan(60_000)
  }
  const job = { translationProvider: 'PROVIDER_A', targetProjectLanguage: 'de', targetLanguage: 'de' }
  const started = await project.api('POST', '/api/v1/jobs/auto-translate', job)
  const answerProvider = await isAsked
  const beside = await connectBeside(url)
  const leases = new Set<string>()
  // Each renewal is a look at the other process's jobs too: to the late clock the lease has expired for long.
  await waitFor(
    async () => leases.add((await beside.query('SELECT lease_until FROM jobs')).rows[0].lease_until),
    ({ size }) => size === 4,
  )
  answerProvider()
  const read = async () => (await project.get(`/api/v1/jobs/${started.body.data.jobId}`)).body.data.state
  await waitFor(read, (state) => state === 'SUCCESS')
  expect(asked).toBe(1)
})

describe('a network that hangs without an end', () => {
  test('requests get 503 in time, and work again when the network does', async () => {
    const proxy = await startTcpProxy(Number(new URL(server).port))
    const url = await emptySchema(server)
    const service = await start(`${url.replace(/:\d+\//, `:${proxy.port}/`)}&query_timeout=500`)
    const project = await createProject(service)
    await project.import({ en: numbered(10, 'before') })
    proxy.hang()
    const answers = await Promise.all([
      set(project, 'key0', 'lost'),
      project.get('/api/v2/translations'),
      project.get('/api/v2/environments/_latest'),
      project.publish(),
    ])
    for (const answer of answers) {
      expect(codeOf(answer)).toBe(UNAVAILABLE)
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    proxy.goOn()
    proxy.cut()
    await waitFor(
      () => set(project, 'key1', 'after'),
      ({ status }) => status === 200,
    )
    expect((await project.export()).en).toMatchObject({ key0: 'before 0', key1: 'after' })
  })
})

describe('a database that is busy', () => {
  test('a write that waits for another one for too long is 503, and nothing of it is written', async () => {
    const url = await emptySchema(server)
    const project = await createProject(await start(`${url}&lock_timeout=300`))
    await project.import({ en: numbered(10, 'before') })
    const beside = await connectBeside(url)
    await beside.query('BEGIN; LOCK TABLE translations IN EXCLUSIVE MODE')
    const answer = await set(project, 'key0', 'refused')
    expect(codeOf(answer)).toBe(BUSY)
    expect(answer.body.msg).toContain('Nothing was written')
    const bulk = { translations: [{ key: 'key0', language: 'en', text: 'refused' }] }
    expect(codeOf(await project.api('PATCH', '/api/v2/translations/bulk', bulk))).toBe(BUSY)
    // Reads do not wait for writes.
    expect((await project.export()).en.key0).toBe('before 0')
    await beside.query('ROLLBACK')
    expect(codeOf(await set(project, 'key0', 'after'))).toBe(200)
    expect((await project.export()).en.key0).toBe('after')
  })

  test('a statement that takes too long is 503', async () => {
    const url = await emptySchema(server)
    const project = await createProject(await start(`${url}&statement_timeout=300`))
    await project.import({ en: numbered(10, 'before') })
    const beside = await connectBeside(url)
    await beside.query('BEGIN; LOCK TABLE translations IN ACCESS EXCLUSIVE MODE')
    expect(codeOf(await project.get('/api/v2/translations'))).toBe(BUSY)
    expect(codeOf(await project.publish())).toBe(BUSY)
    await beside.query('ROLLBACK')
    expect(codeOf(await project.publish())).toBe(200)
  })

  test('waiting writes and exports leave connections for other requests', async () => {
    const url = await emptySchema(server)
    const service = await start(`${url}&max=3`)
    const [project, other] = [await createProject(service), await createProject(service)]
    await other.publish()
    await project.import({ en: numbered(10, 'before') })
    const beside = await connectBeside(url)
    await beside.query('BEGIN; LOCK TABLE translations IN ACCESS EXCLUSIVE MODE')
    const waiting = [
      ...Array.from({ length: 5 }, (_, i) => set(project, `key${i}`, 'waited')),
      ...Array.from({ length: 5 }, () => project.get('/api/v3/export?downloadFormat=multi-language-json')),
    ]
    await waitFor(
      () => sessionsThatWait(beside),
      (count) => count === 2,
    )
    for (let i = 0; i < 20; i++) expect(codeOf(await other.get('/api/v2/environments/_latest'))).toBe(200)
    await beside.query('ROLLBACK')
    for (const answer of await Promise.all(waiting)) expect(codeOf(answer)).toBe(200)
    expect((await project.export()).en).toMatchObject({ key0: 'waited', key4: 'waited', key5: 'before 5' })
  })

  test('with all connections in use a request waits for ten seconds, and is 503', async () => {
    const url = await emptySchema(server)
    const project = await createProject(await start(`${url}&max=3`))
    await project.import({ en: numbered(10, 'before') })
    const beside = await connectBeside(url)
    await beside.query('BEGIN; LOCK TABLE translations IN ACCESS EXCLUSIVE MODE')
    // Requests that ask for the same would share a connection.
    const queries = ['en', 'de', 'pl'].map((language) => project.get(`/api/v2/translations?language=${language}`))
    await waitFor(
      () => sessionsThatWait(beside),
      (count) => count === 3,
    )
    const answer = await project.get('/api/v2/environments/_latest')
    expect(codeOf(answer)).toBe(BUSY)
    expect(answer.body.msg).toContain('connections')
    await beside.query('ROLLBACK')
    for (const query of await Promise.all(queries)) expect(codeOf(query)).toBe(200)
  })

  async function sessionsThatWait(beside: pg.Client): Promise<number> {
    const { rows } = await beside.query(
      `SELECT count(*)::int AS n FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
       WHERE c.relname = 'translations' AND c.relnamespace = current_schema()::regnamespace AND NOT l.granted`,
    )
    return rows[0].n
  }
})

describe('transactions that meet', () => {
  test('deadlocks are repeated: both transactions are done, once', async () => {
    const url = await emptySchema(server)
    const { database } = await openPostgres(url)
    whenOver(() => database.close())
    await database.transaction((tx) => tx.exec('CREATE TABLE runs (name TEXT)'))
    const attempts = { ab: 0, ba: 0 }
    const both: (() => void)[] = []
    // Each holds its first lock before one of them asks for its second.
    const meet = () =>
      new Promise<void>((resolve) => {
        both.push(resolve)
        if (both.length === 2) for (const go of both) go()
      })
    const run = (name: 'ab' | 'ba') =>
      database.transaction(async (tx) => {
        await tx.lock(name[0] ?? '')
        if (attempts[name]++ === 0) await meet()
        await tx.lock(name[1] ?? '')
        await tx.insert('runs', [{ name }])
      })
    await Promise.all([run('ab'), run('ba')])
    expect(attempts.ab + attempts.ba).toBe(3)
    expect(await database.all('SELECT name FROM runs ORDER BY name')).toEqual([{ name: 'ab' }, { name: 'ba' }])
  })

  test('serialization failures are repeated; after too many the answer is 503, and what is 200 is there', async () => {
    const url = await emptySchema(server)
    const beside = await connectBeside(url)
    // Two processes: the texts of one share their transactions.
    const address = `${url}%20-c%20default_transaction_isolation%3Dserializable`
    const services = [await start(address), await start(address)] as const
    const project = await createProject(services[0])
    const projects = [project, projectOf(services[1], project)] as const
    await project.import({ en: numbered(8, 'before') })
    const acknowledged = new Map<string, string>()
    const failures = new Set<unknown>()
    const rolledBack = async () => {
      const { rows } = await beside.query(
        'SELECT xact_rollback::int AS n FROM pg_stat_database WHERE datname = current_database()',
      )
      return rows[0].n as number
    }
    const before = await rolledBack()
    const writer = async (project: TestProject, key: string) => {
      for (let i = 0; i < 20; i++) {
        const answer = await set(project, key, `${key} ${i}`)
        if (answer.status === 200) acknowledged.set(key, `${key} ${i}`)
        else failures.add(codeOf(answer))
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, i) => writer(i % 2 === 0 ? projects[0] : projects[1], `key${i}`)))
    expect([...failures].filter((code) => code !== BUSY)).toEqual([])
    expect((await project.export()).en).toMatchObject(Object.fromEntries(acknowledged))
    expect(acknowledged.size).toBeGreaterThan(0)
    await waitFor(rolledBack, (count) => count > before)
  })
})

test('a process that is paused in a write loses its locks; continued, it answers 503 and works on', async () => {
  const url = await emptySchema(server)
  const service = await spawnService({ databaseUrl: `${url}&idle_in_transaction_session_timeout=1000` })
  const project = await createProject(service)
  const beside = await connectBeside(url)
  // The import waits in the middle of its transaction: its keys are written, its texts are not.
  await beside.query('BEGIN; LOCK TABLE translations IN EXCLUSIVE MODE')
  const imported = project.api('POST', '/api/v2/import?uploadFormat=multi-language-json', form(numbered(10, 'x')))
  const sessions = async (condition: string) => {
    const { rows } = await beside.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'localization' AND ${condition}
       AND pid IN (SELECT pid FROM pg_locks WHERE relation = 'translation_keys'::regclass)`,
    )
    return rows[0].n as number
  }
  await waitFor(
    () => sessions(`wait_event_type = 'Lock'`),
    (count) => count === 1,
  )
  process.kill(service.pid, 'SIGSTOP')
  await beside.query('COMMIT')
  await waitFor(
    () => sessions('true'),
    (count) => count === 0,
  )
  process.kill(service.pid, 'SIGCONT')
  expect(codeOf(await imported)).toBe(UNAVAILABLE)
  expect(await project.export()).toEqual({ en: {} })
  await project.import({ en: { a: 'A' } })
  expect(await project.export()).toEqual({ en: { a: 'A' } })
})

test('an import whose connection is cut anywhere is there as a whole or not at all', async () => {
  const proxy = await startTcpProxy(Number(new URL(server).port))
  const url = await emptySchema(server)
  const service = await start(url.replace(/:\d+\//, `:${proxy.port}/`))
  const count = 2500
  const project = await createProject(service)
  await project.publish()
  const importNumbered = async (text: string) => {
    await waitFor(
      () => project.get('/api/v2/environments/_latest'),
      ({ status }) => status === 200,
    )
    return () =>
      project.api(
        'POST',
        '/api/v2/import?uploadFormat=multi-language-json&importOptions=REPLACE_TRANSLATION_IF_FOUND',
        form(numbered(count, text)),
      )
  }
  for (const text of ['created', 'first']) {
    const send = await importNumbered(text)
    proxy.limit({})
    expect(codeOf(await send())).toBe(200)
  }
  const whole = { ...proxy.passed() }
  let [last, refused, kept] = ['first', 0, 0]
  const CUTS = 24
  for (let i = 0; i < 2 * CUTS; i++) {
    const direction = i % 2 === 0 ? 'toServer' : 'toClient'
    const send = await importNumbered(`round${i}`)
    // The last cuts meet the commit.
    const bytes = i < CUTS ? (whole[direction] * i) / CUTS : whole[direction] - (2 * CUTS - i) * 10
    proxy.limit({ [direction]: Math.floor(bytes) })
    const answer = await send()
    proxy.limit({})
    expect([200, UNAVAILABLE]).toContain(codeOf(answer))
    const { en } = await waitFor(
      () => project.export().catch(() => undefined),
      (texts) => texts !== undefined,
    )
    const versions = new Set(Object.values(en as Record<string, string>).map((text) => text.split(' ')[0]))
    expect([...versions]).toHaveLength(1)
    expect(Object.keys(en)).toHaveLength(count)
    const [version] = versions
    if (answer.status === 200) expect(version).toBe(`round${i}`)
    else expect([last, `round${i}`]).toContain(version)
    if (answer.status !== 200) refused++
    if (version === `round${i}`) kept++
    last = version ?? ''
  }
  process.stdout.write(`imports cut: ${refused} refused, ${kept} there as a whole\n`)
  expect(refused).toBeGreaterThan(CUTS)
})

function form(texts: object): FormData {
  const form = new FormData()
  form.append('file', new Blob([JSON.stringify({ en: texts })], { type: 'application/json' }), 'texts.json')
  return form
}
