/**
 * The plugin for Rolldown. Options: see `PluginOptions`; what is left out comes from `localization.config.*` and the environment.
 *
 * ```ts
 * // rolldown.config.js
 * import localization from 'unplugin-localization/rolldown'
 *
 * export default { input: 'src/main.js', plugins: [localization()] }
 * ```
 */
import { createRolldownPlugin } from 'unplugin'
import { factory } from './plugin/factory.ts'
import type { CreatePlugin, NamedPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/session.ts'

const plugin = createRolldownPlugin(factory) as CreatePlugin<NamedPlugin>

export default plugin
