import { mkdir, symlink } from 'node:fs/promises'
import { join, posix, resolve } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { findCollisions, listTranslationFiles } from '../../../src/files/list.ts'
import { createFilePatterns, patternNames } from '../../../src/files/patterns.ts'
import { displayPath, isInside } from '../../../src/shared/paths.ts'
import { anyText } from '../../helpers/any-text.ts'
import { ignoresCase, noLinks } from '../../helpers/file-system.ts'
import '../../helpers/seed.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

/** A path as this system writes it: with its drive in Windows. */
const at = (path: string) => resolve(path)

const make = (patterns: string | readonly string[], root = at('/p')) =>
  createFilePatterns({ root, files: [patterns].flat().map((pattern) => ({ pattern })), defaultNamespace: 'default' })

const SEVERAL = [
  'locales/{language}/{namespace}.json',
  'i18n/{language}.json',
  'lang/{namespace}.{language}.json',
  'customers/{customer}/{language}/{namespace}.json',
]

test('the root of a file, in the spellings of its language', () => {
  const patterns = createFilePatterns({
    root: at('/p'),
    files: [
      { pattern: 'a/{language}/{namespace}.json', root: 'texts.{language}.{namespace}' },
      { pattern: 'b/{customer}/{language}.json', root: '{customer}-{language}' },
      { pattern: '{language}.json' },
      { pattern: 'c/{language}.yml', root: 'translations' },
    ],
    defaultNamespace: 'default',
    languageMap: { pt_BR: 'pt-BR', de: 'de-DE' },
  })
  const rootsOf = (path: string) => patterns.match(path)?.wrappers?.map((names) => names.join(' '))
  expect(rootsOf('a/pt_BR/shop/a.b.json')).toEqual(['texts pt_BR shop/a.b', 'texts pt-BR shop/a.b'])
  expect(rootsOf('a/de-DE/x.json')).toEqual(['texts de-DE x', 'texts de x'])
  expect(rootsOf('b/acme/pl.json')).toEqual(['acme-pl'])
  expect(rootsOf('pl.json')).toBeUndefined()
  expect(rootsOf('c/de.yml')).toEqual(['translations'])
  expect(() =>
    createFilePatterns({
      root: at('/p'),
      files: [{ pattern: '{language}.json', root: '{lang}' }],
      defaultNamespace: '',
    }),
  ).toThrow(/"\{language\}.json" cannot be used: unknown placeholder \{lang\}/)
})

describe('a path to what it holds', () => {
  test.each([
    ['locales/en/common.json', 'en', 'common', undefined],
    ['locales/en/views/settings.json', 'en', 'views/settings', undefined],
    ['i18n/pt-BR.json', 'pt-BR', 'default', undefined],
    ['lang/views/a.b.en.json', 'en', 'views/a.b', undefined],
    ['customers/acme/en/common.json', 'en', 'common', 'acme'],
    ['locales/en/%2E%2E/a%2Fb.json', 'en', '../a/b', undefined],
    ['locales/en/100%.json', 'en', '100%', undefined],
  ])('%s', (path, language, namespace, customer) => {
    const expected = { language, namespace, ...(customer !== undefined && { customer }), path: at(`/p/${path}`) }
    expect(make(SEVERAL).match(at(`/p/${path}`))).toMatchObject(expected)
    expect(make(SEVERAL).match(path)).toMatchObject(expected)
  })

  test.each([
    'locales/en.json',
    'i18n/a/en.json',
    'locales/en/a.json5',
    'x/locales/en/a.json',
    '../locales/en/a.json',
    'i18n/.json',
  ])('%s is none', (path) => expect(make(SEVERAL).match(path)).toBeUndefined())

  test('the first pattern that matches counts; a placeholder that comes twice must hold the same', () => {
    const twice = make(['l/{language}/{language}.{namespace}.json', 'l/{language}/{namespace}.json'])
    expect(twice.match('l/en/en.x.json')).toMatchObject({
      namespace: 'x',
      pattern: 'l/{language}/{language}.{namespace}.json',
    })
    expect(twice.match('l/en/pl.x.json')).toMatchObject({ language: 'en', namespace: 'pl.x' })
  })

  test('the root may hold anything; patterns may begin above it', () => {
    const odd = make('../shared/{language}.json', at('/p (1)/{language}+[x]'))
    expect(odd.match(at('/p (1)/shared/en.json'))).toMatchObject({ language: 'en' })
    expect(odd.bases).toEqual([at('/p (1)/shared')])
    expect(make('{language}.json', '/a.b').match('/aXb/en.json')).toBeUndefined()
    const begun = make('l/x-{language}.json')
    expect(begun.bases).toEqual([at('/p/l')])
    expect([begun.match('l/x-en.json')?.language, begun.match('l/en.json')]).toEqual(['en', undefined])
    expect(make(SEVERAL).match('locales/en/a\nb.json')).toMatchObject({ language: 'en', namespace: 'a\nb' })
  })
})

