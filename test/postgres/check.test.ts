/** `serve --check` on PostgreSQL. */
import { expect, test } from 'vitest'
import { checkData } from '../../src/service/check.ts'
import { createLocalService } from '../../src/service.ts'
import { emptySchema, onServer } from '../helpers/postgres.ts'
import { runProcess } from '../helpers/processes.ts'
import { BUILT_CLI } from '../helpers/service-process.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''

/** By name: what was found, failures in capitals. */
async function found(databaseUrl: string): Promise<Record<string, string>> {
  const checks = await checkData({ databaseUrl })
  return Object.fromEntries(checks.map(({ name, ok, found }) => [ok ? name : name.toUpperCase(), found]))
}

test('a database that can be used: no tables yet, then those of this release, then those of a later one', async () => {
  const databaseUrl = await emptySchema(server)
  expect(await found(databaseUrl)).toEqual({
    connection: expect.stringContaining('127.0.0.1'),
    server: expect.stringMatching(/^PostgreSQL \d+.*, UTF8, schema test_\w+$/),
    permissions: 'can make tables, write and lock',
    tables: 'none yet: the first start makes them',
    clock: expect.stringMatching(/^\d+ ms/),
    connections: expect.stringContaining('free'),
  })
  await onServer(databaseUrl, 'CREATE TABLE localization_check (id INTEGER)', 'DROP TABLE localization_check')
  const service = await createLocalService({ databaseUrl })
  expect(await found(databaseUrl)).toMatchObject({ tables: expect.stringMatching(/^version \d+$/) })
  await service.close()
  await onServer(databaseUrl, "UPDATE meta SET value = '99' WHERE name = 'schema'")
  expect(await found(databaseUrl)).toMatchObject({ TABLES: expect.stringContaining('version 99') })
})

test.each([
  ['no server', 'postgres://app:canary@127.0.0.1:1/x', 'CONNECTION', 'ECONNREFUSED'],
  ['no address', 'nonsense-canary', 'CONNECTION', 'cannot be read'],
  ['no schema', `${server}?options=-c%20search_path%3Dabsent`, 'SERVER', 'no schema'],
])('%s', async (_what, databaseUrl, name, message) => {
  const checks = await found(databaseUrl)
  expect(checks[name]).toContain(message)
  expect(JSON.stringify(checks)).not.toContain('canary')
})

test('a role without permissions fails with what to grant, and exit code 1', async () => {
  await onServer(server, 'CREATE ROLE onlooker LOGIN').catch(() => {})
  const databaseUrl = Object.assign(new URL(await emptySchema(server)), { username: 'onlooker' }).href
  const { code, stdout } = await runProcess([...BUILT_CLI, 'serve', '--check', '--json', '--database', databaseUrl])
  const { ok, checks } = JSON.parse(stdout)
  expect([code, ok]).toEqual([1, false])
  expect(checks.filter(({ ok }: { ok: boolean }) => !ok)[0].hint).toBeTruthy()
})
