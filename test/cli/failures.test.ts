/** Failures in the middle: each command says what was done, what failed, and what to do. */
import { mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { diffResult } from '../../src/cli/commands/diff.ts'
import { projectsListResult } from '../../src/cli/commands/projects.ts'
import { pushResult } from '../../src/cli/commands/push.ts'
import { runCli } from '../helpers/cli.ts'
import { noLinks } from '../helpers/file-system.ts'
import { startProject } from '../helpers/project.ts'
import { writeTree } from '../helpers/temp.ts'

const FILES = { 'locales/en/common.json': { title: 'Hello' }, 'locales/pl/common.json': { title: 'Witaj' } }

test.skipIf(noLinks)('a folder that cannot be read still has its texts', async () => {
  const files = ['locales/{language}/{namespace}.json', 'shop/{language}.json']
  const project = await startProject({
    files: {
      ...FILES,
      'locales/en/more.json': { a: 'A', b: 'B' },
      'shop/en.json': { buy: 'Buy' },
      'localization.config.json': { files },
    },
    service: true,
  })
  expect(await project.run('push')).toMatchObject({ code: 0 })
  // Nobody can read a link to itself.
  await rm(join(project.root, 'shop'), { recursive: true })
  await symlink('shop', join(project.root, 'shop'))
  const diff = await project.run('diff', '--json')
  expect(diff.code).toBe(1)
  expect(diff.json(diffResult)).toEqual({ differences: [], skippedFiles: ['shop'] })
  const push = await project.run('push', '--prune', '--yes', '--json')
  expect(push.json(pushResult)).toMatchObject({ pruned: [], deletedHere: 0, skippedFiles: ['shop'] })
  expect(await project.readText('en', '', 'buy')).toBe('Buy')
})

test('push --prune fails if the service keeps a key', async () => {
  const failures = [{ entry: {}, message: 'the key is locked' }]
  const fault = {
    method: 'DELETE',
    path: /bulk$/,
    status: 200,
    body: JSON.stringify({ status: 200, data: { failures } }),
  }
  const project = await startProject({
    files: { 'locales/en/common.json': { title: 'Hello', bye: 'Bye' } },
    service: { faults: [fault] },
  })
  expect(await project.run('push')).toMatchObject({ code: 0 })
  await writeTree(project.root, { 'locales/en/common.json': { title: 'Hello' } })
  const run = await project.run('push', '--prune', '--yes', '--json')
  expect(run.stderr).toContain('not deleted: the key is locked')
  expect([run.code, run.json(pushResult).pruned]).toEqual([1, []])
})

test('an import that fails names the file, and those before it', async () => {
  const project = await startProject({
    files: FILES,
    service: { faults: [{ method: 'POST', path: /import$/, after: 1, status: 400 }] },
  })
  const run = await project.run('import', 'locales/en/common.json', 'locales/pl/common.json')
  expect(run.code).toBe(1)
  expect(run.stderr).toMatch(/error: locales\/pl\/common\.json: POST /)
  expect(run.stderr).toContain('imported before the error: locales/en/common.json')
})

test('keys add says which text is missing', async () => {
  const project = await startProject({ service: true })
  const run = await project.run('keys', 'add', 'title', '--text', 'en=Hello', '--text', 'xx=Hej')
  expect(run.code).toBe(1)
  expect(run.stderr).toMatch(/the key "title" was created, but not its text in xx: PATCH .*404/)
  expect(await project.readText('en', '', 'title')).toBe('Hello')
})

test('a new API key that cannot be saved', async () => {
  const project = await startProject({ service: { alone: true } })
  await mkdir(join(project.root, 'keys.env'))
  const run = await project.run('projects', 'create', 'shop', '--save-key', 'keys.env')
  expect(run.code).toBe(1)
  expect(run.stderr).toMatch(/the project "shop" was created, but .*keys\.env.*cannot write the file/)
  expect(
    (await project.run('projects', 'list', '--json')).json(projectsListResult).projects.map(({ name }) => name),
  ).toContain('shop')
})

test('a wrong API key is not a service without languages', async () => {
  const project = await startProject({ service: true })
  const run = await runCli(['translate'], {
    cwd: project.root,
    env: { ...project.env, LOCALIZATION_API_KEY: 'wrong-key' },
  })
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('LOCALIZATION_API_KEY')])
})

test('export: an unknown language', async () => {
  const project = await startProject({ files: FILES, service: true })
  await project.run('push')
  const both = await project.run('export', '--language', 'xx', '--namespace', 'common')
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--language "xx" does not exist')])
})

test('publish says what was published before it failed', async () => {
  const project = await startProject({ files: FILES, service: true })
  await project.run('push')
  const run = await project.run('publish', '_latest', 'nowhere')
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('published _latest before the error')])
})

test('publish says why there is no comparison', async () => {
  const project = await startProject({ files: FILES, service: true })
  await project.run('push')
  await project.publish()
  const env = { ...project.env, LOCALIZATION_CDN_URL: '' }
  const run = await runCli(['publish', '_production', '--dry-run'], { cwd: project.root, env })
  expect(run.stderr).toMatch(/warning: `service.cdnUrl` is not set.*\n_production and _latest cannot be compared/)
})

test('sync records that cannot be read', async () => {
  const project = await startProject({ files: FILES, service: true })
  await project.run('push')
  const folder = join(project.root, '.localization/sync')
  const [name] = await readdir(folder)
  const journal = join(folder, name as string, 'journal.jsonl')
  await rm(journal)
  await mkdir(journal)
  await writeTree(project.root, { 'locales/en/common.json': { title: 'Hi' } })
  const run = await project.run('diff')
  expect(run.stderr).toContain('Texts that differ look like conflicts')
})
