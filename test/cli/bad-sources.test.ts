/** `localization check` on sources that are hard to read: each is named with its place, and the others are judged. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkResult } from '../../src/cli/commands/check.ts'
import { extractResult } from '../../src/cli/commands/extract.ts'
import { repository } from '../helpers/bundlers.ts'
import { runCli } from '../helpers/cli.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const IMPORT = "import { t } from 'i18next'\n"
const DEEP = `${IMPORT}t(${'('.repeat(3000)}'title'${')'.repeat(3000)})\n`

async function project(sources: Readonly<Record<string, string | object>>, config: object = {}): Promise<string> {
  const cwd = await tempFolder()
  await writeTree(cwd, {
    'src/good.ts': `${IMPORT}t('title')\nt('gone')\n`,
    'locales/en/common.json': { title: 'Title', old: 'Old' },
    'localization.config.json': { defaultLanguage: 'en', ...config },
    ...sources,
  })
  return cwd
}

async function check(cwd: string, ...more: readonly string[]) {
  const run = await runCli(['check', '--unused', '--missing-in-code', '--json', ...more], { cwd })
  const { findings, usage } = run.json(checkResult)
  const lines = findings.map(
    ({ rule, file, line, column, message }) => `${file}:${line}:${column}: ${rule}: ${message}`,
  )
  return { lines, usage, of: (rule: string) => lines.filter((line) => line.includes(`: ${rule}: `)) }
}

const COUNTS = 'every key counts as used'

test.each([
  ['TypeScript', 'bad.ts', `${IMPORT}t('a')\nlet x = = 1\n`, '3:9', 'it cannot be parsed: Unexpected token'],
  [
    'JSX, as the dialect of the file says',
    'bad.tsx',
    `${IMPORT}const a = <b>{t('a')}</b\nx`,
    '3:1',
    'it cannot be parsed: ',
  ],
  [
    'JavaScript, minified',
    'bad.js',
    `${IMPORT.trim()};var a=t("a"),b=;`,
    '1:44',
    'it cannot be parsed: Unexpected token',
  ],
  ['parentheses', 'deep.js', DEEP, '1:1', 'it cannot be read: it is nested too deeply'],
  ['parentheses in TypeScript', 'deep.ts', DEEP, '1:1', 'it cannot be read: it is nested too deeply'],
  [
    'brackets that do not end',
    'deep.tsx',
    `${IMPORT}t(${'['.repeat(3000)}`,
    '1:1',
    'it cannot be read: it is nested too deeply',
  ],
])('%s: the file is named with the place, and the rest is judged', async (_, name, code, place, message) => {
  const cwd = await project({ [`src/${name}`]: code })
  const { lines, of, usage } = await check(cwd)
  expect(of('source')).toEqual([expect.stringContaining(`src/${name}:${place}: source: ${message}`)])
  expect(of('source')[0]).toContain(COUNTS)
  expect(of('missing-in-code')).toEqual([expect.stringContaining('src/good.ts:3:1')])
  expect(lines).toHaveLength(2)
  expect(usage).toMatchObject({ sources: 2, keys: 2, used: 2 })
})

test.each([
  [
    'Vue script',
    'bad.vue',
    '<template>{{ $t("title") }}</template>\n<script setup>\nconst a = 1\nlet = = 2\n</script>',
    '4:',
  ],
  [
    'Vue template',
    'bad.vue',
    '<script setup>\nlet a\n</script>\n<template>\n  <p :title="$t(">x</p>\n</template>',
    '5:',
  ],
  ['Svelte', 'bad.svelte', '<script>\n  let a = = 1\n</script>\n{$t("title")}', '2:'],
])('%s: the place is that of the file', async (_, name, code, line) => {
  const cwd = await project({ [`src/${name}`]: code })
  await linkPackages(cwd, ['vue', 'svelte'])
  const { of } = await check(cwd)
  expect(of('source')).toEqual([expect.stringContaining(`src/${name}:${line}`)])
})

test.each([
  ['ignoreIn', { prune: { ignoreIn: ['src/bad.*'] } }, []],
  ['--ignore-in', {}, ['--ignore-in', 'src/bad.*']],
])('%s: nothing is said of the files, and they keep nothing', async (_, config, more) => {
  const cwd = await project({ 'src/bad.ts': `${IMPORT}t(= 1\n`, 'src/bad.js': DEEP }, config)
  const { of } = await check(cwd, ...more)
  expect(of('source')).toEqual([])
  expect(of('unused')).toEqual([expect.stringContaining('"old" is not used in any source')])
})

test('a source in Latin-1: letters that cannot be read stand for any', async () => {
  const cwd = await project({
    'locales/en/common.json': { title: 'Title', größe: 'Size', gross: 'Big', 'größe.alt': 'Old' },
    // A comment alone is no problem.
    'src/comment.js': '',
  })
  await writeFile(join(cwd, 'src/latin.js'), Buffer.from(`${IMPORT}t('größe', 'Größe')\n`, 'latin1'))
  await writeFile(join(cwd, 'src/comment.js'), Buffer.from(`// für alle\n${IMPORT}t('title')\n`, 'latin1'))
  const { of } = await check(cwd)
  expect(of('unused').map((line) => /"(.+)" is not used/.exec(line)?.[1])).toEqual(['gross'])
  expect(of('missing-in-code')).toHaveLength(1)
  // Neither the key nor the text can be written.
  const { keys } = (await runCli(['extract', '--dry-run', '--json'], { cwd })).json(extractResult)
  expect(keys.filter(({ key }) => key.includes('\ufffd') || key.includes('*'))).toEqual([])
})

test('circular imports, and a dynamic import() of a pattern', async () => {
  const cwd = await project({
    'src/i18n.ts': "import i18next from 'i18next'\nimport { options } from './options'\ni18next.init(options)\n",
    'src/options.ts':
      "export * from './more'\nexport * from './i18n'\nexport const options = { lng: 'en', ns: ['common'] }\n",
    'src/more.ts': "export * from './options'\nexport * from './i18n'\nexport const lng = 'en'\n",
    'src/page.ts': `import { load } from 'virtual:translations'
export const page = (name: string) => import(\`./pages/\${name}.ts\`).then(({ show }) => show())
export const texts = async (language: string) => (await import(\`virtual:translations/\${language}/common\`)).default
`,
    'src/pages/a.ts': `import { t } from 'i18next'\nimport { page } from '../page'\nexport const show = () => [t('old'), page]\n`,
  })
  const { of, usage } = await check(cwd)
  expect(of('source')).toEqual([])
  expect(usage).toMatchObject({ used: 2 })
})

test('5 MB of generated code, and minified code: every key is found', async () => {
  const keys = Array.from({ length: 100 }, (_, at) => `key.${at}`)
  const lines = Array.from({ length: 5000 }, (_, at) => {
    return `export const item${at} = { id: ${at}, label: '${'a long text '.repeat(80)}', of: (x) => x + ${at} }`
  })
  const calls = keys.slice(0, 50).map((key) => `t('${key}')`)
  const minified = Array.from({ length: 1000 }, (_, at) => {
    return `function f${at}(e,n,r){var i=n[e],o=r(i)?"${at}":String(i);return o.length>${at}?o:(i=e,r(o),i+"-"+n.length)}`
  })
  const small = keys.slice(50).map((key) => `t("${key}")`)
  const cwd = await project({
    'src/big.js': `${IMPORT}${lines.join('\n')}\n${calls.join('\n')}\n`,
    'src/small.min.js': `${IMPORT.trim()};${minified.join('')};${small.join(';')}`,
    'locales/en/common.json': Object.fromEntries([...keys, 'old', 'title'].map((key) => [key, key])),
  })
  const { of, usage } = await check(cwd)
  expect(of('source')).toEqual([])
  expect(of('unused')).toEqual([expect.stringContaining('"old"')])
  expect(usage).toMatchObject({ keys: 102, used: 101 })
})

test('calls with unknown keys: one line for each, and what keeps most first', async () => {
  const cwd = await project({
    'src/good.ts': `import { useTranslation } from 'react-i18next'; import i18next from 'i18next'; i18next.init({ lng: 'en', ns: [] })
export function A({ name }) { const { t } = useTranslation('small'); return t(name) }
export function B({ name, other }) { const { t } = useTranslation('large'); return t(other) }
export function C({ name, i18n }) { return i18n.t(name, name.options) }
`,
    'locales/en/small.json': { a: 'A' },
    'locales/en/large.json': { a: 'A', b: 'B', c: 'C' },
    'locales/en/common.json': { a: 'A', b: 'B', c: 'C', d: 'D' },
  })
  const { of } = await check(cwd)
  expect(of('unknown-call').map((line) => line.split(': ')[0])).toEqual([
    'src/good.ts:4:44',
    'src/good.ts:3:84',
    'src/good.ts:2:77',
  ])
})

async function linkPackages(cwd: string, names: readonly string[]): Promise<void> {
  await mkdir(join(cwd, 'node_modules'))
  for (const name of names) await symlink(join(repository, 'node_modules', name), join(cwd, 'node_modules', name))
}
