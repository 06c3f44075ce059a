/** Filters that name nothing, and what a command says of what it left out. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProject } from '../helpers/project.ts'

const FILES = {
  'locales/en/common.json': { title: 'Hello', bye: 'Bye' },
  'locales/pl/common.json': { title: 'Witaj' },
}

test.each([
  [['push', '--language', 'plx'], '--language "plx" does not exist in the files or on the service. Did you mean "pl"?'],
  [
    ['push', '--dry-run', '--language', 'en', '--language', 'xx*'],
    '--language "xx*" matches no name in the files or on the service',
  ],
  [
    ['pull', '--namespace', 'comon'],
    '--namespace "comon" does not exist in the files or on the service. Did you mean "common"?',
  ],
  [['status', '--language', 'xx'], '--language "xx" does not exist in the files or on the service'],
  [
    ['status', '--offline', '--language', 'pll'],
    '--language "pll" does not exist in the files or on the service. Did you mean "pl"?',
  ],
  [
    ['diff', '--namespace', 'nope'],
    '--namespace "nope" does not exist in the files or on the service. Known: "common".',
  ],
  [['resolve', 'titel', '--ours'], 'no key "titel" exists on either side. Did you mean "title"?'],
])('%j is wrong usage, which names the nearest', async (args, message) => {
  const project = await startProject({ files: FILES, service: true })
  await project.run('push')
  const run = await project.run(...args)
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toContain(message)
  const json = await project.run(...args, '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'USAGE' } })
})

test('a filter that names a language of the project, without any text yet, is fine', async () => {
  const project = await startProject({ files: FILES, service: true })
  await project.run('push')
  expect(await project.run('pull', '--language', 'de')).toMatchObject({ code: 0 })
})

test('a push that leaves a broken file out says so, and not that everything is the same', async () => {
  const project = await startProject({ files: FILES, service: true })
  await project.run('push')
  await writeFile(join(project.root, 'locales/pl/common.json'), '{ "title": "Wit')
  for (const command of ['push', 'pull']) {
    const { code, stdout } = await project.run(command)
    expect(code).toBe(1)
    expect(stdout).toContain(`nothing to ${command}\nleft out 1 file that cannot be read: locales/pl/common.json`)
    expect(stdout).not.toContain('what the')
  }
})

test('keys add for a key that exists says so, and what changes its texts', async () => {
  const project = await startProject({ files: FILES, service: true })
  await project.run('push')
  const { code, stderr } = await project.run('keys', 'add', 'title', '--namespace', 'common')
  expect(code).toBe(1)
  expect(stderr).toMatch(/title.*exist/)
  expect(stderr).not.toContain('running request')
})
