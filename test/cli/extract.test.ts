/** `localization extract`, as a person or a job runs it. */
import { chmod, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { extractResult } from '../../src/cli/commands/extract.ts'
import { runCli, startCli } from '../helpers/cli.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const SETUP = "import i18n from 'i18next'\ni18n.init({ defaultNS: 'common', lng: 'en' })\n"
const APP = `import { useTranslation, Trans } from 'react-i18next'
export function App({ count }) {
  const { t } = useTranslation()
  return <p title={t('title', 'The title')}>{t('items', { count, defaultValue_one: 'One item' })}<Trans>Bye</Trans></p>
}
`
/** Sorted, indented by a tab, with CRLF and without a final newline. */
const COMMON = '{\r\n\t"a": "A",\r\n\t"b": "B",\r\n\t"k": "K",\r\n\t"s": "S",\r\n\t"u": "U",\r\n\t"z": "Z"\r\n}'

async function project(more: Readonly<Record<string, string | object>> = {}): Promise<string> {
  const folder = await tempFolder()
  await writeTree(folder, {
    'src/setup.js': SETUP,
    'src/app.jsx': APP,
    'src/app.test.jsx': "t('only.in.a.test')",
    'locales/en/common.json': COMMON,
    'locales/pl/common.json': { a: 'A', title: 'Tytuł' },
    ...more,
  })
  return folder
}

const read = (cwd: string, file = 'locales/en/common.json') => readFile(join(cwd, file), 'utf8')

test('writes missing keys with their texts, in the order and the layout of the file', async () => {
  const cwd = await project()
  const dry = await runCli(['extract', '--dry-run', '--json'], { cwd })
  expect(dry.code).toBe(0)
  const data = dry.json(extractResult)
  expect(data).toMatchObject({
    dryRun: true,
    language: 'en',
    sources: 2,
    files: ['locales/en/common.json'],
    findings: [],
  })
  expect(data.keys.map(({ namespace, key, text, from, calls: [call] }) => [namespace, key, text, from, call])).toEqual([
    ['common', 'title', 'The title', 'call', { file: 'src/app.jsx', line: 4, column: 20 }],
    ['common', 'items_one', 'One item', 'call', { file: 'src/app.jsx', line: 4, column: 46 }],
    ['common', 'items_other', '', 'none', { file: 'src/app.jsx', line: 4, column: 46 }],
    ['common', 'Bye', 'Bye', 'call', { file: 'src/app.jsx', line: 4, column: 98 }],
  ])
  expect(await read(cwd)).toBe(COMMON)
  const shown = await runCli(['extract', '--dry-run'], { cwd })
  expect(shown.stdout).toBe(
    'locales/en/common.json\n' +
      '  + "title": "The title"  src/app.jsx:4:20\n' +
      '  + "items_one": "One item"  src/app.jsx:4:46\n' +
      '  + "items_other": ""  src/app.jsx:4:46\n' +
      '  + "Bye": "Bye"  src/app.jsx:4:98\n' +
      'would add 4 keys to 1 file\n',
  )
  const done = await runCli(['extract'], { cwd })
  expect(done).toMatchObject({ code: 0 })
  expect(done.stdout).toContain('added 4 keys to 1 file\n')
  const added = [
    ['Bye', 'Bye'],
    ['a', 'A'],
    ['b', 'B'],
    ['items_one', 'One item'],
    ['items_other', ''],
    ['k', 'K'],
    ['s', 'S'],
    ['title', 'The title'],
    ['u', 'U'],
    ['z', 'Z'],
  ]
  expect(await read(cwd)).toBe(`{${added.map(([key, text]) => `\r\n\t"${key}": "${text}"`).join(',')}\r\n}`)
  expect(await read(cwd, 'locales/pl/common.json')).toBe('{\n  "a": "A",\n  "title": "Tytuł"\n}\n')
  const again = await runCli(['extract'], { cwd })
  expect(again.stdout).toBe('nothing to extract: every key of 2 source files has a text\n')
})

test('namespaces: new files, a filter, and what no pattern covers', async () => {
  const code =
    "import { useTranslation } from 'react-i18next'\nconst { t } = useTranslation('shop')\nt('price', 'Price')\n"
  const cwd = await project({ 'src/shop.js': code })
  const some = await runCli(['extract', '--namespace', 'shop', '--json'], { cwd })
  expect(some.json(extractResult).files).toEqual(['locales/en/shop.json'])
  // As in common.json.
  expect(await read(cwd, 'locales/en/shop.json')).toBe('{\r\n\t"price": "Price"\r\n}')
  expect(await read(cwd)).toBe(COMMON)
  const unknown = await runCli(['extract', '--namespace', 'shpo'], { cwd })
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toContain('Did you mean')
  await writeTree(cwd, {
    'localization.config.json': { files: 'i18n/{language}.json', defaultNamespace: 'common' },
    'i18n/en.json': {},
  })
  const none = await runCli(['extract', '--json'], { cwd })
  expect(none.code).toBe(1)
  const { keys, findings } = none.json(extractResult)
  expect(keys.map(({ key, file }) => [key, file])).toEqual(
    ['title', 'items_one', 'items_other', 'Bye'].map((key) => [key, 'i18n/en.json']),
  )
  expect(findings).toMatchObject([
    { rule: 'no-file', key: 'price', namespace: 'shop', file: 'src/shop.js', line: 3, severity: 'error' },
  ])
  expect(findings[0]?.message).toBe('"price" is not written: no pattern in the option "files" covers en/shop')
})

test('two default texts for one key: the first one is written, and both places are reported', async () => {
  const cwd = await project({ 'src/more.js': "import i18n from 'i18next'\ni18n.t('title', 'Another title')\n" })
  const run = await runCli(['extract'], { cwd })
  expect(run.code).toBe(1)
  expect(run.stdout).toContain(
    'src/app.jsx:4:20: error "title" has two default texts: "The title" here, and "Another title" at ' +
      'src/more.js:2:1; the first one is used (conflict)',
  )
  expect(JSON.parse(await read(cwd))).toMatchObject({ title: 'The title' })
})

test('code that cannot be read, and keys that are not known: the others are written', async () => {
  const more =
    "import i18n from 'i18next'\nimport { useX } from './x'\ni18n.t(key); i18n.t('odd', options); i18n.t('b.c', 'C')\n"
  const cwd = await project({ 'src/broken.ts': "t('x'\n", 'src/more.js': more, 'src/app.vue': "<p>{{ $t('y') }}</p>" })
  const run = await runCli(['extract', '--json'], { cwd })
  expect(run.code).toBe(0)
  const { keys, findings } = run.json(extractResult)
  expect(keys.map(({ key }) => key)).toEqual(['title', 'items_one', 'items_other', 'Bye', 'b.c'])
  expect(findings.map(({ rule, severity, message, file }) => [rule, severity, message, file])).toEqual([
    [
      'source',
      'warning',
      'vue is not installed in the project, but .vue files need it: its keys are unknown. ' +
        'Install vue, or exclude these files in "usage.files".',
      'src/app.vue',
    ],
    ['source', 'warning', 'it cannot be parsed: Unexpected token, expected ",": its keys are unknown', 'src/broken.ts'],
    [
      'skipped',
      'warning',
      '"odd" has no text and is not written: the call may pass a count or a context that the analysis cannot see',
      'src/more.js',
    ],
  ])
  // A text and a branch of one name: the file is flat, so both stand in it.
  expect(JSON.parse(await read(cwd))).toMatchObject({ b: 'B', 'b.c': 'C' })
})

test('translation files that cannot be read or written', async () => {
  const shop = "import i18n from 'i18next'\ni18n.t('shop/cart:buy', 'Buy'); i18n.t('common:x', 'X')\n"
  const cwd = await project({
    'src/shop.js': shop,
    'locales/en/common.json': '{ "a": "A" "b": "B" }',
    'locales/pl/shop/cart.json': {},
    // Where the folder would be.
    'locales/en/shop': '',
  })
  const run = await runCli(['extract', '--json'], { cwd })
  expect(run.code).toBe(1)
  const { keys, findings } = run.json(extractResult)
  expect(keys).toEqual([])
  expect(findings.map(({ rule, file, key }) => [rule, file, key])).toEqual([
    ['file', 'locales/en/common.json', null],
    ['file', 'locales/en/shop/cart.json', 'buy'],
  ])
  expect(findings[1]?.message).toContain('cannot write the file (left unchanged)')
  expect(await read(cwd)).toBe('{ "a": "A" "b": "B" }')
})

const isRoot = process.getuid?.() === 0
if (isRoot) process.stdout.write('skipped: a read-only file (the administrator may write it)\n')
test.skipIf(isRoot || process.platform === 'win32')('a read-only file', async () => {
  const cwd = await project()
  await chmod(join(cwd, 'locales/en/common.json'), 0o444)
  const run = await runCli(['extract', '--json'], { cwd })
  expect(run.code).toBe(1)
  expect(run.json(extractResult)).toMatchObject({ keys: [], findings: [{ rule: 'file' }, {}, {}, {}] })
  expect(await read(cwd)).toBe(COMMON)
})

test('no sources, no files, a default language without files', async () => {
  const cwd = await project()
  const none = await runCli(['extract', '--source', 'nowhere/**'], { cwd })
  expect(none).toMatchObject({ code: 1, stdout: '' })
  expect(none.stderr).toContain('no source file matches nowhere/**')
  await writeTree(cwd, { 'localization.config.json': { defaultLanguage: 'de' } })
  const german = await runCli(['extract', '--json'], { cwd })
  expect(german.code).toBe(1)
  expect(JSON.parse(german.stdout)).toMatchObject({ error: { code: 'UNKNOWN_LANGUAGE' } })
  await rm(join(cwd, 'locales'), { recursive: true })
  // A new app: the first file comes from the code.
  expect(await runCli(['extract'], { cwd })).toMatchObject({ code: 0 })
  expect(JSON.parse(await read(cwd, 'locales/de/common.json'))).toEqual({
    title: 'The title',
    items_one: 'One item',
    items_other: '',
    Bye: 'Bye',
  })
  await rm(join(cwd, 'locales'), { recursive: true })
  await rm(join(cwd, 'localization.config.json'))
  const unknown = await runCli(['extract', '--json'], { cwd })
  expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { code: 'CATALOG_EMPTY' } })
})

