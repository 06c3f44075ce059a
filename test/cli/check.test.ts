/** `localization check` as a job of continuous integration runs it. */
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkResult } from '../../src/cli/commands/check.ts'
import { runCli } from '../helpers/cli.ts'
import { startProject } from '../helpers/project.ts'
import { type Tree, tempFolder, writeTree } from '../helpers/temp.ts'

async function folderWith(files: Tree): Promise<string> {
  const folder = await tempFolder()
  await writeTree(folder, files)
  return folder
}

const EN = {
  single: 'Hello {name}',
  double: 'Hello {{name}}',
  icu: '{count, plural, one {# file} other {# files}} for {name}',
  plain: 'Save',
}

test('nothing to find', async () => {
  const cwd = await folderWith({ 'locales/en/a.json': EN, 'locales/de/a.json': EN })
  const run = await runCli(['check'], { cwd })
  expect(run).toMatchObject({
    code: 0,
    stderr: '',
    stdout: 'ok: 0 errors, 0 warnings in 2 languages, 1 namespace, 8 texts\n',
  })
})

test('placeholders, ICU, empty texts and limits, each with its place', async () => {
  const cwd = await folderWith({
    'locales/en/a.json': EN,
    'locales/pl/a.json': {
      single: 'Witaj {nazwa}',
      double: 'Witaj',
      icu: '{count, plural, one {# plik} many {# plików}} dla {name}',
      plain: '',
    },
  })
  const run = await runCli(['check', '--characters-limit', 'pl*=3', '--characters-limit', 's*=12', '--json'], { cwd })
  expect(run.code).toBe(1)
  const { findings, errors, warnings, ok } = run.json(checkResult)
  expect({ errors, warnings, ok }).toEqual({ errors: 5, warnings: 1, ok: false })
  const short = findings.map(({ rule, language, key, file, line }) => [rule, language, key, `${file}:${line}`])
  expect(short).toEqual([
    ['characters-limit', 'en', 'plain', 'locales/en/a.json:5'],
    ['characters-limit', 'pl', 'single', 'locales/pl/a.json:2'],
    ['placeholders', 'pl', 'single', 'locales/pl/a.json:2'],
    ['placeholders', 'pl', 'double', 'locales/pl/a.json:3'],
    ['icu', 'pl', 'icu', 'locales/pl/a.json:4'],
    ['empty', 'pl', 'plain', 'locales/pl/a.json:5'],
  ])
  expect(findings[2]?.message).toBe('"single" lacks {name} and has {nazwa}, which the default language does not')
  const text = await runCli(['check'], { cwd })
  expect(text.stdout).toContain('locales/pl/a.json:3:3: error "double" lacks {name} (placeholders)')
  expect(text.stdout).toContain('not ok: 3 errors, 1 warning')
})

test('annotations for a CI host', async () => {
  const cwd = await folderWith({ 'locales/en/a.json': { 'k,1': '100% {x}' }, 'locales/pl/a.json': { 'k,1': 'x' } })
  const { stdout, code } = await runCli(['check', '--reporter', 'github'], { cwd })
  expect(code).toBe(1)
  expect(stdout).toBe('::error file=locales/pl/a.json,line=2,col=3,title=localization placeholders::"k,1" lacks {x}\n')
})

test('coverage, from the configuration and from the command line', async () => {
  const cwd = await folderWith({
    'localization.config.json': { coverage: { minimum: { pl: 0.9 } } },
    'locales/en/a.json': { a: '1', b: '2', c: '3', d: '4' },
    'locales/pl/a.json': { a: '1', b: '2', c: '3' },
  })
  const warned = await runCli(['check'], { cwd })
  expect(warned.code).toBe(0)
  expect(warned.stdout).toContain('pl has 3 of 4 texts (75%, required: 90%); missing: a "d"')
  expect((await runCli(['check', '--strict'], { cwd })).code).toBe(1)
  expect((await runCli(['check', '--coverage', 'pl=0.75'], { cwd })).code).toBe(0)
  expect((await runCli(['check', '--coverage', 'pl=0.76'], { cwd })).code).toBe(1)
  expect((await runCli(['check', '--coverage', 'de=0.1'], { cwd })).stdout).toContain('de has no texts')
})

