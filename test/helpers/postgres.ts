/**
 * A PostgreSQL server of Debian's `postgresql`, for the project `postgres` of `vitest.ci.config.ts` and for benchmarks.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

const VERSIONS = '/usr/lib/postgresql'

/** The folder of `initdb`; `undefined`: PostgreSQL is not installed. `POSTGRES_BIN` names another one. */
export function postgresPrograms(): string | undefined {
  const installed = existsSync(VERSIONS) ? readdirSync(VERSIONS).map((version) => join(VERSIONS, version, 'bin')) : []
  return [process.env.POSTGRES_BIN, ...installed].find((bin) => bin !== undefined && existsSync(join(bin, 'initdb')))
}

/** Vitest's `globalSetup`: a server for all tests. Its address is `TEST_POSTGRES_URL`. */
export async function setup(): Promise<() => void> {
  const server = await startPostgres()
  process.env.TEST_POSTGRES_URL = server.url
  return server.stop
}

/**
 * A server of its own, of the user `app`; it takes any password unless one is given. `isDurable`: it forces each
 * transaction onto the disk, which tests do not need.
 */
export async function startPostgres(password?: string, { isDurable = false } = {}) {
  const bin = postgresPrograms() ?? ''
  const isRoot = process.getuid?.() === 0
  const run = (program: string, ...parameters: string[]) => {
    const command = [join(bin, program), ...parameters]
    if (isRoot) command.unshift('runuser', '-u', 'postgres', '--')
    const [name = '', ...rest] = command
    execFileSync(name, rest, { stdio: 'ignore', cwd: tmpdir() })
  }
  const folder = mkdtempSync(join(tmpdir(), 'localization-postgres-'))
  if (isRoot) execFileSync('chown', ['postgres', folder])
  chmodSync(folder, 0o700)
  const data = join(folder, 'data')
  const port = await freePort()
  const fsync = isDurable ? 'on' : 'off'
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=${fsync} -c max_connections=300`
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password ?? 'none')
  if (isRoot) execFileSync('chown', ['postgres', passwordFile])
  const access = ['-A', password === undefined ? 'trust' : 'scram-sha-256', '-U', 'app', `--pwfile=${passwordFile}`]
  run('initdb', '-D', data, ...access, '--no-sync', '--locale=C.UTF-8', '-E', 'UTF8')
  const start = () => run('pg_ctl', '-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start')
  const halt = () => run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
  start()
  return {
    url: `postgres://app${password === undefined ? '' : `:${password}`}@127.0.0.1:${port}/postgres`,
    restart() {
      halt()
      start()
    },
    stop() {
      halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Runs statements on a server, and returns the rows of the last one. */
export async function onServer(url: string, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: unknown[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** The address of a new, empty schema. */
export async function emptySchema(url: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer(url, `CREATE SCHEMA ${name}`)
  return `${url}?options=-c%20search_path%3D${name}`
}
