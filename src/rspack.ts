/**
 * The plugin for Rspack. Options: see `PluginOptions`; what is left out comes from `localization.config.*` and the environment.
 *
 * ```ts
 * // rspack.config.js
 * import localization from 'unplugin-localization/rspack'
 *
 * export default { plugins: [localization()] }
 * ```
 */
import { createRspackPlugin } from 'unplugin'
import { factory } from './plugin/factory.ts'
import type { CompilerPlugin, CreatePlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/session.ts'

const plugin = createRspackPlugin(factory) as CreatePlugin<CompilerPlugin>

export default plugin
