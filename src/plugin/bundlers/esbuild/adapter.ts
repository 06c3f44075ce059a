/** The adapter for esbuild. Filters avoid calls from Go, and errors are return values. */
import type { BuildOptions, PluginBuild } from 'esbuild'
import { NULL_SPELLING, REQUEST_FILTER } from '../../../output/ids.ts'
import type { CreateAdapter } from '../../bundler-adapter.ts'
import { EsbuildRun } from './build.ts'

export const createAdapter: CreateAdapter = (input) => {
  const builds = new WeakMap<BuildOptions, EsbuildRun>()
  return {
    ids: NULL_SPELLING,
    // This does not throw, because an exception would end esbuild's watch mode permanently.
    fail: (context, { message }) => context.error(message),
    hotApi: () => undefined,
    depend(context, { files }) {
      for (const file of files) context.addWatchFile(file)
    },
    // The build's own hook loads the manifest, because it can watch folders.
    delivery(context, _id, { config }) {
      const { build } = (context.getNativeBuildContext?.() ?? {}) as { readonly build?: PluginBuild }
      const run = build && builds.get(build.initialOptions)
      return { isPending: config.prune !== false && run?.canEdit, isProvided: run?.hasFiles(config) }
    },
    hooks: {
      esbuild: {
        onResolveFilter: REQUEST_FILTER,
        onLoadFilter: NULL_SPELLING.filter,
        loader: 'js',
        setup(build) {
          const run = new EsbuildRun(build, input)
          builds.set(build.initialOptions, run)
          run.setup()
        },
      },
    },
  }
}
