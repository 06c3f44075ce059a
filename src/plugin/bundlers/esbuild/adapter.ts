/** esbuild: filters that spare Go the calls, errors as return values. */
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { BuildOptions, PluginBuild } from 'esbuild'
import type { ResolvedConfig } from '../../../config/types.ts'
import { type Diagnostic, formatFinding, messageOf } from '../../../errors.ts'
import type { Logger } from '../../../logger.ts'
import { NULL_SPELLING, REQUEST_FILTER } from '../../../output/ids.ts'
import type { Host, HostInput } from '../../bundler-adapter.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { generateModule } from '../../generate.ts'
import { createPerChunkNotice, wantsPerChunk } from '../../per-chunk-messages.ts'
import { isFirstInBuild } from '../../same-configuration.ts'
import { leakError, leaksIn, type OutputFile, removeLeaks } from '../../secret-scan.ts'
import { secretsToFind } from '../../secrets.ts'
import type { LoadedState } from '../../state.ts'
import { type EsbuildCall, esbuildCall } from './call.ts'
import { entriesOf, perChunkHindrance } from './per-chunk-messages.ts'
import { createEsbuildPrebuilt, type EsbuildPrebuilt, isLibrary } from './prebuilt-chunks.ts'

export function esbuildHost({ session, name, logger }: HostInput): Host {
  const warnPerChunk = createPerChunkNotice(logger)
  const notice = createConfigNotice({ session, logger })
  /** By the options of each build. */
  const prebuiltByBuild = new WeakMap<BuildOptions, EsbuildPrebuilt>()
  return {
    ids: NULL_SPELLING,
    // Does not throw here; a throw would lose esbuild's watch for good.
    fail: (context, { message }) => context.error(message),
    hotApi: () => undefined,
    depend(context, { files }) {
      for (const file of files) context.addWatchFile(file)
    },
    usedTexts(context, { config }) {
      const { build } = (context.getNativeBuildContext?.() ?? {}) as { readonly build?: PluginBuild }
      return config.prune !== false && build && prebuiltByBuild.has(build.initialOptions) ? 'pending' : undefined
    },
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
          // An error before the modules are read would take the files out of the watch, and the output off the disk.
          let broken: readonly Diagnostic[] = []
          build.onStart(async () => {
            const state = session.begin({ keepLastGood: true })
            // Nothing says whether esbuild watches; a build that ends takes this along.
            notice.watch(root)
            try {
              const { loaded, config } = await state
              isFirstInBuild(initialOptions, session, config)
              warnings(config)
              broken = loaded.diagnostics.filter(({ severity }) => severity === 'error')
              return null
            } catch (error) {
              return { errors: [{ text: messageOf(error), pluginName: name }] }
            }
          })
          const call = esbuildCall()
          const prebuilt =
            call === 'build' ? createEsbuildPrebuilt({ options: initialOptions, root, session, logger }) : undefined
          if (prebuilt) prebuiltByBuild.set(initialOptions, prebuilt)
          const hindranceOf = ({ config }: LoadedState) => {
            if (prebuilt && !isLibrary(initialOptions, config)) return perChunkHindrance(initialOptions)
            return prebuilt || call !== 'build' ? 'texts are modules of the output' : 'the output has no folder'
          }
          const warnings = createCallWarnings(call, logger)
          const isPerChunk = (state: LoadedState) => wantsPerChunk(state.config) && hindranceOf(state) === undefined
          let entries: Set<string> | undefined
          // unplugin's own hook can watch files, not folders, and new files are seen through their folder.
          build.onLoad({ filter: MANIFEST_FILTER }, async () => {
            try {
              const state = await session.ready()
              const hindrance = hindranceOf(state)
              if (wantsPerChunk(state.config) && hindrance !== undefined) warnPerChunk(hindrance)
              const how = { chunkAddresses: await prebuilt?.addresses(state), isPerChunk: isPerChunk(state) }
              if (how.isPerChunk) entries = await entriesOf(build)
              if (how.isPerChunk && !entries) warnPerChunk('entry points must be files, named one by one')
              const { code, files } = await generateModule(state, { kind: 'manifest' }, undefined, how)
              const watchDirs = await foldersBelow(state.loaded.files.patterns.bases)
              return { contents: code, loader: 'js', resolveDir: root, watchDirs, watchFiles: [...files] }
            } catch (error) {
              return { errors: [{ text: messageOf(error), pluginName: name }] }
            }
          })
          build.onEnd(async (result) => {
            session.end()
            const texts = broken.map(formatFinding)
            if (prebuilt && result.errors.length === 0) {
              const state = await session.ready()
              // Does not throw here: what is on the disk by now must be looked at.
              const failure = prebuilt
                .finish(result, { isPerChunk: isPerChunk(state), entries })
                .then(() => undefined, messageOf)
              texts.push(...[await failure].filter((text) => text !== undefined))
            }
            const secrets = await secretsToFind(session)
            const files = result.outputFiles
              ? result.outputFiles.map(({ path, contents }) => ({ name: path, content: contents }))
              : secrets.length === 0
                ? []
                : await writtenFiles(root, Object.keys(result.metafile?.outputs ?? {}))
            const leaks = [...leaksIn(files, secrets)]
            if (!wantsMetafile) result.metafile = undefined
            if (leaks[0]) {
              // Here the output is on the disk before a plugin can see it.
              const done = result.outputFiles ? '' : await removeLeaks(leaks, (file) => resolve(root, file))
              texts.push(leakError(leaks[0], done).message)
            }
            return { errors: texts.map((text) => ({ text, pluginName: name })) }
          })
          build.onDispose(() => void session.close())
        },
      },
    },
  }
}

/** Says once what a build loses because it may be one that esbuild serves. */
function createCallWarnings(call: EsbuildCall | undefined, logger: Logger) {
  let isFirst = true
  return ({ prune }: ResolvedConfig) => {
    if (isFirst && call === 'context' && prune !== false)
      logger.warn("prune: esbuild's context() keeps every key; build() prunes. See docs/build.md")
    if (isFirst && call === undefined)
      logger.warn(
        'texts are modules of the bundle, and no key is pruned: a plugin with an asynchronous setup hides ' +
          'whether esbuild runs build() or context(). Put this plugin first in `plugins`',
      )
    isFirst = false
  }
}

const MANIFEST_FILTER = new RegExp(`${NULL_SPELLING.filter.source}manifest\\.js$`)

/** The folders and all of theirs: esbuild does not look below the one it is given. */
async function foldersBelow(bases: readonly string[]): Promise<string[]> {
  const below = await Promise.all(
    bases.map(async (base) => {
      try {
        const entries = await readdir(base, { withFileTypes: true, recursive: true })
        return entries
          .filter(
            (entry) => entry.isDirectory() && !/[\\/](?:\.|node_modules)/.test(entry.parentPath.slice(base.length)),
          )
          .map((entry) => join(entry.parentPath, entry.name))
      } catch {
        // Absent: its appearance is what is watched for.
        return []
      }
    }),
  )
  return [...bases, ...below.flat()]
}

async function writtenFiles(root: string, paths: readonly string[]): Promise<OutputFile[]> {
  return Promise.all(paths.map(async (path) => ({ name: path, content: await readFile(resolve(root, path)) })))
}