describe('where a part belongs', () => {
  test('the first pattern that carries it', () => {
    const patterns = make(SEVERAL)
    expect(patterns.pathOf({ language: 'en', namespace: 'views/settings' })).toBe(
      at('/p/locales/en/views/settings.json'),
    )
    expect(patterns.pathOf({ language: 'en', namespace: 'a', customer: 'b' })).toBe(at('/p/customers/b/en/a.json'))
    const single = make('i18n/{language}.json')
    expect(single.pathOf({ language: 'en', namespace: 'default' })).toBe(at('/p/i18n/en.json'))
    expect(single.pathOf({ language: 'en', namespace: 'other' })).toBeUndefined()
    expect(single.pathOf({ language: 'en', namespace: 'default', customer: 'x' })).toBeUndefined()
  })

  test.each([
    ['../../x', '/p/locales/en/%2E%2E/%2E%2E/x.json'],
    ['/etc/passwd', '/p/locales/en/%empty/etc/passwd.json'],
    ['CON', '/p/locales/en/%43ON.json'],
    ['a//b', '/p/locales/en/a/%empty/b.json'],
    ['C:\\x', '/p/locales/en/C%3A%5Cx.json'],
    ['a\u0000', '/p/locales/en/a%00.json'],
    ['', '/p/locales/en/%empty.json'],
  ])('namespace %j stays below its folder', (namespace, path) => {
    expect(make(SEVERAL).pathOf({ language: 'en', namespace })).toBe(at(path))
  })

  test('any name comes back from its path, and no path leaves the folder', () => {
    const name = fc.oneof(
      fc.constantFrom('en', 'pt-BR', 'en.US', 'a_b', '..', 'a/b', '%41', 'json', 'a.json', '\n'),
      anyText({ maxLength: 6 }),
    )
    for (const pattern of [
      ...SEVERAL,
      'l/{namespace}.{language}.json',
      'l/{language}.{namespace}.json',
      'l/{language}-{namespace}.json',
      'l/{namespace}_{customer}_{language}.json',
      'l/{language}/{language}.json',
    ]) {
      const patterns = make(pattern)
      fc.assert(
        fc.property(name, name, name, (language, namespace, customer) => {
          const part = {
            language,
            namespace: pattern.includes('{namespace}') ? namespace : 'default',
            ...(pattern.includes('{customer}') && { customer }),
          }
          const path = patterns.pathOf(part)
          expect(path).toBeDefined()
          expect(isInside(patterns.bases[0] as string, path as string)).toBe(true)
          expect(patterns.match(path as string)).toMatchObject(part)
        }),
      )
    }
  })

  test.each([
    ['l/{namespace}.{language}.json', 'x.y', 'en', 'x.y.en.json'],
    ['l/{namespace}.{language}.json', 'x', 'en.US', 'x.en%2EUS.json'],
    ['l/{language}.{namespace}.json', 'x.y', 'en', 'en.x.y.json'],
    ['l/{language}.{namespace}.json', 'x', 'en.US', 'en%2EUS.x.json'],
    ['l/{language}-{namespace}.json', 'a', 'en', 'en-a.json'],
    ['l/{language}-{namespace}.json', 'a-b', 'pt-BR', 'pt%2DBR-a%2Db.json'],
    ['l/{language}-{namespace}.json', 'a-b.min', 'en', 'en-a-b%2Emin.json'],
    ['l/{language}+v1+{namespace}.json', 'a', 'x+v1+y', 'x%2Bv1%2By+v1+a.json'],
    ['l/{language}/{namespace}.yaml', 'a.min', 'en', 'en/a%2Emin.yaml'],
    ['l/{language}/{namespace}.min.json', 'a', 'en', 'en/a.min.json'],
  ])('%s: of %j in %j only what would be ambiguous is encoded', (pattern, namespace, language, path) => {
    expect(make(pattern).pathOf({ language, namespace })).toBe(at(`/p/l/${path}`))
  })

  test('the language as the service spells it, where that is asked for; a spelling of another language is refused', () => {
    const patterns = createFilePatterns({
      root: at('/p'),
      files: [{ pattern: 'l/{language}.json' }],
      defaultNamespace: 'default',
      languageMap: { pt_BR: 'pt-BR' },
    })
    const part = { language: 'pt-BR', namespace: 'default' }
    expect([patterns.pathOf(part), patterns.pathOf(part, 'pt_BR')]).toEqual([
      at('/p/l/pt-BR.json'),
      at('/p/l/pt_BR.json'),
    ])
    expect(patterns.match('l/pt_BR.json')).toMatchObject({ language: 'pt-BR', languageInPath: 'pt_BR' })
    expect(() => patterns.pathOf(part, 'pl')).toThrow(/no unambiguous file name/)
    // The name of a file that is no translation file.
    expect(() => patterns.pathOf({ language: 'index', namespace: 'default' })).toThrow(
      expect.objectContaining({ code: 'FILE_PATTERN', hint: 'Put a "/" between the placeholders.' }),
    )
    expect(() => patterns.pathOf({ language: 'index', namespace: 'default' })).toThrow(
      /"l\/\{language\}.json" gives no .* for language "index", namespace "default"/,
    )
  })

  test('half a character has no file name', () => {
    expect(() => make(SEVERAL).pathOf({ language: 'en', namespace: '\ud800' })).toThrow(/no unambiguous file name/)
  })

  test('a pattern that cannot be used says why', () => {
    expect(() => make('locales/{namespace}.json')).toThrow(
      /"locales\/\{namespace\}.json" cannot be used: \{language\} is missing/,
    )
    expect(() => make('locales/{namespace}.json')).toThrow(expect.objectContaining({ code: 'FILE_PATTERN' }))
  })
})

