/**
 * The plugin for esbuild. Options: see `PluginOptions`. Other options come from `localization.config.*` and the
 * environment.
 *
 * ```ts
 * import localization from 'unplugin-localization/esbuild'
 *
 * await build({ entryPoints: ['src/main.js'], bundle: true, outdir: 'dist', plugins: [localization()] })
 * ```
 */
// Written by scripts/bundlers.mjs.
import { createEsbuildPlugin } from 'unplugin'
import { createAdapter as esbuild } from './plugin/bundlers/esbuild/adapter.ts'
import { createFactory } from './plugin/factory.ts'
import type { CreatePlugin, SetupPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

const plugin = createEsbuildPlugin(createFactory({ esbuild })) as CreatePlugin<SetupPlugin>

export default plugin