test('--watch extracts after each change, and ends with Ctrl-C', async () => {
  const cwd = await project()
  const { child, run, stdout, stderr } = startCli(['extract', '--watch'], { cwd })
  await expect.poll(stdout, { timeout: 30_000 }).toContain('added 4 keys to 1 file\n')
  await expect.poll(stderr, { timeout: 30_000 }).toContain('watching the sources; press Ctrl-C to stop')
  await writeTree(cwd, { 'src/new.js': "import i18n from 'i18next'\ni18n.t('fresh', 'Fresh')\n" })
  await expect.poll(stdout, { timeout: 30_000 }).toContain('"fresh": "Fresh"  src/new.js:2:1\nadded 1 key to 1 file\n')
  // A file that is broken for a moment, as an editor saves it.
  await writeTree(cwd, { 'src/new.js': "i18n.t('x'" })
  await expect.poll(stdout, { timeout: 30_000 }).toContain('src/new.js:1:11: warning it cannot be parsed')
  await writeTree(cwd, { 'src/new.js': "import i18n from 'i18next'\ni18n.t('fresher', 'Fresher')\n" })
  await expect.poll(stdout, { timeout: 30_000 }).toContain('"fresher": "Fresher"')
  expect(JSON.parse(await read(cwd))).toMatchObject({ fresh: 'Fresh', fresher: 'Fresher' })
  child.kill('SIGINT')
  expect((await run).code).toBe(0)
})

