/**
 * The plugin for Bun. Options: see `PluginOptions`. Other options come from `localization.config.*` and the
 * environment.
 *
 * ```ts
 * import localization from 'unplugin-localization/bun'
 *
 * await Bun.build({ entrypoints: ['src/main.js'], outdir: 'dist', plugins: [localization()] })
 * ```
 */
// Written by scripts/bundlers.mjs.
import { createBunPlugin } from 'unplugin'
import { createAdapter as bun } from './plugin/bundlers/bun/adapter.ts'
import { createFactory } from './plugin/factory.ts'
import type { CreatePlugin, SetupPlugin } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

const plugin = createBunPlugin(createFactory({ bun })) as CreatePlugin<SetupPlugin>

export default plugin
