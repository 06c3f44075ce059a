/**
 * The plugin for Vite. Options: see `PluginOptions`; what is left out comes from `localization.config.*` and the environment.
 *
 * ```ts
 * // vite.config.ts
 * import localization from 'unplugin-localization/vite'
 *
 * export default { plugins: [localization()] }
 * ```
 */
import { createVitePlugin } from 'unplugin'
import { factory } from './plugin/factory.ts'
import type { CreatePlugin, NamedPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/session.ts'

const plugin = createVitePlugin(factory) as CreatePlugin<NamedPlugin>

export default plugin
