/** The two lines in configuration files of every style: what is written, and that the file then gives the plugin. */
import { join } from 'node:path'
import { createJiti } from 'jiti'
import { describe, expect, test } from 'vitest'
import { addPlugin, type PluginPlace, wrapNextConfig } from '../../../src/cli/init/edit/config.ts'
import { unifiedDiff } from '../../../src/cli/text.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

interface Case {
  readonly file: string
  readonly place?: PluginPlace
  readonly before: string
  /** The lines that the edit adds (`+`) and takes (`-`). */
  readonly diff: readonly string[]
  /** Where the plugin is, from the evaluated configuration. Default: in `plugins`. */
  readonly pluginsOf?: (config: never) => readonly unknown[] | undefined
}

const VITE: PluginPlace = { entry: 'vite' }
const NUXT: PluginPlace = { entry: 'vite', within: ['vite'], options: '{ root: import.meta.dirname }' }
const ESBUILD: PluginPlace = {
  entry: 'esbuild',
  calls: { methods: ['build', 'context', 'esbuild.build', 'esbuild.context'], isFirst: true },
}
const IMPORT = "+import localization from 'unplugin-localization/vite'"
const nested = ({ vite }: { vite: { plugins: unknown[] } }) => vite.plugins

const CASES: Readonly<Record<string, Case>> = {
  'defineConfig with plugins': {
    file: 'vite.config.ts',
    before: `import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// https://vite.dev/config/
export default defineConfig({
  plugins: [react()],
})
`,
    diff: [IMPORT, '-  plugins: [react()],', '+  plugins: [react(), localization()],'],
  },
  'no plugins, semicolons and double quotes': {
    file: 'vite.config.js',
    before: `import { defineConfig } from "vite";

export default defineConfig({
  base: "/shop/",
  server: { port: 3000 }
});
`,
    diff: [
      '+import localization from "unplugin-localization/vite";',
      '-  server: { port: 3000 }',
      '+  server: { port: 3000 },',
      '+  plugins: [localization()]',
    ],
  },
  'an empty object with a type in a comment': {
    file: 'vite.config.js',
    before: "// @ts-check\n/** @type {import('vite').UserConfig} */\nexport default {}\n",
    diff: [IMPORT, '+', '-export default {}', '+export default {', '+  plugins: [localization()],', '+}'],
  },
  'one line': {
    file: 'vite.config.mjs',
    before: "export default { base: '/', plugins: [] }\n",
    diff: [
      "-export default { base: '/', plugins: [] }",
      IMPORT,
      '+',
      "+export default { base: '/', plugins: [localization()] }",
    ],
  },
  'an async function of the mode, with tabs': {
    file: 'vite.config.ts',
    before: `import { defineConfig, loadEnv } from 'vite'
export default defineConfig(async ({ mode }) => {
\tconst env = loadEnv(mode, '.')
\treturn {
\t\tdefine: { MODE: JSON.stringify(env.MODE) },
\t\tplugins: [
\t\t\tone(), // the first, of two
\t\t\ttwo() // the second, in the end
\t\t],
\t}
})
function one() { return { name: 'one' } }
function two() { return { name: 'two' } }
`,
    diff: [
      IMPORT,
      '-\t\t\ttwo() // the second, in the end',
      '+\t\t\ttwo(), // the second, in the end',
      '+\t\t\tlocalization()',
    ],
  },
  'a variable with a type, and a list behind a name': {
    file: 'vite.config.ts',
    before: `import type { UserConfig } from 'vite'

const plugins = [
  { name: 'one' },
].filter(Boolean)
export const config: UserConfig = { plugins }
export default config satisfies UserConfig
`,
    diff: [IMPORT, '+  localization(),'],
  },
  'two branches of a function': {
    file: 'vite.config.js',
    before: `export default ({ command }) => {
  if (command === 'serve') return { plugins: [] }
  const build = { plugins: [{ name: 'one' }] }
  return build
}
`,
    diff: [
      IMPORT,
      '+',
      "-  if (command === 'serve') return { plugins: [] }",
      "-  const build = { plugins: [{ name: 'one' }] }",
      "+  if (command === 'serve') return { plugins: [localization()] }",
      "+  const build = { plugins: [{ name: 'one' }, localization()] }",
    ],
  },
  'an object that another one spreads': {
    file: 'vite.config.js',
    before: `const shared = { plugins: [{ name: 'one' }] }
export default { ...shared, ...(process.env.NEVER && { base: '/x' }), base: '/' }
`,
    diff: [
      "-const shared = { plugins: [{ name: 'one' }] }",
      IMPORT,
      '+',
      "+const shared = { plugins: [{ name: 'one' }, localization()] }",
    ],
  },
  'another variable of this name': {
    file: 'vite.config.js',
    before: "const localization = 'x'\nexport default { base: localization }\n",
    diff: [
      "+import localizationPlugin from 'unplugin-localization/vite'",
      '+',
      '-export default { base: localization }',
      '+export default { base: localization, plugins: [localizationPlugin()] }',
    ],
  },
  'webpack in CommonJS': {
    file: 'webpack.config.js',
    place: { entry: 'webpack' },
    before: `'use strict';
const path = require('path');

module.exports = {
  entry: './src/index.js',
  output: { path: path.resolve(__dirname, 'dist') },
};
`,
    diff: ["+const localization = require('unplugin-localization/webpack');", '+  plugins: [localization()],'],
  },
  'webpack as a function of the environment': {
    file: 'webpack.config.cjs',
    place: { entry: 'webpack' },
    before: `module.exports = function (env, argv) {
    const config = { mode: argv.mode, plugins: [ { apply() {} } ] }
    return config
}
`,
    diff: [
      "+const localization = require('unplugin-localization/webpack')",
      '+',
      '-    const config = { mode: argv.mode, plugins: [ { apply() {} } ] }',
      '+    const config = { mode: argv.mode, plugins: [ { apply() {} }, localization() ] }',
    ],
  },
  'Rollup with one configuration in a list': {
    file: 'rollup.config.mjs',
    place: { entry: 'rollup' },
    before: "export default [\n  {\n    input: 'src/main.js',\n    output: { dir: 'dist' },\n  },\n]\n",
    diff: ["+import localization from 'unplugin-localization/rollup'", '+', '+    plugins: [localization()],'],
    pluginsOf: ([{ plugins }]: [{ plugins: unknown[] }]) => plugins,
  },
  'Rolldown with defineConfig': {
    file: 'rolldown.config.ts',
    place: { entry: 'rolldown' },
    before: "import { defineConfig } from 'rolldown'\n\nexport default defineConfig({\n  input: 'src/main.ts',\n})\n",
    diff: ["+import localization from 'unplugin-localization/rolldown'", '+  plugins: [localization()],'],
  },
  'Rspack with its own define': {
    file: 'rspack.config.ts',
    place: { entry: 'rspack' },
    before: `import { defineConfig } from "@rspack/cli";
export default defineConfig({
  plugins: [
    { apply() {} },
  ],
});
`,
    diff: ['+import localization from "unplugin-localization/rspack";', '+    localization(),'],
  },
  Rsbuild: {
    file: 'rsbuild.config.ts',
    place: { entry: 'rsbuild' },
    before: "import { defineConfig } from '@rsbuild/core';\n\nexport default defineConfig({});\n",
    diff: [
      "+import localization from 'unplugin-localization/rsbuild';",
      '-export default defineConfig({});',
      '+export default defineConfig({',
      '+  plugins: [localization()],',
      '+});',
    ],
  },
  'Nuxt, inside vite': {
    file: 'nuxt.config.ts',
    place: NUXT,
    before: 'export default defineNuxtConfig({\n  devtools: { enabled: true },\n})\n',
    diff: [IMPORT, '+', '+  vite: { plugins: [localization({ root: import.meta.dirname })] },'],
    pluginsOf: nested,
  },
  'Astro with options for Vite': {
    file: 'astro.config.mjs',
    place: { entry: 'vite', within: ['vite'] },
    before: `// @ts-check
import { defineConfig } from 'astro/config';

// https://astro.build/config
export default defineConfig({
  vite: {
    build: { minify: false },
  },
});
`,
    diff: ["+import localization from 'unplugin-localization/vite';", '+    plugins: [localization()],'],
    pluginsOf: nested,
  },
}

