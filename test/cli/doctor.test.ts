/** `localization doctor` in broken projects: what is wrong, where, and what to do. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { doctorResult } from '../../src/cli/commands/doctor.ts'
import { secretsIn } from '../helpers/canary.ts'
import { runCli } from '../helpers/cli.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { freePort } from '../helpers/throwaway-server.ts'

const typescript = createRequire(import.meta.url).resolve('typescript')

type Files = Readonly<Record<string, string | object>>

const GOOD: Files = {
  'package.json': { devDependencies: { vite: '^8.0.0' } },
  'vite.config.js':
    "import localization from 'unplugin-localization/vite'\nexport default { plugins: [localization()] }\n",
  'node_modules/vite/package.json': { name: 'vite', version: '8.1.0' },
  'locales/en/common.json': { title: 'Title' },
  'locales/pl/common.json': { title: 'Tytuł' },
}

async function examine(files: Files, env: Readonly<Record<string, string>> = {}, args: readonly string[] = []) {
  const cwd = await tempFolder()
  await writeTree(cwd, { ...GOOD, ...files })
  const result = await runCli(['doctor', '--json', ...args], { cwd, env })
  expect(secretsIn(result.output)).toEqual([])
  const data = result.json(doctorResult)
  expect(result.code).toBe(data.ok ? 0 : 1)
  return { ...data, of: (name: string) => data.checks.filter((check) => check.name === name) }
}

test('a project in order', async () => {
  const { ok, checks, of } = await examine({})
  expect(ok).toBe(true)
  expect(checks.filter(({ level }) => level === 'error')).toEqual([])
  expect(of('bundler')).toEqual([
    { name: 'bundler', level: 'ok', found: 'Vite 8.1.0', where: 'vite.config.js', hint: null },
  ])
  expect(of('files')[0]?.found).toBe(
    'locales/{language}/{namespace}.json: 2 files, 1 namespace, languages en, pl; the default is en',
  )
  expect(of('build')[0]?.found).toBe(
    'a build takes only the files; every key is kept; a dev server sends nothing to the service',
  )
})

const BROKEN: readonly (readonly [what: string, files: Files, check: string, expected: object])[] = [
  [
    'an option that does not exist',
    { 'localization.config.json': { defaultLangauge: 'en' } },
    'configuration',
    {
      level: 'error',
      found: expect.stringContaining('defaultLangauge'),
      where: expect.stringContaining('localization'),
    },
  ],
  [
    'a configuration that cannot be loaded',
    { 'localization.config.mjs': 'export default {' },
    'configuration',
    { level: 'error', found: expect.stringContaining('[CONFIG_LOAD]') },
  ],
  [
    'a pattern that matches nothing',
    { 'localization.config.json': { files: 'i18n/{language}.json' } },
    'files',
    { level: 'error', hint: expect.stringContaining('locales/{language}/{namespace}.json') },
  ],
  [
    'a file that is no JSON',
    { 'locales/pl/common.json': '{\n  "title": "Tytuł",\n  oops\n}\n' },
    'file',
    { level: 'error', where: 'locales/pl/common.json:3:3' },
  ],
  [
    'a default language without texts',
    { 'localization.config.json': { defaultLanguage: 'fr' } },
    'files',
    { level: 'error', found: expect.stringContaining('"fr"') },
  ],
  [
    'a bundler that is too old',
    { 'node_modules/vite/package.json': { name: 'vite', version: '4.5.0' } },
    'bundler',
    { level: 'error', found: 'Vite 4.5.0 is not supported', where: 'vite.config.js' },
  ],
  [
    'a bundler without the plugin',
    { 'vite.config.js': 'export default {}\n' },
    'bundler',
    { level: 'warning', hint: expect.stringContaining("'unplugin-localization/vite'") },
  ],
  [
    'a file in the place of the folder',
    { '.localization': 'x' },
    'folder',
    { level: 'error', where: '.localization', hint: 'Move the file away.' },
  ],
  [
    'a service without its key',
    { 'localization.config.json': { service: { baseUrl: 'http://127.0.0.1:9' } } },
    'service',
    {
      level: 'error',
      found: expect.stringContaining('LOCALIZATION_API_KEY'),
      hint: expect.stringContaining('.env.local'),
    },
  ],
  [
    'a misspelt variable',
    { '.env': 'LOCALISATION_API_KEY=something-secret\n' },
    'configuration',
    { level: 'warning', found: expect.stringContaining('Did you mean LOCALIZATION_API_KEY?') },
  ],
]

test.each(BROKEN)('%s', async (_what, files, name, expected) => {
  const { of } = await examine(files)
  expect(of(name)[0]).toMatchObject(expected)
})

test('the service: its answer, its clock, a wrong key, nobody there', async () => {
  const shop = await startProject({ files: GOOD, service: true })
  const well = (await shop.run('doctor', '--json')).json(doctorResult)
  const find = ({ checks }: typeof well, name: string) => checks.find((check) => check.name === name)
  expect(find(well, 'service')).toMatchObject({ level: 'ok', found: expect.stringContaining('can read') })
  expect(find(well, 'clock')).toMatchObject({ level: 'ok' })

  const shifted = pathToFileURL(join(import.meta.dirname, '../helpers/shifted-clock.mjs')).href
  const late = await runCli(['doctor', '--json'], {
    cwd: shop.root,
    env: { ...shop.env, CLOCK_SHIFT_MS: '-3600000', NODE_OPTIONS: `--import ${shifted}` },
  })
  expect(find(late.json(doctorResult), 'clock')).toMatchObject({
    level: 'warning',
    found: expect.stringMatching(/^(?:3600|3599) s /),
  })

  const wrong = { ...shop.env, LOCALIZATION_API_KEY: 'a-key-that-nobody-gave-out' }
  const refused = await examine({}, wrong)
  expect(refused.of('service')[0]).toMatchObject({ level: 'error', hint: expect.any(String) })
  expect(JSON.stringify(refused.checks)).not.toContain('a-key-that-nobody-gave-out')

  const nobody = { ...shop.env, LOCALIZATION_BASE_URL: `http://127.0.0.1:${await freePort()}` }
  const config = { 'localization.config.json': { service: { retries: 0 } } }
  expect((await examine(config, nobody)).of('service')[0]).toMatchObject({ level: 'error' })
  expect((await examine(config, nobody, ['--offline'])).of('service')[0]).toMatchObject({ level: 'ok' })
})

test('for people, one line for each check, and what to do below it', async () => {
  const cwd = await tempFolder()
  await writeTree(cwd, { ...GOOD, '.localization': 'x' })
  const { code, stdout } = await runCli(['doctor'], { cwd })
  expect(code).toBe(1)
  expect(stdout).toContain('error   folder: not a folder (.localization)\n        Move the file away.\n')
})

describe('TypeScript', () => {
  const examineTypes = async (files: Files) => {
    const { of } = await examine({
      'localization.config.json': { types: 'types/localization.d.ts' },
      'types/localization.d.ts': '',
      'node_modules/typescript/package.json': { name: 'typescript', version: '5.9.0', main: 'index.cjs' },
      'node_modules/typescript/index.cjs': `module.exports = require(${JSON.stringify(typescript)})`,
      'src/main.ts': '',
      ...files,
    })
    return of('TypeScript')
  }
  const options = { moduleResolution: 'bundler', module: 'ESNext' }

  test('is not looked at without a tsconfig.json', async () => {
    expect(await examineTypes({})).toEqual([])
  })

  test('that includes the generated file, also by a reference, is in order', async () => {
    expect(await examineTypes({ 'tsconfig.json': { compilerOptions: options } })).toMatchObject([{ level: 'ok' }])
    expect(
      await examineTypes({
        'tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] } // comment',
        'tsconfig.base.json': { compilerOptions: options },
        'tsconfig.app.json': { extends: './tsconfig.base.json', include: ['src', 'types'] },
      }),
    ).toMatchObject([{ level: 'ok' }])
  })

  test('that leaves the generated file out gets a warning', async () => {
    expect(await examineTypes({ 'tsconfig.json': { compilerOptions: options, include: ['src'] } })).toEqual([
      {
        name: 'TypeScript',
        level: 'warning',
        where: 'tsconfig.json',
        found: 'types/localization.d.ts is not included',
        hint: 'Add "types/localization.d.ts" to include.',
      },
    ])
  })

  test('that finds no packages gets an error', async () => {
    const [check] = await examineTypes({ 'tsconfig.json': { compilerOptions: { moduleResolution: 'classic' } } })
    expect(check).toMatchObject({ level: 'error', found: expect.stringContaining('classic') })
  })
})
