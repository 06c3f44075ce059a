/** `localization generate`: what it writes runs in Node, and says what the sources say. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { generateResult } from '../../src/cli/commands/generate.ts'
import { linkPackage, repository } from '../helpers/bundlers.ts'
import { type CliRun, runCli, startCli } from '../helpers/cli.ts'
import { IMPORTS, OUT, readModules } from '../helpers/generated.ts'
import { codeBlocks } from '../helpers/markdown.ts'
import { runToSuccess } from '../helpers/processes.ts'
import { startProject } from '../helpers/project.ts'
import { runEntry } from '../helpers/run.ts'
import { noMounts, onDisk } from '../helpers/small-disk.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'package.json': { imports: IMPORTS },
  'locales/en/common.json': { title: 'Title', greeting: 'Hello, {name}', steps: { one: 'One' } },
  'locales/en/shop/cart.json': { buy: 'Buy' },
  'locales/pl/common.json': { title: 'Tytuł', greeting: '' },
}

async function project(more: Readonly<Record<string, string | object>> = {}) {
  const folder = await tempFolder()
  await writeTree(folder, { ...FILES, ...more })
  const generate = (...args: readonly string[]) => runCli(['generate', ...args], { cwd: folder })
  const result = async (...args: readonly string[]) => succeeded(await generate('--json', ...args))
  return { folder, generate, result }
}

function succeeded(run: CliRun) {
  expect([run.code, run.stderr]).toEqual([0, run.stderr])
  return run.json(generateResult)
}

/** What an app in the folder gets. */
async function collect<T>(folder: string, code: string): Promise<T> {
  await writeTree(folder, { 'main.mjs': code })
  return runEntry<T>(join(folder, 'main.mjs'))
}

const EVERYTHING = `
import * as manifest from '#translations'
import common from '#translations/pl/common'
import cart from '#translations/pl/shop/cart'
import pl from '#translations/pl'
export const collect = async () => ({
  common, cart, pl,
  languages: manifest.languages.map(({ key }) => key),
  namespaces: manifest.namespaces,
  lazy: await manifest.load('pl', 'common'),
  same: (await manifest.load('pl', 'common')) === common && pl.common === common,
  whole: await manifest.loadLanguage('en'),
  unknown: await manifest.load('xx').catch(({ name }) => name),
})
`

/** More than a table names. */
const MANY = Array.from({ length: 70 }, (_, at) => `many/n${at}`)

const LIVE = `
import { load, version } from '#translations'
process.on('message', async ([language, namespace]) =>
  process.send(language === 'version' ? version() : await load(language, namespace)))
process.send('ready')
`

/** Runs \`main.mjs\`, which answers with texts. */
async function startEntry(folder: string) {
  const child = fork(join(folder, 'main.mjs'), { cwd: folder, execArgv: [] })
  onTestFinished(() => void child.kill())
  await once(child, 'message')
  return {
    async ask(...question: readonly string[]): Promise<unknown> {
      child.send(question)
      const [answer] = await once(child, 'message')
      return answer
    },
  }
}

