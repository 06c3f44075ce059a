/**
 * The plugin for Rspack. Options: see `PluginOptions`. Other options come from `localization.config.*` and the
 * environment.
 *
 * ```ts
 * import localization from 'unplugin-localization/rspack'
 *
 * export default { plugins: [localization()] } // rspack.config.js
 * ```
 */
// Written by scripts/bundlers.mjs.
import { createRspackPlugin } from 'unplugin'
import { createAdapter as rspack } from './plugin/bundlers/rspack/adapter.ts'
import { createFactory } from './plugin/factory.ts'
import type { CompilerPlugin, CreatePlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

const plugin = createRspackPlugin(createFactory({ rspack })) as CreatePlugin<CompilerPlugin>

export default plugin
