/** Debian's `pgbouncer` before a PostgreSQL server; it ends with the test. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from './postgres.ts'
import { startProcess } from './processes.ts'
import { waitFor } from './service.ts'
import { tempFolder } from './temp.ts'

const PROGRAM = 'pgbouncer'

export const hasPgBouncer = spawnSync(PROGRAM, ['--version']).status === 0
if (!hasPgBouncer)
  process.stdout.write('tests behind PgBouncer skipped: it is not installed (apt-get install pgbouncer)\n')

/** The address of `url` through a pooler. `more`: lines of its configuration. */
export async function startPgBouncer(url: string, mode: 'session' | 'transaction', ...more: string[]): Promise<string> {
  const folder = await tempFolder()
  const port = await freePort()
  const { hostname, port: serverPort } = new URL(url)
  const users = join(folder, 'users')
  const configuration = join(folder, 'pgbouncer.ini')
  writeFileSync(users, '"app" ""\n')
  writeFileSync(
    configuration,
    [
      '[databases]',
      `* = host=${hostname} port=${serverPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${users}`,
      `pool_mode = ${mode}`,
      'default_pool_size = 40',
      ...more,
    ].join('\n'),
  )
  const isRoot = process.getuid?.() === 0
  if (isRoot) execFileSync('chown', ['-R', 'postgres', folder])
  startProcess([...(isRoot ? ['runuser', '-u', 'postgres', '--'] : []), PROGRAM, configuration])
  const isUp = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  await waitFor(isUp, (up) => up)
  return Object.assign(new URL(url), { port }).href
}
