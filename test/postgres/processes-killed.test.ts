/**
 * Three processes on one database, under writes, imports, publishes, exports and auto-translate jobs, while processes
 * are killed and the database restarts. `SEED=<n>` repeats the choices of a run; `KILLS=<n>` and `LARGE_KEYS=<n>` change
 * its size.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../helpers/postgres.ts'
import { digestOf, type ProcessGroup, seededRandom, startProcessGroup } from '../helpers/process-group.ts'
import { createProject, projectOf, request, type TestProject, uploadForm, waitFor } from '../helpers/service.ts'
import { sendJson, startServer } from '../helpers/throwaway-server.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const KILLS = Number(process.env.KILLS ?? 30)
const RESTARTS = Math.ceil(KILLS / 6)
const PATCHERS = 6
const IMPORTERS = 3
const JOB_CLIENTS = 3
const OWN_KEYS = 5
const IMPORT_TEXTS = 60
const JOB_TEXTS = 120
/** So many that most faults come while they are imported or published. */
const LARGE_KEYS = Number(process.env.LARGE_KEYS ?? 100_000)
const TOKEN = 'a token that all processes have'
/** Texts that a job sends to the provider at once. */
const BATCH = 50
const JOBS = '/api/v1/jobs'

/** Beside the service, in its transactions: what is rolled back is not counted. */
const AUDIT = [
  'CREATE TABLE audit_texts (key_id INTEGER, text TEXT)',
  `CREATE FUNCTION audit_text() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO audit_texts VALUES (NEW.key_id, NEW.text); RETURN NULL; END $$`,
  `CREATE TRIGGER audit AFTER INSERT OR UPDATE ON translations FOR EACH ROW WHEN (NEW.language = 'de')
     EXECUTE FUNCTION audit_text()`,
  'CREATE TABLE audit_publishes (n BIGSERIAL, project_id INTEGER, keys INTEGER)',
  `CREATE FUNCTION audit_publish() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO audit_publishes (project_id, keys) VALUES (NEW.project_id, NEW.number_of_keys); RETURN NULL; END $$`,
  'CREATE TRIGGER audit AFTER INSERT OR UPDATE ON publications FOR EACH ROW EXECUTE FUNCTION audit_publish()',
]

/** What clients were told, and what they found wrong. */
class Ledger {
  isOver = false
  readonly done: Record<string, number> = {}
  readonly violations: string[] = []
  /** By key: the acknowledged text, and later ones whose fate is unknown. */
  readonly texts = new Map<string, string[]>()
  /** By group of keys: the versions that the whole group may have. */
  readonly imports = new Map<string, string[]>()

  count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1
  }

  total(): number {
    return Object.values(this.done).reduce((sum, count) => sum + count, 0)
  }

  expect(isRight: boolean, problem: string): void {
    if (!isRight) this.violations.push(problem)
  }

  /** Each import is there as a whole, and one that is allowed. `isNow`: read when nothing else was under way. */
  checkImports(texts: Readonly<Record<string, string>>, where: string, isNow = false): void {
    for (const [group, allowed] of this.imports) {
      const versions = new Set(Array.from({ length: IMPORT_TEXTS }, (_, i) => texts[`${group}.${i}`]))
      this.expect(versions.size === 1, `${where}: ${group} is torn: ${[...versions].join(', ')}`)
      if (isNow) this.expect(allowed.includes([...versions][0] ?? ''), `${where}: ${group} lost ${allowed}`)
    }
  }
}

type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => ReturnType<ProcessGroup['send']>

function sender(group: ProcessGroup, { apiKey }: TestProject): Send {
  return (method, path, body, headers) =>
    group.send(path, { method, body, headers: { 'X-Service-Token': apiKey, ...headers } })
}

