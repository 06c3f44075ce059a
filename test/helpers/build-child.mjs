// The process of `buildInProcess`. Says which modules the last build built. No TypeScript: to load it takes as long as a build.
import { pathToFileURL } from 'node:url'

const { name, configurations, options, pluginFile } = JSON.parse(process.argv[2])
const { default: bundle } = await import(name)
const { default: localization } = await import(pathToFileURL(pluginFile).href)
let built = []
for (const configuration of configurations) {
  const compiler = bundle({ ...configuration, plugins: [localization(options)] })
  const stats = await new Promise((resolve, reject) => {
    compiler.run((error, result) => (result ? resolve(result) : reject(error)))
  })
  if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true, warnings: true }))
  const { modules = [] } = stats.toJson({ all: false, modules: true, cachedModules: true, modulesSpace: 10_000 })
  built = modules.map((module) => ({ name: module.name, built: module.built }))
  await new Promise((resolve, reject) => compiler.close((error) => (error ? reject(error) : resolve())))
}
process.stdout.write(JSON.stringify(built))