test('keys that collide, files that are broken', async () => {
  const cwd = await folderWith({
    'locales/en/a.json': '{\n  "x.y": "1",\n  "x": { "y": "2" }\n}\n',
    'locales/en/b.json': '{"a": "1", "a": "2"}',
    'locales/en/c.json': '{"a": 1}',
    'locales/en/d.json': '{"a": "1",}',
  })
  const run = await runCli(['check', '--json'], { cwd })
  expect(run.code).toBe(1)
  expect(run.json(checkResult).findings.map(({ rule, file, line }) => [rule, file, line])).toEqual([
    ['collision', 'locales/en/a.json', 3],
    ['collision', 'locales/en/b.json', 1],
    ['file', 'locales/en/c.json', 1],
    ['file', 'locales/en/d.json', 1],
  ])
})

test("plurals, tags and the app's settings", async () => {
  const cwd = await folderWith({
    'package.json': { dependencies: { 'vue-i18n': '11' } },
    'localization.config.json': { pluralSeparator: '-' },
    'src/i18n.ts': 'createI18n({ pluralRules })',
    'locales/en/a.json': {
      'item-one': '{{count}} item',
      'item-other': '{{count}} items',
      cars: 'car | cars',
      b: '<b>a</b>',
    },
    'locales/pl_PL/a.json': { 'item-one': '{{count}} a', 'item-other': '{{count}} b', cars: 'auto | auta', b: 'a' },
  })
  const run = await runCli(['check', '--json'], { cwd })
  expect(run.code).toBe(1)
  const { findings } = run.json(checkResult)
  expect(findings.map(({ rule, severity, key, line, message }) => [rule, severity, key, line, message])).toEqual([
    ['language', 'warning', null, null, expect.stringContaining("languageMap: { 'pl_PL': 'pl-PL' }")],
    ['plurals', 'error', 'cars', 4, '"cars" has 2 choices, but pl_PL needs 3 (one, few, many)'],
    ['tags', 'error', 'b', 5, '"b" lacks <b>'],
    ['plurals', 'error', 'item-one', 2, '"item-one" lacks the plural forms "item-few", "item-many", which pl_PL needs'],
  ])
})

test('filters, and a given syntax', async () => {
  const cwd = await folderWith({
    'locales/en/a.json': { x: '{a}' },
    'locales/pl/a.json': { x: 'x' },
    'locales/de/a.json': { x: 'x' },
    'locales/de/b.json': { y: '' },
  })
  const count = async (...args: string[]) =>
    (await runCli(['check', ...args, '--json'], { cwd })).json(checkResult).findings.length
  expect(await count()).toBe(3)
  expect(await count('--language', 'pl')).toBe(1)
  expect(await count('--namespace', 'b')).toBe(1)
  expect(await count('--syntax', 'none')).toBe(1)
  expect(await count('--syntax', 'double')).toBe(1)
})

test('the service as a build would use it', async () => {
  const project = await startProject({ files: { 'locales/en/a.json': { x: 'Hello {name}' } }, service: true })
  await project.importTexts('pl', 'a', { x: 'Witaj' })
  expect((await project.run('check')).code).toBe(0)
  const run = await project.run('check', '--service', '--json')
  expect(run.code).toBe(1)
  expect(run.json(checkResult).findings).toMatchObject([{ rule: 'placeholders', language: 'pl', file: null }])
  expect(await runCli(['check'], { cwd: await tempFolder() })).toMatchObject({ code: 1, stdout: '' })
})

test('arrays that differ from the default language, both places named', async () => {
  const cwd = await folderWith({
    'locales/en/a.json': { steps: ['a', 'b'], list: ['x'], deep: { er: 'd' }, size: 1 },
    'locales/pl/a.json': { size: 2, steps: ['a'], list: 'x', deep: ['d'] },
  })
  const { findings, texts, errors } = (await runCli(['check', '--json'], { cwd })).json(checkResult)
  expect({ texts, errors }).toEqual({ texts: 7, errors: 0 })
  const short = findings.map(({ rule, severity, file, line, message }) => [rule, severity, `${file}:${line}`, message])
  const warning = (line: number, message: string) => ['array', 'warning', `locales/pl/a.json:${line}`, message]
  expect(short).toEqual([
    warning(3, '"steps" has 1 element, but 2 in the default language (locales/en/a.json:2:3)'),
    warning(7, '"deep" is an array, but an object in the default language (locales/en/a.json:10:5)'),
    warning(6, '"list" is a text, but an array in the default language (locales/en/a.json:6:3)'),
  ])
})