async function patch(send: Send, ledger: Ledger, client: number, random: () => number) {
  for (let i = 0; !ledger.isOver; i++) {
    const key = `patch${client}.${Math.floor(random() * OWN_KEYS)}`
    const text = `${client} ${i}`
    const allowed = [...(ledger.texts.get(key) ?? []), text]
    ledger.texts.set(key, allowed)
    // Of whatever may be there: a refusal would mean that an acknowledged text is gone.
    const condition = random() < 0.5 ? { 'If-Match': allowed.map(digestOf).join(', ') } : undefined
    const answer = await send('PATCH', '/api/v2/translations', { key, language: 'en', text }, condition)
    ledger.expect(answer.status === 200, `PATCH of ${key} to ${text}: ${answer.status} ${answer.text}`)
    ledger.texts.set(key, [text])
    ledger.count('writes')
  }
}

async function importAgain(send: Send, ledger: Ledger, client: number) {
  const path = '/api/v2/import?uploadFormat=multi-language-json&importOptions=REPLACE_TRANSLATION_IF_FOUND'
  const group = `import${client}`
  for (let i = 0; !ledger.isOver; i++) {
    const version = `version ${i}`
    ledger.imports.set(group, [...(ledger.imports.get(group) ?? ['start']), version])
    const answer = await send('POST', path, uploadForm({ en: groupOf(group, version) }))
    ledger.expect(answer.status === 200, `import of ${group}: ${answer.status} ${answer.text}`)
    ledger.imports.set(group, [version])
    ledger.count('imports')
  }
}

/** Each publish shows one key more. */
async function publish(send: Send, ledger: Ledger, client: number) {
  for (let i = 0; !ledger.isOver; i++) {
    const created = await send('POST', '/api/v1/translation-keys', { key: `publish${client}.${i}` })
    ledger.expect(created.status === 200 || created.isRepeated, `key: ${created.status} ${created.text}`)
    const answer = await send('POST', '/api/v2/environments/_latest/publish')
    ledger.expect([200, 409].includes(answer.status), `publish: ${answer.status} ${answer.text}`)
    ledger.count(answer.status === 200 ? 'publishes' : 'publishes refused with 409')
  }
}

async function exportAgain(send: Send, ledger: Ledger) {
  while (!ledger.isOver) {
    const { status, body } = await send('GET', '/api/v3/export?downloadFormat=multi-language-json')
    ledger.expect(status === 200, `export: ${status}`)
    // The process that has the file may be gone.
    const file = await request(body.data.url).catch(() => undefined)
    if (file?.status !== 200) continue
    ledger.checkImports(file.body.en, 'export')
    ledger.count('exports')
  }
}

async function readHosted(send: Send, ledger: Ledger, { projectToken }: TestProject) {
  while (!ledger.isOver) {
    const { status, body } = await send('GET', `/_cdn/${projectToken}/_latest/en`)
    if (status === 200) {
      ledger.checkImports(body, 'hosting')
      ledger.count('hosted files read')
    } else ledger.expect(status === 404, `hosting: ${status}`)
    await sleep(20)
  }
}

/** New texts, a job that translates them, and so on. */
async function translate(send: Send, ledger: Ledger, client: number) {
  for (let i = 0; !ledger.isOver; i++) {
    const texts = Object.fromEntries(
      Array.from({ length: JOB_TEXTS }, (_, n) => [`job${client}.${i}.${n}`, `text ${n}`]),
    )
    await send('POST', '/api/v2/import?uploadFormat=multi-language-json', uploadForm({ en: texts }))
    const job = { translationProvider: 'PROVIDER_A', targetProjectLanguage: 'de', targetLanguage: 'de' }
    const started = await send('POST', `${JOBS}/auto-translate`, {
      ...job,
      options: i % 2 === 0 ? ['AUTO_PUBLISH'] : [],
    })
    ledger.expect(started.status === 200, `job: ${started.status} ${started.text}`)
    if (started.isRepeated) ledger.count('jobs started again')
    let ended: { state: string; message: string }
    do {
      await sleep(50)
      ended = (await send('GET', `${JOBS}/${started.body.data.jobId}`)).body.data
    } while (!ledger.isOver && !['SUCCESS', 'FAILED'].includes(ended.state))
    ledger.expect(ended.state !== 'FAILED', `job failed: ${ended.message}`)
    if (ended.state === 'SUCCESS') ledger.count('jobs')
  }
}