describe("with delivery: 'live'", () => {
  const live = { delivery: 'live', defaultLanguage: 'en', types: false }

  test.each([
    ['names in the table', {}],
    ['an index for each language', Object.fromEntries(MANY.map((name) => [`locales/en/${name}.json`, { name }]))],
  ])('a release changes texts in a running process: %s', async (_what, more) => {
    const { folder, result } = await project({ ...more, 'localization.config.json': live })
    await result()
    await writeTree(folder, { 'main.mjs': LIVE })
    const running = await startEntry(folder)
    expect(await running.ask('en', 'common')).toEqual({ title: 'Title', greeting: 'Hello, {name}', 'steps.one': 'One' })
    const built = await running.ask('version')
    await writeTree(folder, { 'locales/pl/common.json': '{ "title": "Nowy", "__proto__": "</script>" }' })
    const run = await runCli(['release', 'public', '--json'], { cwd: folder })
    expect(run.code, run.output).toBe(0)
    expect(await running.ask('pl', 'common')).toMatchObject({ title: 'Nowy', greeting: 'Hello, {name}' })
    expect(await running.ask('en', 'common')).toMatchObject({ title: 'Title' })
    expect(await running.ask('version')).not.toBe(built)
    expect((await runCli(['release', 'public', '--previous'], { cwd: folder })).code).toBe(0)
    expect(await running.ask('pl', 'common')).toMatchObject({ title: 'Tytuł' })
    expect(await running.ask('version')).toBe(built)
    // Without the folder, the modules have the texts of the build.
    await rm(join(folder, 'public'), { recursive: true })
    expect(await (await startEntry(folder)).ask('pl', 'common')).toMatchObject({ title: 'Tytuł' })
  })

  test('--public and --base name another folder and its URL; the modules have no path of this machine', async () => {
    const { folder, result } = await project({ 'localization.config.json': { ...live, refresh: true } })
    await result('--public', 'static', '--base', 'https://cdn.example/app/')
    const manifest = (await readModules(folder)).get('index.js') ?? ''
    expect(manifest).toContain("base: 'https://cdn.example/app/localization/'")
    expect([...(await readModules(folder)).values()].join('')).not.toContain(folder)
    const { build } = JSON.parse(await readFile(join(folder, 'static/localization/table.json'), 'utf8'))
    expect(manifest).toContain(build)
    // New texts are a new build, whose folder has no files of the old one.
    await writeTree(folder, { 'locales/en/shop/cart.json': { buy: 'Buy now' } })
    const before = await readdir(join(folder, 'static/localization/en'))
    await result('--public', 'static')
    const after = await readdir(join(folder, 'static/localization/en'))
    expect([before.length, after.length]).toEqual([2, 2])
    expect(after).not.toEqual(before)
  })
})