/** Modules of bundlers whose functions give back what they get; the plugin of the package gives its entry. */
const DEFINE = `const same = (value) => value
export const defineConfig = same
export const loadEnv = () => ({})
export default () => ({ name: 'react' })
`

/** The configuration as the tool sees it. */
async function evaluate(file: string, text: string, entry: string): Promise<never> {
  const root = await tempFolder()
  const alias: Record<string, string> = { [`unplugin-localization/${entry}`]: join(root, 'plugin.cjs') }
  for (const name of ['vite', 'rolldown', '@rspack/cli', '@rsbuild/core', 'astro/config', '@vitejs/plugin-react'])
    alias[name] = join(root, 'define.mjs')
  await writeTree(root, {
    'package.json': {},
    'define.mjs': DEFINE,
    'plugin.cjs': `module.exports = () => 'plugin of ${entry}'\n`,
    [file]: text,
  })
  Object.assign(globalThis, { defineNuxtConfig: (value: unknown) => value })
  const jiti = createJiti(root, { alias, fsCache: false, moduleCache: false })
  const given = await jiti.import<unknown>(join(root, file), { default: true })
  return (typeof given === 'function' ? await given({ command: 'build', mode: 'x' }, { mode: 'x' }) : given) as never
}

describe.each(Object.entries(CASES))('%s', (_name, { file, place = VITE, before, diff, pluginsOf }) => {
  const after = addPlugin(before, file, place).text ?? ''

  test('gets these lines', () => {
    expect(unifiedDiff(before, after).filter((line) => !/^[ @]/.test(line))).toEqual(diff)
  })

  test('gives the plugin to the tool', async () => {
    const config = await evaluate(file, after, place.entry)
    const plugins = (pluginsOf ?? ((one: { plugins?: unknown[] }) => one.plugins))(config)
    expect(plugins?.at(-1)).toBe(`plugin of ${place.entry}`)
  })

  test('gets them once', () => {
    expect(addPlugin(after, file, place)).toEqual({ text: after })
  })

  test('keeps line ends of Windows and a byte order mark', () => {
    const windows = `\ufeff${before.replaceAll('\n', '\r\n')}`
    expect(addPlugin(windows, file, place)).toEqual({ text: `\ufeff${after.replaceAll('\n', '\r\n')}` })
  })
})

