/**
 * The package's declarations as strict projects see them: nothing skipped, no ambient types, no bundler but the one in
 * use.
 */
import { expect, test, vi } from 'vitest'
import { installIn, subpaths } from '../helpers/consumer.ts'
import { repeats } from '../helpers/repeats.ts'
import { writeTree } from '../helpers/temp.ts'
import { compile } from '../helpers/typescript.ts'

vi.setConfig({ testTimeout: 300_000 })

const NODE = { module: 'NodeNext', moduleResolution: 'NodeNext' }
const BUNDLER = { module: 'ESNext', moduleResolution: 'Bundler', exactOptionalPropertyTypes: true }
test.each(repeats([NODE], [NODE, BUNDLER]))(
  'every subpath, nothing skipped, no ambient types, no bundler installed: $module',
  async (options) => {
    const folder = await installIn(['i18next', 'react-intl', 'vue-i18n'])
    expect(subpaths).toContain('/vite')
    const lines = subpaths.flatMap((path, i) => [
      `import * as m${i} from 'unplugin-localization${path}'`,
      `export const checked${i} = m${i}`,
    ])
    await writeTree(folder, { 'main.ts': `${lines.join('\n')}\nimport 'unplugin-localization/virtual'\n` })
    expect(await compile(folder, ['main.ts'], options)).toEqual([])
  },
)

const OPTIONS = "{ defaultLanguage: 'en', compile: 'icu' }"

/** Each bundler's own type of a configuration takes the plugin. */
const CONFIGURATIONS: Readonly<Record<string, string>> = {
  vite: `import { defineConfig, type Plugin } from 'vite'
export const one: Plugin = plugin(${OPTIONS})
export default defineConfig({ plugins: [plugin(${OPTIONS}), unplugin.vite()] })`,
  vite7: `import { defineConfig } from 'vite7'
export default defineConfig({ plugins: [plugin(${OPTIONS}), unplugin.vite()] })`,
  rollup: `import { defineConfig } from 'rollup'
export default defineConfig({ plugins: [plugin(${OPTIONS}), unplugin.rollup()] })`,
  rolldown: `import { defineConfig } from 'rolldown'
export default defineConfig({ plugins: [plugin(${OPTIONS}), unplugin.rolldown()] })`,
  webpack: `import type { Configuration } from 'webpack'
export default { plugins: [plugin(${OPTIONS}), unplugin.webpack()] } satisfies Configuration`,
  rspack: `import type { Configuration } from '@rspack/core'
export default { plugins: [plugin(${OPTIONS}), unplugin.rspack()] } satisfies Configuration`,
  rsbuild: `import { defineConfig } from '@rsbuild/core'
export default defineConfig({ plugins: [plugin(${OPTIONS}), unplugin.rsbuild()] })`,
  esbuild: `import { build } from 'esbuild'
await build({ plugins: [plugin(${OPTIONS}), unplugin.esbuild()] })`,
  farm: `import { defineConfig } from '@farmfe/core'
export default defineConfig({ plugins: [plugin(${OPTIONS}), unplugin.farm()] })`,
}
const PACKAGES: Readonly<Record<string, string>> = {
  rspack: '@rspack/core',
  rsbuild: '@rsbuild/core',
  farm: '@farmfe/core',
}
/** The others' own declarations need Node's types, a newer `lib`, or packages that they do not bring. */
const WHOLE = repeats(['esbuild'], ['vite', 'vite7', 'esbuild'])

test.each(Object.entries(CONFIGURATIONS))('%s takes the plugin', async (bundler, source) => {
  const folder = await installIn([PACKAGES[bundler] ?? bundler, '@types/node'])
  const entry = bundler === 'vite7' ? 'vite' : bundler
  const head = `import { unplugin } from 'unplugin-localization'\nimport plugin from 'unplugin-localization/${entry}'\n`
  await writeTree(folder, {
    'right.ts': head + source,
    'wrong.ts': head + source.replace("compile: 'icu'", "compile: 'nothing'"),
  })
  const options = WHOLE.includes(bundler) ? NODE : { ...NODE, skipLibCheck: true, types: ['node'] }
  const errors = await compile(folder, ['right.ts', 'wrong.ts'], options)
  expect([...new Set(errors.map(({ file }) => file))]).toEqual(['wrong.ts'])
})

