/** The option `namespacePrefix: false`, in every command that compares keys of the code with texts. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkResult } from '../../src/cli/commands/check.ts'
import { extractResult } from '../../src/cli/commands/extract.ts'
import { runCli } from '../helpers/cli.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const APP = `import { useI18n } from 'vue-i18n'
const { t } = useI18n()
t('title'); t('default.title'); t('menu.file'); t('default.kept')
`

async function project(more: Readonly<Record<string, string | object>> = {}): Promise<string> {
  const folder = await tempFolder()
  await writeTree(folder, {
    'localization.config.json': {
      files: ['locales/{language}.json', 'locales/{language}/{namespace}.json'],
      namespacePrefix: false,
      types: { vueI18n: true },
    },
    'src/app.ts': APP,
    'locales/en.json': { title: 'Title', menu: { old: 'Old' }, default: { kept: 'Kept' } },
    ...more,
  })
  return folder
}

test('keys are those of the files', async () => {
  const cwd = await project()
  const { findings } = (await runCli(['check', '--unused', '--missing-in-code', '--json'], { cwd })).json(checkResult)
  expect(findings.map(({ rule, key }) => [rule, key])).toEqual([
    ['missing-in-code', 'default.title'],
    ['missing-in-code', 'menu.file'],
    ['unused', 'menu.old'],
  ])
  const { keys } = (await runCli(['extract', '--dry-run', '--json'], { cwd })).json(extractResult)
  expect(keys.map(({ namespace, key }) => [namespace, key])).toEqual([
    ['default', 'default.title'],
    ['default', 'menu.file'],
  ])
  expect((await runCli(['types'], { cwd })).code).toBe(0)
  const types = await readFile(join(cwd, 'localization.vue-i18n.d.ts'), 'utf8')
  expect(types).toMatch(/DefineLocaleMessage \{\n {4}readonly 'default': \{\n {6}readonly 'kept': string/)
})

test('several namespaces are an error, unless the option namespaces leaves one', async () => {
  const cwd = await project({ 'locales/en/shop.json': { cart: 'Cart' } })
  for (const command of [['check'], ['check', '--unused'], ['extract'], ['types']]) {
    const { code, stderr } = await runCli(command, { cwd })
    expect([command, code]).toEqual([command, 1])
    expect(stderr).toContain(
      'the option "namespacePrefix" is false, but there are 2 namespaces: default, shop. Choose one with the option ' +
        '"namespaces", or leave namespacePrefix out and put the namespace before each key: t(\'default.title\').',
    )
  }
  const config = JSON.parse(await readFile(join(cwd, 'localization.config.json'), 'utf8'))
  await writeTree(cwd, { 'localization.config.json': { ...config, namespaces: ['default'] } })
  for (const command of [['check'], ['extract', '--dry-run'], ['types']])
    expect([command, (await runCli(command, { cwd })).code]).toEqual([command, 0])
})

test.each([
  [
    "import { createLanguageLoader } from 'unplugin-localization/vue-i18n'\ncreateLanguageLoader(i18n, translations)\n",
    true,
  ],
  [
    "import { createLanguageLoader } from 'unplugin-localization/vue-i18n'\ncreateLanguageLoader(i18n, translations, { id })\n",
    false,
  ],
  ['', false],
])('check --missing-in-code knows that glue puts the namespace before a key: %j', async (glue, isMissing) => {
  const cwd = await project({
    'localization.config.json': { files: ['locales/{language}.json'] },
    'src/app.ts': "import { useI18n } from 'vue-i18n'\nconst { t } = useI18n()\nt('title'); t('default.title')\n",
    'src/i18n.ts': glue,
  })
  const { findings } = (await runCli(['check', '--missing-in-code', '--json'], { cwd })).json(checkResult)
  expect(findings.map(({ key, message }) => [key, message])).toEqual(
    isMissing ? [['title', '"title" is used, but the key is "default.title": see the option "namespacePrefix"']] : [],
  )
})

test('a file that is not a language, and that `languages` leaves out, is left out of every check', async () => {
  const cwd = await project({
    'localization.config.json': { files: ['locales/{language}.json'], languages: ['en'] },
    'locales/percentages.json': { en: 100 },
  })
  const { findings } = (await runCli(['check', '--unused', '--json'], { cwd })).json(checkResult)
  expect(findings.map(({ file }) => file)).not.toContain('locales/percentages.json')
})
