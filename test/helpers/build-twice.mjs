// One process of `npm run build` with webpack or Rspack: a build with the persistent cache, then, unless `isSame`, one
// without. Input: one JSON argument.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { name, pluginFile, configuration, options, isSame } = JSON.parse(process.argv[2])
const module = await import(name)
const { default: localization } = await import(pathToFileURL(pluginFile).href)
const { output, context } = configuration

async function build(changes) {
  const compiler = (module.rspack ?? module.default)({
    ...configuration,
    ...changes,
    plugins: [localization(options)],
  })
  const stats = await new Promise((resolve, reject) => {
    compiler.run((error, result) => (error ? reject(error) : resolve(result)))
  })
  await new Promise((resolve, reject) => compiler.close((error) => (error ? reject(error) : resolve())))
  if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }))
}

await build({})
if (!isSame) await build({ cache: false, output: { ...output, path: join(context, 'cold') } })
