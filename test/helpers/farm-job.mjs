// One build with Farm. To load Farm takes longer than fifty builds.
import { pathToFileURL } from 'node:url'
import { build, Logger } from '@farmfe/core'

/** Farm ends the process when a build fails. */
class FarmLogger extends Logger {
  error(message, options) {
    super.error(message, { ...options, exit: false })
    if (options?.exit) throw new Error('the build failed')
  }
}

/** Its priority is above that of the plugin. */
const emptying = (emptied) => ({
  name: 'emptying',
  priority: 200,
  load: {
    filters: { resolvedPaths: [emptied] },
    executor: () => ({ content: '', moduleType: 'js' }),
  },
})

export async function work({ root, entries, options, others = [], emptied, pluginFile, ...more }) {
  const { sourcemap, outDir, minify, define } = more
  const { default: localization } = await import(pathToFileURL(pluginFile).href)
  await build({
    root,
    logger: new FarmLogger(),
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
    plugins: [...(emptied ? [emptying(emptied)] : []), ...[options, ...others].map((one) => localization(one))],
  })
}
