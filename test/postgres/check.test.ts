/** `serve --check` on PostgreSQL. */
import { expect, test } from 'vitest'
import { checkService } from '../../src/service/check.ts'
import { createLocalService } from '../../src/service.ts'
import { emptySchema, onServer } from '../helpers/postgres.ts'
import { runProcess } from '../helpers/processes.ts'
import { BUILT_CLI } from '../helpers/service-process.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''

test('the tables are made and read, no token is kept, and a table that cannot be read is an error', async () => {
  const databaseUrl = await emptySchema(server)
  for (let i = 0; i < 2; i++)
    expect(await checkService({ databaseUrl })).toMatchObject({ data: expect.stringContaining('127.0.0.1') })
  const service = await createLocalService({ databaseUrl })
  expect(service.isOwnToken).toBe(false)
  expect(await checkService({ databaseUrl })).toBeTruthy()
  await service.close()
  await onServer(databaseUrl, 'ALTER TABLE jobs RENAME TO lost')
  await expect(checkService({ databaseUrl })).rejects.toMatchObject({
    code: 'SERVICE_START',
    message: expect.stringContaining('relation "jobs" does not exist'),
    hint: 'Restore a backup: a table is missing.',
  })
})

test.each([
  ['no server', 'postgres://app:canary@127.0.0.1:1/x', 'ECONNREFUSED'],
  ['no address', 'nonsense-canary', 'cannot parse'],
  ['no schema', `${server}?options=-c%20search_path%3Dabsent`, 'no schema'],
])('%s', async (_what, databaseUrl, message) => {
  const error = await checkService({ databaseUrl }).catch((thrown) => thrown)
  expect(error).toMatchObject({ code: 'SERVICE_START', message: expect.stringContaining(message) })
  expect(`${error.stack} ${error.hint}`).not.toContain('canary')
})

test('a role without permissions fails with what to grant, and exit code 1', async () => {
  await onServer(server, 'CREATE ROLE onlooker LOGIN').catch(() => {})
  const databaseUrl = Object.assign(new URL(await emptySchema(server)), { username: 'onlooker' }).href
  const check = [...BUILT_CLI, 'serve', '--check', '--port', '0', '--json', '--database', databaseUrl]
  const { code, stdout } = await runProcess(check)
  expect([code, JSON.parse(stdout).error.hint]).toEqual([1, expect.stringContaining('schema')])
})
