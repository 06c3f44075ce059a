import { fileURLToPath } from 'node:url'
import localization from 'unplugin-localization/webpack'
import { pageFiles } from './page-files.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** webpack makes the script; the page and its style are copied beside it. */
const page = {
  apply(compiler) {
    const { Compilation, sources } = compiler.webpack
    compiler.hooks.thisCompilation.tap('page', (compilation) => {
      const stage = Compilation.PROCESS_ASSETS_STAGE_ADDITIONAL
      compilation.hooks.processAssets.tapPromise({ name: 'page', stage }, async () => {
        for (const [name, text] of await pageFiles()) compilation.emitAsset(name, new sources.RawSource(text))
      })
    })
  },
}

export default {
  mode: 'production',
  target: ['web', 'es2022'],
  context: folder,
  entry: { main: './src/main.ts' },
  output: {
    path: fileURLToPath(new URL('dist-webpack', import.meta.url)),
    publicPath: 'auto',
    filename: '[name].js',
    chunkFilename: 'chunks/[contenthash].js',
    clean: true,
  },
  resolve: { extensions: ['.ts', '.js'] },
  module: { rules: [{ test: /\.ts$/, loader: fileURLToPath(new URL('typescript-loader.cjs', import.meta.url)) }] },
  plugins: [localization(), page],
  performance: { hints: false },
}
