/** Bun's bundler: texts are bundled as modules, because a plugin cannot add files to the output. */
import { resolve } from 'node:path'
import { LocalizationError } from '../../../errors.ts'
import { NULL_SPELLING } from '../../../output/ids.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { CreateAdapter } from '../../bundler-adapter.ts'
import { checkMessageFiles, isScript } from '../../message-files.ts'
import { isFirstInBuild } from '../../same-configuration.ts'
import { leakError, leaksIn, type OutputFile, removeLeaks } from '../../secret-scan.ts'
import { secretsToFind } from '../../secrets.ts'

/** The part of Bun's `PluginBuilder` that the plugin uses. Bun's own types would replace those of Node. */
interface BunBuilder {
  /** `undefined` in `Bun.plugin()`, which loads modules at run time. */
  readonly config?: { readonly outdir?: string }
  onEnd?(callback: (result: BunResult) => Promise<void>): void
}

interface BunResult {
  readonly success: boolean
  readonly outputs: readonly { readonly path: string; arrayBuffer(): Promise<ArrayBuffer> }[]
}

export const createAdapter: CreateAdapter = ({ logger, session }) => {
  const root = process.cwd()
  let build: object = {}

  /** Bun has already written its output here. */
  const checkOutput = async ({ outputs }: BunResult, folder: string | undefined): Promise<void> => {
    const files = await Promise.all(
      outputs.map(async ({ path, arrayBuffer }, at): Promise<OutputFile> => {
        return { name: toPosix(path), content: new Uint8Array(await arrayBuffer.call(outputs[at])) }
      }),
    )
    const leaks = [...leaksIn(files, await secretsToFind(session))]
    const done = folder !== undefined ? await removeLeaks(leaks, (file) => file) : ''
    if (leaks[0]) throw leakError(leaks[0], done)
    if (folder === undefined) return
    checkMessageFiles({
      root,
      names: files.map(({ name }) => name),
      scripts: files
        .filter(({ name }) => isScript(name))
        .map(({ name, content }) => ({ name, text: () => Buffer.from(content).toString() })),
      // A script that addresses message files comes from a library that was built separately.
      made: [],
      folder: toPosix(resolve(root, folder)),
    })
  }

  return {
    ids: NULL_SPELLING,
    fail: (context, { message }) => context.error(message),
    hotApi: () => undefined,
    // `Bun.build()` does not watch.
    depend() {},
    hooks: {
      async buildStart() {
        const { config } = await session.begin()
        isFirstInBuild(build, session, config)
        if (config.prune !== false) logger.warn('prune: Bun keeps every key. See docs/build.md')
      },
      buildEnd: () => session.end(),
      bun: {
        loader: 'js',
        setup(builder: BunBuilder) {
          const { config, onEnd } = builder
          if (!config || !onEnd)
            throw new LocalizationError('the Bun plugin works only in Bun.build()', {
              code: 'CONFIG_INVALID',
              hint: 'Bun.plugin() and plugins in bunfig.toml load modules at run time. Bundle the code with Bun.build() first.',
            })
          build = config
          session.configure({ root, command: 'build' })
          onEnd.call(builder, async (result) => {
            if (result.success) await checkOutput(result, config.outdir)
          })
        },
      },
    },
  }
}
