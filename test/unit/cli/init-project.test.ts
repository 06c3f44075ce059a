/** What `localization init` says of a project's packages. */
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { changeManifest, planBundler } from '../../../src/cli/init/bundler.ts'
import { LIBRARY_NAMES, libraryInfo } from '../../../src/cli/init/libraries.ts'
import { planPage } from '../../../src/cli/init/plan.ts'
import { readProject } from '../../../src/cli/init/project.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const repository = join(import.meta.dirname, '../../..')

async function projectOf(packages: readonly string[], files: Readonly<Record<string, string | object>> = {}) {
  const root = await tempFolder()
  const dependencies = Object.fromEntries(packages.map((name) => [name, '1']))
  await writeTree(root, { 'package.json': { dependencies }, ...files })
  return readProject(root)
}

test.each([
  [['next', 'react', 'next-intl'], { tool: 'next', framework: 'next', library: 'next-intl' }],
  [['next', 'react', 'next-i18next', 'react-i18next', 'i18next'], { framework: 'next', library: 'next-i18next' }],
  [['nuxt', 'vue', '@nuxtjs/i18n'], { tool: 'vite', framework: 'nuxt', library: 'vue-i18n' }],
  [['astro'], { tool: 'vite', framework: 'astro', library: undefined }],
  [
    ['@sveltejs/kit', 'svelte', 'vite', 'svelte-i18n'],
    { tool: 'vite', framework: 'sveltekit', library: 'svelte-i18n' },
  ],
  [['@react-router/dev', 'react', 'vite', 'react-i18next'], { framework: 'react-router', library: 'i18next' }],
  [['@tanstack/react-start', 'react', 'vite'], { framework: 'tanstack-start' }],
  [['react', 'webpack', '@lingui/core'], { tool: 'webpack', framework: 'react', library: 'lingui' }],
  [['svelte', 'vite', '@inlang/paraglide-js'], { framework: 'svelte', library: 'paraglide' }],
  [['vue', 'vite', 'vue-i18n'], { framework: 'vue', library: 'vue-i18n' }],
  [['react', 'vite', 'react-intl'], { framework: 'react', library: 'react-intl' }],
  [['esbuild'], { tool: 'esbuild', framework: undefined, library: undefined }],
] as const)('%j', async (packages, expected) => {
  expect(await projectOf(packages)).toMatchObject(expected)
})

test.each([
  ['npm', { 'package.json': { workspaces: ['apps/*'] } }],
  ['an object', { 'package.json': { workspaces: { packages: ['./apps/**'] } } }],
  ['pnpm', { 'pnpm-workspace.yaml': "packages:\n  - 'apps/*'\n  - '!apps/old'\n" }],
])('packages of workspaces: %s', async (_name, files) => {
  const app = { 'apps/web/package.json': { devDependencies: { vue: '3', 'vue-i18n': '11' } }, 'apps/file': 'x' }
  expect(await projectOf([], { ...files, ...app })).toMatchObject({ framework: 'vue', library: 'vue-i18n' })
})

test('each library has a page of docs/ with such a heading', async () => {
  for (const name of LIBRARY_NAMES) {
    const [page = '', heading] = libraryInfo(name).page.split('#')
    await access(join(repository, 'docs', page))
    if (heading === undefined) continue
    const titles = (await readFile(join(repository, 'docs', page), 'utf8')).matchAll(/^## (.+)$/gm)
    const ids = [...titles].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))
    expect(ids).toContain(heading)
  }
})

test('no line for a page has a top-level await, which targets of 2020 lack', async () => {
  const naming = { namespaces: ['common', 'shop'], defaultNamespace: 'common', isBare: true }
  for (const name of LIBRARY_NAMES)
    expect(libraryInfo(name).lines('en', naming).join('\n')).not.toMatch(/^(?:.*= )?await /m)
  const pages = (await readdir(join(repository, 'docs'))).filter((page) => /^(?:glue|migrate.*)\.md$/.test(page))
  for (const page of pages) {
    const text = await readFile(join(repository, 'docs', page), 'utf8')
    for (const [, indent = '', head = '', block = ''] of text.matchAll(/^( *)```([^\n]*)\n(.*?)^ *```$/gms)) {
      if (!/^(?:ts|tsx|js|diff)\b/.test(head) || /\.vue$|\.mjs$/.test(head)) continue
      const lines = block.split('\n').map((line) => line.slice(indent.length))
      const code = head.startsWith('diff') ? lines.map((line) => line.slice(1)) : lines
      expect([page, head, code.filter((line) => /^(?:\w.*= )?await /.test(line))]).toEqual([page, head, []])
    }
  }
})

