// Builds with Farm, one for each message: to load Farm takes longer than fifty builds. It works in the folder and with
// the environment of its process, so it has one of its own.
import { pathToFileURL } from 'node:url'
import { build, Logger } from '@farmfe/core'

/** Farm ends the process when a build fails. */
class FarmLogger extends Logger {
  error(message, options) {
    super.error(message, { ...options, exit: false })
    if (options?.exit) throw new Error('the build failed')
  }
}

let printed = ''
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream)
  stream.write = (text, ...more) => {
    printed += text
    return write(text, ...more)
  }
}

let outcome
process.on('disconnect', () => process.exit())
process.on('message', async ({ env, input }) => {
  process.channel.unref()
  printed = ''
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name]
  Object.assign(process.env, env)
  outcome = await buildWithFarm(input).then(
    () => ({}),
    (error) => ({ error: `${error.message}\n${printed}` }),
  )
})
// Farm does not wait for the last hooks: the build is over when nothing is left to do. What they throw ends the process.
process.on('beforeExit', () => {
  process.channel?.ref()
  if (outcome) process.send(outcome)
  outcome = undefined
})

async function buildWithFarm({ root, entries, options, others = [], pluginFile, ...more }) {
  const { sourcemap, outDir, minify, define } = more
  const { default: localization } = await import(pathToFileURL(pluginFile).href)
  process.chdir(root)
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
    plugins: [options, ...others].map((one) => localization(one)),
  })
}
