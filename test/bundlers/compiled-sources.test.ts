/** `prune` after a compiler: the files count as they are written, and what a plugin puts into the code counts too. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Plugin } from 'rollup'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import type { BuildReport } from '../../src/report/report.ts'
import { allBundlers, builtPlugin, isTested, repository, runWebpack } from '../helpers/bundlers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const LOCALES = {
  'locales/en/common.json': { title: 'Title', 'state.on': 'On', old: 'Old', 'put.in': 'Added', 'put.out': 'Other' },
  'locales/en/shop.json': { price: 'Price', cart: 'Cart', old: 'Old' },
  'locales/en/late.json': { a: 'A', b: 'B', c: 'C', d: 'D', e: 'E', f: 'F' },
}
const SETUP = `import i18next, { t } from 'i18next'
import { load } from 'virtual:translations'
i18next.init({ lng: 'en', ns: ['common'] })
load('en', 'shop').then((shop) => console.log(shop.cart))
`
const OPTIONS: PluginOptions = { configFile: false, defaultLanguage: 'en', defaultNamespace: 'common' }

/** Builds with loaders in front of the one for TypeScript, and gives the report and what was printed. */
async function buildWithLoaders(
  name: 'webpack' | '@rspack/core',
  files: Readonly<Record<string, string | object>>,
  { prune = true, loaders = [] }: { prune?: PluginOptions['prune']; loaders?: readonly object[] } = {},
) {
  const root = await tempFolder()
  await writeTree(root, { ...LOCALES, ...files })
  const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  onTestFinished(() => write.mockRestore())
  const plugin = name === 'webpack' ? 'webpack' : 'rspack'
  await runWebpack(name, {
    context: root,
    mode: 'production',
    entry: './src/main.ts',
    output: { path: join(root, 'dist') },
    optimization: { minimize: false },
    performance: false,
    resolve: { extensions: ['.ts', '.tsx', '.js'], modules: [join(repository, 'node_modules')] },
    module: {
      rules: [{ test: /\.tsx?$/, use: [join(repository, 'test/helpers/es5-loader.cjs'), ...loaders] }],
    },
    plugins: [await builtPlugin(plugin, { ...OPTIONS, prune, report: 'json' })],
  })
  const report = JSON.parse(await readFile(join(root, '.localization/report.json'), 'utf8')) as BuildReport
  return {
    report,
    printed: write.mock.calls
      .map(([text]) => String(text))
      .join('')
      .split('\n'),
    kept: keptIn(report),
  }
}

const keptIn = ({ kept = [] }: BuildReport) => kept.map(({ namespace, key }) => `${namespace}/${key}`).sort()
const callsIn = ({ unknownCalls = [] }: BuildReport) =>
  unknownCalls.map(({ file, line, column, code }) => `${file}:${line}:${column}: ${code}`)

/** Replaces words of the sources, as macros and `define` do. */
const replacing = (...pairs: readonly (readonly [string, string])[]) => ({
  loader: join(repository, 'test/helpers/replacing-loader.cjs'),
  options: { pairs },
})

const NAMES = (['webpack', '@rspack/core'] as const).filter((name) => isTested(name === 'webpack' ? name : 'rspack'))

test.each(NAMES)('%s: helpers for older browsers are no calls, and awaited texts are known', async (name) => {
  const { report, kept } = await buildWithLoaders(name, {
    'src/main.ts': `${SETUP}export async function show(state: 'on' | 'off') {
  const shop = await load('en', 'shop')
  return [shop.price, t('title'), t(\`state.\${state}\`)]
}
show('on').then(console.log)
`,
  })
  expect(callsIn(report)).toEqual([])
  expect(kept).toEqual(['common/state.on', 'common/title', 'shop/cart', 'shop/price'])
  expect(report.kept?.map(({ at }) => at)).toEqual(
    expect.arrayContaining(['src/main.ts:7:23', 'src/main.ts:7:35', 'src/main.ts:7:11']),
  )
})

test.each(NAMES)(
  '%s: real calls with unknown keys have the places of the file, most keys first, each once',
  async (name) => {
    const { report, printed } = await buildWithLoaders(name, {
      'src/main.ts': `${SETUP}import { few } from './few'
import { many } from './many?query'
import { many as again } from './many'
export async function all(keys: string[]) {
  for (const key of keys) await few(key, many(key), again(key))
}
all(['a']).then(console.log)
`,
      'src/few.ts': `import i18next from 'i18next'
export async function few(key: string, ...more: string[]) {
  await Promise.resolve(more)
  return i18next.getFixedT(null, 'shop')(key)
}
`,
      'src/many.ts': `import i18next from 'i18next'
interface Props { readonly key: string }

export const many = (key: string) => {
  const props: Props = { key }
  return i18next.getFixedT(null, 'late')(props.key)
}
`,
    })
    expect(callsIn(report)).toEqual([
      "src/many.ts:6:10: i18next.getFixedT(null, 'late')(props.key)",
      "src/few.ts:4:10: i18next.getFixedT(null, 'shop')(key)",
    ])
    expect(report.unknownCalls?.map(({ keys }) => keys)).toEqual([6, 2])
    const lines = printed.filter((line) => line.includes(': unknown key in '))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain('src/many.ts:6:10')
  },
)

