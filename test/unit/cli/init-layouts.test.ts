/** Layouts of real projects, made by their file names alone: what `localization init` finds there. */
import { describe, expect, test } from 'vitest'
import { describeUnread, detectFiles } from '../../../src/cli/init/detect-files.ts'
import { detectBundler } from '../../../src/cli/init/project.ts'
import { largestLanguage } from '../../../src/cli/init/texts.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const TEXTS = { title: 'Title', nested: { save: 'Save' } }

async function makeProject(paths: readonly string[], more: Record<string, object | string> = {}): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, { ...Object.fromEntries(paths.map((path) => [path, TEXTS])), ...more })
  return root
}

const each = (names: readonly string[], path: (name: string) => string) => names.map(path)
const LANGUAGES = ['de', 'en', 'pl']

interface Layout {
  readonly patterns: readonly string[]
  readonly paths: readonly string[]
  readonly languages?: readonly string[]
  readonly leftOut?: readonly string[]
}

const LAYOUTS: Readonly<Record<string, Layout>> = {
  'i18next in public': {
    patterns: ['public/locales/{language}/{namespace}.json'],
    paths: LANGUAGES.flatMap((name) => [`public/locales/${name}/common.json`, `public/locales/${name}/home.json`]),
  },
  'one file for each language': {
    patterns: ['src/i18n/{language}.json'],
    paths: each(LANGUAGES, (name) => `src/i18n/${name}.json`),
  },
  'namespace before language': {
    patterns: ['lang/{namespace}.{language}.json'],
    paths: LANGUAGES.flatMap((name) => [`lang/common.${name}.json`, `lang/home.${name}.json`]),
  },
  'language before namespace': {
    patterns: ['lang/{language}.{namespace}.json'],
    paths: LANGUAGES.flatMap((name) => [`lang/${name}.common.json`, `lang/${name}.home.json`]),
  },
  'language behind an underscore': {
    patterns: ['src/messages_{language}.json'],
    paths: each(['de', 'en', 'pt_BR'], (name) => `src/messages_${name}.json`),
    languages: ['de', 'en', 'pt_BR'],
  },
  'language behind a hyphen, beside names with hyphens': {
    patterns: ['assets/strings-{language}.json'],
    paths: [...each(LANGUAGES, (name) => `assets/strings-${name}.json`), 'assets/app-bar.json', 'assets/top-bar.json'],
  },
  'namespaces with folders': {
    patterns: ['web/public/locales/{language}/{namespace}.json'],
    paths: LANGUAGES.flatMap((name) => [
      `web/public/locales/${name}/common.json`,
      `web/public/locales/${name}/views/settings.json`,
    ]),
  },
  'regions in lower case': {
    patterns: ['frontend/src/i18n/locales/{language}/{namespace}.json'],
    paths: each(['en', 'pt-br', 'zh-tw'], (name) => `frontend/src/i18n/locales/${name}/translation.json`),
    languages: ['en', 'pt-br', 'zh-tw'],
  },
  'packages of a monorepo, one file for each language': {
    patterns: ['packages/{namespace}/locales/{language}.json'],
    paths: ['admin', 'shop', 'ui'].flatMap((name) => each(LANGUAGES, (one) => `packages/${name}/locales/${one}.json`)),
  },
  'packages of a monorepo with namespaces of their own': {
    patterns: ['apps/admin/locales/{language}/{namespace}.json', 'apps/shop/locales/{language}/{namespace}.json'],
    paths: LANGUAGES.flatMap((name) => [
      `apps/shop/locales/${name}/shop.json`,
      `apps/admin/locales/${name}/admin.json`,
    ]),
  },
  'packages of a monorepo with the same namespaces': {
    patterns: ['apps/shop/locales/{language}/{namespace}.json'],
    leftOut: ['apps/admin/locales/{language}/{namespace}.json'],
    paths: LANGUAGES.flatMap((name) => [
      `apps/shop/locales/${name}/common.json`,
      `apps/shop/locales/${name}/cart.json`,
      `apps/admin/locales/${name}/common.json`,
    ]),
  },
  'an index and minified copies beside the files': {
    patterns: ['locales/{language}.json'],
    paths: [...each(LANGUAGES, (name) => `locales/${name}.json`), 'locales/index.json', 'locales/en.min.json'],
  },
  'one language so far': {
    patterns: ['locales/{language}.json'],
    paths: ['locales/en.json'],
    languages: ['en'],
  },
  'other files that are named like languages': {
    patterns: ['src/locale/{language}.json'],
    paths: [...each(LANGUAGES, (name) => `src/locale/${name}.json`), 'src/api/is.json', 'config/no.json'],
  },
  'languages in the root, beside other files': {
    patterns: ['{language}/{namespace}.json'],
    paths: [...LANGUAGES.flatMap((name) => [`${name}/common.json`]), 'src/data.json', 'config/app.json'],
  },
  'files of languages in the root': {
    patterns: ['{language}.json'],
    paths: [...each(LANGUAGES, (name) => `${name}.json`), 'package.json', 'tsconfig.json'],
  },
  'a language with a name of its own': {
    patterns: ['locales/{language}.json'],
    paths: each([...LANGUAGES, 'pirate'], (name) => `locales/${name}.json`),
    languages: ['de', 'en', 'pirate', 'pl'],
  },
  'the output of a build beside its source': {
    patterns: ['src/lang/{language}.json'],
    paths: ['src', 'dist', 'build'].flatMap((folder) => each(LANGUAGES, (name) => `${folder}/lang/${name}.json`)),
  },
}

