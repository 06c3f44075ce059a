/**
 * Production builds of a page, `main.js` and `index.html` in its folder, into `dist`: what a test opens in Chromium.
 */
import { join } from 'node:path'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin, runRsbuild, runWebpack } from './bundlers.ts'
import { repeats } from './repeats.ts'
import { writeTree } from './temp.ts'

/** Where the output is served: a path with slashes at both ends, an origin before it, or `./`. */
export type PageBuild = (root: string, base: string) => Promise<void>

/** A page around a script element. */
export type PageOf = (script: string) => string

export function buildWithVite(name: 'vite' | 'vite7', options: PluginOptions): PageBuild {
  return async (root, base) => {
    const { build } = (await import(name)) as typeof import('vite')
    const plugins = [(await builtPlugin('vite', options)) as never]
    await build({ root, base, configFile: false, logLevel: 'silent', plugins })
  }
}

export function buildLikeWebpack(name: 'webpack' | '@rspack/core', options: PluginOptions, pageOf: PageOf): PageBuild {
  return async (root, base) => {
    await runWebpack(name, {
      context: root,
      mode: 'production',
      entry: join(root, 'main.js'),
      output: {
        path: join(root, 'dist'),
        publicPath: base === './' ? 'auto' : base,
        filename: 'js/[name].js',
        chunkFilename: 'js/[name].[contenthash].js',
      },
      performance: false,
      // Terser takes longer than everything else here.
      optimization: { minimize: repeats(name !== 'webpack', true) },
      plugins: [await builtPlugin(name === 'webpack' ? 'webpack' : 'rspack', options)],
    })
    await writeTree(root, { 'dist/index.html': pageOf(`<script src="${base}js/main.js"></script>`) })
  }
}

export function buildWithRsbuild(options: PluginOptions, pageOf: PageOf): PageBuild {
  return async (root, base) => {
    // Rsbuild writes the page.
    await writeTree(root, { 'template.html': pageOf('') })
    await runRsbuild(root, {
      source: { entry: { index: './main.js' } },
      html: { template: './template.html' },
      output: { assetPrefix: base === './' ? 'auto' : base },
      plugins: [(await builtPlugin('rsbuild', options)) as never],
    })
  }
}

export function buildWithEsbuild(options: PluginOptions, pageOf: PageOf): PageBuild {
  return async (root, base) => {
    const { build } = await import('esbuild')
    await build({
      absWorkingDir: root,
      entryPoints: ['main.js'],
      outdir: 'dist',
      entryNames: 'js/[name]',
      chunkNames: 'js/chunks/[name]-[hash]',
      assetNames: 'assets/[name]-[hash]',
      ...(base !== './' && { publicPath: base }),
      bundle: true,
      minify: true,
      splitting: true,
      format: 'esm',
      logLevel: 'silent',
      plugins: [(await builtPlugin('esbuild', options)) as never],
    })
    await writeTree(root, { 'dist/index.html': pageOf(`<script type="module" src="${base}js/main.js"></script>`) })
  }
}