test('a key that the default language lacks, at its place in the language that has it', async () => {
  const cwd = await folderWith({
    'locales/en/a.json': { title: 'Cart' },
    'locales/pl/a.json': { titel: 'Koszyk' },
    'locales/pl/b.json': { name: 'Imię' },
  })
  const run = await runCli(['check'], { cwd })
  expect(run).toMatchObject({ code: 0 })
  expect(run.stdout).toContain(
    'locales/pl/a.json:2:3: warning "titel" has no text in en, the default language, so the app shows the key. ' +
      'Did you mean "title"? (not-in-default)',
  )
  expect(run.stdout).toContain('locales/pl/b.json:2:3: warning "name"')
  expect((await runCli(['check', '--coverage', 'en=1'], { cwd })).code).toBe(1)
  const ofGerman = await runCli(['check', '--language', 'de', '--json'], { cwd })
  expect(ofGerman.stdout).not.toContain('not-in-default')
  expect((await runCli(['check', '--language', 'en', '--json'], { cwd })).stdout).toContain('not-in-default')
  const status = await runCli(['status', '--offline', '--by-language'], { cwd })
  expect(status.stdout).toMatch(/en \* .* 1\/3 /)
})

test('names that are no language, an empty language and a dangling link, each once', async () => {
  const cwd = await folderWith({
    'locales/en/a.json': { title: 'Cart' },
    'locales/_drafts/a.json': { title: 'Draft' },
    'locales/pl/a.json': {},
  })
  await symlink('nowhere', join(cwd, 'locales/de'))
  const run = await runCli(['check'], { cwd })
  expect(run.code).toBe(1)
  expect(run.stdout).toContain('_drafts: error "_drafts" is not a known language')
  expect(run.stdout).toContain('pl: warning the language "pl" has no texts')
  expect(run.stdout).toContain('locales/de: warning broken link')
})

test("texts that the app's library refuses, and references to nothing", async () => {
  const en = {
    ok: "{'@'}me, {0}, @.lower:key a|b",
    key: 'Key',
    mail: 'help@example.org',
    brace: 'Close } it',
    link: '@:missing.key',
  }
  const files = { 'locales/en/a.json': en, 'package.json': { dependencies: { 'vue-i18n': '11' } } }
  const cwd = await folderWith(files)
  // Without the library, its compiler is unknown: nothing is said.
  expect((await runCli(['check'], { cwd })).stdout).toContain('ok: 0 errors')
  await symlink(join(import.meta.dirname, '../../node_modules'), join(cwd, 'node_modules'), 'junction')
  const run = await runCli(['check', '--json'], { cwd })
  expect(run.code).toBe(1)
  const found = run.json(checkResult).findings.map(({ rule, key, line }) => [rule, key, line])
  expect(found).toEqual([
    ['syntax', 'mail', 4],
    ['syntax', 'brace', 5],
    ['reference', 'link', 6],
  ])
  expect(run.stdout).toContain(`{'@'}`)
})

test.each<{ readonly name: string; readonly files: Tree; readonly found: readonly string[] }>([
  {
    name: "i18next with signs of the app's own",
    files: {
      'package.json': { dependencies: { i18next: '26' } },
      'src/i18n.ts': `i18next.init({
        keySeparator: '/', // as in paths
        interpolation: { escapeValue: false, prefix: '[[', suffix: "]]", nestingPrefix: '<<', nestingSuffix: '>>' },
      })`,
      'locales/en/a.json': { deep: { x: 'X' }, ok: '{{a} $t(no) <<deep/x>> [[n]]', open: '[[n', gone: '<<deep/y>>' },
    },
    found: ['syntax open', 'reference gone'],
  },
  {
    name: 'i18next with computed signs',
    files: {
      'package.json': { dependencies: { i18next: '26' } },
      'src/i18n.ts': 'i18next.init({ interpolation: { prefix: PREFIX, nestingPrefix: PREFIX + 1 }, nsSeparator: sep })',
      'locales/en/a.json': { open: '{{n', gone: '$t(x/y)' },
    },
    found: [],
  },
  {
    name: 'next-intl',
    files: {
      'package.json': { dependencies: { 'next-intl': '4' } },
      'locales/en/a.json': { tag: '<b>a', empty: '{}', ok: '<b>{a}</b>' },
    },
    found: ['icu tag', 'icu empty'],
  },
  {
    name: 'next-intl whose texts may be shown as they are',
    files: {
      'package.json': { dependencies: { 'next-intl': '4' } },
      'src/page.tsx': 'const html = t.raw(key)',
      'locales/en/a.json': { tag: '<br> <b>a' },
    },
    found: [],
  },
])('$name: as the library reads the texts', async ({ files, found }) => {
  const run = await runCli(['check', '--json'], { cwd: await folderWith(files) })
  expect(run.json(checkResult).findings.map(({ rule, key }) => `${rule} ${key}`)).toEqual(found)
})
