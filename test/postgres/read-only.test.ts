/** A database that turns read-only while the service runs, as after a failover. */
import { expect, onTestFinished, test } from 'vitest'
import { createLocalService } from '../../src/service.ts'
import { onServer, startPostgres } from '../helpers/postgres.ts'
import { createProject, request } from '../helpers/service.ts'

test('writes say that the database only reads, /ready tells it, and both recover', async () => {
  const server = await startPostgres()
  onTestFinished(server.stop)
  const service = await createLocalService({ databaseUrl: server.url })
  onTestFinished(() => service.close())
  const project = await createProject(service)
  await project.import({ en: { a: 'A' } })
  const set = () => project.api('PATCH', '/api/v2/translations', { key: 'a', language: 'en', text: 'B' })
  const ready = () => request(`${service.baseUrl}/ready`)
  expect((await ready()).status).toBe(200)

  await onServer(server.url, 'ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()')
  await expect.poll(async () => (await ready()).body).toEqual({ status: 'DOWN', reason: 'the database is read-only' })
  expect((await ready()).status).toBe(503)
  for (const answer of [await set(), await project.api('POST', '/api/v1/translation-keys', { key: 'b' })]) {
    expect([answer.status, answer.body.code]).toEqual([503, 'DATABASE_READ_ONLY'])
    expect(answer.body.msg).toContain('read-only')
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  expect((await project.get('/api/v2/translations?key=a')).body.data).toMatchObject([{ text: 'A' }])

  const on = 'SET default_transaction_read_only = off'
  await onServer(server.url, on, 'ALTER SYSTEM RESET default_transaction_read_only', 'SELECT pg_reload_conf()')
  await expect.poll(async () => (await ready()).status).toBe(200)
  expect((await set()).status).toBe(200)
})