/** A large import into a new project, all or nothing, then its publish, and so on. */
async function importLarge(group: ProcessGroup, ledger: Ledger) {
  const texts = Object.fromEntries(Array.from({ length: LARGE_KEYS }, (_, i) => [`large.key${i}`, `Text ${i}`]))
  for (let i = 0; !ledger.isOver; i++) {
    const created = await group.send('/api/v2/projects', {
      method: 'POST',
      headers: { authorization: TOKEN },
      body: { name: `Large ${i}` },
    })
    const { projectToken, ...project } = created.body.data as TestProject
    const send = sender(group, { ...project, projectToken })
    const importing = send('POST', '/api/v2/import?uploadFormat=multi-language-json', uploadForm({ en: texts }))
    const countTexts = async () => (await send('GET', '/api/v2/translations?size=1')).body.pageDetails.totalElements
    let isOver = false
    const ended = importing.finally(() => {
      isOver = true
    })
    while (!isOver) {
      const count = await countTexts()
      ledger.expect([0, LARGE_KEYS].includes(count), `large import: ${count} of ${LARGE_KEYS} texts meanwhile`)
      await Promise.race([ended, sleep(200)])
    }
    const imported = await ended
    ledger.expect(imported.status === 200, `large import: ${imported.status} ${imported.text}`)
    const count = await countTexts()
    ledger.expect(count === LARGE_KEYS, `large import: ${count} of ${LARGE_KEYS} texts`)
    ledger.count('large imports')
    const published = await send('POST', '/api/v2/environments/_latest/publish')
    // An attempt that had no answer may still run.
    if (published.status === 409 && published.isRepeated) continue
    ledger.expect(published.status === 200, `large publish: ${published.status} ${published.text}`)
    const hosted = Object.keys((await send('GET', `/_cdn/${projectToken}/_latest/en`)).body).length
    ledger.expect(hosted === LARGE_KEYS, `large publish: ${hosted} of ${LARGE_KEYS} texts`)
    ledger.count('large publishes')
  }
}

const groupOf = (group: string, version: string) =>
  Object.fromEntries(Array.from({ length: IMPORT_TEXTS }, (_, i) => [`${group}.${i}`, version]))

/** Answers each text with a number of its own. */
async function startProvider() {
  const asked: string[] = []
  const answered = new Set<string>()
  const { url } = await startServer(async ({ body }, response) => {
    const { q } = JSON.parse(body) as { q: string[] }
    await sleep(20)
    const translations = q.map((text) => {
      const translatedText = `${asked.push(text)}: ${text}`
      answered.add(translatedText)
      return { translatedText }
    })
    sendJson(response, { data: { translations } })
  })
  return { address: url, asked, answered }
}