describe('a build script of esbuild', () => {
  test.each([
    [
      'an object in the call',
      "import { build } from 'esbuild'\n\nawait build({\n  entryPoints: ['a.js'],\n  plugins: [one(), two()],\n})\n",
      ['-  plugins: [one(), two()],', '+  plugins: [localization(), one(), two()],'],
    ],
    [
      'an object that two calls share',
      `import * as esbuild from 'esbuild'

const options = {
  plugins: [
    one(),
  ],
}
if (process.argv.includes('--watch')) await (await esbuild.context(options)).watch()
else await esbuild.build({ ...options, minify: true })
`,
      ['+    localization(),'],
    ],
    [
      'no plugins',
      "import { build } from 'esbuild'\n\nbuild({ entryPoints: ['a.js'] }).catch(() => process.exit(1))\n",
      [
        "-build({ entryPoints: ['a.js'] }).catch(() => process.exit(1))",
        "+build({ entryPoints: ['a.js'], plugins: [localization()] }).catch(() => process.exit(1))",
      ],
    ],
  ])('%s', (_name, before, expected) => {
    const { text = '' } = addPlugin(before, 'build.mjs', ESBUILD)
    const diff = unifiedDiff(before, text).filter((line) => !/^[ @]/.test(line))
    expect(diff).toEqual(["+import localization from 'unplugin-localization/esbuild'", ...expected])
  })

  test('of Bun', () => {
    const before = "await Bun.build({ entrypoints: ['a.js'] })\n"
    const place: PluginPlace = { entry: 'bun', calls: { methods: ['Bun.build'], isFirst: false } }
    expect(addPlugin(before, 'build.ts', place).text).toBe(
      "import localization from 'unplugin-localization/bun'\n\nawait Bun.build({ entrypoints: ['a.js'], plugins: [localization()] })\n",
    )
  })
})