test.each([
  ['16.6.6', 'Read <1>the <1>new</1> rules</1>'],
  ['17.1.13', 'Read <strong>the <1>new</1> rules</strong>'],
])('children of <Trans>, by the installed version of react-i18next: %s', async (version, key) => {
  const cwd = await project({
    'src/app.jsx':
      "import { Trans } from 'react-i18next'\nexport const App = () => <Trans>Read <strong>the <em>new</em> rules</strong></Trans>\n",
    'node_modules/react-i18next/package.json': { name: 'react-i18next', version },
  })
  const { keys } = (await runCli(['extract', '--dry-run', '--json'], { cwd })).json(extractResult)
  expect(keys).toMatchObject([{ namespace: 'common', key, text: key }])
})

test('i18next with ICU: one message for all plural forms, and check agrees', async () => {
  const cwd = await project({
    'package.json': { dependencies: { i18next: '26', 'i18next-icu': '2' } },
    'src/setup.js': `import ICU from 'i18next-icu'\n${SETUP}i18n.use(ICU)\n`,
    'src/app.jsx':
      "import { useTranslation } from 'react-i18next'\nexport function useTexts(count) { const { t } = useTranslation(); return [t('fresh', { count }), t('step', { count })] }\n",
    'locales/en/common.json': { step_one: 'Step one', step_other: 'Another step' },
    'locales/pl/common.json': { step_one: 'Krok pierwszy', step_other: 'Inny krok' },
  })
  const { keys, findings } = (await runCli(['extract', '--json'], { cwd })).json(extractResult)
  expect([keys.map(({ key }) => key), findings]).toEqual([['fresh', 'step'], []])
  expect(JSON.parse(await read(cwd))).toEqual({ fresh: '', step: '', step_one: 'Step one', step_other: 'Another step' })
  await writeTree(cwd, { 'locales/en/common.json': { step_one: 'Step one', step_other: 'Another step' } })
  expect((await runCli(['check'], { cwd })).stdout).toContain('ok: 0 errors, 0 warnings')
  const missing = await runCli(['check', '--missing-in-code'], { cwd })
  for (const key of ['fresh', 'step']) expect(missing.stdout).toContain(`"${key}" is used, but no language has it`)
})
