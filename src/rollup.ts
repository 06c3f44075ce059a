/**
 * The plugin for Rollup. Options: see `PluginOptions`; what is left out comes from `localization.config.*` and the environment.
 *
 * ```ts
 * // rollup.config.js
 * import localization from 'unplugin-localization/rollup'
 *
 * export default { input: 'src/main.js', plugins: [localization()] }
 * ```
 */
import { createRollupPlugin } from 'unplugin'
import { factory } from './plugin/factory.ts'
import type { CreatePlugin, NamedPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/session.ts'

const plugin = createRollupPlugin(factory) as CreatePlugin<NamedPlugin>

export default plugin
