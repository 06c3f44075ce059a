/**
 * The plugin for Rollup. Options: see `PluginOptions`. Other options come from `localization.config.*` and the
 * environment.
 *
 * ```ts
 * import localization from 'unplugin-localization/rollup'
 *
 * export default { plugins: [localization()] } // rollup.config.js
 * ```
 */
// Written by scripts/bundlers.mjs.
import { createRollupPlugin } from 'unplugin'
import { createAdapter as rollup } from './plugin/bundlers/rollup/adapter.ts'
import { createFactory } from './plugin/factory.ts'
import type { CreatePlugin, NamedPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

const plugin = createRollupPlugin(createFactory({ rollup })) as CreatePlugin<NamedPlugin>

export default plugin
