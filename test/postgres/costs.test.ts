/** Work that must not grow faster than what it is about, on a database that nothing has analyzed yet. */
import pg from 'pg'
import { expect, test } from 'vitest'
import { TABLES_VERSION } from '../../src/service/store/migrate.ts'
import { createPostgresDatabase } from '../../src/service/store/postgres.ts'
import { createLocalService } from '../../src/service.ts'
import { whenOver } from '../helpers/closing.ts'
import { emptySchema, onServer } from '../helpers/postgres.ts'
import { createProject } from '../helpers/service.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''

async function setUp() {
  const databaseUrl = await emptySchema(server)
  const service = await createLocalService({ databaseUrl })
  whenOver(() => service.close())
  const schema = decodeURIComponent(databaseUrl).split('search_path=')[1]
  /** The server counts with a delay. */
  const count = async (table: string, columns: string, isDone: (counts: Record<string, number>) => boolean) => {
    let counts: Record<string, number> = {}
    await expect
      .poll(async () => {
        const sql = `SELECT ${columns} FROM pg_stat_user_tables WHERE schemaname = '${schema}' AND relname = '${table}'`
        const [row] = (await onServer(server, sql)) as Record<string, string>[]
        counts = Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]))
        return isDone(counts)
      })
      .toBe(true)
    return counts
  }
  return { databaseUrl, project: await createProject(service), count }
}

test('an import of new keys reads few of the others', async () => {
  const { project, count } = await setUp()
  const KEYS = 5000
  await project.import({ en: Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [`key${i}`, `Text ${i}`])) })
  const columns = 'n_tup_ins, seq_tup_read, idx_tup_fetch'
  const found = await count('translation_keys', columns, ({ n_tup_ins = 0 }) => n_tup_ins >= KEYS)
  expect((found.seq_tup_read ?? 0) + (found.idx_tup_fetch ?? 0)).toBeLessThan(KEYS * 3)
})

test('a publish does not ask for each file', async () => {
  const { project, count } = await setUp()
  const languages = Array.from({ length: 400 }, (_, i) => [`l${i}`, { a: `a${i}` }])
  await project.import(Object.fromEntries(languages))
  for (let time = 1; time <= 2; time++) {
    expect((await project.publish()).status).toBe(200)
    const found = await count('resources', 'n_tup_ins, idx_scan', ({ n_tup_ins = 0 }) => n_tup_ins >= time * 800)
    expect(found.idx_scan).toBeLessThan(50)
  }
})

test('many rows are inserted by few statements, with one value each', async () => {
  const { databaseUrl } = await setUp()
  const pool = new pg.Pool({ connectionString: databaseUrl })
  whenOver(() => pool.end())
  const sent: pg.QueryConfig[] = []
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    client.query = ((statement: pg.QueryConfig, ...rest: unknown[]) => {
      if (statement.text?.startsWith('INSERT')) sent.push(statement)
      return query(statement, ...rest)
    }) as typeof client.query
  })
  const texts = ['', ' ', '\b\u001f', '😀', '\u2028', '\ufeff', `'"; \\ --`, '\\u0041', '$1?', null]
  const rows = Array.from({ length: 5000 }, (_, i) => ({
    hash: `hash ${i}`,
    project_id: i,
    name: '',
    created_at: 'today',
    expires_at: texts[i % texts.length] ?? null,
  }))
  const { transaction, all } = createPostgresDatabase(pool, TABLES_VERSION)
  expect(await transaction((tx) => tx.insert('credentials', rows))).toBe(rows.length)
  const sql = "SELECT * FROM credentials WHERE hash LIKE 'hash %' ORDER BY project_id"
  expect(await all(sql)).toEqual(rows)
  expect(sent.map(({ values }) => values?.length)).toEqual([1])
})

test('a text is set while an import of another namespace, or a publish, waits in its transaction', async () => {
  const { databaseUrl, project } = await setUp()
  const importInto = (namespace: string, text: string) => {
    const query = 'uploadFormat=multi-language-json&importOptions=REPLACE_TRANSLATION_IF_FOUND'
    return project.import({ en: { title: text } }, `${query}&namespace=${namespace}`)
  }
  for (const namespace of ['a', 'b']) await importInto(namespace, 'first')
  await project.publish()
  const other = new pg.Client({ connectionString: databaseUrl })
  await other.connect()
  whenOver(() => other.end())
  const [{ pid }] = (await other.query('SELECT pg_backend_pid() AS pid')).rows as [{ pid: number }]
  const waiting = `SELECT pid FROM pg_stat_activity WHERE ${pid} = ANY (pg_blocking_pids(pid))`
  const works = [
    [
      "translations WHERE key_id = (SELECT id FROM translation_keys WHERE namespace = 'a')",
      () => importInto('a', 'second'),
    ],
    ['resources', () => project.publish()],
  ] as const
  for (const [table, work] of works) {
    await other.query(`BEGIN; SELECT * FROM ${table} FOR UPDATE`)
    const working = work()
    await expect.poll(async () => (await onServer(databaseUrl, waiting)).length).toBe(1)
    const text = { key: 'title', namespace: 'b', language: 'en', text: 'set' }
    expect((await project.api('PATCH', '/api/v2/translations', text)).status).toBe(200)
    await other.query('ROLLBACK')
    expect((await working).status).toBe(200)
  }
})
