/** `node playground/build.mjs [vite] [webpack] [esbuild]`: the same page by each bundler, into `dist-<bundler>`. */
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const builders = {
  async vite() {
    const { build } = await import('vite')
    await build({ configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)), logLevel: 'warn' })
  },
  async webpack() {
    const [{ default: webpack }, { default: config }] = await Promise.all([
      import('webpack'),
      import('./webpack.config.mjs'),
    ])
    const compiler = webpack(config)
    const stats = await promisify(compiler.run.bind(compiler))()
    await promisify(compiler.close.bind(compiler))()
    if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }))
  },
  async esbuild() {
    const { buildPage } = await import('./esbuild.mjs')
    await buildPage()
  },
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(builders, name))
if (unknown.length > 0) {
  process.stderr.write(`unknown bundler: ${unknown.join(', ')}; there are ${Object.keys(builders).join(', ')}\n`)
  process.exit(2)
}
for (const name of asked.length > 0 ? asked : Object.keys(builders)) {
  await builders[name]()
  process.stdout.write(`${name}: playground/dist-${name}/index.html\n`)
}
