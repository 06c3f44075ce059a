/**
 * The plugin for Rsbuild. Options: see `PluginOptions`. Other options come from `localization.config.*` and the
 * environment.
 *
 * ```ts
 * import localization from 'unplugin-localization/rsbuild'
 *
 * export default { plugins: [localization()] } // rsbuild.config.js
 * ```
 */
// Written by scripts/bundlers.mjs.
import { createRsbuildPlugin } from 'unplugin'
import { createAdapter as rsbuild } from './plugin/bundlers/rsbuild/adapter.ts'
import { createFactory } from './plugin/factory.ts'
import type { CreatePlugin, SetupPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

const plugin = createRsbuildPlugin(createFactory({ rsbuild })) as CreatePlugin<SetupPlugin>

export default plugin
