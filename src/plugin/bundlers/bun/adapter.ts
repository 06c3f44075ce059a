/** The adapter for Bun's bundler. Texts are bundled as modules, because a plugin cannot add files to the output. */

import { resolve } from 'node:path'
import { LocalizationError } from '../../../errors.ts'
import { toPosix } from '../../../shared/paths.ts'
import { type CreateAdapter, isFirstInBuild, LIVE_WARNING } from '../../bundler-adapter.ts'
import { type BuiltFile, checkOutput } from '../../check-output.ts'

/**
 * The part of Bun's `PluginBuilder` that the plugin uses. Bun's own types are not used, because they would replace
 * those of Node.
 */
interface BunBuilder {
  /** Not set for `Bun.plugin()`, which loads modules at run time. */
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

  const checkResult = async ({ outputs }: BunResult, folder: string | undefined): Promise<void> => {
    const isWritten = folder !== undefined
    const files = outputs.map((output): BuiltFile => {
      const path = toPosix(output.path)
      // Output in memory is not checked for missing message files, which only a separately built library would load.
      const isScript = isWritten ? undefined : false
      return { name: path, path, isScript, content: async () => new Uint8Array(await output.arrayBuffer()) }
    })
    const place = isWritten ? { folder: toPosix(resolve(root, folder)), isWritten } : {}
    const [error] = await checkOutput(session, { root, files, ...place })
    if (error) throw error
  }

  return {
    hooks: {
      async buildStart() {
        const { config } = await session.begin()
        isFirstInBuild(build, session, config)
        if (config.prune !== false) logger.warn('prune: Bun keeps every key. See docs/build.md')
        if (config.delivery === 'live') logger.warn(LIVE_WARNING)
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
            if (result.success) await checkResult(result, config.outdir)
          })
        },
      },
    },
  }
}
