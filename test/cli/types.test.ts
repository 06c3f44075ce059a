/** `localization types`. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { typesResult } from '../../src/cli/commands/types.ts'
import { runCli } from '../helpers/cli.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'locales/en/common.json': { title: 'Title', greeting: 'Hello, {name}' },
  'locales/pl/common.json': { title: 'Tytuł' },
}

test('writes declarations that are out of date', async () => {
  const folder = await tempFolder()
  await writeTree(folder, FILES)
  const run = (...args: readonly string[]) => runCli(['types', ...args], { cwd: folder })
  const read = () => readFile(join(folder, 'localization.d.ts'), 'utf8')

  const missing = await run('--check', '--json')
  expect(missing.code).toBe(1)
  expect(missing.json(typesResult).files).toEqual([{ file: 'localization.d.ts', current: false, written: false }])
  expect((await run('--dry-run', '--json')).json(typesResult)).toMatchObject({
    dryRun: true,
    files: [{ current: false, written: false }],
  })
  await expect(read()).rejects.toThrow('ENOENT')

  const first = await run()
  expect(first).toMatchObject({ code: 0 })
  expect(first.stdout).toBe('localization.d.ts: written\n2 languages, 1 namespace, 2 keys\n')
  expect(await read()).toContain("'greeting': Placeholders<'name'>")
  expect((await run('--json')).json(typesResult)).toEqual({
    dryRun: false,
    languages: ['en', 'pl'],
    namespaces: ['common'],
    keys: 2,
    files: [{ file: 'localization.d.ts', current: true, written: false }],
  })
  expect(await run('--check')).toMatchObject({ code: 0 })

  // The comments show texts. They do not make the declaration out of date.
  await writeTree(folder, { 'locales/pl/common.json': { title: 'Nagłówek' } })
  expect(await run('--check')).toMatchObject({ code: 0 })
  expect((await run()).stdout).toContain('localization.d.ts: written')
  expect(await read()).toContain('pl: `Nagłówek`')
  expect(JSON.parse(await readFile(join(folder, 'localization.d.ts.map'), 'utf8'))).toMatchObject({
    sources: ['locales/en/common.json'],
  })

  // A checkout on Windows.
  await writeFile(join(folder, 'localization.d.ts'), (await read()).replaceAll('\n', '\r\n'))
  expect(await run('--check')).toMatchObject({ code: 0 })
  await writeTree(folder, { 'locales/en/common.json': { title: 'Title' } })
  const stale = await run('--check')
  expect(stale).toMatchObject({ code: 1 })
  expect(stale.stdout).toContain('localization.d.ts: out of date: run localization types')
  expect(await run('--check', '--dry-run')).toMatchObject({ code: 2 })
})

test("takes the configuration's file, libraries and pseudo-language; leaves a handwritten file", async () => {
  const folder = await tempFolder()
  await writeTree(folder, {
    ...FILES,
    'localization.config.json': { pseudo: 'en-XA', types: { file: 'src/texts.d.ts', i18next: true } },
    'src/texts.i18next.d.ts': '// mine\n',
  })
  const { code, stdout } = await runCli(['types', '--json'], { cwd: folder })
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'FILE_WRITE' } })
  expect(await readFile(join(folder, 'src/texts.i18next.d.ts'), 'utf8')).toBe('// mine\n')
  expect(await readFile(join(folder, 'src/texts.d.ts'), 'utf8')).toContain("'en' | 'en-XA' | 'pl'")
})

test("asks the service, and has its keys and the files'", async () => {
  const project = await startProject({ files: { 'locales/en/common.json': { local: 'Local' } }, service: true })
  await project.importTexts('en', 'common', { remote: 'Remote {x}' })
  expect(await project.run('types')).toMatchObject({ code: 0 })
  const text = await readFile(join(project.root, 'localization.d.ts'), 'utf8')
  expect(text).toContain("'remote': Placeholders<'x'>")
  expect(text).toContain("readonly 'local': string")
  expect(await project.run('types', '--check')).toMatchObject({ code: 0 })
})

test('--check and --dry-run leave the snapshot as it is', async () => {
  const project = await startProject({ files: { 'locales/en/common.json': { local: 'Local' } }, service: true })
  await project.importTexts('en', 'common', { remote: 'Remote' })
  const kept = () => readdir(join(project.root, '.localization')).catch(() => [])
  await project.run('types', '--check')
  await project.run('types', '--dry-run')
  expect(await kept()).toEqual([])
  await project.run('types')
  expect(await kept()).not.toEqual([])
})
