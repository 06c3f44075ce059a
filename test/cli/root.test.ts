/** The project that a command works on, when it is started in a folder below the configuration. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../helpers/cli.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

async function project(): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, {
    'package.json': {},
    'localization.config.json': { files: 'locales/{language}.json', defaultLanguage: 'en' },
    'locales/en.json': { title: 'Title' },
    'src/app/main.js': '',
  })
  return root
}

test.each(['.', 'src', 'src/app'])('in %s', async (folder) => {
  const root = await project()
  const { code, stdout, stderr } = await runCli(['check'], { cwd: join(root, folder) })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('1 text')
  const doctor = await runCli(['doctor', '--json'], { cwd: join(root, folder) })
  expect(doctor.stdout).toContain('locales/{language}.json: 1 file')
})

test.each(['check', 'status --offline', 'extract'])(
  '%s: a folder that --root names is the project, and the message says that it has no configuration',
  async (command) => {
    const root = await project()
    const { code, stdout, stderr } = await runCli([...command.split(' '), '--root', 'src'], { cwd: root })
    expect(code).toBe(1)
    const src = join(root, 'src')
    expect(stdout + stderr).toContain(`locales/{language}/{namespace}.json in ${src}, without a configuration file`)
  },
)

test('init sees it', async () => {
  const root = await project()
  const { code, stderr } = await runCli(['init', '--config-only'], { cwd: join(root, 'src') })
  expect(code).toBe(1)
  expect(stderr).toContain('there is a configuration already')
})

test('arguments that are paths stay relative to the working folder', async () => {
  const root = await project()
  const { stderr } = await runCli(['import', '../locales/pl.json', '--dry-run'], { cwd: join(root, 'src') })
  expect(stderr).toContain(' locales/pl.json: no such file')
  const named = await runCli(['import', 'locales/pl.json', '--dry-run', '--root', '.'], { cwd: root })
  expect(named.stderr).toContain(' locales/pl.json: no such file')
})
