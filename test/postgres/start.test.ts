/** Starts with a PostgreSQL that cannot be used: each ends in time, and says what to do. */
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLocalService } from '../../src/service.ts'
import { repository } from '../helpers/bundlers.ts'
import { emptySchema, onServer, startPostgres } from '../helpers/postgres.ts'
import { runProcess } from '../helpers/processes.ts'
import { tempFolder } from '../helpers/temp.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''
const start = (databaseUrl: string) => createLocalService({ databaseUrl })

describe('at the start', () => {
  test('an address with a wrong number of connections', async () => {
    await expect(start(`${server}?max=2`)).rejects.toMatchObject({
      code: 'SERVICE_START',
      message: expect.stringContaining('max=2'),
      hint: expect.stringContaining('at least 3'),
    })
  })

  test('a server that never answers', async () => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => sockets.add(socket.on('error', () => {})))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    const { port } = silent.address() as AddressInfo
    await expect(start(`postgres://app@127.0.0.1:${port}/postgres`)).rejects.toMatchObject({
      code: 'SERVICE_START',
      message: expect.stringContaining('timeout'),
      hint: expect.stringContaining('host and port'),
    })
  })

  test('a server that is too old', async () => {
    const url = await oldServer()
    await expect(start(url)).rejects.toMatchObject({
      code: 'SERVICE_START',
      message: expect.stringContaining('runs on PostgreSQL 12, which is too old'),
      hint: 'Use PostgreSQL 14 or later.',
    })
  })

  test('a server without a free connection', async () => {
    await onServer(server, 'CREATE ROLE crowded LOGIN CONNECTION LIMIT 0').catch(() => {})
    const url = Object.assign(new URL(server), { username: 'crowded' }).href
    await expect(start(url)).rejects.toMatchObject({
      code: 'SERVICE_START',
      hint: expect.stringContaining('max_connections'),
    })
  })

  test('an address without a password; a socket in place of a host, and spaces around the address', async () => {
    const own = await startPostgres('secret')
    onTestFinished(own.stop)
    const withoutPassword = Object.assign(new URL(own.url), { password: '' }).href
    await expect(start(withoutPassword)).rejects.toMatchObject({
      code: 'SERVICE_START',
      message: expect.stringContaining('requires a password, but the database URL has none'),
      hint: expect.stringContaining('PGPASSWORD'),
    })
    const [{ folder }] = (await onServer(own.url, "SELECT current_setting('unix_socket_directories') AS folder")) as [
      { folder: string },
    ]
    const { port } = new URL(own.url)
    const service = await start(` postgres://app:secret@/postgres?host=${encodeURIComponent(folder)}&port=${port} `)
    await service.close()
  })

  test('a server that only reads', async () => {
    const url = await emptySchema(server)
    await expect(start(`${url}%20-c%20default_transaction_read_only%3Don`)).rejects.toMatchObject({
      code: 'SERVICE_START',
      message: expect.stringContaining('read-only'),
      hint: expect.stringContaining('primary'),
    })
  })
})

test('without the package pg the command says what to install', async () => {
  const folder = await tempFolder()
  await cp(join(repository, 'dist'), join(folder, 'dist'), { recursive: true })
  await cp(join(repository, 'package.json'), join(folder, 'package.json'))
  await mkdir(join(folder, 'node_modules'))
  for (const name of await readdir(join(repository, 'node_modules'))) {
    if (name === 'pg') continue
    await symlink(join(repository, 'node_modules', name), join(folder, 'node_modules', name))
  }
  const serve = [join(folder, 'dist/cli.js'), 'serve', '--port', '0', '--database', server]
  const { code, stderr } = await runProcess([process.execPath, ...serve], { cwd: folder })
  expect(code).not.toBe(0)
  expect(stderr).toContain('PostgreSQL requires the pg package, which is not installed')
  expect(stderr).toContain('npm install pg')
})

/** Speaks enough of the protocol to say that it is PostgreSQL 12. */
async function oldServer(): Promise<string> {
  const message = (type: string, ...parts: (string | Buffer)[]) => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
    const head = Buffer.alloc(5)
    head.write(type)
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, body])
  }
  const int = (value: number, bytes: 2 | 4) => {
    const buffer = Buffer.alloc(bytes)
    if (bytes === 2) buffer.writeInt16BE(value)
    else buffer.writeInt32BE(value)
    return buffer
  }
  const ready = message('Z', 'I')
  const settings = new Map([
    ['server_version_num', '120000'],
    ['server_encoding', 'UTF8'],
  ])
  /** By the names of the columns. */
  const answer = (sql: string) => {
    const columns = new Map([['schema', 'public']])
    for (const [, name = '', value = ''] of sql.matchAll(/set_config\('(\w+)', '(\w*)', false\)/g))
      settings.set(name, value)
    for (const [, name = '', column = ''] of sql.matchAll(/(?:set_config|current_setting)\('(\w+)'[^)]*\) AS (\w+)/g)) {
      columns.set(column, settings.get(name) ?? '')
    }
    return columns
  }
  const old = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int(0, 4)), ready]))
      socket.on('data', (bytes) => {
        if (bytes[0] !== 'Q'.charCodeAt(0)) return void socket.end()
        const columns = answer(bytes.toString())
        const head = [...columns.keys()].map((name) =>
          Buffer.concat([
            Buffer.from(`${name}\0`),
            int(0, 4),
            int(0, 2),
            int(25, 4),
            int(-1, 2),
            int(-1, 4),
            int(0, 2),
          ]),
        )
        const row = [...columns.values()].map((value) => Buffer.concat([int(value.length, 4), Buffer.from(value)]))
        socket.write(
          Buffer.concat([
            message('T', int(columns.size, 2), ...head),
            message('D', int(columns.size, 2), ...row),
            message('C', 'SELECT 1\0'),
            ready,
          ]),
        )
      })
    })
  })
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void old.close())
  return `postgres://app@127.0.0.1:${(old.address() as AddressInfo).port}/postgres`
}
