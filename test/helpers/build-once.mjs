// One build with webpack or Rspack and its persistent cache in a process of its own, as `npm run build` is. Input: one
// JSON argument.
import { pathToFileURL } from 'node:url'

const { name, pluginFile, configuration, options } = JSON.parse(process.argv[2])
const module = await import(name)
const { default: localization } = await import(pathToFileURL(pluginFile).href)
const compiler = (module.rspack ?? module.default)({ ...configuration, plugins: [localization(options)] })
const stats = await new Promise((resolve, reject) => {
  compiler.run((error, result) => (error ? reject(error) : resolve(result)))
})
const { modules = [] } = stats.toJson({ all: false, modules: true, cachedModules: true, modulesSpace: 10_000 })
await new Promise((resolve, reject) => compiler.close((error) => (error ? reject(error) : resolve())))
if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }))
process.stdout.write(JSON.stringify(modules.map(({ name, built, cached }) => ({ name, built, cached }))))