test.each(NAMES)('%s: keys and calls that a plugin puts into the code count', async (name) => {
  const { report, kept } = await buildWithLoaders(
    name,
    {
      'src/main.ts': `${SETUP}import { tr } from './tr'
export async function show(key: string) {
  await Promise.resolve()
  return [t('__KEY__'), t('title'), tr(key)]
}
show('x').then(console.log)
`,
      'src/tr.ts': `export function tr(key: string) {\n  return macro(key)\n}\ndeclare const macro: (key: string) => string\n`,
    },
    {
      loaders: [
        replacing(['__KEY__', 'put.in'], ['return macro(', "return require('i18next').getFixedT(null, 'shop')("]),
      ],
    },
  )
  expect(kept).toEqual(['common/put.in', 'common/title', 'shop/cart', 'shop/old', 'shop/price'])
  // The file does not have this call.
  expect(callsIn(report)).toEqual([expect.stringMatching(/^src\/tr\.ts:undefined:undefined: .*getFixedT/)])
})

test.each(NAMES)('%s: literals of the file and of the compiled code count', async (name) => {
  const { kept } = await buildWithLoaders(
    name,
    {
      'src/main.ts': `${SETUP}import { ITEMS } from './table'
export async function show() {
  await Promise.resolve()
  return ITEMS.map((item) => t(item.label))
}
show().then(console.log)
`,
      'src/table.ts': "export const ITEMS = [{ label: 'title' }, { label: '__LABEL__' }]\n",
    },
    { prune: { onUnknown: 'literals' }, loaders: [replacing(['__LABEL__', 'put.out'])] },
  )
  expect(kept).toEqual(['common/put.out', 'common/title', 'shop/cart'])
})

test.skipIf(!isTested('rollup') && !isTested('vite'))(
  'Rollup: the same, and a file that only a plugin knows is read as it loads it',
  async () => {
    const root = await tempFolder()
    await writeTree(root, {
      ...LOCALES,
      'main.ts': `${SETUP}import { virtual } from 'virtual:more'
export async function show() {
  const shop = await load('en', 'shop')
  return [shop.price, virtual]
}
show().then(console.log)
`,
    })
    const require = createRequire(import.meta.url)
    const { rollup } = await import('rollup')
    const compiler = {
      name: 'compiler',
      resolveId: (id: string) => (id === 'virtual:more' ? `${root}/more.js` : null),
      load: (id: string) =>
        id.endsWith('more.js') ? "import { t } from 'i18next'\nexport const virtual = t('title')" : null,
      transform(this: object, code: string, id: string) {
        return id.endsWith('.ts') ? require('../helpers/es5-loader.cjs').call({ resourcePath: id }, code) : null
      },
    }
    const plugin = (await builtPlugin('rollup', { ...OPTIONS, root, prune: true, report: 'json' })) as Plugin
    const bundle = await rollup({
      input: join(root, 'main.ts'),
      plugins: [compiler, plugin],
      external: ['i18next'],
      logLevel: 'silent',
    })
    await bundle.write({ dir: join(root, 'dist') })
    await bundle.close()
    const report = JSON.parse(await readFile(join(root, '.localization/report.json'), 'utf8')) as BuildReport
    expect(callsIn(report)).toEqual([])
    expect(report.kept?.map(({ key, at }) => `${key} ${at}`)).toEqual([
      'title more.js',
      'cart main.ts:4:47',
      'price main.ts:8:11',
    ])
  },
)

const VITE = allBundlers.filter(({ name }) => name === 'vite')

test.each(VITE)(
  '$name: a file that cannot be parsed is named with its place, unless ignoreIn names it',
  async (bundler) => {
    const bad = `${SETUP}t('title')\n`
    void bad
    const deep = `export const deep = (t) => t(${'('.repeat(1200)}'a'${')'.repeat(1200)})\n`
    const build = async (prune: PluginOptions['prune']) => {
      const root = await tempFolder()
      await writeTree(root, {
        ...LOCALES,
        'main.js':
          "import { load } from 'virtual:translations'\nimport { deep } from './deep.js'\nglobalThis.x = deep\nload('en', 'shop').then((shop) => console.log(shop.cart))\n",
        'deep.js': deep,
      })
      await bundler.build({ root, entries: { main: 'main.js' }, options: { ...OPTIONS, prune, report: 'json' } })
      return JSON.parse(await readFile(join(root, '.localization/report.json'), 'utf8')) as BuildReport
    }
    const { unknownCalls } = await build(true)
    expect(unknownCalls).toMatchObject([
      { file: 'deep.js', reason: 'syntax', code: expect.stringContaining('nested too deep') },
    ])
    expect((await build({ ignoreIn: ['deep.js'] })).unknownCalls).toEqual([])
  },
)