test('a project may be a whole disk', () => {
  const patterns = make(['{language}.json', 'l/{language}/{namespace}.json'], at('/'))
  expect(patterns.bases).toEqual([at('/')])
  expect(patterns.match(at('/en.json'))).toMatchObject({ language: 'en' })
  expect(patterns.match(at('/l/en/a.json'))).toMatchObject({ language: 'en', namespace: 'a' })
  expect(patterns.pathOf({ language: 'pl', namespace: 'default' })).toBe(at('/pl.json'))
})

test('names in messages: the patterns, and paths from the root on', () => {
  expect(patternNames([{ pattern: 'a/{language}.json' }, { pattern: 'b/{language}.json' }])).toBe(
    'a/{language}.json, b/{language}.json',
  )
  expect([displayPath('/p', '/p/a/b.json'), displayPath('/p', '/q/x'), displayPath('/p', '/p')]).toEqual([
    'a/b.json',
    '../q/x',
    '.',
  ])
  for (const root of ['/', '/p', '/p/', '/p/../q', 'p', '.'])
    for (const path of [
      '',
      '/',
      '/a',
      '/.a',
      '/...',
      '/a/',
      '//a',
      '/./a',
      '/a/.',
      '/../p/a',
      '/a/../..',
      '/a//b',
      '/..a/b',
    ])
      expect(displayPath(root, root + path)).toBe(posix.relative(root, root + path) || '.')
  expect(displayPath('', '/a')).toBe(posix.relative('', '/a'))
})

