/**
 * The plugin for Farm. Options: see `PluginOptions`. Other options come from `localization.config.*` and the
 * environment.
 *
 * ```ts
 * import localization from 'unplugin-localization/farm'
 *
 * export default { plugins: [localization()] } // farm.config.js
 * ```
 */
// Written by scripts/bundlers.mjs.
import { createFarmPlugin } from 'unplugin'
import { factory } from './plugin/factory.ts'
import type { CreatePlugin, NamedPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/options.ts'

const plugin = createFarmPlugin(factory) as CreatePlugin<NamedPlugin>

export default plugin
