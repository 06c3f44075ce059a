/** The adapter for esbuild. Filters avoid calls from Go. Errors do not throw: that would end the watch mode for good. */
import type { BuildOptions, PluginBuild } from 'esbuild'
import { NULL_SPELLING, REQUEST_FILTER } from '../../../output/ids.ts'
import type { CreateAdapter } from '../../bundler-adapter.ts'
import { EsbuildRun } from './build.ts'

export const createAdapter: CreateAdapter = (input) => {
  const builds = new WeakMap<BuildOptions, EsbuildRun>()
  return {
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
