// One build with Rollup in a process of its own, as `npm run build` is. Input: one JSON argument. Output: what the
// build said.
import { pathToFileURL } from 'node:url'
import { rollup } from 'rollup'

const { pluginFile, input, dir, options } = JSON.parse(process.argv[2])
const { default: localization } = await import(pathToFileURL(pluginFile).href)
const bundle = await rollup({ input, plugins: [localization(options)] })
await bundle.write({ dir, format: 'es', entryFileNames: '[name].mjs' })
await bundle.close()
