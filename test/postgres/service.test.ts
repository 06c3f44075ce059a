/** The local service on PostgreSQL: a database that cannot be used, and faults while it runs. */
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLocalService } from '../../src/service.ts'
import { emptySchema, onServer, startPostgres } from '../helpers/postgres.ts'
import { createProject, projectOf, request, waitFor } from '../helpers/service.ts'
import { spawnServe } from '../helpers/service-process.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''

/** The server's address with changes. */
function address(change: Partial<Pick<URL, 'username' | 'password' | 'port' | 'pathname'>>): string {
  return Object.assign(new URL(server), change).href
}

function start(databaseUrl: string) {
  return createLocalService({ databaseUrl })
}

describe('a database that cannot be used is SERVICE_START and says why', () => {
  test.each([
    ['no address', () => 'nonsense', 'cannot parse', 'postgres://user'],
    ['another protocol', () => 'mysql://app:canary@127.0.0.1/x', 'cannot parse', 'postgres://user'],
    ['no such database', () => address({ pathname: '/absent' }), 'database "absent" does not exist', 'Create'],
    ['no such role', () => address({ username: 'nobody', password: 'canary' }), 'role "nobody"', 'Correct the user'],
    ['no such schema', () => `${server}?options=-c%20search_path%3Dabsent`, 'no schema', 'search_path'],
  ])('%s', async (_what, url, message, hint) => {
    const error = await start(url()).catch((error) => error)
    expect(error).toMatchObject({ code: 'SERVICE_START', message: expect.stringContaining(message) })
    expect(error.hint).toContain(hint)
    expect(JSON.stringify([error.message, error.hint])).not.toContain('canary')
  })

  test('no server', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    const expected = { code: 'SERVICE_START', message: expect.stringContaining('ECONNREFUSED') }
    await expect(start(address({ port: String(port) }))).rejects.toMatchObject(expected)
  })

  test('a role without permissions', async () => {
    await onServer(server, 'CREATE ROLE reader LOGIN').catch(() => {})
    const expected = { code: 'SERVICE_START', message: expect.stringContaining('permission denied') }
    await expect(start(address({ username: 'reader' }))).rejects.toMatchObject(expected)
  })

  test('another encoding', async () => {
    await onServer(server, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    await expect(start(address({ pathname: '/latin' }))).rejects.toMatchObject({
      code: 'SERVICE_START',
      message: expect.stringContaining('LATIN1'),
    })
  })

  test('data of a later release is refused', async () => {
    const url = await emptySchema(server)
    const service = await start(url)
    await service.close()
    await onServer(url, "UPDATE meta SET value = '99' WHERE name = 'schema'")
    const expected = { code: 'SERVICE_START', message: expect.stringContaining('a later version') }
    await expect(start(url)).rejects.toMatchObject(expected)
  })

  test('two places for the data', async () => {
    const started = createLocalService({ databaseUrl: server, dataDir: 'x' })
    await expect(started).rejects.toMatchObject({ code: 'SERVICE_START' })
  })
})

test('serve --database keeps the data there', async () => {
  const databaseUrl = await emptySchema(server)
  const first = await spawnServe(['--database', databaseUrl])
  const project = await createProject(first)
  await project.import({ en: { a: 'A' } })
  expect(await first.end('SIGTERM')).toBe(0)
  const second = await spawnServe(['--database', databaseUrl])
  expect(await projectOf(second, project).export()).toEqual({ en: { a: 'A' } })
  expect(await second.end('SIGTERM')).toBe(0)
})

test('a wrong password is SERVICE_START; when the database restarts, writes fail with 503 or succeed, and what was acknowledged is there', async () => {
  const own = await startPostgres('right')
  onTestFinished(own.stop)
  const wrong = await start(own.url.replace('right', 'canary')).catch((error) => error)
  expect(wrong).toMatchObject({ code: 'SERVICE_START', message: expect.stringContaining('password authentication') })
  expect(`${wrong.message} ${wrong.hint}`).not.toContain('canary')
  const service = await start(own.url)
  onTestFinished(() => service.close())
  const project = await createProject(service)
  const keys = Array.from({ length: 20 }, (_, i) => `key${i}`)
  await project.import({ en: Object.fromEntries(keys.map((key) => [key, 'start'])) })
  const acknowledged = new Map<string, string>()
  const unknown = new Map<string, string>()
  let isOver = false
  let writes = 0
  const writer = async (key: string) => {
    for (let i = 0; !isOver; i++) {
      const text = `text ${i}`
      const { status } = await project.api('PATCH', '/api/v2/translations', { key, language: 'en', text })
      expect([200, 503]).toContain(status)
      if (status === 200) {
        writes++
        acknowledged.set(key, text)
        unknown.delete(key)
      } else unknown.set(key, text)
    }
  }
  const writers = keys.map(writer)
  for (let restart = 0; restart < 2; restart++) {
    const before = writes
    await waitFor(
      () => writes,
      (count) => count > before + 100,
    )
    own.restart()
  }
  const before = writes
  await waitFor(
    () => writes,
    (count) => count > before + 100,
  )
  isOver = true
  await Promise.all(writers)
  const { en } = await project.export()
  for (const [key, text] of acknowledged) expect([text, unknown.get(key)]).toContain(en[key])
  expect((await request(`${service.baseUrl}/health`)).status).toBe(200)
})
