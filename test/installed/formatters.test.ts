/** Formatters and linters leave generated declarations as they are, whatever their settings. */

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test, vi } from 'vitest'
import { createCatalog } from '../../src/catalog/model.ts'
import { createTranslations } from '../../src/catalog/translations.ts'
import { generateI18nextTypes, generateVueI18nTypes } from '../../src/output/declarations.ts'
import { generateTypes } from '../../src/output/types.ts'
import { repository } from '../helpers/bundlers.ts'
import { npmInstall } from '../helpers/tarball.ts'
import { writeTree } from '../helpers/temp.ts'
import { TRANSLATION_SETTINGS } from '../helpers/translation-settings.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 })

const MESSAGES = [
  ['title', 'Title'],
  ["it's", 'A key with a quote'],
  [
    'menu.greeting',
    'Hello, {name}: {count, plural, one {one file} other {# files}} {gender, select, female {f} male {m} other {o}}',
  ],
] as const
const parts = ['en', 'pl'].flatMap((language) => [
  { language, namespace: 'common', messages: MESSAGES },
  { language, namespace: 'views/home', messages: [['lead', 'Lead']] as const },
])
const translations = createTranslations(createCatalog({ parts }), TRANSLATION_SETTINGS)
const FILES = Object.fromEntries(
  (['flat', 'nested'] as const).flatMap((shape) => {
    const options = { shape, keySeparator: '.' }
    return [
      [`${shape}.d.ts`, generateTypes(translations, options)],
      [`${shape}.i18next.d.ts`, generateI18nextTypes(translations, options)],
      [`${shape}.vue-i18n.d.ts`, generateVueI18nTypes(translations, options)],
    ]
  }),
)

/** Stays between runs. */
const tools = join(tmpdir(), 'unplugin-localization-formatters')

beforeAll(async () => {
  await writeTree(tools, { 'package.json': { private: true, type: 'module' } })
  await npmInstall(tools, 'eslint@9', '@eslint/js@9', 'typescript-eslint@8', 'prettier@3', 'typescript@5.9')
})

const run = async (command: string, args: readonly string[]) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [command, ...args], { cwd: tools })
  return stdout + stderr
}
const unchanged = async () => {
  for (const [name, content] of Object.entries(FILES))
    expect([name, await readFile(join(tools, name), 'utf8')]).toEqual([name, content])
}

test.each([[], ['--no-semi', '--single-quote', '--print-width=60', '--quote-props=as-needed']])(
  'Prettier %#',
  async (...settings) => {
    await writeTree(tools, FILES)
    await run(join(tools, 'node_modules/prettier/bin/prettier.cjs'), ['--write', ...settings, ...Object.keys(FILES)])
    await unchanged()
  },
)

test('Biome', async () => {
  await writeTree(tools, { ...FILES, 'biome.json': { root: true, files: { includes: ['*.d.ts'] } } })
  const biome = join(repository, 'node_modules/@biomejs/biome/bin/biome')
  expect(await run(biome, ['check', '--write', '--error-on-warnings', '.'])).not.toMatch(/warning/)
  await unchanged()
})

test.each(['recommended', 'strictTypeChecked', 'stylisticTypeChecked'])(
  'ESLint, %s, reports nothing',
  async (rules) => {
    await writeTree(tools, {
      ...FILES,
      'tsconfig.json': { compilerOptions: { strict: true, module: 'ESNext', moduleResolution: 'Bundler' } },
      'eslint.config.js': `import js from '@eslint/js'
import ts from 'typescript-eslint'
export default ts.config(js.configs.recommended, ts.configs.${rules}, {
  rules: { quotes: ['error', 'double'], semi: ['error', 'always'], 'max-len': ['error', 70], 'no-multiple-empty-lines': 'error' },
}, {
  // The files disable all rules, whether or not the rules would report anything.
  linterOptions: { reportUnusedDisableDirectives: 'off' },
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
})
`,
    })
    await run(join(tools, 'node_modules/eslint/bin/eslint.js'), ['--max-warnings', '0', ...Object.keys(FILES)])
  },
)