describe("the app's entry", () => {
  const html = '<!doctype html><div id="app"></div>'
  const app = { 'src/app.ts': 'export {}\n', 'index.html': html }
  test.each([
    ['webpack', { 'webpack.config.js': "module.exports = { entry: { main: './src/app.ts' } }\n" }],
    ['rollup', { 'rollup.config.mjs': "export default { input: 'src/app.ts', output: { file: 'out/app.js' } }\n" }],
    [
      'rspack',
      { 'rspack.config.mjs': "export default { entry: [`./src/app.ts`], resolve: { extensions: ['.ts'] } }\n" },
    ],
    [
      'esbuild',
      {
        'package.json': { scripts: { build: 'node build.mjs' }, dependencies: { esbuild: '1' } },
        'build.mjs':
          'import { build } from "esbuild"\nbuild({ entryPoints: ["missing.ts"] })\nbuild({ entryPoints: ["src/app.ts"] })\n',
      },
    ],
    ['vite', { 'index.html': `${html}<script type="module" src="/src/app.ts"></script>` }],
  ])('of %s', async (bundler, files) => {
    const first = { language: 'en', namespace: 'common', key: 'title', text: 'Welcome', file: 'x.json' }
    const planned = await planPage(await projectOf([bundler], { ...app, ...files }), first)
    expect(planned).toMatchObject({ changes: [{ path: 'src/app.ts' }] })
  })
})

test.each([
  ["import './x'\n", String.raw`load('en', 'it\'s').then((texts) => document.body.append(texts['\"it\'s\"?']))`],
  ['import "./x"\n', String.raw`load("en", "it's").then((texts) => document.body.append(texts["\"it's\"?"]))`],
])('names with quotes, in a file with %j', async (before, line) => {
  const first = { language: 'en', namespace: "it's", key: '"it\'s"?', text: 'Welcome', file: 'x.json' }
  const files = { 'index.html': '<script type="module" src="/app.js"></script>', 'app.js': before }
  const planned = await planPage(await projectOf(['vite'], files), first)
  expect(planned).toMatchObject({ changes: [{ after: expect.stringContaining(line) }] })
})

test('names with special characters, in the import of a page of Next.js', async () => {
  const first = { language: 'en', namespace: "it's?", key: 'title', text: 'Welcome', file: 'x.json' }
  const files = { 'app/page.js': 'export default function Page() {\n  return <main>x</main>\n}\n' }
  const planned = await planPage(await projectOf(['next'], files), first)
  expect(planned).toMatchObject({
    changes: [{ after: expect.stringContaining("import texts from 'virtual:translations/en/it%27s%3F'") }],
  })
})