describe('the files', () => {
  test('run in Node, with fallbacks, and are as ES modules in a CommonJS project', async () => {
    const { folder, generate, result } = await project()
    const first = await generate()
    expect([first.code, first.stdout]).toEqual([0, `${OUT}: wrote 17 of 17 files; 2 languages, 2 namespaces\n`])
    const pl = { greeting: 'Hello, {name}', 'steps.one': 'One', title: 'Tytuł' }
    expect(await collect(folder, EVERYTHING)).toEqual({
      common: pl,
      cart: { buy: 'Buy' },
      pl: { common: pl, 'shop/cart': { buy: 'Buy' } },
      languages: ['en', 'pl'],
      namespaces: ['common', 'shop/cart'],
      lazy: pl,
      same: true,
      whole: {
        common: { greeting: 'Hello, {name}', 'steps.one': 'One', title: 'Title' },
        'shop/cart': { buy: 'Buy' },
      },
      unknown: 'RangeError',
    })
    for (const [path, content] of await readModules(folder)) {
      expect(content, path).not.toContain('virtual:')
      // Types may come from the package; code does not.
      if (path.endsWith('.js')) expect(content, path).not.toMatch(/from '(?!\.)/)
    }
    expect(await readFile(join(folder, '.localization/.gitignore'), 'utf8')).toBe('*\n')
    expect(await result()).toMatchObject({ files: 17, written: [], removed: [], edited: [], out: OUT })
  })

  test('customers, nested texts, compiled texts, names that no file can have', async () => {
    const { folder, result } = await project({
      'localization.config.json': {
        shape: 'nested',
        compile: 'icu',
        customers: ['acme'],
        files: ['locales/{language}/{namespace}.json', 'customers/{customer}/{language}/{namespace}.json'],
      },
      'customers/acme/pl/common.json': { title: 'Acme' },
      'locales/en/50%25.json': { half: 'Half' },
    })
    expect(await result()).toMatchObject({ customers: ['acme'], namespaces: ['50%', 'common', 'shop/cart'] })
    const found = await collect(
      folder,
      `
      import half from '#translations/pl/50~25'
      import common from '#translations/pl/common'
      import acme from '#translations/pl/common@acme'
      import all from '#translations/pl@acme'
      import { load } from '#translations'
      export const collect = async () => ({ half, common, acme, same: all.common === acme, lazy: await load('pl', '50%') })
      `,
    )
    const greeting = expect.arrayContaining([expect.objectContaining({ type: 1, value: 'name' })])
    expect(found).toEqual({
      half: { half: 'Half' },
      common: { greeting, steps: { one: 'One' }, title: 'Tytuł' },
      acme: { greeting, steps: { one: 'One' }, title: 'Acme' },
      same: true,
      lazy: { half: 'Half' },
    })
  })

  test('go with the glue of each library', async () => {
    const { folder, result } = await project()
    await linkPackage(folder)
    await result()
    const library = (name: string) => JSON.stringify(import.meta.resolve(name))
    const found = await collect(
      folder,
      `
      import * as translations from '#translations'
      import i18next from ${library('i18next')}
      import { createI18n } from ${library('vue-i18n')}
      import { createBackend } from 'unplugin-localization/i18next'
      import { createIntlStore } from 'unplugin-localization/react-intl'
      import { createLanguageLoader } from 'unplugin-localization/vue-i18n'
      export const collect = async () => {
        const store = createIntlStore(translations, { namespaces: ['common'] })
        await store.setLanguage('pl')
        await i18next.use(createBackend(translations)).init({ lng: 'pl', fallbackLng: false, ns: ['common'] })
        const i18n = createI18n({ legacy: false, locale: 'en', messages: {} })
        await createLanguageLoader(i18n, translations).setLanguage('pl')
        return [i18next.t('common:title'), store.getSnapshot().messages['common.title'], i18n.global.t('common.title')]
      }
      `,
    )
    expect(found).toEqual(['Tytuł', 'Tytuł', 'Tytuł'])
  })

  test('have types of the texts', async () => {
    const { folder, result } = await project({
      'localization.config.json': { types: 'localization.d.ts' },
      'tsconfig.json': {
        compilerOptions: {
          strict: true,
          noEmit: true,
          module: 'esnext',
          moduleResolution: 'bundler',
          target: 'es2022',
          types: [],
        },
        files: ['app.ts', 'localization.d.ts'],
      },
      'app.ts': `
        import { type Key, type Language, load, onUpdate } from '#translations'
        import cart from '#translations/pl/shop/cart'
        import pl from '#translations/pl'
        import fromPlugin from 'virtual:translations/en/common'
        export const texts: string[] = [cart.buy, pl.common.title, (await load('en', 'common')).greeting, fromPlugin.title]
        export const key: Key<'common'> = 'steps.one'
        export const languages: Language['key'][] = ['en', 'pl']
        onUpdate((update) => update.type === 'messages' && update.namespace)
        // @ts-expect-error no such text
        cart.sell
        // @ts-expect-error no such language
        load('xx')
        // @ts-expect-error no such module
        import('#translations/pl/none')
      `,
    })
    await linkPackage(folder)
    await result()
    await runToSuccess([process.execPath, join(repository, 'node_modules/typescript/bin/tsc'), '-p', folder])
  })

  test('hold what the service has, with gaps filled from the files', async () => {
    const service = await startProject({
      files: { 'locales/en/common.json': { title: 'Local', only: 'File' } },
      service: true,
    })
    await service.importTexts('en', 'common', { title: 'Remote' })
    expect(succeeded(await service.run('generate', '--json')).languages).toEqual(['en', 'pl', 'de'])
    const text = [...(await readModules(service.root)).values()].join()
    expect(text).toContain('"only":"File","title":"Remote"')
    expect(text).not.toContain(service.apiKey)
  })

  test('hold no secret: a text that holds the key stops the run', async () => {
    const { folder, result } = await project({ 'localization.config.json': { source: 'files' } })
    await result()
    const before = await readModules(folder)
    const env = { LOCALIZATION_API_KEY: 'key-of-this-test', LOCALIZATION_BASE_URL: 'http://127.0.0.1:9' }
    await writeTree(folder, { 'locales/pl/common.json': { title: `Key ${env.LOCALIZATION_API_KEY}` } })
    const refused = await runCli(['generate', '--json'], { cwd: folder, env })
    expect([refused.code, JSON.parse(refused.stdout)]).toEqual([
      1,
      {
        error: expect.objectContaining({
          code: 'SECRET_EXPOSED',
          message: expect.stringContaining(`${OUT}/pl/common.js:`),
        }),
      },
    ])
    expect(refused.stdout).toContain('Nothing was written')
    expect(await readModules(folder)).toEqual(before)
  })
})

describe('the folder', () => {
  test('files are written where they changed, and removed where they are gone', async () => {
    const { folder, result } = await project()
    await result()
    const old = new Date(2020, 1, 1)
    const index = join(folder, OUT, 'index.js')
    await utimes(index, old, old)
    await writeTree(folder, { 'locales/pl/common.json': { title: 'Nowy' } })
    expect(await result()).toMatchObject({ written: ['pl/common.js'], removed: [], edited: [] })
    expect((await stat(index)).mtime).toEqual(old)
    // A branch without the namespace, and with another language.
    await rm(join(folder, 'locales/en/shop'), { recursive: true })
    await writeTree(folder, { 'locales/de/common.json': { title: 'Titel' } })
    const switched = await result()
    expect(switched.removed.sort()).toEqual(
      ['en', 'pl'].flatMap((language) => [`${language}/shop/cart.d.ts`, `${language}/shop/cart.js`]).sort(),
    )
    expect(switched.written).toEqual(expect.arrayContaining(['de.js', 'de/common.js', 'en.js', 'index.js']))
    await expect(stat(join(folder, OUT, 'en/shop'))).rejects.toThrow('ENOENT')
    const names = `import { languages, namespaces } from '#translations'
      export const collect = () => [languages.map(({ key }) => key), namespaces]`
    expect(await collect(folder, names)).toEqual([['de', 'en', 'pl'], ['common']])
  })

  test('edits by hand are lost, and said', async () => {
    const { folder, generate, result } = await project()
    await result()
    const before = await readModules(folder)
    await appendFile(join(folder, OUT, 'pl/common.js'), '// mine\n')
    await rm(join(folder, OUT, 'en.js'))
    const dry = await generate('--dry-run')
    expect(dry).toMatchObject({
      code: 0,
      stdout: `${OUT}: would write 2 of 17 files (pl/common.js, en.js); 2 languages, 2 namespaces\n`,
    })
    const run = await generate()
    expect(run.code).toBe(0)
    expect(run.stderr).toContain(`overwrote manual edits in ${OUT}/pl/common.js`)
    expect(await readModules(folder)).toEqual(before)
    expect((await generate()).stderr).toBe('')
  })

  test('files of others are left alone', async () => {
    const { folder, generate, result } = await project({ 'src/texts/mine.js': 'export {}\n' })
    const refused = await generate('--out', 'src/texts')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('src/texts: contains files that were not generated: mine.js. Nothing was written.')
    expect(refused.stderr).toContain('--out')
    expect(await readModules(folder, 'src/texts')).toEqual(new Map([['mine.js', 'export {}\n']]))
    await result()
    await writeTree(folder, { [`${OUT}/own.js`]: 'export {}\n', [`${OUT}/de/common.js`]: 'export {}\n' })
    await result()
    await writeTree(folder, { 'locales/de/common.json': { title: 'Titel' } })
    const taken = await generate()
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('de/common.js')])
    await rm(join(folder, OUT, 'de/common.js'))
    await result()
    expect((await readModules(folder)).get('own.js')).toBe('export {}\n')
  })

  test('may be outside the project', async () => {
    const { folder } = await project()
    const app = join(folder, 'packages/app')
    await mkdir(app, { recursive: true })
    await writeTree(app, { 'locales/en/common.json': { title: 'Of the app' } })
    const run = await runCli(['generate', '--out', '../../lib/texts', '--json'], { cwd: app })
    expect(succeeded(run).out).toBe('../../lib/texts')
    const code = `import { load } from './lib/texts/index.js'
      export const collect = async () => (await load('en', 'common')).title`
    expect(await collect(folder, code)).toBe('Of the app')
  })

  test('two at once, then one more: whole, and nothing left to do', async () => {
    const { folder, result } = await project(manyFiles(5, 20))
    const ends = await Promise.all([0, 1, 2].map(() => startCli(['generate', '--json'], { cwd: folder }).run))
    const results = ends.map(succeeded)
    const wrote = results.filter(({ written }) => written.length > 0)
    expect(wrote.map(({ written, files }) => written.length === files)).toEqual([true])
    expect(await result()).toMatchObject({ written: [], removed: [], edited: [] })
  })

  test('killed in the middle: the next run makes it whole, and takes no file for an edit', async () => {
    const { folder, result } = await project(manyFiles(20, 20))
    const count = () =>
      readModules(folder).then(
        ({ size }) => size,
        () => 0,
      )
    const running = startCli(['generate'], { cwd: folder })
    await expect.poll(count, { timeout: 60_000, interval: 1 }).toBeGreaterThan(5)
    running.signal('SIGKILL')
    await running.run
    const torn = await count()
    const { files, edited } = await result()
    expect(edited).toEqual([])
    const after = await readModules(folder)
    // The list is one more.
    expect(after.size).toBe(files + 1)
    expect([...after.keys()].filter((path) => path.includes('.tmp'))).toEqual([])
    expect(torn).toBeLessThanOrEqual(after.size + 32)
    expect(await result()).toMatchObject({ written: [], edited: [] })
  })

  test.skipIf(noMounts)('a read-only checkout: fine where it is current, an error where it is not', async () => {
    const { folder, result } = await project()
    await result()
    const before = await readModules(folder)
    const cli = [process.execPath, join(repository, 'dist/cli.js'), 'generate']
    const current = await runToSuccess([...onDisk(folder, 'ro'), ...cli])
    expect(current.stdout).toContain(`${OUT}: current, 17 files`)
    await writeTree(folder, { 'locales/pl/common.json': { title: 'Nowy' } })
    const kept = await tempFolder()
    await expect(runToSuccess([...onDisk(folder, 'ro', kept), ...cli])).rejects.toThrow(
      /ended with 1:[\s\S]*\.localization\/modules\/modules\.json: cannot write the file \(left unchanged\)[\s\S]*read-only/,
    )
    expect(await readModules(kept)).toEqual(before)
  })
})

