/**
 * The plugin for Vite. Options: see `PluginOptions`. Other options come from `localization.config.*` and the
 * environment.
 *
 * ```ts
 * import localization from 'unplugin-localization/vite'
 *
 * export default { plugins: [localization()] } // vite.config.js
 * ```
 */
// Written by scripts/bundlers.mjs.
import { createVitePlugin } from 'unplugin'
import { factory } from './plugin/factory.ts'
import type { CreatePlugin, NamedPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/options.ts'

const plugin = createVitePlugin(factory) as CreatePlugin<NamedPlugin>

export default plugin
