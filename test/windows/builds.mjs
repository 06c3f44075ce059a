// Builds one app with each bundler, into its `out`: `node builds.mjs <app>`. Linux and Windows give the same bytes.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { rollup } from 'rollup'
import rollupPlugin from 'unplugin-localization/rollup'
import vitePlugin from 'unplugin-localization/vite'
import webpackPlugin from 'unplugin-localization/webpack'
import { build as buildWithVite } from 'vite'
import webpack from 'webpack'

const app = resolve(process.argv[2])
const output = join(app, 'out')
const texts = (count, text) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, `${text} ${i}`]))
const FILES = {
  'package.json': '{ "type": "module" }',
  'index.html': '<!doctype html><title>App</title><script type="module" src="/src/main.js"></script>',
  'src/main.js': `
    import { load, languages } from 'virtual:translations'
    import common from 'virtual:translations/en/common'
    console.log(languages, common.key1)
    load('pl', 'shop').then((messages) => console.log(messages.key2))
    import('./pages/cart.js').then(({ show }) => show())`,
  'src/pages/cart.js': `
    import shop from 'virtual:translations/pl/views/cart'
    export const show = () => console.log(shop.key1, shop.key2)`,
}
for (const language of ['en', 'pl', 'pt-BR']) {
  FILES[`locales/${language}/common.json`] = JSON.stringify(texts(20, `Łódź ${language}`), null, 2)
  FILES[`locales/${language}/shop.yaml`] = `key1: one\r\nkey2: "zażółć ${language}"\r\n`
  // As Git writes it with "core.autocrlf".
  FILES[`locales/${language}/views/cart.json`] = JSON.stringify(texts(3, 'a\nb'), null, 2).replaceAll('\n', '\r\n')
}
for (const [name, content] of Object.entries(FILES)) {
  mkdirSync(dirname(join(app, name)), { recursive: true })
  writeFileSync(join(app, name), content)
}
process.chdir(app)
rmSync(output, { recursive: true, force: true })
const options = {
  source: 'files',
  defaultLanguage: 'en',
  files: ['locales/{language}/{namespace}.json', 'locales\\{language}\\{namespace}.yaml'],
}

await buildWithVite({
  root: app,
  configFile: false,
  logLevel: 'warn',
  plugins: [vitePlugin(options)],
  build: { outDir: join(output, 'vite'), emptyOutDir: true, sourcemap: true, manifest: true },
})

const bundle = await rollup({ input: join(app, 'src/main.js'), plugins: [rollupPlugin(options)] })
await bundle.write({ dir: join(output, 'rollup'), format: 'es', sourcemap: true })
await bundle.close()

const compiler = webpack({
  mode: 'production',
  context: app,
  entry: './src/main.js',
  devtool: 'source-map',
  output: { path: join(output, 'webpack') },
  plugins: [webpackPlugin(options)],
})
const stats = await promisify(compiler.run.bind(compiler))()
await promisify(compiler.close.bind(compiler))()
if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }))