describe('prune', () => {
  const config = (usage?: object) => ({ 'localization.config.json': { prune: true, ...(usage && { usage }) } })
  const app = {
    'src/app.js': `
      import { load } from '#translations'
      import cart from '#translations/en/shop/cart'
      const messages = await load('en', 'common')
      console.log(messages.title, cart.buy)
    `,
  }

  test('keeps the keys that the sources use', async () => {
    const { folder, generate } = await project({ ...config({ files: ['src/**/*.js'] }), ...app })
    const run = await generate()
    expect([run.code, run.stderr]).toEqual([0, ''])
    const modules = await readModules(folder)
    expect(modules.get('pl/common.js')).toContain(`'{"title":"Tytuł"}'`)
    expect(modules.get('pl/shop/cart.js')).toContain(`'{"buy":"Buy"}'`)
    // Code that uses a new key compiles before the next run.
    expect(modules.get('index.d.ts')).toContain("'greeting'")
  })

  test('says that usage.files is not set, and stops where it names nothing', async () => {
    const defaults = await project({ ...config(), ...app })
    const run = await defaults.generate()
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('Set usage.files if other files use keys too')])
    const nothing = await project(config({ files: ['source/**/*.ts'] }))
    const failed = await nothing.generate()
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringContaining('prune: no source file matches usage.files (source/**/*.ts)'),
    ])
    await expect(readModules(nothing.folder)).rejects.toThrow('ENOENT')
  })
})

