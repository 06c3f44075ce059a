import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LocalizationOptions } from '../../../src/config/options.ts'
import { createLogger, silentLogger } from '../../../src/logger.ts'
import { reportLoad, reportTexts } from '../../../src/plugin/report.ts'
import { loadCatalog } from '../../../src/sources/load.ts'
import { createResourceCache } from '../../../src/sources/resource-cache.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

async function linesOf(
  options: LocalizationOptions,
  files: Readonly<Record<string, string | object>>,
): Promise<string[]> {
  const root = await tempFolder()
  await writeTree(root, files)
  const config = resolveConfig(options, { root })
  const lines: string[] = []
  const loaded = await loadCatalog({
    config,
    mode: 'build',
    logger: silentLogger,
    now: () => new Date(),
    resourceCache: createResourceCache(join(root, '.cache')),
    openClient: () => Promise.reject(new Error('no service is to be asked')),
  })
  const logger = createLogger({ write: (line) => lines.push(line) })
  reportLoad(config, loaded, 0, logger)
  await reportTexts(config, loaded, logger)
  return lines
}

test('counts the languages that the option lets in, and their texts', async () => {
  const lines = await linesOf(
    { languages: ['en', 'de'], defaultLanguage: 'en' },
    {
      'locales/en/common.json': { title: 'Title', empty: '' },
      'locales/de/common.json': { title: 'Titel' },
      'locales/pl/common.json': { title: 'Tytuł' },
      'locales/fr/common.json': { title: 'Titre' },
    },
  )
  expect(lines[0]).toContain('2 languages, 1 namespace, 2 texts')
})

test('many findings that are alike are one line: a count, three places, and how to see all', async () => {
  const doubled = (number: number) => `{ "key ${number}": "a", "key ${number}": "b" }`
  const files = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`locales/en/part${i}.json`, doubled(i)]))
  const error = await linesOf({ defaultLanguage: 'en' }, { ...files, 'locales/en/good.json': { title: 'Title' } }).then(
    () => expect.fail('broken files were taken'),
    (thrown: Error) => thrown.message,
  )
  expect(error.split('\n').length).toBeLessThan(4)
  expect(error).toMatch(
    /part\d+\.json:1:\d+: .*65 similar findings, also at \S+ and \S+; localization check --verbose shows all/,
  )
})

test('many languages with unknown names are one line', async () => {
  const files = ['azb', 'dty', 'hrx', 'lki', 'mnw'].map((name) => [`locales/${name}/common.json`, { title: name }])
  const lines = await linesOf({}, { 'locales/en/common.json': { title: 'Title' }, ...Object.fromEntries(files) })
  expect(lines.filter((line) => line.includes('known language'))).toEqual([
    expect.stringMatching(/"azb" is not a known language.*\(5 similar findings, also at dty and hrx; .* shows all\)$/),
  ])
  const regions = ['pt_BR', 'zh_CN', 'zh_TW', 'ru_RU'].map((name) => [`locales/${name}/common.json`, { title: name }])
  const tags = await linesOf({}, { 'locales/en/common.json': { title: 'Title' }, ...Object.fromEntries(regions) })
  expect(tags.filter((line) => line.includes('not a language tag'))).toHaveLength(1)
})

test('coverage.minimum: incomplete plurals and other tags of its languages are warnings', async () => {
  const files = {
    'locales/en/common.json': { item_one: '{{count}} a', item_other: '{{count}} b', bold: '<b>a</b>', name: '{name}' },
    'locales/pl/common.json': { item_one: '{{count}} a', item_other: '{{count}} b', bold: 'a', name: '{nazwa}' },
    'locales/ru/common.json': { item_one: '{{count}} a', item_other: '{{count}} b' },
  }
  const lines = (options: LocalizationOptions) =>
    linesOf(options, files).then((all) => all.filter((line) => line.includes('the rule')))
  expect(await lines({ coverage: { minimum: { pl: 0.5 } } })).toEqual([
    expect.stringMatching(/pl: 1 finding of the rule tags: common "bold" lacks <b>. "localization check" shows all/),
    expect.stringMatching(/pl: 1 finding of the rule plurals: common "item_one" lacks .*"item_few", "item_many"/),
  ])
  expect(await lines({})).toEqual([])
  expect(await lines({ coverage: { minimum: { pl: 0.5 }, onMissing: 'ignore' } })).toEqual([])
})

test.each([
  ['a typo', { 'locales/pl/common.json': { title: 'Tytuł', titel: 'Tytuł' } }, 'common "titel" (pl has it)'],
  [
    'a namespace of one language',
    { 'locales/pl/common.json': { title: 'Tytuł' }, 'locales/pl/people.json': { name: 'Imię' } },
    'people "name" (pl has it)',
  ],
])('coverage.minimum of the default language: %s in another language stops the build', async (_, files, missing) => {
  const coverage = { minimum: { en: 1, pl: 1 }, onMissing: 'error' } as const
  const all = { 'locales/en/common.json': { title: 'Title' }, ...files }
  await expect(linesOf({ coverage }, all)).rejects.toMatchObject({
    code: 'COVERAGE_TOO_LOW',
    message: expect.stringContaining(`en has 1 of 2 texts (50%, required: 100%); missing: ${missing}`),
  })
  await expect(linesOf({ coverage: { minimum: { fr: 0.5 }, onMissing: 'error' } }, all)).rejects.toThrow(
    'fr has no texts',
  )
  // A build of some languages does not ask for the others.
  await expect(
    linesOf({ coverage: { ...coverage, minimum: { fr: 1 } }, languages: ['en'] }, all),
  ).resolves.toBeDefined()
})

test("coverage.minimum: what the app's library refuses, and references to nothing, are warnings", async () => {
  const files = {
    'package.json': { dependencies: { i18next: '26' } },
    'locales/en/common.json': { title: 'Title', open: 'Hello', nested: '$t(title)' },
    'locales/pl/common.json': { title: 'Tytuł', open: 'Witaj $t(title', nested: '$t(gone)' },
  }
  const lines = await linesOf({ coverage: { minimum: { pl: 0.5 } } }, files)
  expect(lines.filter((line) => line.includes('the rule'))).toEqual([
    expect.stringMatching(/pl: 1 finding of the rule syntax: common "open" has an unclosed "\$t\("/),
    expect.stringMatching(/pl: 1 finding of the rule reference: common "nested" refers to "gone"/),
  ])
})
