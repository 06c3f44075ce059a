/**
 * The plugin for Farm. Options: see `PluginOptions`; what is left out comes from `localization.config.*` and the environment.
 *
 * ```ts
 * // farm.config.ts
 * import localization from 'unplugin-localization/farm'
 *
 * export default { plugins: [localization()] }
 * ```
 */
import { createFarmPlugin } from 'unplugin'
import { factory } from './plugin/factory.ts'
import type { CreatePlugin, NamedPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/session.ts'

const plugin = createFarmPlugin(factory) as CreatePlugin<NamedPlugin>

export default plugin