test('stops for what stops a build, and prints what to add', async () => {
  const { folder, generate } = await project({
    'package.json': {},
    'localization.config.json': { coverage: { minimum: { pl: 1 }, onMissing: 'error' } },
  })
  const low = await generate('--json')
  expect([low.code, JSON.parse(low.stdout)]).toEqual([
    1,
    { error: expect.objectContaining({ code: 'COVERAGE_TOO_LOW' }) },
  ])
  await writeFile(join(folder, 'localization.config.json'), '{}')
  expect((await generate('--dry-run')).stdout).toContain('would write 17 of 17 files')
  await expect(stat(join(folder, OUT))).rejects.toThrow('ENOENT')
  expect((await generate()).stdout).toContain(`"#translations/*": "./${OUT}/*.js"`)
  expect((await generate('--watch', '--dry-run')).code).toBe(2)
})

test('docs/generate.md: what it shows runs, and prints what it shows', async () => {
  const page = 'docs/generate.md'
  const blocks = codeBlocks(page, await readFile(join(repository, page), 'utf8'))
  const folder = await tempFolder()
  for (const { name, code } of blocks) if (name !== undefined) await writeTree(folder, { [name]: code })
  const shown = blocks.filter(({ language }) => language === 'console').map(({ code }) => code)
  const generated = await runCli(['generate'], { cwd: folder })
  const program = await runToSuccess([process.execPath, 'main.js'], { cwd: folder })
  expect(shown).toEqual([`$ localization generate\n${generated.stdout}`, `$ node main.js\n${program.stdout}`])
})

function manyFiles(languages: number, namespaces: number): Readonly<Record<string, object>> {
  const names = Array.from({ length: languages * namespaces }, (_, at) => [at % languages, Math.floor(at / languages)])
  return Object.fromEntries(
    names.map(([language, namespace]) => [
      `locales/l${language}/n${namespace}.json`,
      { title: `Title ${language} ${namespace}` },
    ]),
  )
}
