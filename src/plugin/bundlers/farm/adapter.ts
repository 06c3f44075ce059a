/** The adapter for Farm. Its module ids contain no `\0`, because Farm's dev server cannot serve such ids. */

import { resolve } from 'node:path'
import { LocalizationError } from '../../../errors.ts'
import { PLAIN_SPELLING } from '../../../output/ids.ts'
import { toPosix } from '../../../shared/paths.ts'
import { type CreateAdapter, isFirstInBuild, LIVE_WARNING } from '../../bundler-adapter.ts'
import { checkNotEmpty, checkOutput } from '../../check-output.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { checkCopiedFolder, secretsToFind } from '../../secret-scan.ts'

export const createAdapter: CreateAdapter = ({ logger, session }) => {
  let isProduction = false
  const watchConfig = createConfigNotice({ session, logger })
  let root = process.cwd()
  let outputFolder = root
  let build: object = {}
  let publicFolder = resolve('public')
  return {
    ids: PLAIN_SPELLING,
    // In Farm, `this.error` ends the process, but an exception only fails the build.
    fail(_context, message) {
      const error = new LocalizationError(message, { code: 'UNKNOWN_MODULE' })
      // Farm would print the stack after the message.
      error.stack = ''
      throw error
    },
    hooks: {
      async buildStart() {
        const { config } = await session.begin()
        isFirstInBuild(build, session, config)
        if (config.prune !== false) logger.warn('prune: Farm keeps every key. See docs/build.md')
        if (config.delivery === 'live') logger.warn(LIVE_WARNING)
        // Farm does not wait for its later hooks, so the folder is checked here, before Farm copies it.
        if (isProduction) await checkCopiedFolder(publicFolder, config.root, await secretsToFind(session))
      },
      buildEnd: () => session.end(),
      farm: {
        configureDevServer() {
          isProduction = false
          watchConfig(root)
        },
        configResolved(config) {
          build = config
          root = config.root ?? process.cwd()
          isProduction = config.compilation?.mode !== 'development'
          outputFolder = resolve(root, config.compilation?.output?.path ?? 'dist')
          publicFolder = resolve(root, config.publicDir ?? 'public')
          session.configure({ root, mode: config.compilation?.mode, command: 'build' })
        },
        transform: {
          filters: { resolvedPaths: [PLAIN_SPELLING.filter.source.slice(1)], moduleTypes: ['.*'] },
          // Runs after every other `load` hook.
          async executor({ resolvedPath, content }) {
            checkNotEmpty(PLAIN_SPELLING, [{ id: resolvedPath, size: content.length }])
            return null
          },
        },
        // `finalizeResources` is not used, because returning its result crashes Farm 1.7 if there are source maps.
        writeResources: {
          async executor({ resourcesMap }) {
            const files = Object.values(resourcesMap).map(({ name, bytes }) => {
              return { name, path: toPosix(resolve(outputFolder, name)), content: () => Uint8Array.from(bytes) }
            })
            // Farm has already written its output. Texts are bundled as modules, so scripts that load message files can
            // only come from a library that was built separately.
            const [error] = await checkOutput(session, { root, files, folder: toPosix(outputFolder), isWritten: true })
            if (error) throw error
          },
        },
      },
    },
  }
}