describe('Next.js', () => {
  test.each([
    [
      'next.config.ts',
      'import type { NextConfig } from "next";\n\nconst nextConfig: NextConfig = {\n  /* config options here */\n};\n\nexport default nextConfig;\n',
      [
        '+import withLocalization from "unplugin-localization/next";',
        '-export default nextConfig;',
        '+export default withLocalization(nextConfig);',
      ],
    ],
    [
      'next.config.js',
      "/** @type {import('next').NextConfig} */\nmodule.exports = { reactStrictMode: true }\n",
      [
        "+const withLocalization = require('unplugin-localization/next')",
        '+',
        '-module.exports = { reactStrictMode: true }',
        '+module.exports = withLocalization({ reactStrictMode: true })',
      ],
    ],
    [
      'next.config.mjs',
      "import createMDX from '@next/mdx'\n\nexport default createMDX()({ pageExtensions: ['mdx'] })\n",
      [
        "+import withLocalization from 'unplugin-localization/next'",
        "-export default createMDX()({ pageExtensions: ['mdx'] })",
        "+export default withLocalization(createMDX()({ pageExtensions: ['mdx'] }))",
      ],
    ],
  ])('%s', (file, before, diff) => {
    const { text = '' } = wrapNextConfig(before, file)
    expect(unifiedDiff(before, text).filter((line) => !/^[ @]/.test(line))).toEqual(diff)
    expect(wrapNextConfig(text, file)).toEqual({ text })
  })

  test('a declaration is left as it is', () => {
    expect(wrapNextConfig('export default function config() {}\n', 'next.config.mjs').reason).toContain('declaration')
  })
})

test.each([
  ['a syntax error', '\nexport default {\n', 'it has a syntax error', 3],
  ['no export', 'const a = 1\n', 'it has no default export', undefined],
  [
    'an imported configuration',
    "import base from './base.js'\nexport default base\n",
    '"base" comes from another file',
    2,
  ],
  [
    'a spread of an imported one',
    "import base from './base.js'\n\nexport default { ...base }\n",
    '"plugins" may come from ...base',
    3,
  ],
  [
    'plugins of a call',
    'export default {\n  plugins: makePlugins(),\n}\n',
    'the list of plugins is not written out here',
    2,
  ],
  [
    'plugins that are pushed',
    'const c = {}\nc.plugins = []\nexport default c\n',
    '"plugins" is set elsewhere in the file',
    undefined,
  ],
  [
    'an unknown function',
    'export default withX({ plugins: [] })\n',
    'its configuration comes from a call of withX()',
    1,
  ],
  ['several configurations', 'export default [{}, {}]\n', 'it exports several configurations', 1],
  [
    'a variable that changes',
    'let c = {}\nc = { plugins: [] }\nexport default c\n',
    '"c" is assigned several times',
    3,
  ],
  [
    'two objects of which one is spread',
    'export default { ...(x ? { plugins: [] } : {}) }\n',
    '"plugins" may come from ...(x ? { plugins: [] } : {})',
    1,
  ],
])('%s is left as it is', (_name, text, reason, line) => {
  expect(addPlugin(text, 'vite.config.js', VITE)).toEqual({ reason, line })
})
