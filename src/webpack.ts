/**
 * The plugin for webpack. Options: see `PluginOptions`. Other options come from `localization.config.*` and the
 * environment.
 *
 * ```ts
 * import localization from 'unplugin-localization/webpack'
 *
 * export default { plugins: [localization()] } // webpack.config.js
 * ```
 */
// Written by scripts/bundlers.mjs.
import { createWebpackPlugin } from 'unplugin'
import { createAdapter as webpack } from './plugin/bundlers/webpack/adapter.ts'
import { createFactory } from './plugin/factory.ts'
import type { CompilerPlugin, CreatePlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

const plugin = createWebpackPlugin(createFactory({ webpack })) as CreatePlugin<CompilerPlugin>

export default plugin
