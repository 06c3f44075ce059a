/**
 * The plugin for Rolldown. Options: see `PluginOptions`. Other options come from `localization.config.*` and the
 * environment.
 *
 * ```ts
 * import localization from 'unplugin-localization/rolldown'
 *
 * export default { plugins: [localization()] } // rolldown.config.js
 * ```
 */
// Written by scripts/bundlers.mjs.
import { createRolldownPlugin } from 'unplugin'
import { createAdapter as rolldown } from './plugin/bundlers/rolldown/adapter.ts'
import { createFactory } from './plugin/factory.ts'
import type { CreatePlugin, NamedPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

const plugin = createRolldownPlugin(createFactory({ rolldown })) as CreatePlugin<NamedPlugin>

export default plugin
