/** The service behind PgBouncer: limits and schema are in force, or the start says that they cannot be. */
import { describe, expect, test } from 'vitest'
import { createLocalService } from '../../src/service.ts'
import { whenOver } from '../helpers/closing.ts'
import { hasPgBouncer, startPgBouncer } from '../helpers/pgbouncer.ts'
import { emptySchema, onServer } from '../helpers/postgres.ts'
import { createProject, projectOf } from '../helpers/service.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''
const IGNORE =
  'ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options,extra_float_digits'

describe.runIf(hasPgBouncer)('behind PgBouncer', () => {
  test.each([
    ['as it is installed', []],
    ['that ignores parameters of the start', [IGNORE]],
  ])('session pooling, %s: the schema of the address, the limits, and one publish at a time', async (_what, more) => {
    const direct = await emptySchema(server)
    const databaseUrl = `${await startPgBouncer(direct, 'session', ...more)}&lock_timeout=1234`
    const services = [await createLocalService({ databaseUrl }), await createLocalService({ databaseUrl })] as const
    for (const service of services) whenOver(() => service.close())
    const project = await createProject(services[0])
    await project.import({ en: { a: 'A' } })
    const schema = decodeURIComponent(direct).split('search_path=')[1]
    expect(await onServer(server, `SELECT name FROM ${schema}.projects`)).toEqual([{ name: 'Test project' }])
    const other = projectOf(services[1], project)
    const answers = await Promise.all([1, 2, 3].flatMap(() => [project.publish(), other.publish()]))
    expect(answers.map(({ status }) => status)).toContain(200)
    for (const { status, body } of answers) if (status !== 200) expect(body.code).toBe('PUBLISH_RUNNING')
    // Another write to the project holds its lock: the limit ends the wait.
    const [{ id }] = (await onServer(server, `SELECT id FROM ${schema}.projects`)) as [{ id: number }]
    const lock = `SELECT pg_advisory_lock(hashtextextended('${schema} project ${id}', 0)), pg_sleep(4)`
    const held = onServer(server, lock)
    const locks = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"
    await expect.poll(() => onServer(server, locks)).not.toEqual([])
    const { status, body } = await project.api('POST', '/api/v1/translation-keys', { key: 'b' })
    expect([status, body.code]).toEqual([503, 'DATABASE_BUSY'])
    await held
  })

  test('transaction pooling is refused at the start', async () => {
    const direct = await emptySchema(server)
    const databaseUrl = await startPgBouncer(direct, 'transaction', IGNORE)
    await expect(createLocalService({ databaseUrl })).rejects.toMatchObject({
      code: 'SERVICE_START',
      hint: expect.stringContaining('pool_mode=session'),
    })
  })
})