describe('translation files', () => {
  test.each(Object.entries(LAYOUTS))('%s', async (_, { patterns, paths, languages = LANGUAGES, leftOut = [] }) => {
    const found = await detectFiles(await makeProject(paths))
    expect(found?.patterns.toSorted()).toEqual(patterns)
    expect(found?.languages).toEqual(languages)
    expect(found?.leftOut.map(({ pattern }) => pattern)).toEqual(leftOut)
  })

  test('texts inside an object with the name of the language', async () => {
    const file = (language: string, name: string) => ({ [language]: { title: name }, note: null })
    const wrapped = { 'config/locales/en.json': file('en', 'T'), 'config/locales/pl.json': file('pl', 'P') }
    expect(await detectFiles(await makeProject([], wrapped))).toMatchObject({
      patterns: ['config/locales/{language}.json'],
      wrapped: ['config/locales/{language}.json'],
    })
    const others = [file('en', 'P'), { pl: { title: 'P' }, more: 'x' }, { 'pl.title': 'P' }, { pl: 'Polski' }]
    for (const other of others) {
      const found = await detectFiles(await makeProject([], { ...wrapped, 'config/locales/pl.json': other }))
      expect(found).toMatchObject({ patterns: ['config/locales/{language}.json'], wrapped: [] })
    }
  })

  test('names without a separator are mapped, and a file with other keys is no language', async () => {
    const paths = each(['de', 'en', 'enGB', 'zhHant', 'pirate'], (name) => `locales/${name}.json`)
    const schema = { type: 'object', description: 'The texts', properties: { title: 'string' } }
    const root = await makeProject(paths, { 'locales/$schema.json': schema })
    expect(await detectFiles(root)).toMatchObject({
      languages: ['de', 'en', 'en-GB', 'pirate', 'zh-Hant'],
      languageMap: { enGB: 'en-GB', zhHant: 'zh-Hant' },
      strangers: ['$schema'],
    })
    expect(await describeUnread(root)).toEqual([])
  })

  test('of many patterns, three are named', async () => {
    const root = await makeProject([1, 2, 3, 4, 5].flatMap((view) => each(LANGUAGES, (name) => `v${view}/${name}.ts`)))
    expect(await describeUnread(root)).toEqual([
      expect.stringMatching(/^not read: v1\/.*; v2\/.*; v3\/.* and 2 more\. /),
    ])
  })

  test('modules are described, but not those whose names only begin like a language', async () => {
    const root = await makeProject([
      ...each(LANGUAGES, (name) => `src/i18n/${name}.ts`),
      'lib/is-empty.ts',
      'lib/is-a.ts',
    ])
    expect(await describeUnread(root)).toEqual([
      expect.stringMatching(/^not read: src\/i18n\/\{language\}\.ts, 3 languages/),
    ])
  })

  test('English is proposed as the default language if it has nearly as many texts as the largest one', () => {
    const texts = (sizes: Record<string, number>) =>
      Object.entries(sizes).map(([language, size]) => {
        const entries = new Map(Array.from({ length: size }, (_, at) => [`key${at}`, 'text']))
        return { language, namespace: 'default', entries, file: `${language}.json` }
      })
    expect(largestLanguage(texts({ de: 10, en: 9, pl: 10 }))).toBe('en')
    expect(largestLanguage(texts({ de: 10, en: 7, 'en-GB': 9 }))).toBe('en-GB')
    expect(largestLanguage(texts({ de: 10, en: 5, pl: 10 }))).toBe('de')
    expect(largestLanguage([])).toBeUndefined()
  })

  test('none', async () => {
    const root = await makeProject([], { 'package.json': {}, 'src/config.json': { port: 80 }, 'data/ab.json': [] })
    expect(await detectFiles(root)).toBeUndefined()
  })
})

