/** esbuild: filters that spare Go the calls, errors as return values. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { NULL_SPELLING, REQUEST_FILTER } from '../../modules/ids.ts'
import { findLeak, leakError, type OutputFile } from '../guard.ts'
import type { Host, HostInput } from '../host.ts'

export function esbuildHost({ session, name }: HostInput): Host {
  return {
    ids: NULL_SPELLING,
    // Does not throw here; a throw would lose esbuild's watch for good.
    fail: (context, { message }) => context.error(message),
    hotApi: () => undefined,
    hooks: {
      esbuild: {
        onResolveFilter: REQUEST_FILTER,
        onLoadFilter: NULL_SPELLING.filter,
        loader: 'js',
        setup(build) {
          const { initialOptions } = build
          const root = initialOptions.absWorkingDir ?? process.cwd()
          session.configure({ root, command: 'build' })
          const wantsMetafile = initialOptions.metafile === true
          // The one way to learn which files were written.
          initialOptions.metafile = true
          build.onStart(async () => {
            try {
              await session.begin()
              return null
            } catch (error) {
              return { errors: [{ text: error instanceof Error ? error.message : String(error), pluginName: name }] }
            }
          })
          build.onEnd(async (result) => {
            session.end()
            const files = result.outputFiles
              ? result.outputFiles.map(({ path, contents }) => ({ name: path, content: contents }))
              : await writtenFiles(root, Object.keys(result.metafile?.outputs ?? {}))
            const leak = findLeak(files, session.secrets())
            if (!wantsMetafile) result.metafile = undefined
            return leak ? { errors: [{ text: leakError(leak).message, pluginName: name }] } : null
          })
          build.onDispose(() => void session.close())
        },
      },
    },
  }
}

async function writtenFiles(root: string, paths: readonly string[]): Promise<OutputFile[]> {
  return Promise.all(paths.map(async (path) => ({ name: path, content: await readFile(resolve(root, path)) })))
}
