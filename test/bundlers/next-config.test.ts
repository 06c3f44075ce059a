import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { NextConfig } from '../../src/next/merge-config.ts'
import withLocalization from '../../src/next.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const BUILD = 'phase-production-build'
const CONTEXT = { defaultConfig: {} }
const FILES = {
  'locales/en/common.json': { title: 'Title' },
  'locales/en/50%.json': { half: 'Half' },
  'locales/pl/common.json': { title: 'Tytuł' },
  'customers/acme/en/common.json': { title: 'Acme' },
}
const OPTIONS = {
  source: 'files',
  files: ['locales/{language}/{namespace}.json', 'customers/{customer}/{language}/{namespace}.json'],
  customers: ['acme'],
  defaultLanguage: 'en',
} as const

/** A project whose configuration is evaluated by `wrapped`, as a program of the project's that builds does it. */
async function wrapIn(config: NextConfig, files: Readonly<Record<string, string | object>> = FILES) {
  const root = await tempFolder()
  await writeTree(root, { 'next.config.mjs': '', ...files })
  const wrap = withLocalization(config, { root, ...OPTIONS })
  return { root, wrapped: () => wrap(BUILD, CONTEXT) }
}

/** What webpack's configuration asks for, with this one's plugin. */
async function replacements(config: NextConfig, requests: readonly string[]): Promise<string[]> {
  const replaced: string[] = []
  class NormalModuleReplacementPlugin {
    constructor(filter: RegExp, replace: (resource: { request: string }) => void) {
      for (const request of requests) {
        const resource = { request }
        if (filter.test(request)) replace(resource)
        replaced.push(resource.request)
      }
    }
  }
  config.webpack?.({}, { webpack: { NormalModuleReplacementPlugin } })
  return replaced
}

describe('aliases', () => {
  test('lead to generated files, in every spelling of a name', async () => {
    const { root, wrapped } = await wrapIn({})
    const config = await wrapped()
    const out = './.localization/modules'
    expect(config.turbopack?.resolveAlias).toEqual({
      'virtual:translations': `${out}/index.js`,
      'virtual:translations/*': [`${out}/*.js`, `${out}/unknown.js`],
      '#translations': `${out}/index.js`,
      '#translations/*': [`${out}/*.js`, `${out}/unknown.js`],
      'virtual:translations/en/50%25': `${out}/en/50~25.js`,
      'virtual:translations/en/50%': `${out}/en/50~25.js`,
      'virtual:translations/pl/50%25': `${out}/pl/50~25.js`,
      'virtual:translations/pl/50%': `${out}/pl/50~25.js`,
      ...Object.fromEntries(
        ['en', 'pl'].flatMap((language) => [
          [`virtual:translations/${language}?customer=acme`, `${out}/${language}@acme.js`],
          [`virtual:translations/${language}/common?customer=acme`, `${out}/${language}/common@acme.js`],
          [`virtual:translations/${language}/50%25?customer=acme`, `${out}/${language}/50~25@acme.js`],
          [`virtual:translations/${language}/50%?customer=acme`, `${out}/${language}/50~25@acme.js`],
        ]),
      ),
    })
    const requests = [
      'virtual:translations',
      'virtual:translations/en',
      'virtual:translations/pl/50%25',
      'virtual:translations/en/common?customer=acme',
      '#translations',
      '#translations/en/common',
      'virtual:translations-of-another',
    ]
    const files = ['index', 'en', 'pl/50~25', 'en/common@acme', 'index', 'en/common']
    expect(await replacements(config, requests)).toEqual([
      ...files.map((name) => join(root, '.localization/modules', `${name}.js`)),
      'virtual:translations-of-another',
    ])
    await expect(replacements(config, ['virtual:translations/en/comon'])).rejects.toThrow('Did you mean "common"?')
    await expect(replacements(config, ['#translations/e'])).rejects.toThrow('Did you mean "en"?')
  })

  test('stand beside those of the project', async () => {
    const webpack = vi.fn((config: object) => ({ ...config, own: true }))
    const afterCompile = vi.fn(async () => {})
    const own = { other: 'kept' }
    const { wrapped } = await wrapIn({
      ...own,
      turbopack: { resolveAlias: { fs: './empty.js' } },
      webpack,
      compiler: { runAfterProductionCompile: afterCompile },
    } as NextConfig)
    const config = await wrapped()
    expect(config).toMatchObject({ ...own, turbopack: { resolveAlias: { fs: './empty.js' } } })
    class NormalModuleReplacementPlugin {}
    const context = { webpack: { NormalModuleReplacementPlugin }, isServer: true }
    const given = { plugins: ['first'] } as unknown as { plugins: object[] }
    expect(config.webpack?.(given, context)).toEqual({
      own: true,
      plugins: ['first', new NormalModuleReplacementPlugin()],
    })
    expect(webpack).toHaveBeenCalledWith(given, context)
    const metadata = { projectDir: '/app', distDir: '/app/.next' }
    await config.compiler?.runAfterProductionCompile?.(metadata)
    expect(afterCompile).toHaveBeenCalledWith(metadata)
  })
})

describe('the modules', () => {
  test('are generated once, however often the configuration is evaluated', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => write.mockRestore())
    const { wrapped } = await wrapIn({})
    await Promise.all([wrapped(), wrapped()])
    await wrapped()
    expect(write.mock.calls.filter(([line]) => String(line).includes('texts in'))).toHaveLength(1)
  })

  test('a build that fails can be mended', async () => {
    const { root, wrapped } = await wrapIn({}, { 'locales/en/common.json': '{ "title": ' })
    await expect(wrapped()).rejects.toThrow('locales/en/common.json:1:12')
    await writeTree(root, { 'locales/en/common.json': { title: 'Title' } })
    await expect(wrapped()).resolves.toHaveProperty('turbopack')
  })

  test('a folder without next.config is not the one of the project', async () => {
    await expect(withLocalization()(BUILD, CONTEXT)).rejects.toThrow('root: import.meta.dirname')
  })
})

test('takes objects, promises, functions and nothing; what a server gets is as it was', async () => {
  const server = 'phase-production-server'
  expect(await withLocalization()(server, CONTEXT)).toEqual({})
  const config = { output: 'export' }
  expect(await withLocalization(config)(server, CONTEXT)).toBe(config)
  expect(await withLocalization(Promise.resolve(config))(server, CONTEXT)).toBe(config)
  const own = vi.fn(async (phase: string, _context: object) => ({ env: { phase } }))
  expect(await withLocalization(own)(server, CONTEXT)).toEqual({ env: { phase: server } })
  expect(own).toHaveBeenCalledWith(server, CONTEXT)
})