describe('what bundles', () => {
  test.each([
    ['rollup', { 'package.json': { devDependencies: { rollup: '4' } } }],
    ['metro', { 'package.json': { dependencies: { 'react-native': '0.80' }, devDependencies: { rollup: '4' } } }],
    ['metro', { 'metro.config.js': '', 'package.json': { devDependencies: { esbuild: '1' } } }],
    ['vite', { 'vite.config.ts': '', 'package.json': { dependencies: { 'react-native': '0.80' } } }],
    ['rsbuild', { 'rsbuild.config.ts': '', 'package.json': { devDependencies: { '@rspack/core': '2' } } }],
    ['bun', { 'bun.lock': '' }],
    ['bun', { 'package.json': { devDependencies: { '@types/bun': '1' } } }],
    ['vite', { 'bun.lock': '', 'package.json': { devDependencies: { vite: '8', '@types/bun': '1' } } }],
    ['next', { 'next.config.ts': '', 'vite.config.ts': '' }],
    ['next', { 'package.json': { dependencies: { next: '16' }, devDependencies: { vite: '8' } } }],
    [
      'webpack',
      {
        'package.json': {
          scripts: { start: 'webpack serve --config webpack.dev.js', test: 'vitest' },
          devDependencies: { vite: '8', vitest: '4', webpack: '5' },
        },
        'vite.config.ts': '',
      },
    ],
    ['webpack', { 'vite.config.ts': '', 'package.json': { devDependencies: { vitest: '4', webpack: '5' } } }],
    ['webpack', { 'webpack.prod.js': '', 'package.json': { devDependencies: { vite: '8', webpack: '5' } } }],
    ['rollup', { 'package.json': { scripts: { dev: 'vite', build: 'tsc && rollup -c' } } }],
    ['vite', { 'package.json': { scripts: { test: 'vitest', build: 'node node_modules/vite/bin/vite.js build' } } }],
    ['next', { 'package.json': { scripts: { build: 'next build' }, devDependencies: { vite: '8' } } }],
    [undefined, { 'package.json': { scripts: { build: 'vite-node build.ts', rollup: 'bun run release' } } }],
    [undefined, { 'package.json': {} }],
  ])('%s', async (bundler, files) => {
    expect(await detectBundler(await makeProject([], files))).toBe(bundler)
  })
})
