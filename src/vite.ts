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
import { createAdapter as vite } from './plugin/bundlers/vite/adapter.ts'
import { createVitePlugin } from './plugin/bundlers/vite/plugin.ts'
import { createFactory } from './plugin/factory.ts'
import type { CreatePlugin, NamedPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

const plugin = createVitePlugin(createFactory({ vite })) as CreatePlugin<NamedPlugin>

export default plugin