describe('the file that takes the lines', () => {
  const config = 'export default {}\n'
  const common = 'module.exports = {}\n'

  test.each([
    ['vite.config.ts', ['vite'], { 'vite.config.ts': config }],
    ['a new one for TypeScript: vite.config.ts', ['vite'], { 'tsconfig.json': {} }],
    ['a new one: vite.config.mjs', ['vite'], {}],
    ['a new one: next.config.mjs', ['next'], {}],
    ['astro.config.mjs', ['astro', 'vite'], { 'astro.config.mjs': config, 'vite.config.js': config }],
    ['nuxt.config.ts', ['nuxt'], { 'nuxt.config.ts': 'export default defineNuxtConfig({})\n' }],
    [
      'the one of the only script: webpack.prod.js',
      ['webpack'],
      {
        'package.json': {
          scripts: { build: 'webpack --config webpack.prod.js', serve: 'node server.js -c webpack.dev.js' },
          devDependencies: { webpack: '5' },
        },
        'webpack.dev.js': common,
        'webpack.prod.js': common,
      },
    ],
    ['webpack.common.js', ['webpack'], { 'webpack.common.js': common, 'webpack.prod.js': common }],
    [
      'the one that a script names: build/rollup.mjs',
      ['rollup'],
      {
        'package.json': {
          scripts: { build: 'tsc && rollup --bundleConfigAsCjs -c ./build/rollup.mjs' },
          devDependencies: { rollup: '4' },
        },
        'build/rollup.mjs': config,
        'rollup.config.js': config,
      },
    ],
    [
      'scripts/bundle.ts',
      ['esbuild'],
      {
        'package.json': { scripts: { build: 'tsx scripts/bundle.ts' }, devDependencies: { esbuild: '1' } },
        'scripts/bundle.ts': "import { build } from 'esbuild'\nbuild({ entryPoints: [] })\n",
        'build.js': 'console.log("of something else")\n',
      },
    ],
  ])('%s', async (path, packages, files) => {
    const { changes, manual } = await planBundler(await projectOf(packages, files))
    expect(manual).toEqual([])
    expect(changes.map((change) => change.path)).toEqual([path.replace(/^.*: /, '')])
    expect(changes[0]?.after).toContain('unplugin-localization/')
  })

  test.each([
    ['webpack', ['webpack'], {}, 'found no webpack.config.*'],
    [
      'webpack, with two,',
      ['webpack'],
      {
        'package.json': {
          scripts: { start: 'webpack serve --config webpack.dev.js', prod: 'webpack --config ./webpack.prod.js' },
          devDependencies: { webpack: '5' },
        },
        'webpack.common.js': common,
      },
      'the scripts use several configurations: webpack.dev.js, webpack.prod.js. A file that all of them import is best',
    ],
    ['farm', ['@farmfe/core'], { 'farm.config.ts': config }, 'init does not edit farm.config.*'],
    [
      'esbuild',
      ['esbuild'],
      { 'package.json': { scripts: { build: 'esbuild a.js --bundle' }, dependencies: { esbuild: '1' } } },
      'the command esbuild takes no plugins: build with a script that calls build()',
    ],
  ])('%s without one', async (_name, packages, files, reason) => {
    const { changes, manual } = await planBundler(await projectOf(packages, files))
    expect(changes).toEqual([])
    expect(manual).toMatchObject([{ place: undefined, reason }])
  })

  test('tools without plugins: package.json', async () => {
    const manifest = {
      scripts: { start: 'parcel', build: 'NODE_ENV=production parcel build' },
      devDependencies: { parcel: '2' },
    }
    const { changes } = await planBundler(await projectOf([], { 'package.json': manifest }))
    expect(JSON.parse(changes[0]?.after ?? '')).toMatchObject({
      scripts: {
        start: 'localization generate && parcel',
        build: 'localization generate && NODE_ENV=production parcel build',
      },
      imports: { '#translations': './.localization/modules/index.js' },
      '@parcel/resolver-default': { packageExports: true },
    })
    expect(await planBundler(await projectOf([]))).toEqual({ changes: [], manual: [], done: [] })
  })
})

test.each([
  [
    'tabs',
    '{\n\t"name": "x",\n\t"list": [1]\n}\n',
    '{\n\t"name": "x",\n\t"list": [\n\t\t1\n\t],\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
  ],
  ['four spaces, no line end', '{\n    "x": 1\n}', '{\n    "x": 1,\n    "a": {\n        "b": 1\n    }\n}'],
  [
    'line ends of Windows and a byte order mark',
    '\ufeff{\r\n  "x": 1\r\n}\r\n',
    '\ufeff{\r\n  "x": 1,\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}\r\n',
  ],
])('package.json keeps its layout: %s', (_name, before, after) => {
  const changed = changeManifest(before, (manifest) => ({ ...manifest, a: { b: 1 } }))
  expect(changed).toBe(after)
  expect(changeManifest(after, (manifest) => ({ ...manifest, a: { b: 1 } }))).toBeUndefined()
})
