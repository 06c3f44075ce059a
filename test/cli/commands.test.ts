/** Commands without sync, as processes: results, exit codes, both outputs, `--json` against its schema. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { environmentResult } from '../../src/cli/commands/environment.ts'
import { exportResult } from '../../src/cli/commands/export.ts'
import { importResult } from '../../src/cli/commands/import.ts'
import { initResult } from '../../src/cli/commands/init.ts'
import { keysAddResult, keysRemoveResult } from '../../src/cli/commands/keys.ts'
import { projectsCreateResult, projectsListResult } from '../../src/cli/commands/projects.ts'
import { publishResult } from '../../src/cli/commands/publish.ts'
import { translateResult } from '../../src/cli/commands/translate.ts'
import { translationsListResult } from '../../src/cli/commands/translations.ts'
import { runCli, startCli } from '../helpers/cli.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'locales/en/common.json': { title: 'Hello', nested: { deep: 'Down' } },
  'locales/pl/common.json': { title: 'Witaj' },
}

describe('projects', () => {
  test('list shows no key', async () => {
    const project = await startProject({ service: true })
    const { projects } = (await project.run('projects', 'list', '--json')).json(projectsListResult)
    expect(projects).toMatchObject([{ name: 'Test project', projectToken: project.projectToken, keys: 0 }])
    const { stdout, code } = await project.run('projects', 'list')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^project +languages +keys/)
  })

  test('create puts the key into a file that only its owner reads, and changes nothing else in it', async () => {
    const project = await startProject({
      files: { '.env.local': 'OTHER=1\nLOCALIZATION_API_KEY=old-key\n' },
      service: true,
    })
    const dry = (await project.run('projects', 'create', 'shop', '--dry-run', '--json')).json(projectsCreateResult)
    expect(dry).toEqual({ dryRun: true, project: null, keyFile: null })
    const run = await project.run('projects', 'create', 'shop', '--save-key', '--json')
    expect(run.json(projectsCreateResult)).toMatchObject({ project: { name: 'shop' }, keyFile: '.env.local' })
    const path = join(project.root, '.env.local')
    const [, other = '', key = ''] =
      /^(OTHER=1)\nLOCALIZATION_API_KEY=(\S+)\n$/.exec(await readFile(path, 'utf8')) ?? []
    expect(other).toBe('OTHER=1')
    expect(key.length).toBeGreaterThan(10)
    expect(run.stdout + run.stderr).not.toContain(key)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(run.stderr).toContain('replaced the API key in .env.local')
    const { LOCALIZATION_API_KEY: _, ...env } = project.env
    const used = await runCli(['status', '--json'], { cwd: project.root, env })
    expect(used.code).toBe(0)
  })
})

describe('import and export', () => {
  test('language and namespace come from the path, keys are joined, existing texts stay', async () => {
    const project = await startProject({ files: FILES, service: true })
    const dry = (await project.run('import', 'locales/en/common.json', '--dry-run', '--json')).json(importResult)
    expect(dry).toMatchObject({ dryRun: true, files: [{ language: 'en', namespace: 'common', keys: 2 }], left: [] })
    expect(await project.readText('en', 'common', 'title')).toBeUndefined()
    const run = await project.run('import', 'locales/en/common.json', 'locales/pl/common.json', '--json')
    expect(run.json(importResult).files).toMatchObject([
      { file: 'locales/en/common.json', language: 'en', namespace: 'common', keys: 2, languages: ['en'] },
      { file: 'locales/pl/common.json', language: 'pl', namespace: 'common', keys: 1 },
    ])
    expect(await project.readText('en', 'common', 'nested.deep')).toBe('Down')
    await project.setText('en', 'common', 'title', 'Edited')
    await project.run('import', 'locales/en/common.json')
    expect(await project.readText('en', 'common', 'title')).toBe('Edited')
    await project.run('import', 'locales/en/common.json', '--replace', '--publish', '--tag', 'web')
    expect(await project.readText('en', 'common', 'title')).toBe('Hello')
    expect((await project.run('environment', '_latest')).code).toBe(0)
  })

  test('a file of several languages, and one without a pattern', async () => {
    const project = await startProject({
      files: {
        'all.json': { en: { a: { b: 'AB' } }, pl: { a: { b: 'AB po polsku' } } },
        'elsewhere.json': { x: 'X' },
      },
      service: true,
    })
    expect(await project.run('import', 'elsewhere.json')).toMatchObject({ code: 2 })
    const multi = await project.run('import', 'all.json', '--format', 'multi-language-json', '--json')
    expect(multi.json(importResult).files).toMatchObject([{ language: null, keys: 1, languages: ['en', 'pl'] }])
    expect(await project.readText('pl', '', 'a.b')).toBe('AB po polsku')
    await project.run('import', 'elsewhere.json', '--language', 'en', '--namespace', 'shop')
    expect(await project.readText('en', 'shop', 'x')).toBe('X')
    await project.run('import', 'elsewhere.json', '--language', 'pl', '--raw')
    expect(await project.readText('pl', '', 'x')).toBe('X')
  })

  test('two keys of a language that become the same are an error', async () => {
    const all = { en: { a: { b: '1' } }, pl: { 'a.b': '1', a: { b: '2' } } }
    const project = await startProject({ files: { 'all.json': all }, service: true })
    const run = await project.run('import', 'all.json', '--format', 'multi-language-json', '--json')
    expect([run.code, JSON.parse(run.stdout)]).toMatchObject([1, { error: { code: 'FILE_KEY_COLLISION' } }])
    expect(project.requests).not.toContain('POST /api/v2/import')
  })

  test('YAML is sent as JSON', async () => {
    const project = await startProject({
      files: { 'en.yaml': '# c\nx: no\n', 'all.yml': 'no: {a: {b: AB på norsk}}\n' },
      service: true,
    })
    await project.run('import', 'en.yaml', '--language', 'en')
    expect(await project.readText('en', '', 'x')).toBe('no')
    await project.run('import', 'all.yml', '--format', 'multi-language-json')
    expect(await project.readText('no', '', 'a.b')).toBe('AB på norsk')
    expect(await project.run('import', 'en.yaml', '--language', 'en', '--raw')).toMatchObject({ code: 2 })
  })

  test('a broken file stops everything before anything is sent', async () => {
    const project = await startProject({ files: { ...FILES, 'locales/pl/common.json': '{"a": 1}' }, service: true })
    const run = await project.run('import', 'locales/en/common.json', 'locales/pl/common.json', '--json')
    expect(run.code).toBe(1)
    expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: 'FILE_VALUE' } })
    expect(run.stderr).toContain('locales/pl/common.json:1:7')
    expect(project.requests).not.toContain('POST /api/v2/import')
    const absent = await project.run('import', 'locales/en/absent.json')
    expect(absent).toMatchObject({ code: 1, stdout: '' })
    expect(absent.stderr).toContain('locales/en/absent.json: no such file')
  })

  test('export writes each language and namespace, and only what changed', async () => {
    const project = await startProject({ files: FILES, service: true })
    await project.run('import', 'locales/en/common.json', 'locales/pl/common.json')
    const dry = (await project.run('export', '--dry-run', '--json')).json(exportResult)
    expect(dry.files.filter(({ written }) => written)).toHaveLength(2)
    await expect(stat(join(project.root, 'localization-export'))).rejects.toThrow('ENOENT')
    const run = (await project.run('export', '--output', 'out', '--nested', '--language', 'en', '--json')).json(
      exportResult,
    )
    expect(run.files).toMatchObject([
      { file: 'out/en/common.json', language: 'en', namespace: 'common', written: true },
    ])
    expect(JSON.parse(await readFile(join(project.root, 'out/en/common.json'), 'utf8'))).toEqual({
      nested: { deep: 'Down' },
      title: 'Hello',
    })
    const again = await project.run('export', '--output', 'out', '--nested', '--language', 'en')
    expect(again.stdout).toContain('1 file, 0 written')
    const multi = (await project.run('export', '--format', 'multi-language-json', '--json')).json(exportResult)
    expect(multi.files.map(({ file }) => file)).toEqual(['localization-export/translations.json'])
  })

  test('without export v4, options that version 3 lacks are wrong usage', async () => {
    const project = await startProject({ files: FILES, service: { features: { exportV4: false } } })
    await project.run('import', 'locales/en/common.json')
    expect(await project.run('export')).toMatchObject({ code: 2 })
    const run = (await project.run('export', '--language', 'en', '--json')).json(exportResult)
    expect(run).toMatchObject({ version: 'v3', files: [{ file: 'localization-export/en.json' }] })
  })
})

describe('publish and environment', () => {
  test('publishes in order, and shows what is there', async () => {
    const project = await startProject({ files: FILES, service: true })
    await project.run('import', 'locales/en/common.json')
    const dry = await project.run('publish', '_latest', '--dry-run')
    expect(dry).toMatchObject({ code: 0, stdout: 'would publish _latest (nothing is published there yet)\n' })
    const unpublished = await project.run('environment', '_latest')
    expect(unpublished).toMatchObject({ code: 1, stdout: '' })
    expect(unpublished.stderr).toContain('Publish it with `localization publish _latest`')
    const { environments } = (await project.run('publish', '_latest', '_production', '--json')).json(publishResult)
    expect(environments).toMatchObject([
      { environment: '_latest', texts: 2 },
      { environment: '_production', texts: 2 },
    ])
    const status = (await project.run('environment', '_production', '--json')).json(environmentResult)
    expect(status.publishedAt).toBe(environments[1]?.publishedAt)
    expect(status.resources).toContainEqual(expect.objectContaining({ language: 'en', namespace: 'common' }))
    expect((await project.run('environment', '_production')).stdout).toContain('_production: 2 keys')
    const unknown = await project.run('publish', 'nowhere')
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('waits while another publish runs, and gives up in time', async () => {
    const busy = {
      method: 'POST',
      path: /\/publish$/,
      status: 409,
      body: JSON.stringify({
        status: 409,
        code: 'PUBLISH_RUNNING',
        msg: 'A publish of this project is still running.',
      }),
    }
    const project = await startProject({ files: FILES, service: { faults: [{ ...busy, times: 1 }] } })
    await project.run('import', 'locales/en/common.json')
    const patient = await project.run('publish', '_latest')
    expect(patient).toMatchObject({ code: 0 })
    expect(patient.stderr).toContain('another publish is running, waiting for it')
    const blocked = await startProject({ files: FILES, service: { faults: [busy] } })
    expect(await blocked.run('publish', '_latest', '--wait', '0s')).toMatchObject({ code: 1 })
  })
})

describe('translate', () => {
  test('one job for each language, with a summary', async () => {
    const project = await startProject({ files: FILES, service: true })
    await project.run('import', 'locales/en/common.json')
    const dry = (await project.run('translate', '--dry-run', '--provider', 'PROVIDER_B', '--json')).json(
      translateResult,
    )
    expect(dry.jobs.map(({ providerLanguage, state }) => [providerLanguage, state])).toEqual([
      ['PL', 'PLANNED'],
      ['DE', 'PLANNED'],
    ])
    expect(project.requests).not.toContain('POST /api/v1/jobs/auto-translate')
    const run = await project.run('translate', '--json', '--provider-language', 'de=de-AT')
    expect(run.code).toBe(0)
    expect(run.json(translateResult)).toMatchObject({
      source: 'en',
      jobs: [
        { language: 'pl', providerLanguage: 'pl', state: 'SUCCESS', ok: true },
        { language: 'de', providerLanguage: 'de-AT', state: 'SUCCESS', ok: true },
      ],
    })
    expect(run.stderr).toContain('pl: done')
    expect(await project.readText('pl', 'common', 'title')).toBeTruthy()
    expect(await project.run('translate', '--language', 'fr')).toMatchObject({ code: 2 })
    expect(await project.run('translate', '--formality', 'more')).toMatchObject({ code: 2 })
  })

  test('`service.names`: the words of the contract for a service that has others', async () => {
    const names = { PROVIDER_B: 'SPECIAL', providerBFormality: 'specialFormality' }
    const asked: unknown[] = []
    const project = await startProject({
      files: { ...FILES, 'localization.config.json': { service: { names } } },
      service: {
        names,
        providers: {
          PROVIDER_B: {
            async translate(texts, { formality }) {
              asked.push(formality)
              return texts
            },
          },
        },
      },
    })
    await project.run('import', 'locales/en/common.json')
    const run = await project.run('translate', '--provider', 'PROVIDER_B', '--formality', 'more', '--language', 'pl')
    expect(run).toMatchObject({ code: 0 })
    expect(asked).toEqual(['more'])
    const [job] = (await project.get('/api/v1/jobs')).body.data
    expect(job.metadata.translationProvider).toBe('SPECIAL')
  })

  test('exits with 1 when one fails', async () => {
    const project = await startProject({
      files: FILES,
      service: {
        providers: {
          PROVIDER_A: {
            translate: async (texts, { targetLanguage }) => {
              if (targetLanguage === 'de') throw new Error('quota is used up')
              return texts.map((text) => `${text}!`)
            },
          },
        },
      },
    })
    await project.run('import', 'locales/en/common.json')
    const run = await project.run('translate', '--replace', '--use-keys', '--publish', '--json')
    expect(run.code).toBe(1)
    expect(run.json(translateResult).jobs).toMatchObject([
      { language: 'pl', ok: true },
      { language: 'de', ok: false, message: expect.stringContaining('quota is used up') },
    ])
    expect(await project.readText('pl', 'common', 'title')).toBe('Hello!')
  })
})

describe('keys', () => {
  test('add makes a key with texts', async () => {
    const project = await startProject({ service: true })
    const dry = (await project.run('keys', 'add', 'cart', '--text', 'en=Cart', '--dry-run', '--json')).json(
      keysAddResult,
    )
    expect(dry).toEqual({ dryRun: true, namespace: 'default', key: 'cart', texts: [{ language: 'en', text: 'Cart' }] })
    expect(await project.readText('en', '', 'cart')).toBeUndefined()
    const flags = ['--description', 'd', '--code-description', 'c', '--tag', 'web', '--characters-limit', '9']
    const run = await project.run('keys', 'add', 'cart', '--namespace', 'shop', '--text', 'en=a=b', ...flags, '--json')
    expect(run.json(keysAddResult)).toMatchObject({ namespace: 'shop' })
    expect(await project.readText('en', 'shop', 'cart')).toBe('a=b')
    expect(await project.run('keys', 'add', 'cart', '--namespace', 'shop')).toMatchObject({ code: 1, stdout: '' })
    expect(await project.run('keys', 'add', 'x', '--text', 'en=toolong', '--characters-limit', '3')).toMatchObject({
      code: 2,
    })
  })

  test('remove deletes by name, and by pattern only when told to', async () => {
    const project = await startProject({ service: true })
    await project.importTexts('en', 'shop', { 'a.b': '1', 'a.c / d': '2', 'a?': '3', ax: '4' })
    await project.importTexts('pl', 'shop', { 'a.b': '1' })
    const dry = (await project.run('keys', 'remove', 'a.*', '--namespace', 'shop', '--dry-run', '--json')).json(
      keysRemoveResult,
    )
    expect(dry.removed).toEqual([
      { key: 'a.b', texts: 2 },
      { key: 'a.c / d', texts: 1 },
    ])
    expect(await project.run('keys', 'remove', 'a.*', '--namespace', 'shop')).toMatchObject({ code: 2 })
    // A key that looks like a pattern is that key alone.
    const odd = await project.run('keys', 'remove', 'a?', 'gone', '--namespace', 'shop', '--json')
    expect(odd.code).toBe(1)
    expect(odd.json(keysRemoveResult)).toMatchObject({ removed: [{ key: 'a?' }], notFound: ['gone'] })
    expect(await project.readText('en', 'shop', 'ax')).toBe('4')
    expect(await project.run('keys', 'remove', 'a.*', '--namespace', 'shop', '--yes')).toMatchObject({
      code: 0,
      stdout: 'deleted 2 keys\n',
    })
    expect(await project.readText('pl', 'shop', 'a.b')).toBeUndefined()
  })
})

describe('translations list', () => {
  test('every filter', async () => {
    const project = await startProject({ service: { customers: ['acme'] } })
    await project.importTexts('en', 'shop', { buy: 'Buy now', sell: 'Sell', none: '' })
    await project.importTexts('pl', 'shop', { buy: 'Kup teraz' })
    await project.importTexts('en', 'shop', { buy: 'Buy at Acme' }, 'acme')
    const list = async (...args: string[]) => {
      const { translations } = (await project.run('translations', 'list', ...args, '--json')).json(
        translationsListResult,
      )
      return translations.map(({ language, key, text }) => `${language} ${key} ${text}`)
    }
    expect(await list('--language', 'pl')).toEqual(['pl buy Kup teraz'])
    expect(await list('--namespace', 'shop', '--key', 'sell')).toEqual(['en sell Sell'])
    expect(await list('--text', 'BUY')).toEqual(['en buy Buy now'])
    expect(await list('--text-status', 'empty', '--language', 'en')).toEqual(['en none '])
    expect(await list('--text-status', 'not-empty', '--language', 'en')).toHaveLength(2)
    expect(await list('--review-status', 'reviewed')).toEqual([])
    expect(await list('--review-status', 'not-reviewed', '--language', 'pl')).toHaveLength(1)
    expect(await list('--customer', 'acme')).toEqual(['en buy Buy at Acme'])
    const page = (await project.run('translations', 'list', '--size', '1', '--page', '1', '--json')).json(
      translationsListResult,
    )
    expect(page).toMatchObject({ page: 1, more: true, total: 4 })
    const all = (await project.run('translations', 'list', '--size', '1', '--all', '--json')).json(
      translationsListResult,
    )
    expect(all).toMatchObject({ page: null, more: false, total: 4 })
    const { stdout, stderr } = await project.run('translations', 'list', '--size', '2')
    expect(stdout).toContain('"Buy now"')
    expect(stderr).toContain('4 texts in total: --page 1, or --all')
    expect(await project.run('translations', 'list', '--text', 'ab')).toMatchObject({ code: 2 })
    expect(await project.run('translations', 'list', '--size', '501')).toMatchObject({ code: 2 })
  })

  test('control characters in a text do not reach the terminal', async () => {
    const project = await startProject({ service: true })
    await project.importTexts('en', 'shop', { evil: '\u001b[2Jgone\u009b31m\u202e' })
    const { stdout } = await project.run('translations', 'list')
    expect(stdout).toContain(String.raw`\u001b[2Jgone\u009b31m\u202e`)
  })
})

describe('init', () => {
  test('finds YAML files', async () => {
    const folder = await tempFolder()
    await writeTree(folder, { 'i18n/en.yaml': 'a: A\n', 'i18n/no.yaml': 'a: no\n', 'i18n/de.json': { a: 'A' } })
    const run = await runCli(['init', '--yes'], { cwd: folder })
    expect(run.stderr).toContain('translation files: i18n/{language}.yaml, i18n/{language}.json, 3 languages')
    expect(await runCli(['check'], { cwd: folder })).toMatchObject({ code: 0 })
  })

  test.each([
    [
      'vite.config.ts',
      'vite',
      { 'src/i18n/en.json': { a: 'A' }, 'src/i18n/pt-BR.json': { a: 'A' } },
      'src/i18n/{language}.json',
      'ts',
    ],
    [
      'webpack.config.js',
      'webpack',
      { 'public/locales/en/views/home.json': { a: 'A' }, 'public/locales/de/x.json': { a: 'A' } },
      'public/locales/{language}/{namespace}.json',
      'mjs',
    ],
    [
      'rspack.config.mjs',
      'rspack',
      { 'lang/home.en.json': { a: 'A' }, 'lang/home.fr.json': { a: 'A' } },
      'lang/{namespace}.{language}.json',
      'json',
    ],
  ] as const)('finds %s and the files', async (configName, bundler, files, pattern, format) => {
    const folder = await tempFolder()
    await writeTree(folder, {
      [configName]: '',
      ...files,
      'package.json': {},
      'tsconfig.json': { compilerOptions: {} },
    })
    const args = ['init', '--base-url', 'https://l10n.example.com', '--format', format]
    const dry = (await runCli([...args, '--dry-run', '--json'], { cwd: folder })).json(initResult)
    expect(dry).toMatchObject({ bundler, files: pattern, defaultLanguage: 'en', dryRun: true })
    await expect(stat(join(folder, dry.configFile))).rejects.toThrow('ENOENT')
    const run = await runCli(args, { cwd: folder })
    expect(run.code).toBe(0)
    expect(run.stdout).toContain(`import localization from 'unplugin-localization/${bundler}'`)
    expect(run.stdout).not.toMatch(/ $/m)
    expect(run.stderr).toContain(`translation files: ${pattern}, 2 languages in 2 files`)
    expect(await readFile(join(folder, dry.configFile), 'utf8')).toBe(dry.config)
    // What was written is a configuration.
    const status = await runCli(['status', '--offline', '--json'], { cwd: folder })
    expect(status.code).toBe(0)
    expect(await runCli(args, { cwd: folder })).toMatchObject({ code: 1, stdout: '' })
    expect(await runCli([...args, '--force'], { cwd: folder })).toMatchObject({ code: 0 })
  })

  test('a file that holds no texts is not a language', async () => {
    const folder = await tempFolder()
    await writeTree(folder, {
      'locales/en.json': { a: 'A' },
      'locales/pl-PL.json': { a: 'A' },
      'locales/percentages.json': { en: 100 },
    })
    const run = await runCli(['init'], { cwd: folder })
    expect(run.stderr).toContain('left out, because these names are not languages: percentages')
    expect(await readFile(join(folder, 'localization.config.mjs'), 'utf8')).toContain("languages: ['en', 'pl-PL'],")
    expect(await runCli(['check'], { cwd: folder })).toMatchObject({ code: 0 })
  })

  test('keys that collide when joined with a dot get another separator', async () => {
    const folder = await tempFolder()
    await writeTree(folder, { 'locales/en/a.json': { 'x.y': '1', x: { y: '2' } }, 'locales/pl/a.json': { z: '1' } })
    await runCli(
      ['init', '--cdn-url', 'https://cdn.example.com', '--default-language', 'pl', '--bundler', 'farm', '--yes'],
      { cwd: folder },
    )
    const text = await readFile(join(folder, 'localization.config.mjs'), 'utf8')
    expect(text).toContain("keySeparator: '::'")
    expect(text).toContain("defaultLanguage: 'pl'")
    expect(await runCli(['check'], { cwd: folder })).toMatchObject({ code: 0 })
    expect(await runCli(['init', '--base-url', 'nonsense', '--force'], { cwd: folder })).toMatchObject({ code: 2 })
    expect(await runCli(['init', '--files', 'no-placeholder.json', '--force'], { cwd: folder })).toMatchObject({
      code: 2,
    })
  })
})

test('serve prints one line and ends cleanly', async () => {
  const folder = await tempFolder()
  const served = startCli(
    [
      'serve',
      '--port',
      '0',
      '--memory',
      '--json',
      '--language',
      'pl:Polish',
      '--customer',
      'acme',
      '--environment',
      'staging',
    ],
    { cwd: folder },
  )
  await expect.poll(() => served.stdout(), { timeout: 60_000 }).toMatch(/\n$/)
  const { baseUrl, cdnUrl, personalToken } = JSON.parse(served.stdout()) as Record<string, string>
  expect(cdnUrl).toBe(`${baseUrl}/_cdn`)
  const env = { LOCALIZATION_BASE_URL: baseUrl as string, LOCALIZATION_PERSONAL_TOKEN: personalToken as string }
  const { projects } = (
    await runCli(['projects', 'create', 'one', '--json'], { cwd: folder, env }).then(() =>
      runCli(['projects', 'list', '--json'], { cwd: folder, env }),
    )
  ).json(projectsListResult)
  expect(projects[0]?.languages.map(({ key }) => key)).toEqual(['en', 'pl'])
  served.child.kill('SIGINT')
  expect(await served.run).toMatchObject({ code: 0, stderr: '' })
})

test("the local service of the configuration is started for the command's time", async () => {
  const folder = await tempFolder()
  await writeTree(folder, {
    // Header and names are those of a service in the network.
    'localization.config.json': {
      service: { baseUrl: 'local', tokenHeader: 'X-Of-Another', names: { PROVIDER_A: 'ANOTHER' } },
    },
    'locales/en/common.json': { a: 'A' },
  })
  expect(await runCli(['push'], { cwd: folder })).toMatchObject({ code: 0 })
  const { parts } = JSON.parse((await runCli(['status', '--json'], { cwd: folder })).stdout) as { parts: unknown[] }
  expect(parts).toMatchObject([{ language: 'en', texts: 1, differing: 0 }])
})
