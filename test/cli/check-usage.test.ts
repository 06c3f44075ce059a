/** `localization check --unused`, `--missing-in-code` and `--remove`, as a person or a job runs them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkResult } from '../../src/cli/commands/check.ts'
import { runCli } from '../helpers/cli.ts'
import { installExample } from '../helpers/examples.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const APP = `import i18n from 'i18next'
import { useTranslation } from 'react-i18next'
i18n.init({ defaultNS: 'common', lng: 'en' })
export function App({ kind }) {
  const { t } = useTranslation()
  return <p title={t('title')}>{t('items', { count: 2 })}{t(\`kind.\${kind}\`)}{t('gone')}</p>
}
`
const TEXTS = {
  title: 'Title, see $t(linked)',
  items_one: 'One',
  items_other: 'Many',
  'kind.a': 'A',
  linked: 'Linked',
  old: 'Old',
  'errors.server': 'Server',
}

async function project(more: Readonly<Record<string, string | object>> = {}): Promise<string> {
  const folder = await tempFolder()
  await writeTree(folder, {
    'src/app.jsx': APP,
    'src/app.test.jsx': "t('old')",
    'locales/en/common.json': TEXTS,
    'locales/sv/common.json': { ...TEXTS, 'older.than': 'x' },
    ...more,
  })
  return folder
}

test('unused keys and missing keys', async () => {
  const cwd = await project()
  const run = await runCli(['check', '--unused', '--missing-in-code', '--json'], { cwd })
  expect(run.code).toBe(1)
  const { findings, usage } = run.json(checkResult)
  expect(findings.map(({ rule, key, language, file, line }) => [rule, key, language, `${file}:${line}`])).toEqual([
    ['missing-in-code', 'gone', null, 'src/app.jsx:6'],
    ['unused', 'old', 'en', 'locales/en/common.json:7'],
    ['unused', 'errors.server', 'en', 'locales/en/common.json:8'],
    ['unused', 'older.than', 'sv', 'locales/sv/common.json:9'],
  ])
  expect(usage).toMatchObject({ sources: 1, keys: 8, used: 5, whole: [], removed: [] })
  const text = await runCli(['check', '--unused', '--keep', 'errors.*'], { cwd })
  expect(text.stdout).toContain('locales/en/common.json:7:3: error "old" is not used in any source (unused)')
  expect(text.stdout).toContain('6 of 8 keys used by 1 source file')
  expect(text.stdout).not.toContain('errors.server')
  const github = await runCli(['check', '--missing-in-code', '--reporter', 'github'], { cwd })
  expect(github.stdout.replace(/col=\d+/, 'col=1')).toBe(
    '::error file=src/app.jsx,line=6,col=1,title=localization missing-in-code::' +
      '"gone" is used, but no language has it in common\n',
  )
  expect((await runCli(['check'], { cwd })).code).toBe(0)
})

test('a reference with many unknown parts is compared with every key in an instant', async () => {
  const parts = [...'abcdefghijklmnopqrstuvwxyz'].map((name) => `{{${name}}}`).join('')
  const long = 'settings.notifications.email.weekly.description.of.the.summary'
  const cwd = await project({ 'locales/en/common.json': { title: `$t(${parts}q)`, [long]: 'x', [`${long}.q`]: 'y' } })
  const { findings } = (await runCli(['check', '--unused', '--json'], { cwd })).json(checkResult)
  expect(findings.filter(({ language }) => language === 'en').map(({ key }) => key)).toEqual([long])
})

test('with a key prefix that cannot be read, a key is missing if no key ends in it', async () => {
  const cwd = await project({
    'src/i18n.js': "import i18next from 'i18next'\ni18next.init({ react: window.options, defaultNS: 'common' })\n",
    'src/more.js': "import i18next from 'i18next'\nexport const all = [i18next.t('server'), i18next.t('nowhere')]\n",
  })
  const { stdout } = await runCli(['check', '--missing-in-code'], { cwd })
  expect(stdout).toContain('"nowhere" is used, but no language has it')
  expect(stdout).not.toContain('"server"')
})

test('if no key is used, the sources are probably elsewhere', async () => {
  const cwd = await project({ 'src/app.jsx': '', 'modules/app.jsx': APP })
  const hint =
    'no key is used in 1 source file. If the sources are in other files, list these in the option "usage.files"'
  expect((await runCli(['check', '--unused'], { cwd })).stdout).toContain(hint)
  expect((await runCli(['check', '--unused', '--source', 'modules/*'], { cwd })).stdout).not.toContain('no key is used')
})

test('a used element keeps its array, and a value is no key', async () => {
  const values = {
    title: 'T',
    items_other: 'I',
    kind: ['k'],
    steps: ['a', 'b'],
    list: [{ t: 'x' }],
    old: ['o'],
    gone: 3,
  }
  const cwd = await project({
    'src/steps.js': "import { t } from 'i18next'\nt('steps.1'); t('list', { returnObjects: true }); t('steps.7')",
    'locales/en/common.json': values,
    'locales/sv/common.json': { title: 'T' },
  })
  const { findings, usage } = (await runCli(['check', '--unused', '--missing-in-code', '--json'], { cwd })).json(
    checkResult,
  )
  expect(findings.map(({ rule, key }) => [rule, key])).toEqual([
    ['missing-in-code', 'steps.7'],
    ['unused', 'old.0'],
  ])
  expect(usage).toMatchObject({ keys: 7, used: 6 })
})

test('a call with an unknown key keeps its namespace and is reported', async () => {
  const cwd = await project({ 'src/more.js': "import { t } from './i18n'\nexport const label = (key) => t(key)\n" })
  const run = await runCli(['check', '--unused'], { cwd })
  expect(run.code).toBe(0)
  expect(run.stdout).toContain(
    'src/more.js:2:31: warning t(key): the key is known only at run time; keeps all of common',
  )
  expect(run.stdout).toContain('kept completely because of calls with unknown keys: common')
  const ignored = await runCli(['check', '--unused', '--ignore-in', 'src/more.js', '--json'], { cwd })
  expect(ignored.json(checkResult).findings.map(({ rule, key }) => [rule, key])).toEqual([
    ['unknown-call', null],
    ['unused', 'old'],
    ['unused', 'errors.server'],
    ['unused', 'older.than'],
  ])
})

test("i18next's options that another module holds are read there", async () => {
  const app = APP.replace("defaultNS: 'common'", 'defaultNS: shared.names.first').replace("t('gone')", "t('note')")
  const cwd = await project({
    'src/app.jsx': `import shared from './shared.mjs'\n${app}`,
    'src/shared.mjs': "const names = { first: 'common' }\nexport default { names }\n",
    'locales/en/shop.json': { note: 'Only here' },
  })
  const run = await runCli(['check', '--missing-in-code', '--json'], { cwd })
  expect(run.json(checkResult).findings.map(({ rule, key }) => [rule, key])).toEqual([['missing-in-code', 'note']])
})

test('removing lists the keys first, changes every language, and keeps the layout', async () => {
  const cwd = await project()
  const read = (language: string) => readFile(join(cwd, `locales/${language}/common.json`), 'utf8')
  const before = [await read('en'), await read('sv')]
  expect((await runCli(['check', '--remove'], { cwd })).code).toBe(2)
  const dry = await runCli(['check', '--remove', '--dry-run'], { cwd })
  expect(dry.stderr).toContain('would remove, in every language:\n')
  expect(dry.stderr).toContain('  common "old"\n')
  expect(dry.stdout).toContain('would remove 3 keys from 2 files')
  expect(dry.code).toBe(1)
  expect([await read('en'), await read('sv')]).toEqual(before)
  const done = await runCli(['check', '--remove', '--yes', '--json'], { cwd })
  expect(done.code).toBe(0)
  expect(done.json(checkResult).usage).toMatchObject({
    removed: [
      { namespace: 'common', key: 'old' },
      { namespace: 'common', key: 'errors.server' },
      { namespace: 'common', key: 'older.than' },
    ],
    files: ['locales/en/common.json', 'locales/sv/common.json'],
  })
  const { old: _, 'errors.server': __, ...rest } = TEXTS
  for (const language of ['en', 'sv']) expect(await read(language)).toBe(`${JSON.stringify(rest, null, 2)}\n`)
})

test('removing more than half of the keys needs --force', async () => {
  const cwd = await project({ 'src/app.jsx': "import { t } from './t'\nt('title')\n" })
  const run = await runCli(['check', '--remove', '--yes'], { cwd })
  expect(run.code).toBe(1)
  expect(run.stderr).toContain('6 keys of 8 would be removed, more than half')
  expect(JSON.parse(await readFile(join(cwd, 'locales/en/common.json'), 'utf8'))).toEqual(TEXTS)
  expect((await runCli(['check', '--remove', '--yes', '--force'], { cwd })).code).toBe(0)
})

/** Texts and templates that name keys, apart from calls. */
const NAMING = {
  'src/app.jsx': `import { t } from 'i18next'
t('title')
export const LABELS = ['menu.open']
export const codeOf = (code) => \`errors.\${code}\`
`,
  'locales/en/common.json': {
    title: 'Title',
    menu: { open: 'Open' },
    errors: { network: 'No network' },
    steps: ['One', 'Two'],
    old: 'Old',
    older: 'Older',
    last: 'Last',
  },
  'locales/sv/common.json': {},
}

