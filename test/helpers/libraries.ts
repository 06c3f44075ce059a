/** Packages with texts of their own, built by each bundler in each format that another bundler can take. */
import { join } from 'node:path'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin, rollupOf, runWebpack } from './bundlers.ts'
import { writeTree } from './temp.ts'

export interface Library {
  readonly name: string
  readonly isCommonJs?: boolean
  /** Every language is in the file that asks for texts. */
  readonly isInline?: boolean
  /** Into `dist/index.js` below the folder. */
  build(root: string, options?: PluginOptions): Promise<void>
}

const OPTIONS: PluginOptions = { configFile: false, defaultLanguage: 'en', report: false }

/** For bundlers that cannot tell that they build a library. */
const TOLD: PluginOptions = { ...OPTIONS, library: true }

const SOURCE = `
import { load } from 'virtual:translations'
export const title = async (language) => (await load(language, 'common')).title
`

/** The sources of a library, ready to be built. */
export async function writeLibrary(root: string, { name, isCommonJs = false }: Library): Promise<void> {
  await writeTree(root, {
    'package.json': { name, version: '1.0.0', type: isCommonJs ? 'commonjs' : 'module', main: './dist/index.js' },
    'src/index.mjs': SOURCE,
    'locales/en/common.json': { title: `Title of ${name}` },
    'locales/de/common.json': { title: `Titel von ${name}` },
    'locales/pl/common.json': { title: `Tytuł ${name}` },
  })
}

function vite(version: 'vite' | 'vite7', format: 'es' | 'cjs' | 'umd'): Library['build'] {
  return async (root, options) => {
    const { build } = (await import(version)) as typeof import('vite')
    const plugins = [(await builtPlugin('vite', { ...OPTIONS, ...options })) as never]
    const lib = { entry: join(root, 'src/index.mjs'), formats: [format], name: 'library', fileName: () => 'index.js' }
    await build({ root, configFile: false, logLevel: 'silent', plugins, build: { lib } })
  }
}

function rollup(
  name: 'rollup' | 'rolldown',
  output: { format: 'es' | 'cjs'; preserveModules?: true },
): Library['build'] {
  return async (root, options) => {
    const start = await rollupOf(name)
    const plugins = [(await builtPlugin(name, { ...TOLD, root, ...options })) as never]
    const bundle = await start({ input: join(root, 'src/index.mjs'), plugins })
    await bundle.write({ dir: join(root, 'dist'), ...output })
    await bundle.close()
  }
}

function esbuild(format: 'esm' | 'cjs', splitting: boolean): Library['build'] {
  return async (root, options) => {
    const { build } = await import('esbuild')
    await build({
      absWorkingDir: root,
      entryPoints: ['src/index.mjs'],
      outdir: 'dist',
      bundle: true,
      packages: 'external',
      format,
      splitting,
      logLevel: 'silent',
      plugins: [(await builtPlugin('esbuild', { ...OPTIONS, ...options })) as never],
    })
  }
}

function webpack(
  name: 'webpack' | '@rspack/core',
  type: 'modern-module' | 'module' | 'commonjs2' | 'umd',
): Library['build'] {
  return async (root, options) => {
    const isModule = type.endsWith('module')
    await runWebpack(name, {
      context: root,
      mode: 'production',
      entry: join(root, 'src/index.mjs'),
      experiments: { outputModule: isModule },
      output: {
        path: join(root, 'dist'),
        filename: 'index.js',
        chunkFilename: '[name].js',
        library: type === 'umd' ? { type, name: 'library' } : { type },
        ...(isModule && { module: true, chunkFormat: 'module' }),
      },
      performance: false,
      plugins: [await builtPlugin(name === 'webpack' ? 'webpack' : 'rspack', { ...OPTIONS, ...options })],
    })
  }
}

export const libraries: readonly Library[] = [
  { name: 'vite-es', build: vite('vite', 'es') },
  { name: 'vite-cjs', isCommonJs: true, build: vite('vite', 'cjs') },
  { name: 'vite-umd', isCommonJs: true, isInline: true, build: vite('vite', 'umd') },
  { name: 'vite7-es', build: vite('vite7', 'es') },
  { name: 'vite7-umd', isCommonJs: true, isInline: true, build: vite('vite7', 'umd') },
  { name: 'rollup-es', build: rollup('rollup', { format: 'es' }) },
  { name: 'rollup-cjs', isCommonJs: true, build: rollup('rollup', { format: 'cjs' }) },
  { name: 'rollup-modules', build: rollup('rollup', { format: 'es', preserveModules: true }) },
  { name: 'rolldown-es', build: rollup('rolldown', { format: 'es' }) },
  { name: 'rolldown-cjs', isCommonJs: true, build: rollup('rolldown', { format: 'cjs' }) },
  { name: 'esbuild-split', build: esbuild('esm', true) },
  { name: 'esbuild-one', isInline: true, build: esbuild('esm', false) },
  { name: 'esbuild-cjs', isCommonJs: true, isInline: true, build: esbuild('cjs', false) },
  { name: 'webpack-modern', build: webpack('webpack', 'modern-module') },
  { name: 'webpack-module', isInline: true, build: webpack('webpack', 'module') },
  { name: 'webpack-commonjs', isCommonJs: true, isInline: true, build: webpack('webpack', 'commonjs2') },
  { name: 'webpack-umd', isCommonJs: true, isInline: true, build: webpack('webpack', 'umd') },
  { name: 'rspack-modern', build: webpack('@rspack/core', 'modern-module') },
  { name: 'rspack-module', isInline: true, build: webpack('@rspack/core', 'module') },
]
