/** `localization service`: personal tokens and API keys of a service that runs. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { credentialsChangeResult, credentialsListResult, serviceCopyResult } from '../../src/cli/commands/service.ts'
import { createLocalService } from '../../src/service.ts'
import { runCli } from '../helpers/cli.ts'
import { whenOver } from '../helpers/closing.ts'
import { startProject } from '../helpers/project.ts'
import { createProject, projectOf, request } from '../helpers/service.ts'
import { tempFolder } from '../helpers/temp.ts'

test('tokens: add shows the token once; list, rotate and revoke name it by its id', async () => {
  const { run, baseUrl } = await startProject({ service: true })
  const status = async (authorization: string | null) =>
    (await request(`${baseUrl}/api/v2/projects`, { headers: { authorization: authorization ?? '' } })).status
  const dry = await run('service', 'tokens', 'add', 'ci', '--dry-run')
  expect(dry.stdout).toBe('would create the personal token "ci"\n')
  const { credential, token } = (await run('service', 'tokens', 'add', 'ci', '--json')).json(credentialsChangeResult)
  expect(credential).toMatchObject({ name: 'ci', expiresAt: null })
  expect(await status(token)).toBe(200)
  const id = credential?.id ?? ''

  const listed = await run('service', 'tokens', 'list')
  expect(listed.stdout).toContain(`${id}  ci`)
  expect(listed.stdout).not.toContain(token)
  const rotated = (await run('service', 'tokens', 'rotate', id, '--overlap', '5min', '--json')).json(
    credentialsChangeResult,
  )
  expect([await status(token), await status(rotated.token)]).toEqual([200, 200])
  const { credentials } = (await run('service', 'tokens', 'list', '--json')).json(credentialsListResult)
  expect(credentials.filter(({ name }) => name === 'ci').map(({ expiresAt }) => expiresAt !== null)).toEqual([
    true,
    false,
  ])

  expect((await run('service', 'tokens', 'revoke', id)).stdout).toBe(`revoked the personal token ${id} (ci)\n`)
  expect([await status(token), await status(rotated.token)]).toEqual([403, 200])
  const missing = await run('service', 'tokens', 'revoke', id)
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('`localization service tokens list`')])
})

test('keys: a new key goes into a file and is never printed; the old one ends', async () => {
  const { run, root: folder, env, baseUrl } = await startProject({ service: { alone: true } })
  const { credentials } = (await run('service', 'keys', 'list', '--json')).json(credentialsListResult)
  expect(credentials).toMatchObject([{ name: '', isMain: true }])
  const id = credentials[0]?.id ?? ''
  const without = await run('service', 'keys', 'rotate', id)
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--save-key')])
  const rotated = await run('service', 'keys', 'rotate', id, '--overlap', '0', '--save-key', 'next.env')
  expect([rotated.code, rotated.stdout]).toEqual([0, expect.stringContaining('is in next.env')])
  const key = /^LOCALIZATION_API_KEY=(\w+)\n$/.exec(await readFile(join(folder, 'next.env'), 'utf8'))?.[1] ?? ''
  expect(rotated.output).not.toContain(key)
  const status = async (apiKey = '') =>
    (await request(`${baseUrl}/api/v1/jobs`, { headers: { 'X-Service-Token': apiKey } })).status
  expect([await status(env.LOCALIZATION_API_KEY), await status(key)]).toEqual([403, 200])
  const unknown = await run('service', 'keys', 'list', '--project', 'absent')
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('there is no project "absent"')])
})

test('without a personal token it names the variable', async () => {
  const { root: folder, env } = await startProject({ service: true })
  const { LOCALIZATION_BASE_URL } = env
  const { code, stderr } = await runCli(['service', 'tokens', 'list'], { cwd: folder, env: { LOCALIZATION_BASE_URL } })
  expect([code, stderr]).toEqual([1, expect.stringContaining('LOCALIZATION_PERSONAL_TOKEN')])
})

test('copy: all tables into an empty folder; a folder in use and one with data are refused', async () => {
  const folder = await tempFolder()
  const first = await createLocalService({ dataDir: join(folder, 'data') })
  const project = await createProject(first)
  await project.import({ en: { a: 'A' } })
  const run = (...args: readonly string[]) => runCli(['service', 'copy', ...args], { cwd: folder })
  const locked = await run('data', 'copy')
  expect([locked.code, locked.stderr]).toEqual([1, expect.stringContaining('in use')])
  await first.close()
  const dry = await run('data', 'copy', '--dry-run')
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/translations +1 .*nothing was kept/s)])
  const copied = (await run('data', 'copy', '--json')).json(serviceCopyResult)
  expect(copied.tables).toContainEqual({ table: 'translations', rows: 1, digest: expect.any(String) })
  const again = await run('data', 'copy')
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has data')])
  const absent = await run('absent', 'other')
  expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('there is no service.sqlite')])
  const second = await createLocalService({ dataDir: join(folder, 'copy') })
  whenOver(() => second.close())
  expect(await projectOf(second, project).export()).toEqual({ en: { a: 'A' } })
})
