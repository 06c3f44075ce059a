// What `docs.test.ts` carries out, each in the folder of its page: a build with a page's configuration, or a program.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export async function work({ bundler, name }) {
  const file = join(process.cwd(), name)
  const load = () => import(pathToFileURL(file).href)
  if (bundler === undefined) return load()
  await BUILDS[bundler](file, load)
}

/** As each bundler's own command; the parts that a page leaves out are the usual ones. */
const BUILDS = {
  async vite(configFile) {
    const { build } = await import('vite')
    await build({ configFile, build: { outDir: 'dist' } })
  },
  async rollup(file) {
    const { rollup } = await import('rollup')
    const { loadConfigFile } = await import('rollup/loadConfigFile')
    const { options, warnings } = await loadConfigFile(file, {})
    warnings.flush()
    for (const input of options) {
      const bundle = await rollup(input)
      for (const output of input.output) await bundle.write(output)
      await bundle.close()
    }
  },
  async rsbuild(path) {
    const { createRsbuild, loadConfig } = await import('@rsbuild/core')
    const { content } = await loadConfig({ path })
    const rsbuild = await createRsbuild({
      rsbuildConfig: { ...content, output: { ...content.output, distPath: { root: 'dist' } } },
    })
    const { close } = await rsbuild.build()
    await close()
  },
  async farm(configPath) {
    const { build } = await import('@farmfe/core')
    await build({ configPath })
  },
  async webpack(_file, load) {
    const { default: webpack } = await import('webpack')
    const { default: config } = await load()
    const output = { path: join(process.cwd(), 'dist') }
    const optimization = { minimize: false }
    const compiler = webpack({ mode: 'production', entry: './src/main.js', output, optimization, ...config })
    await new Promise((resolve, reject) => {
      compiler.run((error, stats) =>
        compiler.close(() => (error || stats.hasErrors() ? reject(error ?? new Error(stats.toString())) : resolve())),
      )
    })
  },
}
