/** The folder `deploy`, and the backups of docs/hosting.md, without Docker: files that parse, and commands that run. */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { repository } from '../helpers/bundlers.ts'
import { emptySchema, onServer, postgresPrograms } from '../helpers/postgres.ts'
import { runProcess } from '../helpers/processes.ts'
import { createProject, projectOf, request } from '../helpers/service.ts'
import { BUILT_CLI, spawnServe } from '../helpers/service-process.ts'
import { tempFolder } from '../helpers/temp.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''
const read = (name: string) => readFile(join(repository, 'deploy', name), 'utf8')

test('compose.yaml: its command starts the service, and the health check of the Dockerfile passes', async () => {
  const { services, 'x-service': service } = parse(await read('compose.yaml'), { merge: true })
  expect(Object.keys(services)).toEqual(['database', 'service-1', 'service-2', 'proxy'])
  expect(services['service-1']).toEqual(service)
  const args = (service.command as string[]).map((arg) =>
    arg.replace(/\$\{PUBLIC_NAME:\?\}/, 'localization.example.com'),
  )
  expect(args[0]).toBe('serve')
  const running = await spawnServe(
    args.slice(1).filter((arg) => !/^--(?:host|port)=/.test(arg)),
    { LOCALIZATION_DATABASE_URL: await emptySchema(server), LOCALIZATION_PERSONAL_TOKEN: 'fixed-token' },
  )
  const project = await createProject({ ...running, personalToken: 'fixed-token' })
  const { body } = await project.get('/api/v3/export?downloadFormat=multi-language-json')
  expect(body.data.url).toMatch(/^https:\/\/localization\.example\.com\/files\//)

  const [, check = '[]'] = /^ {2}CMD (\[.*\])$/m.exec(await read('Dockerfile')) ?? []
  const [program = '', ...rest] = (JSON.parse(check) as string[]).map((part) =>
    part.replace('http://127.0.0.1:4870', running.baseUrl),
  )
  expect((await runProcess([program, ...rest])).code).toBe(0)
  expect(await running.end('SIGTERM')).toBe(0)
  expect((await runProcess([program, ...rest])).code).toBe(1)
  for (const name of ['service-1', 'service-2']) expect(await read('Caddyfile')).toContain(`${name}:4870`)
})

test('backup with pg_dump while the service runs, restore into another database', async () => {
  const [from, to] = [`backup_from_${process.pid}`, `backup_to_${process.pid}`]
  await onServer(server, `CREATE DATABASE ${from}`, `CREATE DATABASE ${to}`)
  const address = (pathname: string) => Object.assign(new URL(server), { pathname }).href
  const first = await spawnServe(['--database', address(from)])
  const project = await createProject(first)
  await project.import({ en: { a: 'Zażółć 😀' } })
  await project.publish()
  const file = join(await tempFolder(), 'localization.dump')
  const bin = postgresPrograms() ?? ''
  execFileSync(join(bin, 'pg_dump'), ['--format=custom', '--no-owner', `--file=${file}`, `--dbname=${address(from)}`])
  execFileSync(join(bin, 'pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${address(to)}`, file])
  const second = await spawnServe(['--database', address(to)])
  expect(await projectOf(second, project).export()).toEqual({ en: { a: 'Zażółć 😀' } })
  expect((await projectOf(second, project).hosted('en')).body).toEqual({ a: 'Zażółć 😀' })
  // The token came along, so the start made no other one.
  expect(second.personalToken).toBe(null)
  const { status } = await request(`${second.baseUrl}/api/v2/projects`, {
    headers: { authorization: first.personalToken },
  })
  expect(status).toBe(200)
  const { code } = await runProcess([...BUILT_CLI, 'serve', '--check', '--port', '0', '--database', address(to)])
  expect(code).toBe(0)
  for (const service of [first, second]) expect(await service.end('SIGTERM')).toBe(0)
})
