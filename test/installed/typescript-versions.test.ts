/** The package's declarations under every supported TypeScript, with nothing skipped. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createCatalog } from '../../src/catalog/model.ts'
import { createTranslations } from '../../src/catalog/translations.ts'
import { generateTypes } from '../../src/output/types.ts'
import { BUNDLER_NAMES } from '../../src/plugin/bundlers.ts'
import { installIn, subpaths } from '../helpers/consumer.ts'
import { checkKeysInEditor } from '../helpers/keys-in-editor.ts'
import { npmInstall } from '../helpers/tarball.ts'
import { writeTree } from '../helpers/temp.ts'
import { TRANSLATION_SETTINGS } from '../helpers/translation-settings.ts'
import { compile } from '../helpers/typescript.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 })

const VERSIONS = ['5.4', '5.5', '5.6', '5.7', '5.8', '5.9', '6', '7']
/** Stays between runs. */
const compilers = join(tmpdir(), 'unplugin-localization-typescript')
const tscOf = (version: string) => join(compilers, `node_modules/typescript-${version}/bin/tsc`)

beforeAll(async () => {
  if (VERSIONS.every((version) => existsSync(tscOf(version)))) return
  await writeTree(compilers, { 'package.json': { private: true } })
  await npmInstall(compilers, ...VERSIONS.map((version) => `typescript-${version}@npm:typescript@${version}`))
})

const BUNDLERS = BUNDLER_NAMES.map((name) => `/${name}`)

const FILES = {
  'every-entry.mts': [
    ...subpaths.map((path, i) => `import * as m${i} from 'unplugin-localization${path}'\nexport const e${i} = m${i}`),
    "import 'unplugin-localization/virtual'",
  ].join('\n'),
  'config.mts': `import { defineConfig, unplugin } from 'unplugin-localization'
import localization, { type PluginOptions } from 'unplugin-localization/vite'
const options: PluginOptions = { defaultLanguage: 'en' }
export default defineConfig({ languages: ['en'] })
export const names: string[] = [localization(options).name, unplugin.vite().name]
// @ts-expect-error
localization({ compile: 'nothing' })
`,
  'page.mts': `import { languages, load } from 'virtual:translations'
import { createBackend } from 'unplugin-localization/i18next'
import { createIntlStore } from 'unplugin-localization/react-intl'
import * as translations from 'virtual:translations'
export const all = [languages, load('en', 'common'), createBackend(translations), createIntlStore(translations)]
`,
  'generated.d.ts': generateTypes(
    createTranslations(
      createCatalog({ parts: [{ language: 'en', namespace: 'common', messages: [['title', 'Title']] }] }),
      TRANSLATION_SETTINGS,
    ),
    { shape: 'flat', keySeparator: '.' },
  ),
  'typed.mts': `import { type Key, load } from 'virtual:translations'
export const key: Key<'common'> = 'title'
// @ts-expect-error
export const unknown: Key<'common'> = 'titel'
export const texts = load('en', 'common')
`,
  ...Object.fromEntries(
    BUNDLERS.map((path) => [
      `config${path.replace('/', '-')}.cts`,
      `import required = require('unplugin-localization${path}')
import imported from 'unplugin-localization${path}'
const options: required.PluginOptions = { defaultLanguage: 'en' }
export const plugins: object[] = [required(options), imported(options)]
// @ts-expect-error
required({ compile: 'nothing' })
// @ts-expect-error
export const absent: unknown = required.default
`,
    ]),
  ),
  'code.cts': `import unplugin = require('unplugin-localization')
import { defineConfig, LocalizationError } from 'unplugin-localization'
import imported from 'unplugin-localization'
import { ApiError, createClient, isApiError } from 'unplugin-localization/client'
import service = require('unplugin-localization/service')
export const names: string[] = [unplugin.default.vite().name, unplugin.unplugin.vite().name, imported.vite().name]
export const config = defineConfig({ languages: ['en'] })
export const client = createClient({ baseUrl: 'https://localization.example.com', apiKey: 'key' })
export const isKnown = (error: unknown) => error instanceof ApiError || error instanceof LocalizationError || isApiError(error)
export const started: Promise<{ baseUrl: string }> = service.createLocalService()
`,
}

describe.each(VERSIONS)('TypeScript %s', (version) => {
  const check = async (files: readonly string[], options: object) => {
    const folder = await installIn(['i18next', 'react-intl', 'vue-i18n', '@types/react'])
    await writeTree(folder, FILES)
    // TypeScript 5.4 knows no later target. DOM: the client's options name `AbortSignal`.
    return compile(folder, files, { target: 'ES2022', lib: ['ES2023', 'DOM'], ...options }, tscOf(version))
  }

  test('ES modules and CommonJS under node16', async () => {
    const files = Object.keys(FILES).filter((name) => name !== 'generated.d.ts' && name !== 'typed.mts')
    expect(await check(files, { module: 'Node16', moduleResolution: 'Node16' })).toEqual([])
  })

  test('a key leads to its line in the translation file', async () => {
    const isLsp = version === '7'
    const script = isLsp ? tscOf(version) : join(compilers, `node_modules/typescript-${version}/lib/tsserver.js`)
    await checkKeysInEditor(await installIn([]), script, { isLsp })
  })

  // TypeScript 6 deprecates it, 7 removes it.
  test.runIf(version === VERSIONS[0] || version === '5.9')('ES modules under node10', async () => {
    const files = Object.keys(FILES).filter((name) => name.endsWith('.mts') && name !== 'typed.mts')
    const options = { module: 'ESNext', moduleResolution: 'node10' }
    expect(await check(files, options)).toEqual([])
    expect(await check(['generated.d.ts', 'typed.mts'], options)).toEqual([])
  })

  // Resolution is another, the declarations are the same.
  test.runIf(version === VERSIONS[0] || version === VERSIONS.at(-1))('ES modules under bundler', async () => {
    const files = Object.keys(FILES).filter((name) => name.endsWith('.mts') && name !== 'typed.mts')
    expect(await check(files, { module: 'ESNext', moduleResolution: 'Bundler' })).toEqual([])
  })
})
