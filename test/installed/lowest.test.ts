/**
 * The packed package with the lowest version of every dependency that its ranges allow: whoever waits with releases, or
 * keeps old ones,
 * gets these. And what npm installs for somebody who takes nothing that is younger than two weeks.
 */
import { readFileSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { npmInstall, packTarball, runNode } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const { dependencies, devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** `^1.2.3`: `1.2.3`. */
const LOWEST = Object.fromEntries(Object.entries(dependencies).map(([name, range]) => [name, range.replace(/^\^/, '')]))

const FILES = {
  'localization.config.ts': `
    import { defineConfig } from 'unplugin-localization'
    const defaultLanguage: string = 'en'
    export default defineConfig({ defaultLanguage, service: { baseUrl: process.env.BASE_URL } })
  `,
  'locales/en/common.json': { title: 'Hello, {name}', unused: 'Not used' },
  'locales/pl/common.json': { title: 'Witaj, {name}', unused: 'Nieużyte' },
  'src/main.js': `
    import { useTranslation } from 'react-i18next'
    import { createBackend } from 'unplugin-localization/i18next'
    import * as translations from 'virtual:translations'
    export const title = () => useTranslation('common').t('title')
    const backend = new (createBackend(translations))()
    backend.read('pl', 'common', (error, texts) => console.log(JSON.stringify(texts)))
  `,
  'vite.config.mjs': `
    import localization from 'unplugin-localization/vite'
    export default {
      logLevel: 'warn',
      build: { minify: false, modulePreload: false, rollupOptions: { input: 'src/main.js', external: 'react-i18next', output: { entryFileNames: 'main.mjs' } } },
      plugins: [localization({ prune: true, source: 'files', ...JSON.parse(process.env.OPTIONS ?? '{}') })],
    }
  `,
  'node_modules/react-i18next/index.js': 'export const useTranslation = () => {}',
  'node_modules/react-i18next/package.json': {
    name: 'react-i18next',
    version: '16.0.0',
    type: 'module',
    main: 'index.js',
  },
  'webpack.mjs': `
    import localization from 'unplugin-localization/webpack'
    import webpack from 'webpack'
    const plugin = localization({ source: 'files' })
    const compiler = webpack({ mode: 'production', target: 'node', entry: './src/plain.js', output: { path: process.cwd() + '/packed', filename: 'main.cjs', chunkFilename: '[name].cjs' }, plugins: [plugin] })
    compiler.run((error, stats) => compiler.close(() => {
      if (error || stats.hasErrors()) throw error ?? new Error(stats.toString({ all: false, errors: true }))
    }))
  `,
  'src/plain.js': `
    import { load } from 'virtual:translations'
    load('pl', 'common').then((texts) => console.log(JSON.stringify(texts)))
  `,
  // Everything that speaks to a service: the local one on SQLite, uploads, downloads, jobs of the client.
  'service.mjs': `
    import { createClient } from 'unplugin-localization/client'
    import { createLocalService } from 'unplugin-localization/service'
    import { execFile } from 'node:child_process'
    import { readFile, writeFile } from 'node:fs/promises'
    import { promisify } from 'node:util'
    const service = await createLocalService({ dataDir: 'data' })
    const account = createClient({ baseUrl: service.baseUrl, personalToken: service.personalToken })
    const { apiKey } = await account.projects.create({ name: 'lowest' })
    await account.close()
    const client = createClient({ baseUrl: service.baseUrl, apiKey })
    await client.imports.upload({ file: '{"title":"Hello"}', fileName: 'en.json', uploadFormat: 'single-language-json', languageKey: 'en', namespace: 'common' })
    const { translations } = await client.translations.query({ key: 'title', namespace: 'common' })
    await client.close()
    const command = (...args) => promisify(execFile)(process.execPath, ['node_modules/unplugin-localization/dist/cli.js', ...args], {
      env: { ...process.env, BASE_URL: service.baseUrl, LOCALIZATION_API_KEY: apiKey },
    })
    await command('pull', '--yes').catch(() => command('pull'))
    const pulled = JSON.parse(await readFile('locales/en/common.json', 'utf8'))
    await service.close()
    console.log(JSON.stringify({ queried: translations.map(({ text }) => text), pulled: pulled.title }))
  `,
  // The watcher, and the page's own modules.
  'dev.mjs': `
    import { writeFile } from 'node:fs/promises'
    import { createServer } from 'vite'
    const server = await createServer({ server: { host: '127.0.0.1', port: 0 } })
    await server.listen()
    const title = async () => (await server.transformRequest('virtual:translations/en/common')).code.includes('Edited')
    await title()
    for (let i = 0; i < 200 && !(await title()); i++) {
      await writeFile('locales/en/common.json', JSON.stringify({ title: 'Edited', number: String(i) }))
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    console.log(JSON.stringify(await title()))
    await server.close()
    process.exit(0)
  `,
} as const

test('ranges begin at a version, so that the lowest one is known', () => {
  for (const range of Object.values(dependencies)) expect(range).toMatch(/^\^\d+\.\d+\.\d+$/)
})

describe('the lowest versions', () => {
  let folder = ''
  const node = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { code, stdout, output } = await runNode(process.execPath, args, { cwd: folder, env })
    expect(code, output).toBe(0)
    return stdout
  }
  const json = async (args: readonly string[]) => JSON.parse(await node(args)) as unknown

  beforeAll(async () => {
    folder = await tempFolder()
    const { vite, webpack } = devDependencies
    const needed = { 'unplugin-localization': `file:${await packTarball()}`, vite, webpack, ...LOWEST }
    await writeTree(folder, { 'package.json': { private: true, type: 'module', dependencies: needed } })
    await npmInstall(folder)
    await writeTree(folder, FILES)
  }, 600_000)

  test('are those that are used, run on Node 20.19 and install nothing by a script', async () => {
    for (const [name, version] of Object.entries(LOWEST)) {
      const about = JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
      expect([name, about.version]).toEqual([name, version])
      expect([
        name,
        Object.keys(about.scripts ?? {}).filter((script) => /^(?:pre|post)?install$/.test(script)),
      ]).toEqual([name, []])
      const least = /(\d+)(?:\.(\d+))?/.exec(about.engines?.node ?? '0') as RegExpExecArray
      expect([name, Number(least[1]) * 100 + Number(least[2] ?? 0)]).toEqual([
        name,
        expect.toSatisfy((at: number) => at <= 2019),
      ])
    }
    expect(await readdir(join(folder, 'node_modules/unplugin-localization/node_modules')).catch(() => [])).toEqual([])
  })

  test('build with Vite, pruned', async () => {
    await node(['node_modules/vite/bin/vite.js', 'build'])
    expect(await json(['dist/main.mjs'])).toEqual({ title: 'Witaj, {name}' })
  })

  test('compile messages', async () => {
    const OPTIONS = JSON.stringify({ compile: 'icu', prune: false })
    await node(['node_modules/vite/bin/vite.js', 'build', '--outDir', 'compiled'], { OPTIONS })
    expect(await json(['compiled/main.mjs'])).toMatchObject({ title: [{ value: 'Witaj, ' }, { value: 'name' }] })
  })

  test('build with webpack', async () => {
    await node(['webpack.mjs'])
    expect(await json(['packed/main.cjs'])).toEqual({ title: 'Witaj, {name}', unused: 'Nieużyte' })
  })

  test('check the code and the files', async () => {
    const command = ['node_modules/unplugin-localization/dist/cli.js', 'check', '--unused', '--json']
    expect(await json(command)).toBeTypeOf('object')
  })

  test('watch', async () => {
    expect(await json(['dev.mjs'])).toBe(true)
    await writeTree(folder, { 'locales/en/common.json': FILES['locales/en/common.json'] })
  })

  test('the local service, the client and the command line', async () => {
    await rm(join(folder, 'locales/en/common.json'))
    expect(await json(['service.mjs'])).toEqual({ queried: ['Hello'], pulled: 'Hello' })
  })
})

test('npm finds versions that are two weeks old', async () => {
  const folder = await tempFolder()
  await writeTree(folder, { 'package.json': { private: true } })
  const before = new Date(Date.now() - 14 * 86_400_000).toISOString()
  await npmInstall(folder, await packTarball(), `--before=${before}`)
  await readFile(join(folder, 'node_modules/unplugin-localization/dist/vite.js'))
})