test('bases: the outermost folders', () => {
  expect(make(['a/{language}.json', 'a/b/{language}.json', 'c/{language}.json']).bases).toEqual([
    at('/p/a'),
    at('/p/c'),
  ])
  expect(make('{language}.json').bases).toEqual([at('/p')])
})

describe('which files there are', () => {
  let root: string
  beforeEach(async () => {
    root = await tempFolder()
  })
  const put = (...paths: string[]) => writeTree(root, Object.fromEntries(paths.map((path) => [path, '{}'])))
  const list = async (patterns: string | string[]) => {
    const { files, diagnostics } = await listTranslationFiles(make(patterns, root))
    return { files: files.map((file) => displayPath(root, file.path)), diagnostics }
  }

  test('below the pattern, sorted; nothing hidden, no links, no other files', async () => {
    await put(
      'locales/pl/a.json',
      'locales/en/b/c.json',
      'locales/en/a.json',
      'locales/en/.a.json.1.tmp',
      'locales/en/.x.json',
    )
    await put(
      'locales/.git/a.json',
      'locales/node_modules/a.json',
      'locales/en/a.txt',
      'locales/top.json',
      'other/en/a.json',
    )
    if (!noLinks) {
      await symlink(join(root, 'locales'), join(root, 'locales/en/loop'))
      await symlink(join(root, 'locales/en/a.json'), join(root, 'locales/en/link.json'))
      await symlink(join(root, 'other'), join(root, 'locales/en/other'))
      await symlink(join(root, 'other/en'), join(root, 'locales/de'))
      await symlink(join(root, 'other/en'), join(root, 'locales/en/a.txt.json'))
    }
    await mkdir(join(root, 'locales/en/folder.json'))
    const { files, diagnostics } = await list('locales/{language}/{namespace}.json')
    expect(files).toEqual(['locales/en/a.json', 'locales/en/b/c.json', 'locales/pl/a.json'])
    const links = ['locales/de', 'locales/en/a.txt.json', 'locales/en/link.json', 'locales/en/loop']
    expect(diagnostics.map(({ severity, place }) => [severity, place?.file]).sort()).toEqual(
      noLinks ? [] : links.map((link) => ['warning', link]),
    )
  })

  test('a folder with a dot that holds translation files is left out, and reported', async () => {
    await put('locales/en/a.json', 'locales/..x/a.json', 'locales/.empty/notes.txt', '.vscode/a.json')
    const { files, diagnostics } = await list('locales/{language}/{namespace}.json')
    expect(files).toEqual(['locales/en/a.json'])
    expect(diagnostics).toMatchObject([{ severity: 'warning', place: { file: 'locales/..x' } }])
    expect(await list('{language}/{namespace}.json')).toMatchObject({ diagnostics: [] })
  })

  test('a folder that is not there holds nothing; a dotted one the pattern names is entered', async () => {
    expect(await list('absent/{language}.json')).toEqual({ files: [], diagnostics: [] })
    await put('.i18n/en.json', 'packages/en/.texts/a.json', 'packages/en/.other/a.json')
    expect((await list('.i18n/{language}.json')).files).toEqual(['.i18n/en.json'])
    expect((await list('packages/{language}/.texts/{namespace}.json')).files).toEqual(['packages/en/.texts/a.json'])
    await put('packages/en/node_modules/a.json')
    expect((await list('packages/{language}/node_modules/{namespace}.json')).files).toEqual([
      'packages/en/node_modules/a.json',
    ])
  })

  test('a file of two patterns is there once', async () => {
    await put('l/en/a.json')
    expect((await list(['l/{language}/{namespace}.json', 'l/{language}/a.json'])).files).toEqual(['l/en/a.json'])
  })

  test.skipIf(ignoresCase)('EN beside en, and two patterns for one part, name both files', async () => {
    await put('l/EN/a.json', 'l/en/a.json', 'k/en.json', 'm/default.en.json')
    const { files, diagnostics } = await list([
      'l/{language}/{namespace}.json',
      'k/{language}.json',
      'm/{namespace}.{language}.json',
    ])
    expect(files).toHaveLength(4)
    const messages = diagnostics.map((d) => [d.severity, d.code, d.message])
    expect(messages).toContainEqual([
      'error',
      'FILE_NAME_COLLISION',
      expect.stringMatching(/^k\/en\.json and m\/default\.en\.json contain the same/),
    ])
    expect(messages).toContainEqual([
      'error',
      'FILE_NAME_COLLISION',
      expect.stringMatching(/l\/EN\/a\.json and l\/en\/a\.json differ only in letter case/),
    ])
  })

  test('composed beside decomposed', () => {
    const file = (namespace: string) => {
      return { path: `/p/en/${namespace}.json`, pattern: 'x', language: 'en', languageInPath: 'en', namespace }
    }
    expect(findCollisions([file('caf\u00e9'), file('cafe\u0301'), file('tea')], '/p')).toMatchObject([
      { code: 'FILE_NAME_COLLISION', message: expect.stringContaining('en/caf\u00e9.json and en/cafe\u0301.json') },
    ])
  })

  test('an index of the languages and minified copies are left out with a warning; names that a pattern gives are not', async () => {
    await put('l/index.json', 'l/en.json', 'l/en.min.json', 'm/en/index.json', 'm/en/a.min.json', 'n/en.min.json')
    const { files, diagnostics } = await list(['l/{language}.json', 'm/{language}/{namespace}.json'])
    expect(files).toEqual(['l/en.json', 'm/en/index.json'])
    expect(diagnostics.map(({ severity, place }) => [severity, place?.file])).toEqual([
      ['warning', 'l/en.min.json'],
      ['warning', 'l/index.json'],
      ['warning', 'm/en/a.min.json'],
    ])
    expect((await list('n/{language}.min.json')).files).toEqual(['n/en.min.json'])
    // A file of another name is none that is left out.
    expect(await list('n/x-{language}.json')).toEqual({ files: [], diagnostics: [] })
    // A file that is written can be read again.
    const path = make('m/{language}/{namespace}.json').pathOf({ language: 'en', namespace: 'a.min' })
    expect(displayPath(at('/p'), path as string)).toBe('m/en/a%2Emin.json')
  })

  test('one language under the key of the service and under its code', async () => {
    await put('l/pt_BR/a.json', 'l/pt-BR/a.json')
    const patterns = createFilePatterns({
      root,
      files: [{ pattern: 'l/{language}/{namespace}.json' }],
      defaultNamespace: 'default',
      languageMap: { pt_BR: 'pt-BR' },
    })
    const { diagnostics } = await listTranslationFiles(patterns)
    expect(diagnostics).toMatchObject([
      { code: 'FILE_NAME_COLLISION', message: expect.stringMatching(/contain the same language and namespace$/) },
    ])
  })

  test.skipIf(ignoresCase)('one language in two spellings is told even where no file meets another', async () => {
    await put('l/EN/a.json', 'l/en/b.json', 'l/pl/a.json')
    const { diagnostics } = await list('l/{language}/{namespace}.json')
    expect(diagnostics.map((d) => d.code)).toEqual(['FILE_NAME_COLLISION'])
  })
})