test(`${KILLS} kill -9 and ${RESTARTS} restarts of the database: nothing is lost, torn or done twice`, async () => {
  process.stdout.write(`processes-killed: SEED=${SEED} KILLS=${KILLS}\n`)
  const random = seededRandom(SEED)
  const database = await startPostgres()
  onTestFinished(database.stop)
  const provider = await startProvider()
  const group = await startProcessGroup(3, {
    databaseUrl: database.url,
    languages: ['de'],
    personalToken: TOKEN,
    revokeTokens: false,
    providers: { PROVIDER_A: { address: provider.address, apiKey: 'none' } },
  })
  const project = await createProject(group.first())
  const query = async (sql: string) => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
  for (const statement of AUDIT) await query(statement)

  const ledger = new Ledger()
  const send = sender(group, project)
  const start: Record<string, string> = {}
  for (let client = 0; client < PATCHERS; client++) {
    for (let i = 0; i < OWN_KEYS; i++) start[`patch${client}.${i}`] = 'start'
  }
  for (const key of Object.keys(start)) ledger.texts.set(key, ['start'])
  for (let client = 0; client < IMPORTERS; client++) Object.assign(start, groupOf(`import${client}`, 'start'))
  await project.import({ en: start })
  // A job translates all texts of its project.
  const translated: TestProject[] = []
  while (translated.length < JOB_CLIENTS) translated.push(await createProject(group.first()))
  const range = (count: number) => Array.from({ length: count }, (_, i) => i)
  const clients = [
    ...range(PATCHERS).map((client) => patch(send, ledger, client, seededRandom(SEED + client))),
    ...range(IMPORTERS).map((client) => importAgain(send, ledger, client)),
    ...range(2).map((client) => publish(send, ledger, client)),
    exportAgain(send, ledger),
    readHosted(send, ledger, project),
    importLarge(group, ledger),
    ...translated.map((own, client) => translate(sender(group, own), ledger, client)),
  ]
  const failed = Promise.all(clients).then(() => {})

  const faults = [...Array(KILLS).fill('kill'), ...Array(RESTARTS).fill('restart')]
  while (faults.length > 0) {
    const until = ledger.total() + 10 + random() * 60
    await Promise.race([
      failed,
      waitFor(
        () => ledger.total(),
        (total) => total >= until,
      ),
    ])
    await sleep(random() * 50)
    const [fault] = faults.splice(Math.floor(random() * faults.length), 1)
    if (fault === 'kill') await group.replace(Math.floor(random() * 3))
    else database.restart()
  }
  const until = ledger.total() + 100
  await waitFor(
    () => ledger.total(),
    (total) => total >= until,
  )
  // Once without a fault.
  const publishes = () => ledger.done['large publishes'] ?? 0
  const before = publishes()
  while (publishes() === before) await Promise.race([failed, sleep(100)])
  ledger.isOver = true
  await failed

  const survivor = projectOf(group.first(), project)
  const { en } = await survivor.export()
  ledger.checkImports(en, 'at the end', true)
  for (const [key, allowed] of ledger.texts) {
    ledger.expect(allowed.includes(en[key]), `${key} is ${en[key]}, not ${allowed}`)
  }
  expect(ledger.violations).toEqual([])
  // No publish began before the one before it had ended: it would show fewer keys.
  const published = (await query('SELECT project_id AS project, keys FROM audit_publishes ORDER BY n')) as {
    project: number
    keys: number
  }[]
  const shown = new Map<number, number>()
  for (const { project, keys } of published) {
    expect(keys).toBeGreaterThanOrEqual(shown.get(project) ?? 0)
    shown.set(project, keys)
  }
  // Every job ends.
  const states = async () => await query('SELECT state, COUNT(*)::int AS n FROM jobs GROUP BY state ORDER BY state')
  const ended = await waitFor(states, (rows) => rows.every(({ state }) => ['SUCCESS', 'FAILED'].includes(state)))
  expect(ended).toEqual([{ state: 'SUCCESS', n: expect.any(Number) }])
  // Each text is translated once, with an answer of the provider.
  const texts = (await query('SELECT key_id AS key, text FROM audit_texts')) as { key: number; text: string }[]
  expect(new Set(texts.map(({ key }) => key)).size).toBe(texts.length)
  expect(texts.filter(({ text }) => !provider.answered.has(text))).toEqual([])
  const gaps = await query(`SELECT s.key_id FROM translations s JOIN translation_keys k ON k.id = s.key_id
    WHERE k.key LIKE 'job%' AND s.language = 'en' AND NOT EXISTS
      (SELECT 1 FROM translations t WHERE t.key_id = s.key_id AND t.language = 'de')`)
  // Asked again is only what was under way at a fault, and what a repeated request started a second job for.
  const askedAgain = provider.asked.length - texts.length
  const inFlight = BATCH * JOB_CLIENTS * (KILLS + RESTARTS)
  expect(askedAgain).toBeLessThanOrEqual(inFlight + JOB_TEXTS * (ledger.done['jobs started again'] ?? 0))
  process.stdout.write(
    `processes-killed: ${JSON.stringify({ ...ledger.done, publishesInAll: published.length, jobsInAll: ended[0]?.n })}\n` +
      `repeated requests: ${JSON.stringify(Object.fromEntries(group.refusals))}\n` +
      `texts translated: ${texts.length}, asked again: ${askedAgain}, left: ${gaps.length}\n`,
  )
}, 1_200_000)
