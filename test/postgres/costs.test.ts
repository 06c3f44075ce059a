/** Work that must not grow faster than what it is about, on a database that nothing has analyzed yet. */
import { expect, test } from 'vitest'
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
  return { project: await createProject(service), count }
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