test('each key with its judgement: a text or a template in the code may name it', async () => {
  const cwd = await project(NAMING)
  const run = await runCli(['check', '--unused', '--keep', 'last', '--json'], { cwd })
  expect(run.code).toBe(1)
  const { usage, findings } = run.json(checkResult)
  expect(usage).toMatchObject({ keys: 8, used: 2 })
  expect(usage?.judged?.[0]).toMatchObject({ key: 'title', judgement: 'key' })
  expect(usage?.judged?.slice(1).map(({ key, judgement, by, at }) => [key, judgement, by, at])).toEqual([
    ['menu.open', 'named', 'menu.open', 'src/app.jsx:3:24'],
    ['errors.network', 'named', 'errors.*', 'src/app.jsx:4:33'],
    ['steps.0', 'unused', null, null],
    ['steps.1', 'unused', null, null],
    ['old', 'unused', null, null],
    ['older', 'unused', null, null],
    ['last', 'keep', expect.any(String), null],
  ])
  expect(findings.map(({ key, severity }) => [key, severity])).toEqual([
    ['menu.open', 'warning'],
    ['errors.network', 'warning'],
    ['steps.0', 'error'],
    ['steps.1', 'error'],
    ['old', 'error'],
    ['older', 'error'],
  ])
  const text = await runCli(['check', '--unused', '--keep', 'last'], { cwd })
  expect(text.stdout).toContain('warning "menu.open" seems unused, but src/app.jsx:3 contains "menu.open" (unused)')
  expect(text.stdout).toContain(
    '2 of 8 keys used by 1 source file\n1 named in the code, 1 by the option "keep", ' +
      '2 unused, but a string in the code names it, 4 unused (--verbose lists each key)',
  )
  const all = await runCli(['check', '--unused', '--keep', 'last', '--verbose'], { cwd })
  expect(all.stdout).toContain(
    '  common "errors.network" unused, but a string in the code names it: errors.* (src/app.jsx:4:33)\n' +
      '  common "steps.0" unused\n',
  )
})

