/**
 * The plugin for every bundler, and the helper and types for the configuration. Each bundler also has its own entry
 * point, such as `unplugin-localization/vite`.
 */
import { createUnplugin } from 'unplugin'
import { ADAPTERS, type LocalizationUnplugin } from './plugin/bundlers/adapters.ts'
import { createFactory } from './plugin/factory.ts'

export { type ConfigContext, defineConfig, type LocalizationConfig } from './config/define.ts'
export type { LocalizationOptions } from './config/options.ts'
export { type Diagnostic, type ErrorCode, LocalizationError, type Place } from './errors.ts'
export type { LocalizationUnplugin } from './plugin/bundlers/adapters.ts'
export type { CompilerPlugin, NamedPlugin, PluginOptions, SetupPlugin } from './plugin/public.ts'

/** `unplugin.vite()`, `unplugin.webpack()` and so on. A bundler's own entry point loads less code. */
export const unplugin: LocalizationUnplugin = createUnplugin(createFactory(ADAPTERS)) as LocalizationUnplugin

/** The same as `unplugin`. @alias */
export default unplugin
