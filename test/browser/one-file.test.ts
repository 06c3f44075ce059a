/** Outputs that are one file hold their texts: a page that is opened from a disk can fetch nothing. */
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { noChromium, visit } from '../helpers/browser.ts'
import { builtPlugin, isTested, rollupOf, runWebpack } from '../helpers/bundlers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'main.js': `
import { load } from 'virtual:translations'
async function show() {
  const { title } = await load('de', 'common')
  const t = await load('en', 'views/cart')
  document.body.dataset.texts = [title, t.title].join()
}
show()
`,
  'locales/en/common.json': { title: 'Title' },
  'locales/de/common.json': { title: 'Titel </script> "\\' },
  'locales/en/views/cart.json': { title: 'Cart' },
}
const HEAD = '<!doctype html><html><head><meta charset="utf-8"><link rel="icon" href="data:,"></head><body>'
const page = (code: string, type = '') => `${HEAD}<script${type}>${code}</script></body></html>`

/** Builds into `dist/main.js`. */
type Build = (root: string, options: PluginOptions) => Promise<unknown>

const rollupLike =
  (name: 'rollup' | 'rolldown', output: object): Build =>
  async (root, options) => {
    const rollup = await rollupOf(name)
    const plugins = [(await builtPlugin(name, { ...options, root })) as never]
    const bundle = await rollup({ input: join(root, 'main.js'), plugins })
    await bundle.write({ dir: join(root, 'dist'), name: 'App', ...output })
    await bundle.close()
  }

const vite =
  (name: 'vite' | 'vite7', output: object): Build =>
  async (root, options) => {
    const { build } = (await import(name)) as typeof import('vite')
    const input = join(root, 'main.js')
    const rollupOptions = { input, output: { entryFileNames: 'main.js', name: 'App', ...output } }
    const plugins = [(await builtPlugin('vite', options)) as never]
    await build({ root, configFile: false, logLevel: 'silent', plugins, build: { rollupOptions } })
  }

const esbuild =
  (more: object): Build =>
  async (root, options) => {
    const { build } = await import('esbuild')
    const plugins = [(await builtPlugin('esbuild', options)) as never]
    const own = { absWorkingDir: root, entryPoints: ['main.js'], outdir: 'dist', bundle: true, plugins }
    await build({ ...own, logLevel: 'silent', ...more })
  }

const likeWebpack =
  (
    name: 'webpack' | '@rspack/core',
    more: (bundler: typeof import('webpack')) => { output?: object; plugins?: object[] },
  ): Build =>
  async (root, options) => {
    const { default: bundler } = (await import(name)) as { default: typeof import('webpack') }
    const { output, plugins = [] } = more(bundler)
    await runWebpack(name, {
      context: root,
      mode: 'production',
      entry: join(root, 'main.js'),
      output: { path: join(root, 'dist'), ...output },
      optimization: { minimize: false },
      performance: false,
      plugins: [...plugins, await builtPlugin(name === 'webpack' ? 'webpack' : 'rspack', options)],
    })
  }
const limit = (bundler: typeof import('webpack')) => ({
  plugins: [new bundler.optimize.LimitChunkCountPlugin({ maxChunks: 1 })],
})
const umd = () => ({ output: { library: { name: 'App', type: 'umd' } } })
const noAsync = () => ({ output: { asyncChunks: false } })

const builds: readonly (readonly [string, string, Build])[] = [
  ['vite', 'codeSplitting: false', vite('vite', { codeSplitting: false })],
  ['vite', 'iife', vite('vite', { format: 'iife' })],
  ['vite7', 'inlineDynamicImports', vite('vite7', { inlineDynamicImports: true })],
  ['vite7', 'umd', vite('vite7', { format: 'umd' })],
  ['rollup', 'iife', rollupLike('rollup', { format: 'iife' })],
  ['rollup', 'umd', rollupLike('rollup', { format: 'umd' })],
  ['rollup', 'inlineDynamicImports', rollupLike('rollup', { inlineDynamicImports: true })],
  ['rolldown', 'iife', rollupLike('rolldown', { format: 'iife' })],
  ['rolldown', 'codeSplitting: false', rollupLike('rolldown', { codeSplitting: false })],
  ['esbuild', 'iife', esbuild({ format: 'iife' })],
  ['esbuild', 'esm, minified', esbuild({ format: 'esm', minify: true })],
  ['webpack', 'maxChunks: 1', likeWebpack('webpack', limit)],
  ['webpack', 'umd', likeWebpack('webpack', umd)],
  ['webpack', 'asyncChunks: false', likeWebpack('webpack', noAsync)],
  ['rspack', 'maxChunks: 1', likeWebpack('@rspack/core', limit)],
  ['rspack', 'asyncChunks: false', likeWebpack('@rspack/core', noAsync)],
]

describe.skipIf(noChromium).each(builds.filter(([name]) => isTested(name)))('%s, %s', (_name, _how, build) => {
  test.each([false, { onUnknown: 'ignore' } as const, { onUnknown: 'ignore', perChunk: true } as const])(
    'prune %j: the one file, in a page that is opened from a disk, shows its texts',
    async (prune) => {
      const root = await tempFolder()
      await writeTree(root, FILES)
      await build(root, { configFile: false, defaultLanguage: 'en', prune })
      const dist = join(root, 'dist')
      expect((await readdir(dist, { recursive: true })).filter((name) => /\.m?js$/.test(name))).toEqual(['main.js'])
      await expect(access(join(dist, 'localization'))).rejects.toThrow()
      const code = await readFile(join(dist, 'main.js'), 'utf8')
      // As plugins for single files do.
      await writeTree(root, { 'alone.html': page(code, ' type="module"') })
      const { page: opened, problems } = await visit(pathToFileURL(join(root, 'alone.html')).href)
      await expect.poll(() => opened.evaluate('document.body.dataset.texts')).toBe('Titel </script> "\\,Cart')
      expect(problems).toEqual([])
    },
  )
})