test('removing shows the difference, and leaves keys that a text names', async () => {
  const cwd = await project(NAMING)
  const texts = () => readFile(join(cwd, 'locales/en/common.json'), 'utf8')
  const before = await texts()
  const dry = await runCli(['check', '--remove', '--dry-run', '--force'], { cwd })
  const difference = [
    '--- locales/en/common.json',
    '@@ -8,8 +8,1 @@',
    '-  },',
    '-  "steps": [',
    '-    "One",',
    '-    "Two"',
    '-  ],',
    '-  "old": "Old",',
    '-  "older": "Older",',
    '-  "last": "Last"',
    '+  }',
  ].join('\n')
  expect(dry.stderr).toContain(difference)
  expect(await texts()).toBe(before)
  const done = await runCli(['check', '--remove', '--yes', '--force', '--json'], { cwd })
  expect(done.code).toBe(0)
  const { usage } = done.json(checkResult)
  expect(usage?.removed.map(({ key }) => key)).toEqual(['steps.0', 'steps.1', 'old', 'older', 'last'])
  const { title, menu, errors } = NAMING['locales/en/common.json']
  expect(JSON.parse(await texts())).toEqual({ title, menu, errors })
})

test('removing leaves the elements of an array that a text names', async () => {
  const cwd = await project({ ...NAMING, 'src/steps.js': "export const LIST = 'steps'\n" })
  await runCli(['check', '--remove', '--yes', '--namespace', 'common'], { cwd })
  const { title, menu, errors, steps } = NAMING['locales/en/common.json']
  const texts = await readFile(join(cwd, 'locales/en/common.json'), 'utf8')
  expect(JSON.parse(texts)).toEqual({ title, menu, errors, steps })
})

const TEMPLATES = {
  'templates/page.html': `<p title="{{ 'old' | translate }}">{{ steps }}</p>`,
  'locales/en/common.json': { ...TEXTS, steps: ['One', 'Two'], last: 'Last' },
  'locales/sv/common.json': TEXTS,
}

