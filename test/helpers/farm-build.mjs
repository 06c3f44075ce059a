// Farm ends the process when a build fails, so each of its builds gets one of its own. Input: one JSON argument.
import { pathToFileURL } from 'node:url'
import { build } from '@farmfe/core'

const {
  root,
  entries,
  options,
  others = [],
  sourcemap,
  outDir,
  minify,
  define,
  pluginFile,
} = JSON.parse(process.argv[2])
const { default: localization } = await import(pathToFileURL(pluginFile).href)

process.chdir(root)
await build({
  root,
  clearScreen: false,
  compilation: {
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, `./${path}`])),
    output: {
      path: outDir,
      targetEnv: 'node',
      format: 'esm',
      filename: '[resourceName].[contentHash].mjs',
      entryFilename: '[entryName].mjs',
    },
    mode: 'production',
    persistentCache: false,
    progress: false,
    sourcemap,
    minify,
    presetEnv: false,
    define,
  },
  plugins: [options, ...others].map((one) => localization(one)),
})