test('compiled messages go where they can be shown', async () => {
  const folder = await installIn(['i18next', 'react-intl', 'vue-i18n'])
  await writeTree(folder, {
    'declared.d.ts': `/// <reference types="unplugin-localization/virtual-strict" />
declare module 'virtual:translations' {
  interface Register { readonly compile: 'icu' }
}`,
    'main.ts': `import { createBackend } from 'unplugin-localization/i18next'
import { createIntlStore } from 'unplugin-localization/react-intl'
import * as translations from 'virtual:translations'
export const store = createIntlStore(translations)
// @ts-expect-error i18next shows strings
export const backend = createBackend(translations)
`,
  })
  expect(await compile(folder, ['declared.d.ts', 'main.ts'], NODE)).toEqual([])
})

const GLUE = `import { createIntlStore, type IntlStore } from 'unplugin-localization/react-intl'
import { createLanguageLoader, type LanguageLoader } from 'unplugin-localization/vue-i18n'
import * as translations from 'virtual:translations'
declare const i18n: Parameters<typeof createLanguageLoader>[0]
const store = createIntlStore(translations, { namespaces: ['common'] })
const loader = createLanguageLoader(i18n, translations, { namespaces: ['common'] })
void [store.setLanguage('pl'), loader.setLanguage('pl'), store.loadNamespaces('home'), loader.loadNamespaces('home')]
export const anyStore: IntlStore = store
export const anyLoader: LanguageLoader = loader
`
const WRONG = `void store.setLanguage('xx')
void loader.setLanguage('xx')
void store.loadNamespaces('nope')
void loader.loadNamespaces('nope')
createIntlStore(translations, { namespaces: ['nope'] })
createLanguageLoader(i18n, translations, { namespaces: ['nope'] })
`

test('the glue knows languages and namespaces where types are generated, and takes any string elsewhere', async () => {
  const folder = await installIn(['react-intl', 'vue-i18n'])
  await writeTree(folder, {
    'declared.d.ts': `/// <reference types="unplugin-localization/virtual-strict" />
declare module 'virtual:translations' {
  interface Register {
    readonly languages: 'en' | 'pl'
    readonly keys: { readonly common: { readonly title: string }; readonly home: { readonly lead: string } }
    readonly messages: { readonly common: { readonly title: string; readonly steps: readonly [string, { readonly n: 1 | null }] }; readonly home: { readonly lead: string } }
  }
}`,
    'main.ts': GLUE + WRONG,
    'react-intl.ts': `import type { Key, Namespace } from 'virtual:translations'
import { useIntl } from 'react-intl'
declare global {
  namespace FormatjsIntl {
    interface Message {
      ids: { [N in Namespace]: \`\${N}.\${Key<N>}\` }[Namespace]
    }
  }
}
useIntl().formatMessage({ id: 'common.title' })
useIntl().formatMessage({ id: 'common.nope' })
`,
  })
  const skip = { ...NODE, skipLibCheck: true }
  const errors = await compile(folder, ['declared.d.ts', 'main.ts', 'react-intl.ts'], skip)
  expect(errors.map(({ file, line }) => `${file}:${line}`)).toEqual([
    ...[10, 11, 12, 13, 14, 15].map((line) => `main.ts:${line}`),
    'react-intl.ts:11',
  ])
  expect(await compile(folder, ['main.ts'], { ...skip, types: ['unplugin-localization/virtual'] })).toEqual([])
})

test('options: readonly lists, what defineConfig gives back, and the nearest name of a misspelt one', async () => {
  const folder = await installIn([])
  await writeTree(folder, {
    'right.ts': `import { defineConfig, type LocalizationOptions } from 'unplugin-localization'
const options = { languages: ['en'], fallback: { pl: ['en'] }, files: ['a/{language}.json'], preload: ['common'] } as const
export const object: LocalizationOptions = defineConfig(options)
export const made: readonly string[] = defineConfig(({ mode }) => ({ languages: [mode ?? 'en'] }))({ root: '/', mode: undefined }).languages
export const promised: Promise<LocalizationOptions> = defineConfig(async () => ({ languages: ['en'] }))()
`,
    'wrong.ts': `import { defineConfig } from 'unplugin-localization'
import localization from 'unplugin-localization/vite'
defineConfig({ langauges: ['en'] })
localization({ langauges: ['en'] })
localization({ service: { baseURL: '' } })
`,
  })
  const errors = await compile(folder, ['right.ts', 'wrong.ts'], NODE)
  expect(errors.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual([
    'wrong.ts:3 TS2769',
    'wrong.ts:4 TS2561',
    'wrong.ts:5 TS2561',
  ])
  expect(errors[1]?.text).toContain("Did you mean to write 'languages'?")
  expect(errors[2]?.text).toContain("Did you mean to write 'baseUrl'?")
})
