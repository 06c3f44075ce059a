/**
 * The plugin for esbuild. Options: see `PluginOptions`; what is left out comes from `localization.config.*` and the environment.
 *
 * ```ts
 * import { build } from 'esbuild'
 * import localization from 'unplugin-localization/esbuild'
 *
 * await build({ entryPoints: ['src/main.js'], bundle: true, splitting: true, format: 'esm', outdir: 'dist', plugins: [localization()] })
 * ```
 */
import { createEsbuildPlugin } from 'unplugin'
import { factory } from './plugin/factory.ts'
import type { CreatePlugin, EsbuildPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/session.ts'

const plugin = createEsbuildPlugin(factory) as CreatePlugin<EsbuildPlugin>

export default plugin
