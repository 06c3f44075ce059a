/** The process of `buildInProcess`. Says which modules the last build built. */
import { builtPlugin, runWebpack } from './bundlers.ts'

const { name, configurations, options } = JSON.parse(process.argv[2] ?? '')
let built: object[] = []
for (const configuration of configurations) {
  const plugins = [await builtPlugin(name === 'webpack' ? 'webpack' : 'rspack', options)]
  const stats = await runWebpack(name, { ...configuration, plugins })
  const { modules = [] } = stats.toJson({ all: false, modules: true, cachedModules: true, modulesSpace: 10_000 })
  built = modules.map((module) => ({ name: module.name, built: module.built }))
}
process.stdout.write(JSON.stringify(built))
