/** Commands in a project whose files have a root, names with dots and empty names. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkResult } from '../../src/cli/commands/check.ts'
import { diffResult } from '../../src/cli/commands/diff.ts'
import { extractResult } from '../../src/cli/commands/extract.ts'
import { importResult } from '../../src/cli/commands/import.ts'
import { initResult } from '../../src/cli/commands/init.ts'
import { pullResult } from '../../src/cli/commands/pull.ts'
import { pushResult } from '../../src/cli/commands/push.ts'
import { statusResult } from '../../src/cli/commands/status.ts'
import { runCli } from '../helpers/cli.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const CONFIG = {
  files: { pattern: 'config/locales/{language}.yml', root: '{language}' },
  keySeparator: false,
  shape: 'nested',
  defaultLanguage: 'en',
}
const EN = `# Kept as it is.
defaults:
  title: outside
en: # the texts
  Save. Now?: Save? # asks
  errors:
    "": An error
    auth/invalid.email: No such address
`
const FILE = 'config/locales/en.yml'
const TEXTS = { 'Save. Now?': 'Save?', 'errors␟': 'An error', 'errors␟auth/invalid.email': 'No such address' }

const read = (project: Project, file = FILE) => readFile(join(project.root, file), 'utf8')
const edit = async (project: Project, change: (text: string) => string, file = FILE) =>
  writeFile(join(project.root, file), change(await read(project, file)))

test('push, pull, diff and status: every text has its place in the root, and nothing else changes', async () => {
  const project = await startProject({ files: { 'localization.config.json': CONFIG, [FILE]: EN }, service: true })
  const pushed = (await project.run('push', '--json', '--quiet')).json(pushResult)
  expect(pushed).toMatchObject({ texts: 3, conflicts: [], left: 0 })
  for (const [key, text] of Object.entries(TEXTS)) expect(await project.readText('en', '', key)).toBe(text)

  // A language without a file gets one, and the others a line.
  await project.setText('pl', '', 'errors␟auth/invalid.email', 'Nie ma takiego adresu')
  await project.setText('pl', '', 'errors␟', 'Błąd')
  await project.setText('en', '', 'errors␟', 'Something failed')
  const pulled = (await project.run('pull', '--json', '--quiet')).json(pullResult)
  expect(pulled).toMatchObject({ texts: 3, conflicts: [] })
  expect(await read(project)).toBe(EN.replace('An error', 'Something failed'))
  const polish = 'pl:\n  errors:\n    auth/invalid.email: Nie ma takiego adresu\n    "": Błąd\n'
  const written = await read(project, 'config/locales/pl.yml')
  expect(written.split('\n').sort()).toEqual(polish.split('\n').sort())
  expect(written).toMatch(/^pl:\n {2}errors:\n {4}/)

  await edit(project, (text) => text.replace('Save? #', 'Save it? #').replace('outside', 'still outside'))
  const diff = (await project.run('diff', '--json', '--quiet')).json(diffResult)
  expect(JSON.stringify(diff)).toContain('Save it?')
  expect(JSON.stringify(diff)).not.toContain('outside')
  expect((await project.run('push', '--json', '--quiet')).json(pushResult)).toMatchObject({ texts: 1, conflicts: [] })
  expect(await project.readText('en', '', 'Save. Now?')).toBe('Save it?')
  expect((await project.run('pull', '--json', '--quiet')).json(pullResult)).toMatchObject({ texts: 0, files: [] })
  expect((await project.run('status', '--json', '--quiet')).json(statusResult)).toMatchObject({
    languages: [
      { language: 'en', texts: 3, differing: 0, conflicts: 0 },
      { language: 'pl', texts: 2, differing: 0, conflicts: 0 },
    ],
  })
  await rm(join(project.root, 'config/locales/pl.yml'))
  expect((await project.run('import', FILE, '--json', '--quiet')).json(importResult)).toMatchObject({
    files: [{ language: 'en', keys: 3 }],
  })
})

test('a file with another root: nothing goes to the service or comes from it, and the place is named', async () => {
  const project = await startProject({
    files: {
      'localization.config.json': CONFIG,
      [FILE]: EN,
      'config/locales/pl.yml': 'pl:\n  errors:\n    "": Błąd\n',
    },
    service: true,
  })
  expect((await project.run('push', '--quiet')).code).toBe(0)
  const wrong = '# Moved by mistake.\nde:\n  errors:\n    "": Fehler\n  new: neu\n'
  await writeFile(join(project.root, 'config/locales/pl.yml'), wrong)
  await project.setText('pl', '', 'errors␟', 'Pomyłka')
  const place = 'config/locales/pl.yml:2:1'
  const message = 'the root "pl" is missing: the file has "de"'
  for (const command of ['push', 'pull']) {
    const run = await project.run(command)
    expect(run.stdout + run.stderr).toContain(`${place}: ${message}`)
  }
  expect(await project.readText('pl', '', 'errors␟')).toBe('Pomyłka')
  expect(await project.readText('pl', '', 'new')).toBeUndefined()
  expect(await read(project, 'config/locales/pl.yml')).toBe(wrong)
  const check = await project.run('check', '--json')
  expect(check.code).toBe(1)
  expect(check.json(checkResult).findings).toMatchObject([
    { file: 'config/locales/pl.yml', line: 2, column: 1, message: expect.stringContaining(message) },
  ])
})

test('extract and check --remove write inside the root', async () => {
  const cwd = await tempFolder()
  const setup = "import i18n from 'i18next'\ni18n.init({ lng: 'en', keySeparator: false, nsSeparator: false })\n"
  await writeTree(cwd, {
    'localization.config.json': CONFIG,
    [FILE]: EN,
    'src/app.js': `${setup}i18n.t('Save. Now?')\ni18n.t('Stop. Now?', 'Stop?')\n`,
  })
  const extracted = (await runCli(['extract', '--json'], { cwd })).json(extractResult)
  expect(extracted).toMatchObject({ keys: [{ key: 'Stop. Now?', text: 'Stop?' }], files: [FILE] })
  const after = await readFile(join(cwd, FILE), 'utf8')
  expect(after).toBe(`${EN.trimEnd()}\n  Stop. Now?: Stop?\n`)
  const check = await runCli(['check', '--unused', '--missing-in-code', '--json'], { cwd })
  expect(check.json(checkResult).findings.map(({ rule, key, line }) => [rule, key, line])).toEqual([
    ['unused', 'errors␟', 7],
    ['unused', 'errors␟auth/invalid.email', 8],
  ])
  const removed = await runCli(['check', '--unused', '--remove', '--yes', '--force', '--json'], { cwd })
  expect(removed.json(checkResult).usage?.removed).toHaveLength(2)
  expect(await readFile(join(cwd, FILE), 'utf8')).toBe(after.replace(/ {2}errors:\n.*\n.*\n/, ''))
})

test('init finds the root', async () => {
  const cwd = await tempFolder()
  const texts = (name: string) => `${name}:\n  title: ${name}\n`
  await writeTree(cwd, { 'config/locales/en.yml': texts('en'), 'config/locales/pl.yml': texts('pl') })
  const { config } = (await runCli(['init', '--yes', '--json', '--format', 'json'], { cwd })).json(initResult)
  expect(JSON.parse(config)).toMatchObject({
    files: { pattern: 'config/locales/{language}.yml', root: '{language}' },
  })
  const check = (await runCli(['check', '--json'], { cwd })).json(checkResult)
  expect(check).toMatchObject({ ok: true, findings: [] })
})
