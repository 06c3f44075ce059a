/** The package's declarations as strict projects see them: nothing skipped, no ambient types, no bundler but the one in use. */
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { compile } from '../helpers/typescript.ts'

vi.setConfig({ testTimeout: 300_000 })

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default?: string }>>
  readonly dependencies: Readonly<Record<string, string>>
}

const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as Manifest

/** A project with the package, what it depends on, and these packages beside it. */
async function installIn(packages: readonly string[]): Promise<string> {
  const folder = await tempFolder()
  const modules = join(folder, 'node_modules')
  for (const part of ['package.json', 'dist', 'src/virtual.d.ts'])
    await cp(join(repository, part), join(modules, 'unplugin-localization', part), { recursive: true })
  // Links: the real places decide what a dependency's own declarations find.
  for (const name of [...Object.keys(manifest.dependencies), ...packages]) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(repository, 'node_modules', name), join(modules, name))
  }
  return folder
}

const NODE = { module: 'NodeNext', moduleResolution: 'NodeNext' }
const subpaths = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target === 'object' && target.default !== undefined)
  .map(([path]) => path.slice(1))

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