test.each([
  ['usage.literalsIn', { files: ['src/**', '!**/*.test.*'], literalsIn: ['templates/**/*.html'] }],
  ['usage.files', { files: ['src/**', 'templates/**', '!**/*.test.*'] }],
])('a template in %s names keys: they are used, and none is missing', async (_name, usage) => {
  const cwd = await project({ ...TEMPLATES, 'localization.config.json': { usage } })
  const run = await runCli(['check', '--unused', '--missing-in-code', '--json'], { cwd })
  const { findings, usage: found } = run.json(checkResult)
  expect(findings.map(({ rule, key }) => [rule, key])).toEqual([
    ['missing-in-code', 'gone'],
    ['unused', 'errors.server'],
    ['unused', 'last'],
  ])
  expect(found?.judged?.find(({ key }) => key === 'old')).toMatchObject({
    judgement: 'literal',
    by: 'old',
    at: 'templates/page.html:1:15',
  })
  const removed = await runCli(['check', '--remove', '--yes', '--json'], { cwd })
  expect(removed.json(checkResult).usage?.removed.map(({ key }) => key)).toEqual(['errors.server', 'last'])
})

test('globs outside the root, and globs that match nothing', async () => {
  const cwd = join(await project({ 'shared/menu.js': "t('old'); t(key)" }), 'src')
  await writeTree(cwd, {
    'localization.config.json': { files: '../locales/{language}/{namespace}.json', usage: { literalsIn: ['*.erb'] } },
  })
  const given = ['check', '--unused', '--json', '--source', '*.jsx', '--source', '!*.test.*']
  const globs = ['--source', '../shared/**', '--ignore-in', '../shared/**']
  const run = await runCli([...given, ...globs, '--source', '../none/*', '--ignore-in', '../gone/*'], { cwd })
  const { findings, usage } = run.json(checkResult)
  expect(usage).toMatchObject({ sources: 2, whole: [] })
  expect(findings.filter(({ rule }) => rule === 'unused').map(({ key }) => key)).toEqual([
    'errors.server',
    'older.than',
  ])
  expect(findings.filter(({ rule }) => rule === 'source').map(({ message }) => message)).toEqual([
    '--source: "../none/*" matches no file',
    'usage.literalsIn: "*.erb" matches no file',
    'prune.ignoreIn: "../gone/*" matches no file',
  ])
  expect((await runCli([...given, '--source', '../shared/**'], { cwd })).json(checkResult).usage?.whole).toEqual([
    'common',
  ])
})

test('a translation file that cannot be read is an error', async () => {
  const cwd = await project({ 'locales/sv/common.json': '{' })
  const run = await runCli(['check', '--unused', '--keep', '*', '--json'], { cwd })
  expect(run.code).toBe(1)
  expect(run.json(checkResult).findings.map(({ rule, file }) => [rule, file])).toEqual([
    ['file', 'locales/sv/common.json'],
  ])
})

test('wrong usage, no sources, files that cannot be read', async () => {
  const cwd = await project()
  expect((await runCli(['check', '--yes'], { cwd })).code).toBe(0)
  expect((await runCli(['check', '--unused', '--force'], { cwd })).code).toBe(2)
  expect((await runCli(['check', '--remove', '--yes', '--language', 'en'], { cwd })).code).toBe(2)
  const none = await runCli(['check', '--unused', '--source', 'nowhere/**'], { cwd })
  expect(none).toMatchObject({ code: 1, stdout: '' })
  expect(none.stderr).toContain('no source file matches nowhere/**')
  await writeTree(cwd, { 'src/broken.ts': "t('x'\n" })
  const broken = await runCli(['check', '--unused'], { cwd })
  expect(broken.stdout).toContain(
    'src/broken.ts:2:1: warning it cannot be parsed: Unexpected token, expected ",": every key counts as used (source)',
  )
  expect(broken.code).toBe(0)
  await writeTree(cwd, { 'src/broken.ts': '', 'src/app.vue': "<template>{{ $t('old') }}</template>" })
  const vue = await runCli(['check', '--unused'], { cwd })
  expect(vue.stdout).toContain('src/app.vue:1:1: warning vue is not installed in the project')
})

test.each(['react-i18next', 'vue-i18n', 'react-intl', 'svelte'])('the example %s uses all its keys', async (name) => {
  const cwd = await installExample(name)
  const run = await runCli(['check', '--unused', '--missing-in-code', '--ignore-in', '**/texts.svelte.ts', '--json'], {
    cwd,
  })
  const { findings, usage } = run.json(checkResult)
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(usage?.used).toBe(usage?.keys)
})

test("the service's keys", async () => {
  const files = { 'src/app.js': "t('used')\n", 'locales/en/a.json': { used: 'Used' } }
  const service = await startProject({ files, service: true })
  await service.importTexts('en', 'a', { used: 'Used', 'not.used': 'x' })
  const run = await service.run('check', '--unused', '--service', '--json')
  expect(run.json(checkResult).findings).toMatchObject([{ rule: 'unused', key: 'not.used', file: null }])
  expect((await service.run('check', '--remove', '--service', '--yes')).code).toBe(2)
})
