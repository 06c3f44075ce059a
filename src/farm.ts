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
import { createAdapter as farm } from './plugin/bundlers/farm/adapter.ts'
import { createFactory } from './plugin/factory.ts'
import type { CreatePlugin, NamedPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

const plugin = createFarmPlugin(createFactory({ farm })) as CreatePlugin<NamedPlugin>

export default plugin
