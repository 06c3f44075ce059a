/**
 * The package's declarations as strict projects see them: nothing skipped, no ambient types, no bundler but the one in
 * use.
 */
import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { installIn, subpaths } from '../helpers/consumer.ts'
import { repeats } from '../helpers/repeats.ts'
import { writeTree } from '../helpers/temp.ts'
import { compile } from '../helpers/typescript.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const NODE = { module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2023', 'DOM'] }
const BUNDLER = { ...NODE, module: 'ESNext', moduleResolution: 'Bundler', exactOptionalPropertyTypes: true }

/** Without bundlers: the package, and the libraries that it has glue for. Each test has a folder in it. */
let home: string

beforeAll(async () => {
  home = await installIn(['i18next', 'react-intl', 'vue-i18n'])
})

async function compileAt(
  folder: string,
  files: Readonly<Record<string, string>>,
  options: Readonly<Record<string, unknown>>,
) {
  await writeTree(folder, files)
  return compile(folder, Object.keys(files), options)
}

test.each(repeats([NODE], [NODE, BUNDLER]))(
  'every subpath, nothing skipped, no ambient types, no bundler installed: $module',
  async (options) => {
    expect(subpaths).toContain('/vite')
    const lines = subpaths.flatMap((path, i) => [
      `import * as m${i} from 'unplugin-localization${path}'`,
      `export const checked${i} = m${i}`,
    ])
    const main = `${lines.join('\n')}\nimport 'unplugin-localization/virtual'\n`
    expect(await compileAt(join(home, 'every'), { 'main.ts': main }, options)).toEqual([])
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
const WHOLE = ['vite', 'vite7', 'esbuild']

/** A few together in `npm test`, where what their declarations share is read once; in `.ci/run` each alone. */
const SETS = repeats(
  [['vite', 'rollup', 'rolldown', 'webpack', 'esbuild']],
  Object.keys(CONFIGURATIONS).map((name) => [name]),
)

test.each(SETS.map((bundlers) => [bundlers.join(', '), bundlers] as const))(
  '%s: takes the plugin',
  async (_, bundlers) => {
    const folder = await installIn([...bundlers.map((name) => PACKAGES[name] ?? name), '@types/node'])
    const files = bundlers.flatMap((bundler) => {
      const entry = bundler === 'vite7' ? 'vite' : bundler
      const head = `import { unplugin } from 'unplugin-localization'\nimport plugin from 'unplugin-localization/${entry}'\n`
      const right = head + CONFIGURATIONS[bundler]
      return [
        [`right-${bundler}.ts`, right],
        [`wrong-${bundler}.ts`, right.replace("compile: 'icu'", "compile: 'nothing'")],
      ]
    })
    const isWhole = bundlers.every((name) => WHOLE.includes(name))
    const options = isWhole ? NODE : { ...NODE, skipLibCheck: true, types: ['node'] }
    const errors = await compileAt(folder, Object.fromEntries(files), options)
    expect([...new Set(errors.map(({ file }) => file))]).toEqual(bundlers.map((name) => `wrong-${name}.ts`).sort())
  },
)

test('compiled messages go where they can be shown', async () => {
  const files = {
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
  }
  expect(await compileAt(join(home, 'compiled'), files, NODE)).toEqual([])
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
  const files = {
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
  }
  const skip = { ...NODE, skipLibCheck: true }
  const errors = await compileAt(join(home, 'glue'), files, skip)
  expect(errors.map(({ file, line }) => `${file}:${line}`)).toEqual([
    ...[10, 11, 12, 13, 14, 15].map((line) => `main.ts:${line}`),
    'react-intl.ts:11',
  ])
  const ambient = { ...skip, types: ['unplugin-localization/virtual'] }
  expect(await compileAt(join(home, 'any'), { 'main.ts': files['main.ts'] }, ambient)).toEqual([])
})

test('options: readonly lists, what defineConfig gives back, and the nearest name of a misspelt one', async () => {
  const files = {
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
  }
  const errors = await compileAt(join(home, 'options'), files, NODE)
  expect(errors.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual([
    'wrong.ts:3 TS2769',
    'wrong.ts:4 TS2561',
    'wrong.ts:5 TS2561',
  ])
  expect(errors[1]?.text).toContain("Did you mean to write 'languages'?")
  expect(errors[2]?.text).toContain("Did you mean to write 'baseUrl'?")
})
