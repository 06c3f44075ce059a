/**
 * The plugin for webpack. Options: see `PluginOptions`; what is left out comes from `localization.config.*` and the environment.
 *
 * ```ts
 * // webpack.config.js
 * import localization from 'unplugin-localization/webpack'
 *
 * export default { plugins: [localization()] }
 * ```
 */
import { createWebpackPlugin } from 'unplugin'
import { factory } from './plugin/factory.ts'
import type { CompilerPlugin, CreatePlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/session.ts'

const plugin = createWebpackPlugin(factory) as CreatePlugin<CompilerPlugin>

export default plugin
