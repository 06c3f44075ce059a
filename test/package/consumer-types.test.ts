/** The package's declarations as strict projects see them: nothing skipped, no ambient types, no bundler but the one in use. */
import { expect, test, vi } from 'vitest'
import { installIn, subpaths } from '../helpers/consumer.ts'
import { writeTree } from '../helpers/temp.ts'
import { compile } from '../helpers/typescript.ts'

vi.setConfig({ testTimeout: 300_000 })

const NODE = { module: 'NodeNext', moduleResolution: 'NodeNext' }
test.each([NODE, { module: 'ESNext', moduleResolution: 'Bundler', exactOptionalPropertyTypes: true }])(
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
  esbuild: `import { build } from 'esbuild'
await build({ plugins: [plugin(${OPTIONS}), unplugin.esbuild()] })`,
  farm: `import { defineConfig } from '@farmfe/core'
export default defineConfig({ plugins: [plugin(${OPTIONS}), unplugin.farm()] })`,
}
const PACKAGES: Readonly<Record<string, string>> = { rspack: '@rspack/core', farm: '@farmfe/core' }
/** The others' own declarations need Node's types, a newer `lib`, or packages that they do not bring. */
const WHOLE = ['vite', 'vite7', 'esbuild']

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
    'declared.d.ts': `/// <reference types="unplugin-localization/virtual" />
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
